//! The context of a subcommand: paths, configuration, and the requests made from them.

use std::io::PipeReader;
use std::path::Path;
use std::sync::Arc;

use super::error::CliError;
use crate::app::Credentials;
use crate::app::Settings;
use crate::config::{Config, UserPaths};
use crate::files::cache::Cache;
use crate::files::tls_offers::OfferFile;
use crate::files::trust;
use crate::load::{FormAnswers, Purpose, Request};
use crate::net::{Limits, Net};
use crate::url::{Guesses, Url};

/// The context of a subcommand: paths and configuration.
pub(super) struct CliContext {
    pub(super) paths: UserPaths,
    pub(super) config: Config,
    /// The pipe that ends with the supervisor process.
    pub(super) supervisor: Option<PipeReader>,
}

impl CliContext {
    /// Returns the network client with the configured limits and proxies.
    pub(super) fn net(&self) -> Net {
        let memory = self.config.settings.memory;
        let defaults = Limits::default();
        let net = Net::new(Limits {
            page: memory.page,
            list: defaults.list.max(memory.page),
            ..defaults
        })
        .with_route(self.config.route.clone())
        .with_web_proxies(self.config.web.clone())
        .with_offer_store(Arc::new(OfferFile::new(self.paths.offered())));
        net.set_offline(self.config.settings.offline);
        net
    }

    /// Returns the page cache.
    pub(super) fn cache(&self) -> Arc<Cache> {
        let directory = self.paths.cache.clone();
        Arc::new(Cache::new(directory, self.config.settings.cache))
    }

    /// Returns a request with the request defaults and stored logins.
    pub(super) fn request(&self, url: Url, purpose: Purpose) -> Result<Request, CliError> {
        let request = self.request_with(url, purpose, &Credentials::default());
        if request.tls_authority().is_none() {
            return Ok(request);
        }
        Ok(self.request_with(request.url, purpose, &self.credentials()?))
    }

    /// Returns the same request with accepted certificates that are already loaded.
    pub(super) fn request_with(
        &self,
        url: Url,
        purpose: Purpose,
        credentials: &Credentials,
    ) -> Request {
        let mut request = Request {
            purpose,
            // A user who writes a filled form on the command line has seen it.
            answers: FormAnswers::Confirmed,
            // The reader of the output can stop it at any time.
            limit: Some(u64::MAX),
            ..Request::show(url)
        };
        credentials.apply_defaults(&mut request, &self.config.settings);
        request
    }

    /// Loads the accepted certificates.
    pub(super) fn credentials(&self) -> Result<Credentials, CliError> {
        let pins = trust::load(&self.paths.trust()).map_err(CliError::new)?;
        Ok(Credentials::of_pins(pins))
    }
}

/// Parses a URL of the command line, which may be incomplete: a host means gopher, a path means a file.
pub(super) fn address(written: &str, settings: &Settings) -> Result<Url, CliError> {
    let guesses = Guesses {
        is_group: None,
        directory: settings.directory.as_deref().and_then(Path::to_str),
        home: settings.home.as_deref().and_then(Path::to_str),
    };
    crate::url::parse_typed(written, guesses).map_err(|error| {
        let expanded = crate::url::expand_typed(written, guesses);
        let shown = crate::url::mask(&expanded).into_owned();
        let caret = error.masked(&expanded).caret();
        let repair = crate::url::accept_or_repair(&expanded).map_or(String::new(), |url| {
            format!("\n  did you mean {} ?", url.masked())
        });
        CliError::new(format!("this is no URL\n  {shown}\n  {caret}{repair}"))
    })
}
