//! Gopher+ forms: parsing, encoding of answers, and decoding.

use geomys_wire::protocol::gopher::attributes::items;
use geomys_wire::protocol::gopher::form::{
    AnswerError, Field, FieldKind, FilledForm, Form, FormAnswer, InvalidAnswer,
};
use geomys_wire::protocol::gopher::request;
use proptest::prelude::*;
use rfc1738::{Parts, Url};

/// A form as the last Minnesota server sends it.
const VOLTS: &[u8] =
    b"+INFO: 0form\t0/form\tlocalhost\t47172\t?\r\n+ASK:\r\n Note: please answer\r\n \
    Ask: How many volts?\t220\r\n AskP: Password\r\n AskL: Comments\r\n Select: Spam me:1\r\n \
    Choose: Deliver shock?\tYes\tNo\r\n ChooseF: Send a file\r\n";

fn volts() -> Form<'static> {
    let item = items(VOLTS).next().unwrap();
    Form::parse(item.block(b"ASK").unwrap().lines())
}

fn line(text: &str) -> FormAnswer {
    FormAnswer::Line(text.into())
}

#[test]
fn form_lines_parse_in_order() {
    let form = volts();
    let expected = [
        (&b"please answer"[..], FieldKind::Note),
        (b"How many volts?", FieldKind::Ask(b"220")),
        (b"Password", FieldKind::AskP(b"")),
        (b"Comments", FieldKind::AskL(b"")),
        (b"Spam me", FieldKind::Select(true)),
        (b"Deliver shock?", FieldKind::Choose(vec![b"Yes", b"No"])),
        (b"Send a file", FieldKind::ChooseF),
    ];
    assert_eq!(
        form.fields,
        expected.map(|(prompt, kind)| Field { prompt, kind })
    );
    assert!(form.has_secret() && !Form::default().has_secret());
}

#[test]
fn malformed_form_lines_parse() {
    let cases: [(&[u8], &[u8], FieldKind<'_>); 21] = [
        (b"ask:x", b"x", FieldKind::Ask(b"")),
        (
            b" ASKF: Where?\tvolts.txt",
            b"Where?",
            FieldKind::AskF(b"volts.txt"),
        ),
        (b"AskL: Say\tmuch", b"Say", FieldKind::AskL(b"much")),
        (b"AskP: x\ty\tz", b"x", FieldKind::AskP(b"y")),
        // An unknown kind: it most likely takes a line.
        (b"Guess: my age\t7", b"my age", FieldKind::Ask(b"7")),
        (
            b"Why: because: of it",
            b"because: of it",
            FieldKind::Ask(b""),
        ),
        (b"no keyword", b"no keyword", FieldKind::Note),
        (b"", b"", FieldKind::Note),
        (b":", b"", FieldKind::Ask(b"")),
        (b"Note: a: b", b"a: b", FieldKind::Note),
        (b"Select: Spam me", b"Spam me", FieldKind::Select(false)),
        (b"Select: Spam me:0", b"Spam me", FieldKind::Select(false)),
        (b"Select: Spam me:1 ", b"Spam me", FieldKind::Select(true)),
        (b"Select: Spam me\t1", b"Spam me", FieldKind::Select(true)),
        (b"Select: Spam me\t0", b"Spam me", FieldKind::Select(false)),
        (b"Select: Spam me:1\tx", b"Spam me", FieldKind::Select(true)),
        (b"Select: Spam me\t", b"Spam me", FieldKind::Select(false)),
        (b"Select: at 12:15", b"at 12:15", FieldKind::Select(false)),
        (b"Choose: one", b"one", FieldKind::Choose(vec![])),
        (
            b"Choose: one\ta b\t\tc",
            b"one",
            FieldKind::Choose(vec![b"a b", b"c"]),
        ),
        (b"ChooseF:", b"", FieldKind::ChooseF),
    ];
    for (line, prompt, kind) in cases {
        assert_eq!(
            Field::parse(line),
            Field { prompt, kind },
            "{}",
            line.escape_ascii()
        );
    }
}

#[test]
fn answers_are_encoded_as_minnesota_servers_expect() {
    let answers = [
        FormAnswer::Nothing,
        line("answ1"),
        line("pass"),
        FormAnswer::Lines(vec![b"l1".into(), b"l2".into()]),
        FormAnswer::Select(true),
        line("Yes"),
        FormAnswer::Nothing,
    ];
    let plus = volts().fill(b"", &answers).unwrap();
    assert_eq!(
        plus,
        b"+\t1\r\n+-1\r\nansw1\r\npass\r\n2\r\nl1\r\nl2\r\n1\r\nYes\r\n.\r\n"
    );
    let url = Url::parse("gopher://h/00/form")
        .unwrap()
        .with_plus(&plus)
        .unwrap();
    assert_eq!(
        url.as_str(),
        "gopher://h/00/form%09%09+%091%0D%0A+-1%0D%0Aansw1%0D%0Apass%0D%0A2%0D%0Al1%0D%0Al2%0D%0A1%0D%0AYes%0D%0A.%0D%0A"
    );
    assert!(url.hazards().is_empty());
    let Parts::Gopher(gopher) = url.base_parts() else {
        panic!("{url} is gopher")
    };
    assert_eq!(
        request(&gopher).unwrap(),
        b"0/form\t+\t1\r\n+-1\r\nansw1\r\npass\r\n2\r\nl1\r\nl2\r\n1\r\nYes\r\n.\r\n"
    );
    let filled = FilledForm::parse(&plus).unwrap();
    assert_eq!(filled.view, b"");
    assert_eq!(volts().answers(&filled.lines), answers);
    let viewed = volts().fill(b"text/plain De_DE", &answers).unwrap();
    assert!(viewed.starts_with(b"+text/plain De_DE\t1\r\n+-1\r\n"));
    assert_eq!(
        FilledForm::parse(&viewed).unwrap().view,
        b"text/plain De_DE"
    );
}

#[test]
fn file_answer_is_the_rest_of_the_data() {
    let lines = [&b"ChooseF: What?"[..], b"Ask: Why?", b"ChooseF: And?"];
    let form = Form::parse(lines.into_iter());
    let file = FormAnswer::File(b"one\ntwo".into());
    let sent = form
        .fill(b"", &[file.clone(), line("so"), FormAnswer::Nothing])
        .unwrap();
    assert_eq!(sent, b"+\t1\r\n+-1\r\nso\r\none\r\ntwo\r\n.\r\n");
    let back = form.answers(&FilledForm::parse(&sent).unwrap().lines);
    assert_eq!(
        back,
        [
            FormAnswer::File(b"one\r\ntwo\r\n".into()),
            line("so"),
            FormAnswer::Nothing
        ]
    );
    assert_eq!(
        form.lines(&[file.clone(), line("so"), file]),
        Err(InvalidAnswer {
            field: 2,
            error: AnswerError::SecondFile
        })
    );
}

#[test]
fn answers_with_line_breaks_or_end_marks_are_refused() {
    let form = Form::parse([&b"Ask: a"[..], b"AskL: b", b"ChooseF: c"].into_iter());
    let with = |number: usize, answer: FormAnswer| {
        let mut answers = form.answers(&[]);
        answers[number] = answer;
        form.fill(b"", &answers)
            .map_err(|unfit| (unfit.field, unfit.error))
    };
    assert_eq!(with(0, line("a\r\nb")), Err((0, AnswerError::LineBreak)));
    assert_eq!(with(0, line("a\nb")), Err((0, AnswerError::LineBreak)));
    assert_eq!(with(0, line("a\0b")), Err((0, AnswerError::Nul)));
    assert_eq!(with(0, line(".")), Err((0, AnswerError::Dot)));
    assert!(
        with(0, line("..")).is_ok() && with(0, line(". ")).is_ok() && with(0, line("a\tb")).is_ok()
    );
    assert_eq!(
        with(
            1,
            FormAnswer::Lines(vec![b"a".into(), b".".into(), b"b".into()])
        ),
        Err((1, AnswerError::Dot))
    );
    assert_eq!(
        with(1, FormAnswer::Lines(vec![b"a\nb".into()])),
        Err((1, AnswerError::LineBreak))
    );
    assert_eq!(
        with(
            1,
            FormAnswer::Lines(vec![b"a".into(), b"".into(), b"b".into()])
        )
        .unwrap(),
        b"+\t1\r\n+-1\r\n\r\n3\r\na\r\n\r\nb\r\n.\r\n"
    );
    assert_eq!(
        with(2, FormAnswer::File(b"a\n.\n".into())),
        Err((2, AnswerError::Dot))
    );
    assert_eq!(
        with(2, FormAnswer::File(b"a\rb".into())),
        Err((2, AnswerError::LineBreak))
    );
    assert_eq!(with(1, line("x")), Err((1, AnswerError::WrongKind)));
    assert_eq!(
        form.lines(&[]),
        Err(InvalidAnswer {
            field: 0,
            error: AnswerError::WrongKind
        })
    );
    assert!(form.fill(b"a\tb", &form.answers(&[])).is_err());
    assert!(form.fill(b"a\r\n", &form.answers(&[])).is_err());
    assert_eq!(
        InvalidAnswer {
            field: 0,
            error: AnswerError::Dot
        }
        .to_string(),
        "a line of an answer is a single dot, which would end the form"
    );
}

#[test]
fn answers_of_an_older_form_are_read_as_far_as_they_match() {
    let form =
        Form::parse([&b"Ask: a"[..], b"AskL: b", b"Select: c", b"Choose: d\te\tf"].into_iter());
    assert_eq!(
        form.answers(&[]),
        [
            line(""),
            FormAnswer::Lines(vec![]),
            FormAnswer::Select(false),
            line("")
        ]
    );
    assert_eq!(
        form.answers(&[b"x", b"99999999999999999999", b"1", b"f", b"more"]),
        [
            line("x"),
            FormAnswer::Lines(vec![]),
            FormAnswer::Select(true),
            line("f")
        ]
    );
    assert_eq!(
        form.answers(&[b"x", b"5", b"y"]),
        [
            line("x"),
            FormAnswer::Lines(vec![b"y".into()]),
            FormAnswer::Select(false),
            line("")
        ]
    );
}

#[test]
fn debug_output_hides_answers() {
    let answer = line("lovelace");
    assert!(!format!("{answer:?}").contains("lovelace"));
    let plus = b"+\t1\r\n+-1\r\nlovelace\r\n.\r\n";
    assert!(!format!("{:?}", FilledForm::parse(plus)).contains("lovelace"));
}

/// An answer line that can be sent.
fn sendable() -> impl Strategy<Value = Vec<u8>> {
    let octet = any::<u8>().prop_filter("ends a line", |octet| !matches!(octet, b'\r' | b'\n' | 0));
    proptest::collection::vec(octet, 0..8).prop_filter("ends the form", |line| line != b".")
}

/// A line of a form, and an answer to it.
fn answered() -> impl Strategy<Value = (&'static [u8], FormAnswer)> {
    prop_oneof![
        Just((&b"Note: n"[..], FormAnswer::Nothing)),
        sendable().prop_map(|text| (&b"Ask: a\tb"[..], FormAnswer::Line(text))),
        sendable().prop_map(|text| (&b"AskP: a"[..], FormAnswer::Line(text))),
        sendable().prop_map(|text| (&b"AskF: a"[..], FormAnswer::Line(text))),
        sendable().prop_map(|text| (&b"Choose: a\tb\tc"[..], FormAnswer::Line(text))),
        sendable().prop_map(|text| (&b"Odd: a"[..], FormAnswer::Line(text))),
        proptest::collection::vec(sendable(), 0..4)
            .prop_map(|lines| (&b"AskL: a"[..], FormAnswer::Lines(lines))),
        any::<bool>().prop_map(|is_on| (&b"Select: a:1"[..], FormAnswer::Select(is_on))),
    ]
}

proptest! {
    #[test]
    fn answers_round_trip_through_url_and_wire(
        answered in proptest::collection::vec(answered(), 0..8),
        file in proptest::collection::vec(sendable(), 0..4),
        view in "[a-z/]{0,8}",
    ) {
        let (mut lines, mut answers): (Vec<&[u8]>, Vec<FormAnswer>) = answered.into_iter().unzip();
        lines.push(b"ChooseF: a");
        let file: Vec<u8> = file.iter().flat_map(|line| [line, &b"\r\n"[..]].concat()).collect();
        answers.push(if file.is_empty() { FormAnswer::Nothing } else { FormAnswer::File(file) });
        let form = Form::parse(lines.into_iter());
        let plus = form.fill(view.as_bytes(), &answers).unwrap();
        let url = Url::gopher("h.org", 70, b'0', b"/form").unwrap().with_plus(&plus).unwrap();
        let Parts::Gopher(gopher) = url.base_parts() else { panic!("{url} is gopher") };
        let wire = request(&gopher).unwrap();
        prop_assert_eq!(wire.strip_prefix(b"/form\t").unwrap(), plus.as_slice());
        // Decoding: from the wire into a URL, and into the form.
        let again = Url::parse("gopher://h.org/0/form").unwrap().with_plus(wire.strip_prefix(b"/form\t").unwrap()).unwrap();
        prop_assert_eq!(&again, &url);
        let octets = gopher.plus.unwrap().octets();
        let filled = FilledForm::parse(&octets).unwrap();
        prop_assert_eq!(filled.view, view.as_bytes());
        prop_assert_eq!(filled.to_octets(), plus);
        prop_assert_eq!(form.answers(&filled.lines), answers);
    }

    #[test]
    fn filled_form_parses_only_when_well_formed_to_the_end(
        octets in proptest::collection::vec(prop_oneof![Just(b".".to_vec()), Just(b"\r\n".to_vec()), Just(b"\r".to_vec()), Just(b"\n".to_vec()), Just(b"x".to_vec()), Just(b"\0".to_vec())], 0..10),
    ) {
        let plus = [b"+\t1\r\n+-1\r\n", octets.concat().as_slice()].concat();
        // The URL layer's hazard marks exactly the forms that are not sent.
        let url = Url::parse("gopher://h/0s").unwrap().with_plus(&plus).unwrap();
        let is_forbidden = url.hazards().iter().any(|hazard| hazard.is_forbidden());
        prop_assert_eq!(FilledForm::parse(&plus).is_none(), is_forbidden);
        match FilledForm::parse(&plus) {
            Some(filled) => prop_assert_eq!(filled.to_octets(), plus),
            None => {
                // The octets are not sent: they would be lines that the user did not write.
                let Parts::Gopher(gopher) = url.base_parts() else { panic!("{url} is gopher") };
                prop_assert!(request(&gopher).is_err());
            }
        }
    }

    #[test]
    fn any_lines_parse_as_form(lines in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..20), 0..6), sent in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..6), 0..8)) {
        let form = Form::parse(lines.iter().map(Vec::as_slice));
        let sent: Vec<&[u8]> = sent.iter().map(Vec::as_slice).collect();
        let answers = form.answers(&sent);
        prop_assert_eq!(answers.len(), lines.len());
        let _ = form.fill(b"", &answers);
        prop_assert!(form.fill(b"", &form.answers(&[])).is_ok());
    }
}
