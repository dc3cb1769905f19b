//! The limit of the process's address space (`ulimit -v`), which the memory of pages has to stay below: an allocation
//! that fails aborts the process, with no way to give the terminal back.

use geomys_wire::text;
use rustix::process::{Resource, getrlimit};

use super::error::CliError;
use geomys_app::Memory;

/// The least address space that the browser starts with, in MiB: threads reserve more than they use.
const MIN_MIB: u64 = 1024;

/// The share of the address space that pages may take.
const SHARE_OF_PAGES: u64 = 4;

/// The address space that a command takes beside its page, in MiB: the C library reserves 64 MiB for each thread.
const COMMAND_MIB: u64 = 512;

/// The share of the rest that the octets of a page may take: its rows take several times as much.
const SHARE_OF_OCTETS: u64 = 16;

/// The octets of a page that a command holds in any address space.
const SMALL_PAGE_BYTES: u64 = 256 * 1024;

/// Checks that a page of so many octets, which a command holds with all its rows, has room in the address space.
///
/// # Errors
/// It may not have: an allocation would fail.
pub(super) fn check_held(octets: usize) -> Result<(), CliError> {
    match getrlimit(Resource::As).current {
        Some(space) if octets as u64 > held_in(space) => {
            let (most, mib) = (text::octets(held_in(space)), space >> 20);
            Err(CliError::new(format!(
                "the page is larger than {most}, too large for the {mib} MiB that ulimit -v allows"
            )))
        }
        Some(_) | None => Ok(()),
    }
}

/// Returns the most octets of a page that a command holds in an address space.
fn held_in(space: u64) -> u64 {
    let rest = space.saturating_sub(COMMAND_MIB << 20);
    (rest / SHARE_OF_OCTETS).max(SMALL_PAGE_BYTES)
}

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
    fn command_holds_a_small_page_in_any_address_space() {
        assert_eq!(held_in(0), SMALL_PAGE_BYTES);
        assert_eq!(held_in(COMMAND_MIB << 20), SMALL_PAGE_BYTES);
        assert_eq!(held_in(1 << 30), 32 << 20);
    }

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
