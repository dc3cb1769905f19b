//! Whether links are alive: a verdict for each protocol, many at once, what is kept of it, and the browser's side.

mod command;
mod file;
mod gopher;
mod login;
mod many;
mod session;
mod web;

use geomys::load::Request;
use geomys::load::check::{Checked, Verdict, check};
use geomys::net::{Limits, Net};
use geomys::url::Url;
use std::time::Duration;

/// What asking for a URL brings, over a network of its own.
async fn asked(url: &str) -> Checked {
    let url = Url::accept(url).unwrap();
    check(&Net::new(short()), &Request::show(url)).await
}

/// The verdict in one line, ports of loopback made alike.
async fn told(url: &str) -> String {
    let Checked { verdict, .. } = asked(url).await;
    line(&verdict)
}

fn line(verdict: &Verdict) -> String {
    let words = verdict.words();
    let line = match words.as_str() {
        "" => verdict.name().to_owned(),
        words => format!("{}: {words}", verdict.name()),
    };
    same_ports(&line)
}

/// The text with `PORT` for every port of five digits.
fn same_ports(text: &str) -> String {
    let mut same = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("127.0.0.1:") {
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        let (port, after) = after.split_at(digits);
        let port = if digits == 5 { "PORT" } else { port };
        same += before;
        same += "127.0.0.1:";
        same += port;
        rest = after;
    }
    same + rest
}

/// Deadlines that nobody waits long for.
fn short() -> Limits {
    Limits {
        connect: Duration::from_secs(5),
        idle: Duration::from_secs(5),
        ..Limits::default()
    }
}
