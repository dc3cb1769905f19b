//! curl, compared with Geomys on the demo's servers.

use std::io::Write;
use std::process::{Command, Stdio};

use geomys_demo::Demo;

use super::assert_same;
use crate::support::command::geomys;

/// The output of curl for an address.
fn curl(address: &str) -> Vec<u8> {
    curl_with_input(address, b"")
}

/// The output of curl for an address, with `said` as its input.
fn curl_with_input(address: &str, said: &[u8]) -> Vec<u8> {
    let mut curl = Command::new("curl")
        .args(["--silent", "--show-error", "--max-time", "20", address])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    curl.stdin.take().unwrap().write_all(said).unwrap();
    let output = curl.wait_with_output().unwrap();
    assert!(output.status.success(), "{address}: {output:?}");
    output.stdout
}

/// The output of `geomys get` for an address.
fn got(address: &str) -> Vec<u8> {
    let output = geomys(&["get", address, "-o", "-"], "");
    assert!(output.status.success(), "{address}: {output:?}");
    output.stdout
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the servers that .ci/servers starts"]
async fn geomys_fetches_the_same_as_curl() {
    let demo = Demo::start().await.unwrap();
    let authority = demo.addresses.gopher;
    for path in ["1/", "1/map", "1/types", "7/search%09mole"] {
        let address = format!("gopher://{authority}/{path}");
        assert_same(&got(&address), &curl(&address));
    }
    for path in [
        "0/about.txt%09%09+",
        "0/library/rules.txt%09%09+text/plain%20De_DE",
    ] {
        // curl sends the empty search that RFC 1738 has, and shows the header.
        let address = format!("gopher://{authority}/{path}");
        let raw = curl(&address.replacen("%09%09", "%09", 1));
        let header = raw.iter().position(|octet| *octet == b'\n').unwrap() + 1;
        assert!(raw.starts_with(b"+"), "{path}");
        let text = raw[header..]
            .strip_suffix(b".\r\n")
            .unwrap_or(&raw[header..]);
        assert_same(&got(&address), text);
    }
    // The phone book: every value of the reply is in the rows.
    let book = format!("gopher://{}/2%09b*", demo.addresses.phone);
    let dumped = geomys(&["dump", &book], "");
    let rows = String::from_utf8(dumped.stdout).unwrap();
    let raw = curl_with_input(
        &format!("telnet://{}", demo.addresses.phone),
        b"query b*\r\nquit\r\n",
    );
    let lines = String::from_utf8(raw).unwrap();
    let values: Vec<&str> = lines
        .lines()
        .filter(|line| line.starts_with("-200:"))
        .map(|line| line.rsplit(": ").next().unwrap())
        .collect();
    assert!(values.len() > 3, "{lines}");
    for value in values {
        assert!(rows.contains(value.trim()), "{value}: {rows}");
    }
}
