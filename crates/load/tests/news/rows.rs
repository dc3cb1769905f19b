//! Lists of groups and overviews as rows.

use geomys_page::document::find::SearchText;
use geomys_page::document::marks::{GroupMarks, ServerMarks};
use geomys_page::document::{Kind, ListOrder, Row, Shape, SortColumn};
use geomys_testing::loading::find_below;
use geomys_wire::protocol::nntp::{overview, parse_active};
use geomys_wire::text::Charset;
use proptest::prelude::*;

use super::{document, rows};

const GROUP: &str = "nntp://news.example.org/comp.infosystems.gopher";

#[test]
fn descriptions_are_matched_to_groups_while_loading() {
    let mut list = document(
        "news:*",
        Shape::Groups,
        b"a.one 12 3 y\nb.two 0 1 m\nodd line\n24hours 9999 1 n\n",
    );
    assert_eq!(list.count(), 4);
    assert_eq!(list.row(0).unwrap().text(), "a.one");
    list.append(b".\nb.two\tThe second one\nnowhere\tA group that is not listed\na.one \t The fi");
    list.append(b"rst one");
    assert_eq!(list.count(), 4);
    let shown: Vec<_> = rows(&list)
        .iter()
        .map(|row| {
            let aside = row.aside.clone().unwrap_or_default();
            (row.kind, format!("{} [{aside}]", row.text()))
        })
        .collect();
    assert_eq!(
        shown,
        [
            (Kind::Group, format!("{:36}The first one [10]", "a.one")),
            (Kind::Group, format!("{:36}The second one [0]", "b.two")),
            (Kind::Malformed, "odd line []".to_owned()),
            (Kind::Group, "24hours [9,999]".to_owned()),
        ]
    );
    assert!(list.is_list() && list.is_link(0) && !list.is_link(2) && !list.is_link(4));
    assert_eq!(
        list.links(0)[0].target.as_ref().unwrap().as_str(),
        "news:a.one"
    );
    // RFC 1738 lets a group begin with a letter only; RFC 5538 is more lenient.
    let link = &list.links(3)[0];
    assert_eq!(link.target.as_ref().unwrap().as_str(), "news:24hours");
    let needle = SearchText::new("second").unwrap();
    assert_eq!(find_below(&list, &needle, 0), Some(1));
}

#[test]
fn descriptions_are_decoded_as_subjects_are() {
    let mut octets = Vec::new();
    for name in [
        "relcom.talk",
        "tw.bbs.test",
        "cn.bbs.news",
        "fj.jokes",
        "x.words",
    ] {
        octets.extend_from_slice(format!("{name} 2 1 y\n").as_bytes());
    }
    octets.extend_from_slice(b".\n");
    for (name, charset, about) in [
        ("relcom.talk", "koi8-r", "Разговоры обо всём на свете"),
        ("tw.bbs.test", "big5", "連線測試討論區"),
        ("cn.bbs.news", "gbk", "中文新闻讨论组"),
        ("fj.jokes", "iso-2022-jp", "ジョークと笑い話"),
        ("x.words", "utf-8", "=?iso-8859-1?q?W=F6rter?="),
    ] {
        let about = Charset::named(charset).unwrap().encode(about);
        octets.extend_from_slice(name.as_bytes());
        octets.push(b'\t');
        octets.extend_from_slice(&about);
        octets.push(b'\n');
    }
    let list = document("news:*", Shape::Groups, &octets);
    let shown = rows(&list);
    let shown: Vec<String> = shown
        .iter()
        .map(|row| {
            row.text()
                .split_whitespace()
                .skip(1)
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect();
    assert_eq!(
        shown,
        [
            "Разговоры обо всём на свете",
            "連線測試討論區",
            "中文新闻讨论组",
            "ジョークと笑い話",
            "Wörter"
        ]
    );
}

#[test]
fn damaged_subject_is_read_in_the_list_the_page_and_the_reply() {
    let cut = "Größe \u{20ac}".as_bytes();
    for (subject, expected) in [
        // It was cut inside its last letter.
        (&cut[..cut.len() - 1], "Größe â‚"),
        // More octets are bad than letters are not.
        (b"\xe6\x97\xa5\xff\xfe\xc0\xc1 here", "日ÿþÀÁ here"),
    ] {
        let line = [b"1\t", subject, b"\tada@x\t\t<1@x>\t\t1\t1\n"].concat();
        let list = document(GROUP, Shape::Group, &line);
        assert!(list.row(0).unwrap().text().contains(expected), "{expected}");
        let article = [b"Subject: ", subject, b"\nMessage-ID: <1@x>\n\nx\n"].concat();
        let article = document(&format!("{GROUP}/1"), Shape::Article, &article).finished();
        assert_eq!(article.title().unwrap().as_str(), expected);
        assert_eq!(article.parent().unwrap().subject, expected);
    }
}

/// Words in UTF-8 with damaged octets behind their letters, and the text that is shown: each of these octets by itself
/// in windows-1252.
fn damaged_words() -> impl Strategy<Value = (Vec<u8>, String)> {
    let bad = prop::sample::select(vec![
        (&b"\xc3"[..], "Ã"),
        (b"\xa9", "©"),
        (b"\xe2\x82", "â‚"),
        (b"\xe9", "é"),
        (b"\xfc", "ü"),
        (b"", ""),
    ]);
    let of_latin = ("[a-z]{2,4}", bad.clone());
    let latin = ("[a-z][ñ-öőłčș]", prop::collection::vec(of_latin, 1..6));
    let others = [
        ("[жщюя]", "[жщюя]{2}"),
        ("[בגדה]", "[בגדה]{2}"),
        ("[日本語]", "[日本語]{2}"),
        ("[가나다]", "[가나다]{2}"),
    ];
    let others =
        others.map(|(letter, two)| (two, prop::collection::vec((letter, bad.clone()), 1..6)));
    let [one, two, three, four] = others;
    let words = prop_oneof![latin, one, two, three, four];
    words.prop_map(|(whole, pieces)| {
        let (mut octets, mut shown) = (whole.clone().into_bytes(), whole);
        for (letters, (bad, text)) in pieces {
            octets.extend(letters.as_bytes());
            octets.extend(bad);
            shown.extend([letters.as_str(), text]);
        }
        (octets, shown)
    })
}

proptest! {
    #[test]
    fn damaged_words_are_read_in_subject_name_body_and_file_name((words, shown) in damaged_words()) {
        let line = [b"1\t", &words[..], b"\t", &words, b" <ada@x>\t\t<1@x>\t\t1\t1\n"].concat();
        let list = document(GROUP, Shape::Group, &line);
        let row = list.row(0).unwrap();
        prop_assert_eq!((row.text(), row.lead.unwrap().to_string()), (shown.clone(), shown.clone()));
        let fields = [b"Subject: ", &words[..], b"\nFrom: ", &words, b" <ada@x>\nMIME-Version: 1.0\n"].concat();
        let body = b"Content-Type: multipart/mixed; boundary=b\n\n--b\n\n";
        let file = b"\n--b\nContent-Type: image/png\nContent-Disposition: attachment; filename=\"";
        let article = [&fields, &body[..], &words, file, &words, b".png\"\n\nx\n--b--\n"].concat();
        let article = document(&format!("{GROUP}/1"), Shape::Article, &article).finished();
        prop_assert_eq!(article.title().unwrap().to_string(), shown.clone());
        prop_assert_eq!(article.parent().unwrap().subject, shown.clone());
        let texts: Vec<String> = rows(&article).iter().map(Row::text).collect();
        prop_assert!(texts.contains(&shown), "{texts:?}");
        prop_assert!(texts.iter().any(|row| row.starts_with(&format!("{shown} <ada@x>"))), "{texts:?}");
        prop_assert!(texts.iter().any(|row| row.contains(&format!("[attachment: {shown}.png,"))), "{texts:?}");
    }
}

#[test]
fn group_list_links_to_its_server() {
    let list = document(
        "nntp://h.example:1190/a",
        Shape::Groups,
        b"a.one 12 3 7 y\n",
    );
    let link = &list.links(0)[0];
    assert_eq!(
        link.target.as_ref().unwrap().as_str(),
        "nntp://h.example:1190/a.one"
    );
    assert_eq!(list.row(0).unwrap().aside.unwrap().as_str(), "7");
}

#[test]
fn first_subscription_takes_no_row_away_before_the_rows_are_in_order() {
    let mut list = document("news:*", Shape::Groups, b"a.one 1 1 y\nb.two 1 1 y\n");
    list.list_only_subscribed();
    list.set_marks(ServerMarks::default());
    let subscribed = GroupMarks {
        is_subscribed: true,
        ..GroupMarks::default()
    };
    list.set_marks(ServerMarks::new([(b"b.two".to_vec(), subscribed)]));
    let names: Vec<String> = rows(&list.finished()).iter().map(Row::text).collect();
    assert_eq!(names, ["a.one", "b.two"]);
}

#[test]
fn active_lines_parse_into_counts() {
    for (line, articles) in [
        (b"a 0 1 y".as_slice(), 0),
        (b"a 0 0 y", 0),
        (b"a 5 0 y", 5),
        (b"a 5 5", 1),
        (b"a 18446744073709551615 0 y", u64::MAX),
        (b"a 18446744073709551615 1 y", u64::MAX),
        (b"a 5 1 3 =b", 3),
        (b"a 5 1 x y", 5),
    ] {
        assert_eq!(
            parse_active(line).unwrap().articles(),
            articles,
            "{}",
            line.escape_ascii()
        );
    }
    assert!(
        parse_active(b"a").is_none()
            && parse_active(b"a b c d").is_none()
            && parse_active(b"").is_none()
    );
}

#[test]
fn overview_lines_become_rows() {
    let octets = b"7\t=?utf-8?q?caf=C3=A9?=\t\"Lace, \\\"Ada\\\"\" <ada@example.org>\tThu, 19 Nov 2026 21:04:00 +0100\t<a@b.example>\t\t900\t12\tXref: x\n\
        6\tplain\tbo@example.net (Bo)\t1 Oct 94 10:00:00 EST\n\
        5\t\t<cy@example.com>\tnever\n\
        4\tcaf\xe9\t=?koi8-r?q?=F0?= <x@example.org>\t\t\t\t\t\t\n\
        no number\there\n\
        3\n\
        2\tx\tdi@example.org\tWed, 31 Dec 1969 23:59 +0000\n";
    let group = document(GROUP, Shape::Group, octets);
    let shown: Vec<_> = rows(&group)
        .iter()
        .map(|row| {
            let text = |text: &Option<geomys_wire::text::Text>| {
                text.clone().unwrap_or_default().to_string()
            };
            (
                row.kind,
                [text(&row.lead), row.text(), text(&row.aside)].join("|"),
            )
        })
        .collect();
    let expected = [
        (Kind::Article, "Lace, \"Ada\"|café|2026-11-19"),
        (Kind::Article, "Bo|plain|1994-10-01"),
        (Kind::Article, "cy@example.com|(no subject)|?"),
        (Kind::Article, "П|café|?"),
        (Kind::Malformed, "|no number       here|"),
        (Kind::Malformed, "|3|"),
        (Kind::Article, "di@example.org|x|1969-12-31"),
    ];
    assert_eq!(shown, expected.map(|(kind, text)| (kind, text.to_owned())));
    let link = &group.links(0)[0];
    assert_eq!(link.label.as_str(), "café");
    assert_eq!(link.target.as_ref().unwrap().as_str(), format!("{GROUP}/7"));
    assert!(!group.is_link(4) && group.links(4).is_empty());
    // Encoded text is found in its decoded form.
    let needle = SearchText::new("café").unwrap();
    assert_eq!(find_below(&group, &needle, 6), Some(0));
}

#[test]
fn article_with_an_unreadable_date_stands_by_its_number() {
    let dates = [
        "1 Nov 2026 1:00",
        "2 Nov 2026 1:00",
        "the day after",
        "4 Nov 2026",
        "",
        "6 Nov 2026 1:00",
    ];
    let lines = (1..).zip(dates).map(|(number, date)| {
        format!("{number}\tNumber {number}\ta@example.org\t{date}\t<{number}@x>\t\t1\t1\n")
    });
    let group = document(GROUP, Shape::Group, lines.collect::<String>().as_bytes()).finished();
    for (order, expected) in [
        (
            ListOrder {
                reverse: true,
                ..ListOrder::new(SortColumn::Date)
            },
            [6, 5, 4, 3, 2, 1],
        ),
        (ListOrder::new(SortColumn::Date), [1, 2, 3, 4, 5, 6]),
    ] {
        let sorted = group.clone().sorted(order);
        let shown: Vec<String> = rows(&sorted)
            .iter()
            .map(geomys_page::document::Row::text)
            .collect();
        let mut expected = expected.map(|number| format!("Number {number}"));
        // The default direction is the newest first.
        if shown[0] != expected[0] {
            expected.reverse();
        }
        assert_eq!(shown, expected);
    }
}

proptest! {
    #[test]
    fn every_line_of_an_overview_is_a_row(octets in lines()) {
        let group = document(GROUP, Shape::Group, &octets);
        // A double of an article is dropped, unless its line may not be complete.
        let mut seen = std::collections::HashSet::new();
        let (complete, lines) = (group.raw().complete_lines(), group.raw().lines());
        let rows_of_lines = (0..lines).filter(|&line| {
            let article = overview(group.raw().line(line).unwrap());
            let article = article.filter(|article| article.number > 0 && line < complete);
            article.is_none_or(|article| seen.insert(article.number))
        });
        prop_assert_eq!(group.count(), rows_of_lines.count());
        for (number, row) in rows(&group).iter().enumerate() {
            prop_assert_eq!(row.kind == Kind::Article, group.is_link(number));
            prop_assert_eq!(group.links(number).len(), usize::from(group.is_link(number)));
        }
    }

    #[test]
    fn any_octets_parse_as_group_list(octets in lines(), cut in any::<prop::sample::Index>()) {
        let cut = cut.index(octets.len() + 1);
        let mut list = document("news:*", Shape::Groups, &octets[..cut]);
        list.append(&octets[cut..]);
        let at_once = document("news:*", Shape::Groups, &octets);
        prop_assert_eq!(rows(&list), rows(&at_once));
        let parse_active = octets.split(|&octet| octet == b'\n').take_while(|line| !matches!(*line, b"." | b".\r")).count();
        prop_assert!(list.count() <= parse_active);
        for number in 0..list.count() {
            prop_assert_eq!(list.links(number).len(), usize::from(list.is_link(number)));
        }
    }

    #[test]
    fn any_octets_parse_as_overview(octets in proptest::collection::vec(any::<u8>(), 0..80)) {
        let _ = overview(&octets);
        let _ = parse_active(&octets);
    }
}

/// Almost valid lines.
fn lines() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"12\t".to_vec()),
        Just(b"a.b 5 1 y".to_vec()),
        Just(b".".to_vec()),
        Just(b"a.b about it".to_vec()),
        Just(b"=?utf-8?q?=".to_vec()),
        Just(b"?=".to_vec()),
        Just(b"\"<(\\".to_vec()),
        Just(b"\n".to_vec()),
        Just(b"\r\n".to_vec()),
        Just(b"\t".to_vec()),
        proptest::collection::vec(any::<u8>(), 0..20),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}
