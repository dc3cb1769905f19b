//! Replies quote and repeat an article by its characters: none holds a U+FFFD that the article does not have.

use std::fs;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use geomys_page::document::{Document, ParentArticle, Shape};
use geomys_store::files::draft::{self, Author, Draft};
use geomys_wire::text::{Charset, CharsetSetting};
use proptest::prelude::*;
use rfc1738::Url;

/// A complete article with these headers and this body.
fn article(head: &[u8], body: &[u8], charset: CharsetSetting) -> ParentArticle {
    let url = Url::parse("news:1@a.example").unwrap();
    let mut document = Document::new(url, Shape::Article, CharsetSetting::Set(charset.charset()));
    document.read_article_as(charset);
    document.append(&[head, b"\r\n", body].concat());
    document.finished().parent().unwrap()
}

/// All drafts that quote or repeat an article.
fn drafts(parent: &ParentArticle) -> [Draft; 4] {
    let author = Author {
        from: Some("Ada <ada@example.org>".to_owned()),
        attribution: "{name} wrote {subject} in {id} on {date} in {group}:".to_owned(),
        quote: "> ".to_owned(),
        ..Author::default()
    };
    [
        draft::follow_up(parent, &author),
        draft::letter(parent, &author),
        draft::supersede(parent, &author),
        draft::cancel(parent, &author),
    ]
}

fn word(charset: &str, octets: &[u8]) -> String {
    format!("=?{charset}?B?{}?=", STANDARD.encode(octets))
}

/// The subject of a reply to an article with these words in its subject.
fn answered(charset: &str, words: &[&[u8]]) -> String {
    let words: Vec<String> = words.iter().map(|octets| word(charset, octets)).collect();
    let head = format!("From: a@b.example\r\nSubject: {}\r\n", words.join("\r\n "));
    let parent = article(head.as_bytes(), b"Hi\r\n", CharsetSetting::default());
    drafts(&parent)[0].header("Subject").unwrap().to_owned()
}

#[test]
fn words_of_a_charset_with_states_are_decoded_one_by_one() {
    for (charset, words, subject) in [
        (
            "ISO-2022-JP",
            &[&b"\x1b$B4A;z\x1b(B"[..], b"\x1b$B4A;z\x1b(B!"][..],
            "Re: 漢字漢字!",
        ),
        // The first word does not return to ASCII, as it has to.
        (
            "iso-2022-jp",
            &[b"\x1b$B4A;z", b"\x1b$B4A;z\x1b(B"],
            "Re: 漢字漢字",
        ),
        ("iso-2022-jp", &[b"\x1b$B4A;z", b"ok"], "Re: 漢字ok"),
        // The text was split without regard to the state.
        ("iso-2022-jp", &[b"\x1b$B4A", b";z\x1b(B"], "Re: 漢字"),
        ("utf-7", &[b"caf+AOk-", b"+AOk-"], "Re: caféé"),
        ("hz-gb-2312", &[b"~{<:Ky", b"~{2;~}"], "Re: 己所不"),
        (
            "iso-2022-kr",
            &[b"\x1b$)C\x0e>H\x0f", b"\x0e3g\x0f"],
            "Re: 안녕",
        ),
        // A character may be split where there are no states.
        ("utf-8", &[b"caf\xc3", b"\xa9"], "Re: café"),
        ("shift_jis", &[b"\x8a\xbf\x8e", b"\x9a"], "Re: 漢字"),
    ] {
        assert_eq!(answered(charset, words), subject, "{charset} {words:?}");
    }
}

#[test]
fn malformed_words_are_sent_without_replacement_characters() {
    assert_eq!(answered("utf-8", &[b"caf\xe9"]), "Re: café");
    assert_eq!(
        answered("utf-8", &["a\u{FFFD}b".as_bytes()]),
        "Re: a\u{FFFD}b"
    );
    let utf_8 = CharsetSetting::Set(Charset::utf_8());
    let head = b"From: =?iso-2022-jp?b?GyRCNEEbKEI=?=\r\n =?iso-2022-jp?b?GyRCO3obKEI=?= <a@b.example>\r\nSubject: caf\xe9\r\n";
    let parent = article(head, b"na\xefve\r\n", utf_8);
    assert_eq!(parent.name, "漢字");
    assert_eq!(
        (parent.subject.as_str(), parent.body.as_slice()),
        ("café", &["naïve".to_owned()][..])
    );
    // A page that refers to no character, and one that has this character.
    let head = b"From: a@b.example\r\nContent-Type: text/html\r\n";
    let parent = article(head, b"<p>a&#0;b&#xD800;</p>", CharsetSetting::default());
    assert_eq!(parent.body, ["a?b?"]);
    let parent = article(head, b"<p>a&#xFFFD;b</p>", CharsetSetting::default());
    assert_eq!(parent.body, ["a\u{FFFD}b"]);
}

const CHARSETS: [&str; 14] = [
    "iso-2022-jp",
    "iso-2022-kr",
    "hz-gb-2312",
    "utf-7",
    "utf-8",
    "us-ascii",
    "shift_jis",
    "euc-jp",
    "big5",
    "gb2312",
    "koi8-r",
    "windows-1253",
    "cp850",
    "nothing",
];

/// Octets of which many are shifts, halves of characters, and octets that no charset has. U+FFFD is none of them.
fn octets() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"\x1b$B".to_vec()),
        Just(b"\x1b(B".to_vec()),
        Just(b"\x1b$)C".to_vec()),
        Just(b"\x0e".to_vec()),
        Just(b"\x0f".to_vec()),
        Just(b"~{".to_vec()),
        Just(b"~}".to_vec()),
        Just(b"+AOk".to_vec()),
        Just(b"\xe4\xb8\xad".to_vec()),
        Just(b"&#0;".to_vec()),
        Just(b"4A".to_vec()),
        Just(b"\r\n".to_vec()),
        proptest::collection::vec(any::<u8>(), 1..3),
    ];
    proptest::collection::vec(piece, 0..8)
        .prop_map(|pieces| pieces.concat())
        .prop_filter("U+FFFD", |octets| {
            !octets.windows(2).any(|pair| pair == b"\xef\xbf")
        })
}

proptest! {
    #[test]
    fn replies_never_add_a_replacement_character(
        charset in proptest::sample::select(&CHARSETS[..]),
        other in proptest::sample::select(&CHARSETS[..]),
        words in proptest::collection::vec(octets(), 1..4),
        raw in octets(),
        body in octets(),
        is_page in any::<bool>(),
        set in any::<bool>(),
    ) {
        let encoded = |charset| words.iter().map(|octets| word(charset, octets)).collect::<Vec<_>>().join(" ");
        let raw: Vec<u8> = raw.into_iter().filter(|octet| !b"\r\n".contains(octet)).collect();
        let kind = if is_page { "html" } else { "plain" };
        let head = [
            format!("Subject: {} ", encoded(charset)).as_bytes(),
            &raw,
            format!("\r\nFrom: {} <a@b.example>\r\n", encoded(other)).as_bytes(),
            b"Reply-To: ",
            &raw,
            b" <c@d.example>\r\nNewsgroups: a.b\r\nMessage-ID: <1@a.example>\r\nDate: ",
            &raw,
            format!("\r\nContent-Type: text/{kind}; charset={charset}\r\n").as_bytes(),
        ]
        .concat();
        let chosen = Charset::named(other).filter(|_| set);
        let parent = article(&head, &body, chosen.map_or(CharsetSetting::Detected, CharsetSetting::Set));
        for draft in drafts(&parent) {
            prop_assert!(!draft.text().contains('\u{FFFD}'), "{}", draft.text());
        }
    }
}

#[test]
fn name_that_a_killed_process_reserved_for_a_sent_draft_is_used() {
    let profile = tempfile::tempdir().unwrap();
    let path = |name: &str| profile.path().join(name);
    fs::create_dir(path("drafts")).unwrap();
    fs::create_dir(path("sent")).unwrap();
    fs::write(path("drafts/1.eml"), "Subject: a\n\nb\n").unwrap();
    fs::write(path("sent/1.eml"), "").unwrap();
    draft::put_away(&path("drafts/1.eml")).unwrap();
    let sent = fs::read_to_string(path("sent/1.eml")).unwrap();
    assert_eq!(sent, "Subject: a\n\nb\n");
    assert!(!path("sent/1-2.eml").exists() && !path("drafts/1.eml").exists());
    // A sent draft is never overwritten.
    fs::write(path("drafts/1.eml"), "Subject: c\n\nd\n").unwrap();
    draft::put_away(&path("drafts/1.eml")).unwrap();
    assert_eq!(fs::read_to_string(path("sent/1.eml")).unwrap(), sent);
    assert!(path("sent/1-2.eml").exists());
}
