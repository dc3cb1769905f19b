//! Lists of headers, where a server has no overview.

use std::time::Duration;

use geomys_testing::script::{assert_played, listen};
use geomys_wire::net::{Limits, Net};

use super::{load, request};

#[tokio::test]
async fn headers_are_listed_where_there_is_no_overview() {
    let script = "S: 200 hi\nC: CAPABILITIES\nS: 101 x\nS: VERSION 2\nS: HDR\nS: .\nC: GROUP a\nS: 211 2 1 2 a\n\
        C: XOVER 1-2\nS: 500 what\n\
        C: HDR Subject 1-2\nC: HDR From 1-2\nC: HDR Date 1-2\nC: HDR Message-ID 1-2\nC: HDR References 1-2\n\
        S: 225 x\nS: 1 one\nS: 2 Re: one\nS: .\nS: 225 x\nS: 1 ada@x\nS: 2 bo@x\nS: .\n\
        S: 225 x\nS: 2 1 Oct 1994\nS: .\nS: 225 x\nS: 1 <1@x>\nS: 2 <2@x>\nS: .\n\
        S: 225 x\nS: 1 \nS: 2 <1@x>\nS: .\nsilence";
    let (address, playing) = listen(&[script]).await;
    let net = Net::default();
    let loaded = load(&net, request(&format!("nntp://{address}/a"))).await;
    assert!(loaded.end.is_ok(), "{loaded:?}");
    assert_eq!(
        loaded.lines(),
        [
            "1\tone\tada@x\t\t<1@x>\t\t\t",
            "2\tRe: one\tbo@x\t1 Oct 1994\t<2@x>\t<1@x>\t\t"
        ]
    );
    drop(net);
    assert_played(playing).await;
}

#[tokio::test]
async fn headers_are_listed_by_xhdr_where_there_is_nothing_else() {
    let names = ["From", "Date", "Message-ID"];
    let lists = names
        .map(|name| format!("S: 221 {name} follows\nS: 1 {name} one\nS: 2 {name} two\nS: .\n"));
    let subjects = "C: XHDR Subject 1-2\nS: 221 x\nS: 1 one\nS: 2 Re: one\nS: .\n";
    let references = "S: 221 x\nS: 1 (none)\nS: 2 <1@x>\nS: .\n";
    let group = "C: GROUP a\nS: 211 2 1 2 a\nC: XOVER 1-2\nS: 500 what\n";
    let asked = |name: &str| format!("C: XHDR {name} 1-2\n");
    // Of RFC 977, and of RFC 3977: the first command says whether the others are sent in one window.
    let one_by_one = names
        .iter()
        .zip(&lists)
        .map(|(name, list)| asked(name) + list);
    let old = format!(
        "S: 200 hi\nC: CAPABILITIES\nS: 500 what\nC: MODE READER\nS: 200 hi\n{group}{subjects}{}{}{references}silence",
        one_by_one.collect::<String>(),
        asked("References"),
    );
    let window = names.map(asked).concat() + &asked("References");
    let new = format!(
        "S: 200 hi\nC: CAPABILITIES\nS: 101 x\nS: VERSION 2\nS: .\n{group}{subjects}{window}{}{references}silence",
        lists.concat(),
    );
    for script in [old, new] {
        let (address, playing) = listen(&[&script]).await;
        let net = Net::default();
        let loaded = load(&net, request(&format!("nntp://{address}/a"))).await;
        assert!(loaded.end.is_ok(), "{loaded:?}");
        assert_eq!(
            loaded.lines(),
            [
                "1\tone\tFrom one\tDate one\tMessage-ID one\t\t\t",
                "2\tRe: one\tFrom two\tDate two\tMessage-ID two\t<1@x>\t\t"
            ]
        );
        drop(net);
        assert_played(playing).await;
    }
}

#[tokio::test]
async fn command_that_a_server_refuses_is_asked_for_once() {
    let names = ["Subject", "From", "Date", "Message-ID", "References"];
    let asked = |keyword: &str, names: &[&str], range: &str| -> String {
        let lines = names
            .iter()
            .map(|name| format!("C: {keyword} {name} {range}\n"));
        lines.collect()
    };
    let listed = |range: &str, number: u64| {
        let list = |name: &&str| format!("S: 221 x\nS: {number} {name}\nS: .\n");
        let [first, rest @ ..] = &names;
        format!(
            "{}{}{}{}",
            asked("XHDR", &[first], range),
            list(first),
            asked("XHDR", rest, range),
            rest.iter().map(list).collect::<String>()
        )
    };
    // It announces HDR, and does not have it.
    let hello = "S: 200 hi\nC: CAPABILITIES\nS: 101 x\nS: VERSION 2\nS: HDR\nS: OVER\nS: .\n";
    let refused = format!(
        "C: OVER 501-600\nS: 500 what\nC: XOVER 501-600\nS: 500 what\n{}{}",
        asked("HDR", &names, "101-600"),
        "S: 500 what\n".repeat(5)
    );
    let script = format!(
        "{hello}C: GROUP a\nS: 211 2 1 600 a\n{refused}{}{}C: GROUP a\nS: 211 2 1 600 a\n{}{}silence",
        listed("101-600", 600),
        listed("1-100", 1),
        listed("101-600", 600),
        listed("1-100", 1),
    );
    let (address, playing) = listen(&[&script]).await;
    let net = Net::default();
    for _ in 0..2 {
        let loaded = load(&net, request(&format!("nntp://{address}/a"))).await;
        assert!(loaded.end.is_ok(), "{loaded:?}");
        assert_eq!(loaded.lines().len(), 2, "{loaded:?}");
    }
    drop(net);
    assert_played(playing).await;
}

#[tokio::test]
async fn heads_are_sent_for_in_windows() {
    let hello = "S: 200 hi\nC: CAPABILITIES\nS: 101 x\nS: VERSION 2\nS: .\n";
    let group = "C: GROUP a\nS: 211 40 1 40 a\n";
    let no_lists = "C: XOVER 1-40\nS: 500 what\nC: XHDR Subject 1-40\nS: 500 what\n";
    let asked = |numbers: std::ops::RangeInclusive<u64>| -> String {
        let lines = numbers.rev().map(|number| format!("C: HEAD {number}\n"));
        lines.collect()
    };
    let head = |number: u64| format!("S: 221 {number} x\nS: Subject: s{number}\nS: .\n");
    let sent =
        |numbers: std::ops::RangeInclusive<u64>| -> String { numbers.rev().map(head).collect() };
    // Half of the first window is read before the next heads are asked for.
    let script = format!(
        "{hello}{group}{no_lists}{}{}{}{}silence",
        asked(9..=40),
        sent(25..=40),
        asked(1..=8),
        sent(1..=24),
    );
    // A server that loses them is asked one by one.
    let first = format!(
        "{hello}{group}{no_lists}{}{}silence",
        asked(9..=40),
        head(40)
    );
    let alone: String = (1..=39)
        .rev()
        .map(|number| asked(number..=number) + &head(number))
        .collect();
    let alone = format!("{hello}{group}{alone}silence");
    for scripts in [vec![script.as_str()], vec![&first, &alone]] {
        let (address, playing) = listen(&scripts).await;
        let net = Net::new(Limits {
            silence: Duration::from_millis(300),
            ..Limits::default()
        });
        let loaded = load(&net, request(&format!("nntp://{address}/a"))).await;
        assert!(loaded.end.is_ok(), "{loaded:?}");
        assert_eq!(loaded.lines().len(), 40);
        assert_eq!(loaded.lines()[39], "1\ts1\t\t\t\t\t\t");
        drop(net);
        assert_played(playing).await;
    }
}
