//! The context of a subcommand: paths, configuration, and the requests made from them.

use std::path::Path;
use std::sync::Arc;

use clap::Args;
use geomys_page::load::{Caution, FormAnswers, Purpose, Request};
use geomys_store::files::trust;
use geomys_wire::net::LocalConsent;
use rfc1738::{Dialect, Guesses, Hint, Url, expand_typed, mask, parse_or_repair};

use super::error::CliError;
use super::words;
use crate::app::Credentials;
use crate::app::Settings;
use crate::config::{Config, UserPaths};
use crate::run::ReadConfig;

/// The context of a subcommand: paths and configuration.
pub(super) struct CliContext {
    pub(super) paths: Arc<UserPaths>,
    pub(super) config: Config,
    /// Reads the configuration again, with the options of the command line; `None` for a temporary profile.
    pub(super) reread: Option<ReadConfig>,
}

impl CliContext {
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

/// The consent that the command line gives before a question is asked.
#[derive(Debug, Args)]
pub(super) struct Consent {
    /// Open URLs with unusual ports, users or addresses without a question
    ///
    /// Such as a port of another service, a user that looks like a host, or an address of this machine or its network to which a
    /// page of another host leads.
    #[arg(long)]
    yes: bool,
}

impl Consent {
    /// Applies the consent to a request.
    pub(super) fn apply(&self, request: Request) -> Request {
        if !self.yes {
            return request;
        }
        Request {
            caution: Caution::Confirmed,
            local_consent: LocalConsent::Any,
            ..request
        }
    }
}

/// A URL of the command line, and how it was read.
pub(super) struct TypedUrl {
    pub(super) url: Url,
    /// The sentences about a repair and about a probable mistake.
    pub(super) remarks: Vec<String>,
}

/// Parses a URL of the command line as the address prompt does: a host means gopher, a path means a file, and faults are
/// repaired.
pub(super) fn address(written: &str, settings: &Settings) -> Result<Url, CliError> {
    typed_url(written, settings).map(|typed| typed.url)
}

/// Parses a URL as [`address`] does, with remarks for the user.
pub(super) fn typed_url(written: &str, settings: &Settings) -> Result<TypedUrl, CliError> {
    let guesses = Guesses {
        is_group: None,
        directory: settings.directory.as_deref().and_then(Path::to_str),
        home: settings.home.as_deref().and_then(Path::to_str),
    };
    if let Some(error) = words::unknown_word(written) {
        return Err(CliError::Usage(error));
    }
    let expanded = expand_typed(written, guesses);
    let url = parse_or_repair(&expanded).map_err(|error| {
        let caret = error.masked(&expanded).caret();
        CliError::new(format!("not a URL\n  {}\n  {caret}", mask(&expanded)))
    })?;
    let hint = url.hint();
    if hint == Some(Hint::DrivePath) {
        return Err(CliError::new(format!(
            "not a URL\n  {expanded}\n  {}",
            Hint::DrivePath
        )));
    }
    let is_repaired = Dialect::Extended.parse(&*expanded).is_err();
    let repair = is_repaired.then(|| format!("repaired {} to {}", mask(&expanded), url.masked()));
    let remarks = repair.into_iter().chain(hint.map(|hint| hint.to_string()));
    Ok(TypedUrl {
        remarks: remarks.collect(),
        url,
    })
}
