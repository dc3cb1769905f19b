//! `geomys config`: mistakes in the configuration files, where the files are, and their defaults.

use std::io::Write;
use std::os::unix::ffi::OsStrExt;

use clap::{Args, Subcommand, ValueEnum};

use super::context::CliContext;
use super::error::CliError;
use super::output::{Output, clean};
use crate::config::{CONFIG_FILES, KEY_PRESETS};

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
    /// File to print; without it, all except the key presets
    #[arg(value_name = "FILE", value_enum)]
    file: Option<DefaultsFile>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DefaultsFile {
    Settings,
    Keys,
    Theme,
    KeysEmacs,
    KeysLynx,
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

impl DefaultsFile {
    /// Returns the content of the file.
    fn text(self) -> &'static str {
        let [settings, keys, theme] = CONFIG_FILES;
        let [_, emacs, lynx] = KEY_PRESETS;
        let (_, text) = match self {
            Self::Settings => settings,
            Self::Keys => keys,
            Self::Theme => theme,
            Self::KeysEmacs => emacs,
            Self::KeysLynx => lynx,
        };
        text
    }
}

impl Show {
    fn print(&self, out: &mut Output) -> Result<(), CliError> {
        if let Some(file) = self.file {
            out.write_all(file.text().as_bytes())?;
            return Ok(());
        }
        for (at, (name, text)) in CONFIG_FILES.into_iter().enumerate() {
            let between = if at > 0 { "\n" } else { "" };
            write!(out, "{between}# {name}\n\n{text}")?;
        }
        Ok(())
    }
}
