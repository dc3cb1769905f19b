//! Link checks: the verdict for each protocol, many at once, the stored results, and the browser's side.

mod agreement;
mod file;
mod gopher;
mod login;
mod run_jobs;
mod web;

use std::time::Duration;

use geomys_load::check::{LinkCheckResult, LinkStatus, check};
use geomys_load::{Reason, Request};
use geomys_testing::same_ports;
use geomys_wire::net::{Limits, Net};
use rfc1738::Dialect;

/// The result of checking a URL over a network of its own.
async fn check_url(url: &str) -> LinkCheckResult {
    let url = Dialect::Extended.parse(url).unwrap();
    check(&Net::new(short()), &Request::show(url, Reason::Typed)).await
}

/// The verdict in one line, with loopback ports normalized.
async fn verdict_text(url: &str) -> String {
    let LinkCheckResult { verdict, .. } = check_url(url).await;
    line(&verdict)
}

fn line(verdict: &LinkStatus) -> String {
    let words = verdict.words();
    let line = match words.as_str() {
        "" => verdict.name().to_owned(),
        words => format!("{}: {words}", verdict.name()),
    };
    same_ports(&line)
}

/// Limits with short timeouts.
fn short() -> Limits {
    Limits {
        connect: Duration::from_secs(5),
        idle: Duration::from_secs(5),
        ..Limits::default()
    }
}
