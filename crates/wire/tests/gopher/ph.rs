//! CSO/Ph: the queries, and the parsing of the replies.

use geomys_wire::net::Limits;
use geomys_wire::protocol::ph::{
    Line, PhDialogue, PhError, Reply, Selection, query, quoted, typed,
};
use proptest::prelude::*;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};

/// From RFC 2378, section 2.2.
const HEDBERG: &[u8] = b"102:There were 3 matches to your request.\r\n\
    -200:1:        email: canheg95@student.umu.se\r\n\
    -200:1:         name: Carl Johan Hedberg\r\n\
    -200:1:        title: Student\r\n\
    -200:2:        email: parheg95@student.umu.se\r\n\
    -200:2:         name: Par Hedberg\r\n\
    -200:2:        title: Student\r\n\
    -200:3:        email: Roland.Hedberg@umdac.umu.se\r\n\
    -200:3:         name: Roland Hedberg\r\n\
    -200:3:        title: Boss of the Network group\r\n\
    200:Ok\r\n";

/// The reply in these octets, up to the line that ends it.
fn reply(wire: &[u8]) -> Reply {
    let mut reply = Reply::default();
    let lines = wire.split(|&octet| octet == b'\n');
    let lines = lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    for line in lines.filter_map(Line::parse) {
        reply.push(&line);
        if line.is_last() {
            break;
        }
    }
    reply
}

fn select(field: Option<&str>, value: &str) -> Selection {
    Selection {
        field: field.map(|field| field.as_bytes().to_vec()),
        value: value.as_bytes().to_vec(),
    }
}

#[test]
fn query_quotes_special_characters() {
    let cases = [
        (vec![select(None, "hedberg")], "query hedberg"),
        (
            vec![select(Some("name"), "doe"), select(Some("name"), "john")],
            "query name=doe name=john",
        ),
        (
            vec![select(None, "j*n"), select(None, "d[eo]e?")],
            "query j*n d[eo]e?",
        ),
        (
            vec![select(Some("fax"), "(619) 555-1212")],
            "query fax=\"(619) 555-1212\"",
        ),
        (
            vec![select(None, "a\"b\\c\td\ne=f")],
            "query \"a\\\"b\\\\c\\td\\ne=f\"",
        ),
        (vec![select(None, "return")], "query \"return\""),
    ];
    for (selections, line) in cases {
        assert_eq!(query(&selections).unwrap(), line.as_bytes());
    }
    for selections in [
        vec![],
        vec![select(None, "")],
        vec![select(Some("na me"), "x")],
        vec![select(Some(""), "x")],
        vec![select(Some("x\r\nquit"), "x")],
        vec![select(None, "a\r\nquit")],
        vec![select(None, "a\0")],
    ] {
        assert!(query(&selections).is_err(), "{selections:?}");
    }
    assert_eq!(
        typed(b" name=smith return all ").unwrap(),
        b"query name=smith return all"
    );
    assert!(typed(b"  ").is_err());
}

#[test]
fn reply_line_parses_into_code_entry_field_and_text() {
    let cases: [(&[u8], &str); 12] = [
        (b"200:Ok", "200 |Ok"),
        (b"200: Ok.", "200 |Ok."),
        (b"-200:1:        email: a@b", "200- #1 email|a@b"),
        (b"-200:1:version:3.1", "200- #1 version|3.1"),
        (b"-200:7:authenticate:64:32", "200- #7 authenticate|64:32"),
        (
            b"-200:2:             : second line",
            "200- #2 -|second line",
        ),
        (b"-200:1: The text of: this", "200- #1 |The text of: this"),
        (b"-508:1:  fax: Not present.", "508- #1 fax|Not present."),
        (b"200:ppomes:Hi how are you?", "200 |ppomes:Hi how are you?"),
        (b"102:There was 1 match", "102 |There was 1 match"),
        (b"501:No matches to query", "501 |No matches to query"),
        (b"-200:1:name: caf\xe9", "200- #1 name|caf\\xe9"),
    ];
    for (octets, expected) in cases {
        let line = Line::parse(octets).unwrap();
        let sign = if line.is_continued { "-" } else { "" };
        let index = line
            .index
            .map_or(String::new(), |index| format!("#{index} "));
        let field = line.field.map_or(String::new(), |field| match field {
            b"" => "-".to_owned(),
            name => name.escape_ascii().to_string(),
        });
        let text = line.text.escape_ascii();
        assert_eq!(
            format!("{}{sign} {index}{field}|{text}", line.code),
            expected
        );
    }
    for none in [
        &b""[..],
        b"200",
        b"hello",
        b"99:x",
        b"700:x",
        b"2000:x",
        b"--200:x",
        b"+200:x",
        b"x:y",
    ] {
        assert_eq!(Line::parse(none), None, "{}", none.escape_ascii());
    }
    // Signed, and 200 or more.
    let ends = |line| Line::parse(line).unwrap().is_last();
    assert!(ends(b"200:x") && ends(b"501:x") && ends(b"600:x"));
    assert!(!ends(b"-200:x") && !ends(b"-501:x") && !ends(b"102:x") && !ends(b"-100:x"));
}

#[test]
fn reply_lines_group_into_entries() {
    let reply = reply(HEDBERG);
    assert_eq!(
        (reply.code, reply.count, reply.entries.len()),
        (200, Some(3), 3)
    );
    assert_eq!(
        reply.messages,
        [&b"There were 3 matches to your request."[..], b"Ok"]
    );
    let roland = &reply.entries[2];
    assert_eq!(roland.index, 3);
    assert_eq!(
        roland.fields[2].values[0].text,
        b"Boss of the Network group"
    );
    let names: Vec<&[u8]> = roland
        .fields
        .iter()
        .map(|field| field.name.as_slice())
        .collect();
    assert_eq!(names, [&b"email"[..], b"name", b"title"]);
}

#[test]
fn fields_have_several_lines_or_are_missing() {
    let reply = reply(
        b"100:Looking\r\n-200:1:  address: Third tunnel\r\n-200:1:         :   left\r\n-200:1:  address: at the root\r\n\
        -508:1:      fax: Not present in entry.\r\n-200:1: no field at all\r\n-515:odd\r\n200:Ok.\r\n-200:2:name: after the end\r\n",
    );
    assert_eq!(reply.entries.len(), 1);
    let fields = &reply.entries[0].fields;
    assert_eq!(fields.len(), 2);
    let address: Vec<&[u8]> = fields[0]
        .values
        .iter()
        .map(|value| value.text.as_slice())
        .collect();
    assert_eq!(address, [&b"Third tunnel"[..], b"  left", b"at the root"]);
    assert!(fields[0].values.iter().all(|value| value.code == 200));
    assert_eq!(fields[1].values[0].code, 508);
    assert_eq!(fields[1].values[1].text, b"no field at all");
    assert_eq!(reply.messages, [&b"Looking"[..], b"odd", b"Ok."]);
}

/// A phone book server that answers each of these commands with these octets.
async fn serve(stream: DuplexStream, script: &[(&str, &[u8])]) {
    let mut stream = BufReader::new(stream);
    for (command, reply) in script {
        let mut line = String::new();
        stream.read_line(&mut line).await.unwrap();
        assert_eq!(line, format!("{command}\r\n"));
        stream.write_all(reply).await.unwrap();
    }
}

fn book(stream: DuplexStream) -> PhDialogue<DuplexStream> {
    PhDialogue::new(stream, "h:105", &Limits::default())
}

#[tokio::test]
async fn dialogue_reads_fields_and_entries_and_quits() {
    let (ours, theirs) = tokio::io::duplex(4096);
    let script: [(&str, &[u8]); 4] = [
        (
            "fields",
            b"-200:6:alias:max 32 Indexed Lookup Public Default\r\n-200:6:alias:Unique name for user.\r\n\
            -200:33:home_phone:max 60 Lookup Public Change Turn\r\n-200:33:home_phone:Home telephone number.\r\n200:Ok.\r\n",
        ),
        ("query name=nobody", b"501:No matches to query.\r\n"),
        ("query hedberg", HEDBERG),
        ("quit", b""),
    ];
    let talk = async move {
        let mut book = book(ours);
        let fields = book.fields().await.unwrap();
        assert_eq!(fields.len(), 2);
        assert_eq!(
            (fields[0].id, fields[0].name.as_slice()),
            (6, &b"alias"[..])
        );
        assert_eq!(fields[1].text, b"Home telephone number.");
        assert!(fields[0].has("indexed") && !fields[1].has("Indexed") && fields[1].has("Turn"));
        match book.query(b"query name=nobody").await {
            Err(PhError::Declined(reply)) => {
                assert_eq!(
                    (reply.code, reply.messages),
                    (501, vec![b"No matches to query.".to_vec()])
                );
            }
            other => panic!("{other:?}"),
        }
        // A refusal does not end the dialogue.
        assert_eq!(book.query(b"query hedberg").await.unwrap().entries.len(), 3);
        book.quit().await.unwrap();
    };
    tokio::join!(serve(theirs, &script), talk);
}

#[tokio::test]
async fn malformed_reply_ends_the_dialogue() {
    let faults: [(&[u8], &str); 4] = [
        (b"hello there\r\n", "unexpected reply"),
        (b"-200:1:name: x\r\n", "closed the connection"),
        (b"", "closed the connection before it answered"),
        (
            b"475:Database unavailable; try later.\r\n",
            "refused the query",
        ),
    ];
    for (reply, words) in faults {
        let (ours, theirs) = tokio::io::duplex(4096);
        let talk = async move { book(ours).query(b"query x").await.unwrap_err().to_string() };
        let script = [("query x", reply)];
        let ((), said) = tokio::join!(serve(theirs, &script), talk);
        assert!(said.contains(words), "{said}");
    }
    let (ours, theirs) = tokio::io::duplex(4096);
    let talk = async move {
        let mut book = book(ours);
        book.query(b"query x").await.unwrap();
        book.query(b"query y").await.unwrap_err().to_string()
    };
    let ((), said) = tokio::join!(
        serve(theirs, &[("query x", b"200:Ok\r\n200:And more\r\n")]),
        talk
    );
    assert!(said.contains("was not requested"), "{said}");
}

#[tokio::test]
async fn line_break_in_query_is_not_sent() {
    let (ours, theirs) = tokio::io::duplex(4096);
    let mut book = book(ours);
    for words in ["x\r\nquit", "x\nquit", "x\0"] {
        let line = typed(words.as_bytes()).unwrap();
        assert!(
            book.query(&line)
                .await
                .unwrap_err()
                .to_string()
                .contains("not sent")
        );
    }
    drop(book);
    let mut seen = String::new();
    BufReader::new(theirs).read_line(&mut seen).await.unwrap();
    assert_eq!(seen, "");
}

proptest! {
    #[test]
    fn any_octets_parse_as_reply(wire in proptest::collection::vec(prop_oneof![
        Just(b"-200:1:".to_vec()), Just(b"200:".to_vec()), Just(b":".to_vec()), Just(b"\n".to_vec()), Just(b" name".to_vec()),
        Just(b"-508:".to_vec()), Just(b"102:".to_vec()), proptest::collection::vec(any::<u8>(), 0..5),
    ], 0..30)) {
        let wire = wire.concat();
        let reply = reply(&wire);
        let texts: usize = reply.entries.iter().flat_map(|entry| &entry.fields).map(|field| field.values.len()).sum();
        prop_assert!(texts + reply.messages.len() <= wire.split(|&octet| octet == b'\n').count());
    }

    #[test]
    fn quoted_value_is_one_line_and_round_trips(value in proptest::collection::vec(prop_oneof![
        Just(b'"'), Just(b'\\'), Just(b' '), Just(b'\n'), Just(b'\t'), Just(b'='), 1..=255_u8
    ], 1..20)) {
        let Ok(quoted) = quoted(&value) else {
            prop_assert!(value.contains(&b'\r'));
            return Ok(());
        };
        prop_assert!(!quoted.iter().any(|octet| matches!(octet, b'\r' | b'\n' | 0)));
        let Some(inner) = quoted.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")) else {
            prop_assert_eq!(quoted, value);
            return Ok(());
        };
        let mut back = Vec::new();
        let mut octets = inner.iter();
        while let Some(&octet) = octets.next() {
            back.push(match (octet, octet == b'\\') {
                (_, true) => match octets.next() {
                    Some(b'n') => b'\n',
                    Some(b't') => b'\t',
                    Some(&other) => other,
                    None => panic!("a backslash at the end"),
                },
                (octet, false) => octet,
            });
        }
        prop_assert_eq!(back, value);
    }
}
