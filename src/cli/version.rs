//! `geomys --version [--verbose]`: the version, and how the program was built.

use std::env::consts::{ARCH, OS};
use std::io::Write;

use clap::Args;

use super::error::CliError;
use super::output::Output;

#[derive(Debug, Args)]
pub(super) struct VersionFlags {
    /// Print the version
    #[arg(short = 'V', long)]
    version: bool,

    /// With --version: print features, TLS provider and target
    #[arg(long, requires = "version")]
    verbose: bool,
}

impl VersionFlags {
    /// Returns true if the version is to be printed.
    pub(super) fn is_requested(&self) -> bool {
        self.version
    }

    pub(super) fn print(&self) -> Result<(), CliError> {
        let mut out = Output::new();
        writeln!(out, "geomys {}", env!("CARGO_PKG_VERSION"))?;
        if self.verbose {
            let features = [
                ("images", cfg!(feature = "images")),
                ("keyring", cfg!(feature = "keyring")),
            ];
            let built_in = features.iter().filter(|(_, is_built_in)| *is_built_in);
            let names: Vec<&str> = built_in.map(|(name, _)| *name).collect();
            let names = if names.is_empty() {
                "none".to_owned()
            } else {
                names.join(", ")
            };
            writeln!(out, "features: {names}")?;
            writeln!(out, "TLS: rustls with ring, certificates of the system")?;
            let libc = if cfg!(target_env = "musl") {
                "-musl"
            } else if cfg!(target_env = "gnu") {
                "-gnu"
            } else {
                ""
            };
            let profile = if cfg!(debug_assertions) {
                "debug"
            } else {
                "release"
            };
            writeln!(out, "target: {ARCH}-{OS}{libc}, {profile}")?;
        }
        Ok(out.end()?)
    }
}
