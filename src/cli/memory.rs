//! The limit of the process's address space (`ulimit -v`), which the memory of pages has to stay below: an allocation
//! that fails aborts the process, with no way to give the terminal back.

use rustix::process::{Resource, getrlimit};

use super::error::CliError;
use geomys_app::Memory;

/// The least address space that the browser starts with, in MiB: threads reserve more than they use.
const MIN_MIB: u64 = 1024;

/// The share of the address space that pages may take.
const SHARE_OF_PAGES: u64 = 4;

/// Fits the memory of pages into the address space of this process.
///
/// # Errors
/// The space is too small for the browser.
pub(super) fn fit(memory: &mut Memory) -> Result<(), CliError> {
    fit_into(getrlimit(Resource::As).current, memory)
}

fn fit_into(space: Option<u64>, memory: &mut Memory) -> Result<(), CliError> {
    let Some(space) = space else {
        return Ok(());
    };
    let mib = space >> 20;
    if mib < MIN_MIB {
        let sentence = format!("needs {MIN_MIB} MiB of address space, ulimit -v allows {mib} MiB");
        return Err(CliError::cannot_run(sentence));
    }
    let most = space / SHARE_OF_PAGES;
    memory.pages = memory.pages.min(most);
    memory.page = memory.page.min(most);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_take_a_quarter_of_a_limited_address_space() {
        let mut memory = Memory::default();
        let unlimited = memory;
        fit_into(None, &mut memory).unwrap();
        assert_eq!(memory, unlimited);
        fit_into(Some(1 << 30), &mut memory).unwrap();
        assert!(memory.page <= 256 << 20 && memory.pages == 256 << 20);
        assert!(fit_into(Some((MIN_MIB << 20) - 1), &mut memory).is_err());
    }
}
