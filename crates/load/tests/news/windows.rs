//! Commands that depend on no reply go in one window.

use std::net::SocketAddr;

use geomys_load::{Question, Reason, Request, Stop};
use geomys_testing::script::{assert_played, listen};
use geomys_wire::net::Net;
use rfc1738::Dialect;

use super::{load, request};

/// The request for all groups of a server.
fn all_groups(address: SocketAddr) -> Request {
    let url = Dialect::Extended.parse(&format!("news://{address}/*"));
    Request::show(url.unwrap(), Reason::Typed)
}

#[tokio::test]
async fn first_list_is_requested_in_one_window() {
    let script = "S: 200 hi\nC: CAPABILITIES\nS: 101 x\nS: VERSION 2\nS: LIST COUNTS\nS: .\n\
        C: DATE\nC: LIST COUNTS\nC: LIST NEWSGROUPS\n\
        S: 111 20261129090000\nS: 215 x\nS: a.b 9 1 9 y\nS: .\nS: 215 x\nS: a.b\tWords\nS: .\nsilence";
    let (address, playing) = listen(&[script]).await;
    let net = Net::default();
    let loaded = load(&net, all_groups(address)).await;
    assert!(loaded.end.is_ok(), "{loaded:?}");
    assert_eq!(loaded.lines(), ["a.b 9 1 9 y", ".", "a.b\tWords"]);
    assert!(loaded.begin.unwrap().list_date.is_some());
    drop(net);
    assert_played(playing).await;
}

#[tokio::test]
async fn window_is_repeated_behind_a_login() {
    let script = "S: 200 hi\nC: CAPABILITIES\nS: 101 x\nS: VERSION 2\nS: .\n\
        C: DATE\nC: LIST ACTIVE\nC: LIST NEWSGROUPS\nS: 111 20261129090000\nS: 480 who\nS: 480 who\nsilence";
    let (address, playing) = listen(&[script]).await;
    let net = Net::default();
    let loaded = load(&net, all_groups(address)).await;
    assert!(matches!(
        loaded.end,
        Err(Stop::Needs(Question::Login { .. }))
    ));
    drop(net);
    assert_played(playing).await;
}

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
