//! SOCKS5 proxies: every connection goes through them, by host name.

use std::path::Path;

use geomys_demo::Demo;
use geomys_testing::socks::{self, Rule};

use crate::support::command::{geomys, geomys_in, text};
use crate::support::sources::source_files;

#[tokio::test(flavor = "multi_thread")]
async fn proxy_is_taken_from_option_setting_or_environment() {
    let (demo, proxy) = (
        Demo::start().await.unwrap(),
        socks::Proxy::start(Rule::Open).await,
    );
    let page = format!("gopher://hole.test:{}/", demo.addresses.gopher.port());
    let output = geomys(&["dump", &page, "--proxy", &proxy.address.to_string()], "");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(proxy.connections().len(), 1);

    let profile = tempfile::tempdir().unwrap();
    let config = profile.path().to_str().unwrap();
    let write = |settings: String| {
        std::fs::write(profile.path().join("settings.toml"), settings).unwrap();
    };
    write(format!("[network]\nproxy = \"{}\"\n", proxy.address));
    let output = geomys(&["--config", config, "dump", &page], "");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(proxy.connections().len(), 2);

    let proxied = format!("socks5h://{}", proxy.address);
    for name in ["ALL_PROXY", "all_proxy"] {
        let output = geomys_in(&[(name, &proxied)], &["dump", &page], "");
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }
    assert_eq!(proxy.connections().len(), 4);
    // The option takes precedence.
    let elsewhere = [("ALL_PROXY", "socks5://127.0.0.1:1")];
    let option = ["dump", &page, "--proxy", &proxied];
    let output = geomys_in(&elsewhere, &option, "");
    assert_eq!(output.status.code(), Some(0), "{output:?}");

    // An invalid proxy from any source blocks all connections.
    let straight = format!("gopher://{}/", demo.addresses.gopher);
    for settings in [
        "[network]\nproxy = \"socks5://u:s3cret@h:99999\"\n",
        "[network]\nproxi = \"127.0.0.1:9050\"\n",
        "proxy = \"127.0.0.1:9050\"\n",
        "network = 7\n",
        "[network\nproxy = \"127.0.0.1:9050\"\n",
    ] {
        write(settings.to_owned());
        let output = geomys(&["--config", config, "dump", &straight], "");
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{settings}: {said}");
        assert!(
            said.contains("not connected") && !said.contains("s3cret"),
            "{settings}: {said}"
        );
    }
    let output = geomys(
        &["dump", &straight, "--proxy", "socks5://u:s3cret@h:99999"],
        "",
    );
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.starts_with("geomys: --proxy: not a proxy") && !said.contains("s3cret"),
        "{said}"
    );
}

/// Only one source file connects and resolves names, so that no code can bypass the proxy.
#[test]
fn only_one_source_file_opens_sockets() {
    let mut opening = Vec::new();
    for (name, path) in source_files() {
        let text = std::fs::read_to_string(&path).unwrap();
        // Unit tests may connect to their own servers.
        let (text, _) = text
            .split_once("\n#[cfg(")
            .filter(|(_, rest)| rest.contains("mod tests {"))
            .unwrap_or((&text, ""));
        let dials = [
            "TcpStream::connect(",
            "TcpSocket",
            "UdpSocket::bind(",
            "lookup_host",
            "to_socket_addrs",
            "FtpStream::connect(",
        ];
        if dials.iter().any(|dial| text.contains(dial)) {
            opening.push(name);
        }
    }
    // A demo server receives datagrams, and makes no connections.
    opening.retain(|path| path != Path::new("lib.rs"));
    assert_eq!(opening, [Path::new("net/dial.rs")]);
}
