//! Local gophermaps as the menus that a server would make of them.
//!
//! ```text
//! line = [ type ] name TAB [ selector ] [ TAB host [ TAB port ] ] / text / comment / "."
//! ```
//!
//! A line without a TAB is text; one without a host links to a file beside the gophermap. Lines by which servers run
//! programs, list files or include others (`!`, `*`, `=`, `-`, `~`, `%`, `:`) have no meaning without a server, and are
//! shown as they are. `#` begins a comment.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rfc1738::{Dialect, Url};

/// Returns the menu, whose rows without a host link to files in `directory`.
pub(super) fn menu(octets: &[u8], directory: &Path) -> Vec<u8> {
    let mut menu = Vec::with_capacity(octets.len() * 2);
    for line in octets.split_inclusive(|&octet| octet == b'\n') {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        match line {
            [b'#', ..] => continue,
            b"." => break,
            _ => row(line, directory, &mut menu),
        }
        menu.extend_from_slice(b"\r\n");
    }
    menu
}

fn row(line: &[u8], directory: &Path, menu: &mut Vec<u8>) {
    let mut fields = line.splitn(4, |&octet| octet == b'\t');
    let name = fields.next().unwrap_or_default();
    let (Some(selector), Some((&gtype, label))) = (fields.next(), name.split_first()) else {
        menu.push(b'i');
        menu.extend_from_slice(line);
        menu.extend_from_slice(b"\t\t\t0");
        return;
    };
    let host = fields.next().unwrap_or_default().trim_ascii();
    let is_address = selector.starts_with(b"URL:") || selector.starts_with(b"/URL:");
    if !host.is_empty() || is_address || gtype == b'i' || gtype == b'3' {
        menu.extend_from_slice(line);
        return;
    }
    // A row with an empty selector uses its label as the file name.
    let selector = if selector.is_empty() { label } else { selector };
    match beside(directory, selector) {
        Some(url) => {
            menu.push(gtype);
            menu.extend_from_slice(label);
            menu.extend_from_slice(b"\tURL:");
            menu.extend_from_slice(url.as_str().as_bytes());
            menu.extend_from_slice(b"\tlocalhost\t70");
        }
        None => menu.extend_from_slice(line),
    }
}

/// Returns the file for a selector without a host: relative to the directory of the gophermap; or, after a slash,
/// relative to the server's root, which is unknown, so the parent directories are searched.
fn beside(directory: &Path, selector: &[u8]) -> Option<Url> {
    let relative = selector.strip_prefix(b"/");
    let path = match relative {
        None => directory.join(std::ffi::OsStr::from_bytes(selector)),
        Some(relative) => {
            let relative = std::ffi::OsStr::from_bytes(relative);
            let roots = directory.ancestors();
            let mut there = roots.map(|root| root.join(relative));
            there
                .find(|path| path.exists())
                .unwrap_or_else(|| directory.join(relative))
        }
    };
    let mut url = Dialect::Extended.parse("file:///").ok()?;
    for name in path.strip_prefix("/").ok()? {
        url = url.child(name.as_bytes(), None).ok()?;
    }
    Some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_lead_to_files_beside_it() {
        let map = b"Welcome\n# nobody sees this\n0About us\tabout.txt\r\n1Elsewhere\t/x\tgopher.example\t70\n\
            1Phlog\n1phlog\t\nhWeb\tURL:http://example.org/\n.\nnot shown";
        let menu = menu(map, Path::new("/no where/at all"));
        assert_eq!(
            menu.escape_ascii().to_string().replace("\\r\\n", "\n"),
            "iWelcome\\t\\t\\t0\n\
             0About us\\tURL:file:///no%20where/at%20all/about.txt\\tlocalhost\\t70\n\
             1Elsewhere\\t/x\\tgopher.example\\t70\n\
             i1Phlog\\t\\t\\t0\n\
             1phlog\\tURL:file:///no%20where/at%20all/phlog\\tlocalhost\\t70\n\
             hWeb\\tURL:http://example.org/\n"
        );
    }

    proptest::proptest! {
        #[test]
        fn any_octets_are_a_menu(octets: Vec<u8>) {
            let menu = menu(&octets, Path::new("/nowhere"));
            proptest::prop_assert!(menu.is_empty() || menu.ends_with(b"\r\n"));
        }
    }
}
