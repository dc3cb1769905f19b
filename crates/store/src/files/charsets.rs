//! Charsets that the user chose for hosts: a plain text file, one per line.
//!
//! ```text
//! choice = host 1*blank charset *any   ; the host in any case, the charset by its name, or `auto`
//! ```
//!
//! Every other line is ignored and preserved; of two lines for one host the last one counts. Removing a line removes
//! the choice.

use std::collections::BTreeMap;
use std::path::Path;

use geomys_wire::text::CharsetSetting;

use super::regular;
use super::user_file::{FileError, UserFile, complete_lines};

/// Header comment of a new file.
const HEAD: &[u8] = b"# Charsets of hosts: host, charset. Remove a line to forget it.\n";

const FILE: UserFile = UserFile {
    max_bytes: regular::LIST,
    read_failed: "the charsets of hosts cannot be read",
    write_failed: "the charset was not stored",
};

/// The chosen charsets, by host in lower case.
pub type HostCharsets = BTreeMap<String, CharsetSetting>;

/// Reads the file; a missing file gives no choices.
///
/// # Errors
/// Errors of reading.
pub fn load(path: &Path) -> Result<HostCharsets, FileError> {
    let octets = FILE.read(path)?;
    let lines = octets.split(|&octet| octet == b'\n');
    Ok(lines.filter_map(choice).collect())
}

/// Stores the charset for a host, in the line of its old one or at the end of the file as it is now.
///
/// # Errors
/// Errors of reading and writing; nothing is written then.
pub fn save(path: &Path, host: &str, read_as: CharsetSetting) -> Result<(), FileError> {
    FILE.change(path, |octets| Ok((with_choice(octets, host, read_as), ())))
}

fn with_choice(octets: Vec<u8>, host: &str, read_as: CharsetSetting) -> Vec<u8> {
    let new = format!("{host} {}\n", read_as.name()).into_bytes();
    let mut lines: Vec<&[u8]> = octets.split_inclusive(|&octet| octet == b'\n').collect();
    let is_old = |line: &&mut &[u8]| choice(line).is_some_and(|(chosen, _)| chosen == host);
    if let Some(old) = lines.iter_mut().rfind(is_old) {
        *old = &new;
        return lines.concat();
    }
    [complete_lines(octets, HEAD), new].concat()
}

/// Parses a line with a choice.
fn choice(line: &[u8]) -> Option<(String, CharsetSetting)> {
    let mut words = std::str::from_utf8(line).ok()?.split_whitespace();
    let host = words.next().filter(|host| !host.starts_with('#'))?;
    let read_as = CharsetSetting::named(words.next()?)?;
    Some((host.to_ascii_lowercase(), read_as))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> CharsetSetting {
        CharsetSetting::named(name).unwrap()
    }

    #[test]
    fn choice_is_stored_in_its_line_and_other_lines_stay() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("charsets.txt");
        assert!(load(&path).unwrap().is_empty());
        for name in ["koi8-r", "cp437", "auto", "windows-1252", "shift_jis"] {
            save(&path, "h.example", named(name)).unwrap();
            assert_eq!(load(&path).unwrap()["h.example"], named(name), "{name}");
        }
        std::fs::write(
            &path,
            b"# koi8-r\n\xff\nH.Example  koi8-r  mine\nother nothing\n::1 cp437",
        )
        .unwrap();
        let read = load(&path).unwrap();
        assert_eq!(read["h.example"], named("koi8-r"));
        assert_eq!((read["::1"], read.len()), (named("cp437"), 2));
        save(&path, "h.example", named("big5")).unwrap();
        save(&path, "new.example", named("auto")).unwrap();
        let written = std::fs::read(&path).unwrap();
        let expected =
            "# koi8-r\n\u{fffd}\nh.example Big5\nother nothing\n::1 cp437\nnew.example auto\n";
        assert_eq!(
            String::from_utf8_lossy(&written).to_lowercase(),
            expected.to_lowercase()
        );
    }
}
