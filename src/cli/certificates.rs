//! `geomys certificates`: the client certificates.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::context::CliContext;
use super::error::CliError;
use super::output::Output;

/// List the client certificates, import them
#[derive(Debug, Args)]
pub(super) struct CertificatesCommand {
    #[command(subcommand)]
    command: CertificatesSubcommand,
}

#[derive(Debug, Subcommand)]
enum CertificatesSubcommand {
    /// All certificates, one a line: name, fingerprint, where it is used, a TAB between
    List,
    /// Store a certificate and its key of a PEM file under a name
    Import(CertificateImport),
}

#[derive(Debug, Args)]
struct CertificateImport {
    #[arg(value_name = "NAME")]
    name: String,

    #[arg(value_name = "FILE")]
    file: PathBuf,
}

impl CertificatesCommand {
    pub(super) fn run(&self, context: &CliContext) -> Result<(), CliError> {
        let identities = context.paths.identities();
        match &self.command {
            CertificatesSubcommand::List => {
                let mut out = Output::new();
                for identity in identities.list().map_err(CliError::new)? {
                    let fingerprint = identity.fingerprint;
                    let fingerprint = fingerprint.map(|fingerprint| fingerprint.to_string());
                    let fingerprint = fingerprint.unwrap_or_else(|| "malformed".to_owned());
                    let chosen_for = identity.chosen_for.join(" ");
                    writeln!(out, "{}\t{fingerprint}\t{chosen_for}", identity.name)?;
                }
                Ok(out.end()?)
            }
            CertificatesSubcommand::Import(import) => {
                let pem = fs::read(&import.file).map_err(|error| {
                    CliError::new(format!("{}: {error}", import.file.display()))
                })?;
                let imported = identities.import(&import.name, &pem);
                imported.map_err(CliError::new)
            }
        }
    }
}
