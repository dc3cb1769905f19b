//! `geomys demo`: a small world on loopback, and the browser in it.

use std::fs;
use std::io::{Write, stdout};
use std::path::Path;
use std::sync::Arc;

use clap::Args;

use super::browse::Browse;
use super::{Setting, Trouble, block_on};
use crate::app::news::Newsrcs;
use crate::config::Places;
use crate::demo::Demo as Servers;
use crate::load::NewsHost;

#[derive(Debug, Args)]
pub(super) struct Demo {
    /// Print the addresses, one a line, and serve until interrupted
    #[arg(long)]
    serve: bool,

    #[command(flatten)]
    browse: Browse,
}

impl Demo {
    pub(super) fn run(&self, setting: Setting) -> Result<(), Trouble> {
        block_on(async {
            let servers = Servers::start().await?;
            if self.serve {
                let mut out = stdout().lock();
                for url in servers.urls() {
                    writeln!(out, "{url}")?;
                }
                out.flush()?;
                drop(out);
                tokio::signal::ctrl_c().await?;
                return Ok(());
            }
            // The profile goes when this is dropped.
            let profile = tempfile::Builder::new().prefix("geomys-demo").tempdir()?;
            fs::write(profile.path().join("bookmarks.txt"), servers.bookmarks())?;
            let mut setting = setting;
            setting.places = Places {
                config: profile.path().to_owned(),
                data: profile.path().to_owned(),
                bookmarks: setting.places.bookmarks.clone(),
                cache: profile.path().join("cache"),
            };
            let settings = &mut setting.config.settings;
            settings.downloads = profile.path().join("Downloads");
            // What was read, and what is not to be, is the profile's own; no password is kept either.
            settings.newsrcs = Newsrcs {
                named: Vec::new(),
                directory: Some(setting.places.newsrcs()),
            };
            settings.rules = Arc::default();
            settings.score = Some(setting.places.score());
            settings.keyring = false;
            settings.author.mail = keeping(&profile.path().join("letters"));
            // There is one scheme that nobody speaks, to show how that goes.
            let gateways = Arc::make_mut(&mut settings.gateways);
            let set = gateways.set("x-mole", &servers.gateway());
            set.map_err(Trouble::new)?;
            settings.watch = false;
            let news = servers.news();
            settings.news_server = Some(NewsHost::plain(news.ip().to_string(), news.port()));
            let first = servers.urls().into_iter().take(1);
            Box::pin(self.browse.browse(setting, first.collect())).await
        })?
    }
}

/// A command that keeps a letter in a file of the profile: what is written to a town that does not exist is for nobody.
fn keeping(file: &Path) -> Vec<String> {
    let file = file.display().to_string();
    ["cp", "/dev/stdin", &file].map(str::to_owned).to_vec()
}
