//! caps.txt, and parent selectors by a server's own rules.

use geomys_wire::protocol::gopher::caps::Caps;
use proptest::prelude::*;

#[test]
fn caps_entries_and_known_keys_parse() {
    let caps = Caps::parse(
        b"CAPS\r\n\r\n##\r\n## Made by a machine.\r\n##\r\nCapsVersion=1\r\nExpireCapsAfter=3600\r\n\r\nPathDelimeter=/\r\n\
        PathIdentity=.\r\nPathParent=..\r\nPathParentDouble=FALSE\r\nPathEscapeCharacter=\\\r\nPathKeepPreDelimeter=FALSE\r\n\
        ServerSoftware=Gophernicus\r\nServerSoftwareVersion=3.1.1\r\nServerDefaultEncoding=UTF-8\r\nServerTLSPort=7443\r\n\
        ServerDescription=a=b\r\nServerAdmin = a@b \r\nEmpty=\r\nno key\r\n",
    )
    .unwrap();
    assert_eq!(caps.value(b"ExpireCapsAfter"), Some(&b"3600"[..]));
    assert_eq!(caps.value(b"no key"), None);
    assert_eq!(caps.value(b"CapsVersion"), Some(&b"1"[..]));
    assert_eq!(
        (caps.value(b"Empty"), caps.value(b"capsversion")),
        (None, None)
    );
    assert_eq!(caps.delimiter(), Some(&b"/"[..]));
    assert_eq!((caps.identity(), caps.parent()), (&b"."[..], &b".."[..]));
    assert_eq!(caps.escape(), Some(&b"\\"[..]));
    assert!(!caps.has_parent_double() && !caps.keeps_pre_delimiter());
    assert_eq!(caps.value(b"ServerSoftware"), Some(&b"Gophernicus"[..]));
    assert_eq!(caps.value(b"ServerSoftwareVersion"), Some(&b"3.1.1"[..]));
    assert_eq!(caps.value(b"ServerDefaultEncoding"), Some(&b"UTF-8"[..]));
    assert_eq!(caps.value(b"ServerTLSPort"), Some(&b"7443"[..]));
    assert_eq!(caps.tls_port(), Some(7443));
    assert_eq!(caps.value(b"ServerDescription"), Some(&b"a=b"[..]));
    assert_eq!(caps.value(b"ServerAdmin"), Some(&b"a@b"[..]));
}

#[test]
fn file_without_caps_line_is_no_caps_file() {
    for file in [
        &b""[..],
        b"caps\r\n",
        b"CAPSULE\r\n",
        b"3Not found\t\terror.host\t1\r\n.\r\n",
        b"\r\nCAPS\r\n",
    ] {
        assert_eq!(Caps::parse(file), None, "{}", file.escape_ascii());
    }
    let bare = Caps::parse(b"CAPS").unwrap();
    assert_eq!(
        (bare.delimiter(), bare.value(b"ServerTLSPort")),
        (None, None)
    );
    assert_eq!(bare.tls_port(), None);
    assert_eq!((bare.identity(), bare.parent()), (&b"."[..], &b".."[..]));
    assert_eq!(bare.parent_menu(b"/a/b"), None, "no rule, no way up");
    let other =
        Caps::parse(b"CAPS\nPathDelimiter=:\nServerTLSPort=0\nDefaultEncoding=ascii\n").unwrap();
    assert_eq!(
        (other.delimiter(), other.value(b"ServerTLSPort")),
        (Some(&b":"[..]), Some(&b"0"[..]))
    );
    assert_eq!(other.value(b"DefaultEncoding"), Some(&b"ascii"[..]));
    assert_eq!(other.tls_port(), None);
    for port in ["", "70000", "-1", "7443x"] {
        let file = format!("CAPS\nServerTLSPort={port}\n");
        assert_eq!(
            Caps::parse(file.as_bytes()).unwrap().tls_port(),
            None,
            "{port}"
        );
    }
}

#[test]
fn parent_selector_follows_caps_rules() {
    let posix = "PathDelimeter=/";
    let prefix_stays = "PathDelimeter=/\nPathKeepPreDelimeter=TRUE";
    let mac = "PathDelimeter=:\nPathParentDouble=TRUE";
    let escaped = "PathDelimeter=/\nPathEscapeCharacter=\\";
    let long = "PathDelimeter=->\nPathIdentity=here\nPathParent=up";
    for (rules, selector, above) in [
        (posix, "", None),
        (posix, "/", None),
        (posix, "/a", Some("")),
        (posix, "/a/", Some("")),
        (posix, "/a/b", Some("/a")),
        (posix, "/a/b/", Some("/a")),
        (posix, "//a//b", Some("/a")),
        (posix, "/a/./b/../c", Some("/a")),
        (posix, "/a/b/..", Some("")),
        (posix, "/..", Some("")),
        (posix, "1/a/b", Some("/a")),
        (posix, "opaque", Some("")),
        (prefix_stays, "docs/a/b", Some("docs/a")),
        (prefix_stays, "docs/a", Some("docs")),
        (prefix_stays, "docs", Some("")),
        (prefix_stays, "/a/b", Some("/a")),
        (mac, ":a:b:c", Some(":a:b")),
        (mac, ":a:b::c", Some(":a")),
        (mac, ":a:b:", Some(":a")),
        (escaped, "/a/b\\/c", Some("/a")),
        (escaped, "/a\\/b", Some("")),
        (escaped, "/a\\", Some("")),
        (long, "->a->here->b->c", Some("->a->b")),
        (long, "->a->up->b->c", Some("->b")),
    ] {
        let file = format!("CAPS\n{rules}\n");
        let caps = Caps::parse(file.as_bytes()).unwrap();
        let got = caps.parent_menu(selector.as_bytes());
        assert_eq!(
            got.as_deref(),
            above.map(str::as_bytes),
            "{rules} {selector}"
        );
    }
}

proptest! {
    #[test]
    fn repeated_parent_ends_at_the_root(
        rules in "[ -~]{0,6}",
        selector in proptest::collection::vec(prop_oneof![Just(b'/'), Just(b'.'), Just(b'\\'), Just(b'a'), any::<u8>()], 0..40),
    ) {
        let file = format!("CAPS\nPathDelimeter=/\nPathEscapeCharacter=\\\nPathParent={rules}\n");
        let caps = Caps::parse(file.as_bytes()).unwrap();
        let mut here = selector;
        let mut steps = 0;
        while let Some(above) = caps.parent_menu(&here) {
            prop_assert!(above.len() < here.len());
            here = above;
            steps += 1;
        }
        prop_assert!(steps <= 41);
        prop_assert!(here.is_empty() || here == b"/");
    }

    #[test]
    fn any_octets_parse_as_caps_without_panic(octets in proptest::collection::vec(any::<u8>(), 0..80), selector in proptest::collection::vec(any::<u8>(), 0..20)) {
        let file = [b"CAPS\nPathDelimeter=", octets.as_slice()].concat();
        if let Some(caps) = Caps::parse(&file) {
            let _ = (caps.parent_menu(&selector), caps.value(&selector));
        }
        let _ = Caps::parse(&octets);
    }
}
