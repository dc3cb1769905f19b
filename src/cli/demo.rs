//! `geomys demo`: demo servers on loopback, and the browser.

use std::fs;
use std::io::{Write, stdout};
use std::path::Path;
use std::sync::Arc;

use clap::Args;
use geomys_demo::Demo as Servers;
use geomys_page::load::NewsHost;

use super::browse::Browse;
use super::context::CliContext;
use super::error::CliError;
use super::fetch::block_on;
use super::signals::stop_signal;
use crate::app::news::server::Newsrcs;
use crate::config::UserPaths;

#[derive(Debug, Args)]
pub(super) struct DemoCommand {
    /// Print the URLs of the servers, serve until interrupted
    #[arg(long)]
    pub(super) serve: bool,

    #[command(flatten)]
    browse: Browse,
}

impl DemoCommand {
    pub(super) fn run(&self, context: CliContext) -> Result<(), CliError> {
        block_on(async {
            let servers = Servers::start().await?;
            if self.serve {
                let stopped = stop_signal()?;
                let mut out = stdout().lock();
                for url in servers.urls() {
                    writeln!(out, "{url}")?;
                }
                out.flush()?;
                drop(out);
                stopped.await;
                return Ok(());
            }
            // Dropping this removes the profile.
            let profile = tempfile::Builder::new().prefix("geomys-demo").tempdir()?;
            fs::write(profile.path().join("bookmarks.txt"), servers.bookmarks())?;
            let mut context = context;
            context.paths = Arc::new(UserPaths {
                config: profile.path().to_owned(),
                data: profile.path().to_owned(),
                bookmarks: context.paths.bookmarks.clone(),
                cache: profile.path().join("cache"),
            });
            context.reread = None;
            let settings = &mut context.config.settings;
            settings.downloads = profile.path().join("Downloads");
            // Read marks and scores are stored in the profile; passwords are not stored.
            settings.newsrcs = Newsrcs {
                named: Vec::new(),
                directory: Some(context.paths.newsrcs()),
            };
            settings.rules = Arc::default();
            settings.score = Some(context.paths.score());
            settings.keyring = false;
            settings.author.mail = mail_to_file(&profile.path().join("letters"));
            // One unsupported scheme, to show gateways.
            let gateways = Arc::make_mut(&mut settings.gateways);
            let set = gateways.set("x-mole", &servers.gateway());
            set.map_err(CliError::new)?;
            settings.watch = false;
            let news = servers.addresses.news;
            settings.news_server = Some(NewsHost::plain(news.ip().to_string(), news.port()));
            let first = servers.urls().into_iter().take(1);
            Box::pin(self.browse.browse(context, first.collect())).await
        })?
    }
}

/// Returns a mail command that saves the message to a file of the profile: the addressees of the demo do not exist.
fn mail_to_file(file: &Path) -> Vec<String> {
    let file = file.display().to_string();
    ["cp", "/dev/stdin", &file].map(str::to_owned).to_vec()
}
