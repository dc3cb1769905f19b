//! Lists of headers, where a server has no overview.

use geomys_testing::script::{assert_played, listen};
use geomys_wire::net::Net;

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
