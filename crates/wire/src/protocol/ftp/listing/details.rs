//! Properties of an entry that a row has no room for: permissions, owner and group, as the server wrote them.
//!
//! The properties are read from `ls -l` and from the facts of MLSD (`UNIX.mode`, `UNIX.owner`, `UNIX.group`, and `perm`
//! of RFC 3659, section 7.5.5). In `ls -l` they are the words between the number of links, if there is one, and the
//! size.

/// Permissions, owner and group of an entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details<'a> {
    /// The permissions.
    pub permissions: Option<&'a [u8]>,
    /// The owner.
    pub owner: Option<&'a [u8]>,
    /// The group, which may have several words.
    pub group: Option<Vec<u8>>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::ftp::listing::Format;

    fn details(format: Format, line: &str) -> [String; 3] {
        let Details {
            permissions,
            owner,
            group,
        } = format.details(line.as_bytes());
        let text = |octets: Option<&[u8]>| octets.unwrap_or_default().escape_ascii().to_string();
        [text(permissions), text(owner), text(group.as_deref())]
    }

    #[test]
    fn permissions_and_owners_are_read() {
        for (line, expected) in [
            (
                "-rw-r--r--    1 0        1000           19 Nov 22 21:57 README",
                ["-rw-r--r--", "0", "1000"],
            ),
            (
                "12 drwxr-xr-x+ 2 ada Domain Users 4096 2026-11-22 21:57 docs",
                ["drwxr-xr-x+", "ada", "Domain Users"],
            ),
            (
                "-rw-r--r-- ada staff 19 Nov 22 2020 a",
                ["-rw-r--r--", "ada", "staff"],
            ),
            (
                "-rw-r--r-- 1 ada 19 Nov 22 2020 a",
                ["-rw-r--r--", "ada", ""],
            ),
            (
                "brw-rw---- 1 root disk 8, 1 Nov 22 2020 sda1",
                ["brw-rw----", "root", "disk"],
            ),
            ("total 12", ["", "", ""]),
        ] {
            assert_eq!(details(Format::Unix, line), expected, "{line}");
        }
        let line = "type=file;Perm=r;size=3;UNIX.mode=0644;UNIX.owner=33;unix.group=www; a";
        assert_eq!(details(Format::Facts, line), ["0644", "33", "www"]);
        let line = "type=file;perm=adfrw; a";
        assert_eq!(details(Format::Facts, line), ["adfrw", "", ""]);
        assert_eq!(details(Format::Names, "a"), ["", "", ""]);
    }

    proptest::proptest! {
        #[test]
        fn any_octets_are_accepted(line: Vec<u8>) {
            for format in Format::ALL {
                format.details(&line);
            }
        }
    }
}
