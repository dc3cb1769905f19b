//! Reading without the servers what was followed on gophernicus, molly-brown, nginx and inn2.

use std::fs;
use std::path::PathBuf;

use geomys_testing::gate::Gate;

use super::Servers;
use super::copies::{MollyBrown, free_address, readable};
use crate::support::command::geomys;
use crate::sync::anywhere::{Followed, Site, read_anywhere};

/// The directory of the test on each server.
const DIRECTORY: &str = "anywhere";

impl Servers {
    /// The site of a server that serves a directory of the content.
    async fn site(&self, address: &str, content: &str, scheme: &str, kind: &str) -> Site {
        let gate = Gate::before(address.parse().unwrap()).await;
        let directory = self.content.join(content).join(DIRECTORY);
        let root = format!("{scheme}://{}{kind}/{DIRECTORY}", gate.address);
        site(gate, root, directory)
    }

    /// Posts an article by the outbox of a profile of its own.
    fn post_to(&self, group: &str, body: &str) {
        let profile = tempfile::tempdir().unwrap();
        let drafts = profile.path().join("drafts");
        fs::create_dir(&drafts).unwrap();
        let article =
            format!("From: bo@example.org\nNewsgroups: {group}\nSubject: Surveying\n\n{body}\n");
        fs::write(drafts.join("1.eml"), article).unwrap();
        let record = format!(
            "Server: {}\nAttempts: 0\nState: queued\nNamed-By: geomys:user\n",
            self.news
        );
        fs::write(drafts.join("1.state"), record).unwrap();
        let output = geomys(&["--config", profile.path().to_str().unwrap(), "sync"], "");
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }
}

/// A site whose files stand in a directory.
fn site(gate: Gate, root: String, directory: PathBuf) -> Site {
    let put = move |path: &str, file: &str| {
        let path = directory.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, file).unwrap();
    };
    Site {
        gate,
        put: Box::new(put),
        root,
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the servers that .ci/servers starts"]
async fn all_that_is_followed_is_read_while_its_servers_refuse() {
    let servers = Servers::named();
    servers.post_to("local.following", "One theodolite.");
    // It refuses URLs that name another port than its own.
    let (capsule, files) = (readable(), tempfile::tempdir().unwrap());
    let address = free_address().await;
    let gate = Gate::before(address).await;
    let named = gate.address.port();
    let _served = MollyBrown::start(address, named, capsule.path(), files.path()).await;
    let root = format!("gemini://{}", gate.address);
    let followed = Followed {
        gemini: site(gate, root, capsule.path().to_owned()),
        gopher: servers
            .site(&servers.gopher, "gopher", "gopher", "/0")
            .await,
        web: servers.site(&servers.web, "web", "http", "").await,
        news: Gate::before(servers.news.parse().unwrap()).await,
        groups: ["local.following", "local.burrow"],
    };
    read_anywhere(followed, &["One theodolite."]).await;
}
