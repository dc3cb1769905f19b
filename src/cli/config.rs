//! `geomys config`: mistakes in the configuration files, where the files are, and their defaults.

use std::io::Write;
use std::os::unix::ffi::OsStrExt;

use clap::{Args, Subcommand, ValueEnum};

use super::context::CliContext;
use super::error::CliError;
use super::output::{Output, clean};
use crate::config::CONFIG_FILES;

#[derive(Debug, Args)]
pub(super) struct ConfigCommand {
    #[command(subcommand)]
    command: ConfigSubcommand,
}

#[derive(Debug, Subcommand)]
enum ConfigSubcommand {
    /// List all mistakes with file, line and column
    ///
    /// The exit status is 1 if there is a mistake.
    Check,
    /// Print the paths of the configuration files
    Path,
    /// Print the defaults of the configuration files
    Show(Show),
}

#[derive(Debug, Args)]
struct Show {
    /// File to print; without it, all of them
    #[arg(value_name = "FILE", value_enum)]
    file: Option<DefaultsFile>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DefaultsFile {
    Settings,
    Keys,
    Theme,
}

impl ConfigCommand {
    pub(super) fn run(&self, context: &CliContext) -> Result<(), CliError> {
        let mut out = Output::new();
        let result = match &self.command {
            ConfigSubcommand::Check => check(context, &mut out)?,
            ConfigSubcommand::Path => {
                for path in context.paths.configuration() {
                    out.write_all(path.as_os_str().as_bytes())?;
                    out.write_all(b"\n")?;
                }
                Ok(())
            }
            ConfigSubcommand::Show(show) => {
                show.print(&mut out)?;
                Ok(())
            }
        };
        out.end()?;
        result
    }
}

/// Prints the mistakes. The inner result is the error of the command.
fn check(context: &CliContext, out: &mut Output) -> Result<Result<(), CliError>, CliError> {
    let errors = &context.config.errors;
    for error in errors {
        writeln!(out, "{}", clean(&error.to_string()))?;
    }
    Ok(match errors.len() {
        0 => Ok(()),
        // Each one is printed already.
        _ => Err(CliError::new("")),
    })
}

impl Show {
    fn print(&self, out: &mut Output) -> Result<(), CliError> {
        let all = DefaultsFile::value_variants().iter().zip(CONFIG_FILES);
        for (file, (name, text)) in all {
            match self.file {
                Some(shown) if shown != *file => continue,
                Some(_) => {}
                None => writeln!(out, "# {name}\n")?,
            }
            out.write_all(text.as_bytes())?;
            if self.file.is_none() && *file != DefaultsFile::Theme {
                out.write_all(b"\n")?;
            }
        }
        Ok(())
    }
}
