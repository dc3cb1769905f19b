//! Menus as gophermaps of gophernicus, and the paths of files that it finds by a selector.
//!
//! ```text
//! map = *( row CR LF )
//! row = type name TAB selector [ TAB host TAB port ]
//! ```
//!
//! A gophermap is a program: by its first octet a row hides files, changes types, lists users or directories, includes
//! another map or runs a command, and there is no escape. So a row with such an octet becomes a text, and so does one
//! that the server would split or complete. A row of the mirrored server itself has no host and no port, so that the
//! copy leads to itself.

use geomys_wire::protocol::gopher::{item, without_final_dot};
use rfc1738::{Parts, Url};

/// The first octets of rows that gophernicus interprets.
const SPECIAL: &[u8] = b"=-:~%*#!.";

/// The largest row, in octets: gophernicus takes what follows its 1,022nd octet for another row.
const MAX_ROW_BYTES: usize = 1000;

/// The fields behind the name of a text.
const TEXT_END: &[u8] = b"\t\tnull.host\t1";

/// Numbers of rows that are not what the server sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ChangedRows {
    /// Rows that became texts.
    pub(super) texts: usize,
    /// Rows without their fields of Gopher+, or with another spelling of their port.
    pub(super) fields: usize,
}

/// The server that was mirrored: its host, and its port.
pub(super) struct OwnServer {
    host: String,
    port: u16,
}

impl OwnServer {
    /// Returns the server of a URL of Gopher.
    pub(super) fn of(url: &Url) -> Option<Self> {
        let parts = url.base_parts();
        let address = parts.address()?;
        Some(Self {
            host: address.node().to_owned(),
            port: address.port(),
        })
    }

    fn is(&self, host: &[u8], port: u16) -> bool {
        port == self.port && host.eq_ignore_ascii_case(self.host.as_bytes())
    }
}

/// Returns a menu as a gophermap, and counts the rows that differ.
pub(super) fn gophermap(menu: &[u8], own: &OwnServer, changed: &mut ChangedRows) -> Vec<u8> {
    let rows = without_final_dot(menu);
    let mut map = Vec::with_capacity(rows.len());
    for line in rows.split_inclusive(|&octet| octet == b'\n') {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        map.extend(row(line, own, changed));
        map.extend_from_slice(b"\r\n");
    }
    map
}

/// Returns a row as gophernicus gives it back.
fn row(line: &[u8], own: &OwnServer, changed: &mut ChangedRows) -> Vec<u8> {
    let fields: Vec<&[u8]> = line.split(|&octet| octet == b'\t').collect();
    let is_harmless = line
        .first()
        .is_some_and(|first| !SPECIAL.contains(first) && !first.is_ascii_control());
    let is_kept = is_harmless && line.len() <= MAX_ROW_BYTES && !line.contains(&0);
    let (true, &[name, selector, host, written, ref plus @ ..]) = (is_kept, fields.as_slice())
    else {
        changed.texts += 1;
        return text(fields.first().copied().unwrap_or_default());
    };
    let port = item(line).map_or(70, |item| item.port).to_string();
    let is_same = plus.is_empty() && written == port.as_bytes();
    changed.fields += usize::from(!is_same);
    let is_own = port.parse().is_ok_and(|port| own.is(host, port));
    if is_own && selector.starts_with(b"/") {
        return [name, selector].join(&b'\t');
    }
    [name, selector, host, port.as_bytes()].join(&b'\t')
}

/// Returns the row of a text.
fn text(name: &[u8]) -> Vec<u8> {
    let name = name.get(..MAX_ROW_BYTES / 2).unwrap_or(name);
    let name = name.iter().copied().filter(|&octet| octet != 0);
    let mut row = vec![b'i'];
    row.extend(name);
    row.extend_from_slice(TEXT_END);
    row
}

/// Returns the row of a menu with this selector.
pub(super) fn link_to(selector: &[u8]) -> Vec<u8> {
    [b"1The mirrored pages\t", selector, b"\r\n"].concat()
}

/// Returns the path at which gophernicus looks for a selector: it decodes `%41` and `#101`. `None` for one that it
/// cannot decode.
pub(super) fn path_of_selector(selector: &[u8]) -> Option<Vec<u8>> {
    let mut path = Vec::with_capacity(selector.len());
    let mut rest = selector;
    while let Some((&first, after)) = rest.split_first() {
        let (digits, radix) = match first {
            b'%' => (2, 16),
            b'#' => (3, 8),
            _ => (0, 10),
        };
        if digits == 0 {
            path.push(first);
        } else {
            let code = after
                .get(..digits)
                .and_then(|code| std::str::from_utf8(code).ok());
            let code = code.filter(|code| !code.starts_with('+'))?;
            path.push(u8::from_str_radix(code, radix).ok()?);
        }
        rest = after.get(digits..).unwrap_or_default();
    }
    Some(path)
}

/// Returns true for a menu, which is the gophermap of a directory.
pub(super) fn is_menu(url: &Url) -> bool {
    matches!(url.base_parts(), Parts::Gopher(gopher) if gopher.item_type() == b'1')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rfc1738::Dialect;

    use super::*;

    fn own() -> OwnServer {
        let url = Dialect::Extended.parse("gopher://h.example:7070/").unwrap();
        OwnServer::of(&url).unwrap()
    }

    #[test]
    fn rows_come_back_or_become_texts() {
        let long = format!("0{}\t/x\th\t70", "n".repeat(1200));
        let cut = format!("i0{}\t\tnull.host\t1", "n".repeat(499));
        for (row, expected) in [
            ("1A\t/a\th.example\t7070", "1A\t/a"),
            ("1A\t/a\tH.EXAMPLE\t7070", "1A\t/a"),
            ("1A\ta\th.example\t7070", "1A\ta\th.example\t7070"),
            ("1A\t/a\th.example\t70", "1A\t/a\th.example\t70"),
            ("1A\t/a\th\t70\t+", "1A\t/a\th\t70"),
            ("1A\t/a\th\t070", "1A\t/a\th\t70"),
            ("1A\t/a\th\t", "1A\t/a\th\t70"),
            ("iText\tfake\t(NULL)\t0", "iText\tfake\t(NULL)\t0"),
            ("+A\t\t\t70", "+A\t\t\t70"),
            ("=id\t/x\th.example\t7070", "i=id\t\tnull.host\t1"),
            ("!Title", "i!Title\t\tnull.host\t1"),
            (".", "i.\t\tnull.host\t1"),
            ("#c\t/\th\t70", "i#c\t\tnull.host\t1"),
            ("", "i\t\tnull.host\t1"),
            ("only text", "ionly text\t\tnull.host\t1"),
            ("1A\t/a\th", "i1A\t\tnull.host\t1"),
            ("0a\0=id\t/x\th\t70", "i0a=id\t\tnull.host\t1"),
            ("\t/x\th\t70", "i\t\tnull.host\t1"),
            (&long, &cut),
        ] {
            let map = gophermap(
                format!("{row}\r\n.\r\n").as_bytes(),
                &own(),
                &mut ChangedRows::default(),
            );
            let map = String::from_utf8(map).unwrap();
            assert_eq!(map.strip_suffix("\r\n"), Some(expected), "{row:?}");
        }
        let mut changed = ChangedRows::default();
        gophermap(
            b"=x\r\n1A\t/a\th\t70\t+\r\n1A\t/a\th\t70",
            &own(),
            &mut changed,
        );
        let expected = ChangedRows {
            texts: 1,
            fields: 1,
        };
        assert_eq!(changed, expected);
    }

    #[test]
    fn selector_is_decoded_as_the_server_does() {
        for (selector, path) in [
            ("/a b", Some("/a b")),
            ("/a%20b", Some("/a b")),
            ("/a#040b", Some("/a b")),
            ("/a%25b", Some("/a%b")),
            ("/%2e%2e/x", Some("/../x")),
            ("/a#1.txt", None),
            ("/a%zz", None),
            ("/a%", None),
            ("/#777", None),
        ] {
            let decoded = path_of_selector(selector.as_bytes());
            let decoded = decoded.map(|path| String::from_utf8(path).unwrap());
            assert_eq!(decoded.as_deref(), path, "{selector}");
        }
    }

    proptest! {
        #[test]
        fn no_octet_of_a_menu_is_interpreted(
            rows in proptest::collection::vec(
                prop_oneof![
                    proptest::collection::vec(any::<u8>(), 0..60),
                    "[-=:~%*#!.\r\n\t\0 i01a/]{0,40}".prop_map(String::into_bytes),
                    (900_usize..1300).prop_map(|length| [vec![b'0'; length], b"\t/=\th\t70".to_vec()].concat()),
                ],
                0..20,
            ),
        ) {
            let map = gophermap(&rows.join(b"\r\n".as_slice()), &own(), &mut ChangedRows::default());
            for line in map.split_inclusive(|&octet| octet == b'\n') {
                prop_assert!(line.ends_with(b"\r\n") && line.len() <= MAX_ROW_BYTES + 2);
                prop_assert!(!SPECIAL.contains(&line[0]) && !line[0].is_ascii_control());
                let tabs = line.split(|&octet| octet == b'\t').count() - 1;
                let is_own = tabs == 1 && line.windows(2).any(|pair| pair == b"\t/");
                prop_assert!(is_own || tabs == 3, "{}", line.escape_ascii());
                prop_assert!(!line.contains(&0));
            }
        }
    }
}
