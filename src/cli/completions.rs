//! `geomys completions`: completion scripts for shells.

use clap::{Args, Command};
use clap_complete::{Shell, generate};

use super::error::CliError;
use super::output::Output;

#[derive(Debug, Args)]
pub(super) struct Completions {
    /// Shell to print the script for
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

impl Completions {
    pub(super) fn run(&self, command: &mut Command) -> Result<(), CliError> {
        // Generated into memory: the generator panics when its output is closed.
        let mut script = Vec::new();
        generate(self.shell, command, "geomys", &mut script);
        let mut out = Output::new();
        std::io::Write::write_all(&mut out, &script)?;
        Ok(out.end()?)
    }
}
