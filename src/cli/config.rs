//! `geomys config`: mistakes in the configuration files, where the files are, and their defaults; `geomys
//! certificates`: the client certificates; `geomys --version [--verbose]`: the version, and how the program was built.

use std::env::consts::{ARCH, OS};
use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::context::CliContext;
use super::error::{CliError, Output, clean};
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
    /// The exit status is 1 if there is a mistake. A setting of an earlier version is none: what replaces it is named.
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
    KeysTin,
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
    // Each one is printed already; the words of an earlier version are no mistakes.
    Ok(if errors.iter().all(|error| error.is_former) {
        Ok(())
    } else {
        Err(CliError::new(""))
    })
}

impl DefaultsFile {
    /// Returns the content of the file.
    fn text(self) -> &'static str {
        let [settings, keys, theme] = CONFIG_FILES;
        let [_, emacs, lynx, tin] = KEY_PRESETS;
        let (_, text) = match self {
            Self::Settings => settings,
            Self::Keys => keys,
            Self::Theme => theme,
            Self::KeysEmacs => emacs,
            Self::KeysLynx => lynx,
            Self::KeysTin => tin,
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

/// List the client certificates, import them, change where they are used
#[derive(Debug, Args)]
pub(super) struct CertificatesCommand {
    #[command(subcommand)]
    command: CertificatesSubcommand,
}

#[derive(Debug, Subcommand)]
enum CertificatesSubcommand {
    /// List certificates (tab-separated: name, fingerprint, where each is used)
    List,
    /// Store a certificate and its key of a PEM file under a name
    Import(CertificateImport),
    /// Give a certificate another name
    Rename { name: String, new: String },
    /// Use a certificate for a whole host
    Widen {
        name: String,
        #[arg(value_name = "HOST[:PORT]")]
        host: String,
    },
    /// Stop using a certificate for a host, or for a path of it
    Leave {
        name: String,
        #[arg(value_name = "HOST[:PORT][/PATH]")]
        place: String,
    },
    /// Delete a certificate with its key
    Remove { name: String },
}

#[derive(Debug, Args)]
struct CertificateImport {
    #[arg(value_name = "NAME")]
    name: String,

    /// File with the certificate and its key (PEM), or "-" for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// The maximum length of a file with a certificate and its key, in octets.
const MAX_PEM_BYTES: usize = 1 << 20;

/// Reads a certificate and its key.
///
/// # Errors
/// Errors of the system; it is longer than [`MAX_PEM_BYTES`], as an endless pipe is.
fn read_pem(file: impl Read) -> io::Result<Vec<u8>> {
    let mut pem = Vec::new();
    file.take(MAX_PEM_BYTES as u64 + 1).read_to_end(&mut pem)?;
    if pem.len() > MAX_PEM_BYTES {
        return Err(io::Error::from(io::ErrorKind::FileTooLarge));
    }
    Ok(pem)
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
                let read = if import.file.as_os_str() == "-" {
                    read_pem(io::stdin())
                } else {
                    fs::File::open(&import.file).and_then(read_pem)
                };
                let pem = read.map_err(|error| {
                    CliError::new(format!("{}: {error}", import.file.display()))
                })?;
                let imported = identities.import(&import.name, &pem);
                imported.map_err(CliError::new)
            }
            CertificatesSubcommand::Rename { name, new } => {
                identities.rename_identity(name, new).map_err(CliError::new)
            }
            CertificatesSubcommand::Widen { name, host } => {
                let (authority, _) = place_of(host);
                let widened = identities.widen(name, &authority);
                widened.map_err(CliError::new)
            }
            CertificatesSubcommand::Leave { name, place } => {
                let (authority, path) = place_of(place);
                match identities.leave(name, &authority, path) {
                    Ok(true) => Ok(()),
                    Ok(false) => Err(CliError::new(format!("{name} is not used at {place}"))),
                    Err(error) => Err(CliError::new(error)),
                }
            }
            CertificatesSubcommand::Remove { name } => {
                identities.remove(name).map_err(CliError::new)
            }
        }
    }
}

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

/// Splits `host[:port][/path]`, as `list` prints it; without a port it is that of Gemini.
fn place_of(written: &str) -> (String, Option<&str>) {
    let start = written.find('/').unwrap_or(written.len());
    let (host, path) = written.split_at_checked(start).unwrap_or((written, ""));
    let host = host.to_ascii_lowercase();
    let port = host.rsplit_once(':').map(|(_, port)| port.parse::<u16>());
    let authority = match port {
        Some(Ok(_)) => host,
        Some(Err(_)) | None => {
            format!("{host}:{}", rfc1738::ExtensionScheme::Gemini.default_port())
        }
    };
    (authority, Some(path).filter(|path| !path.is_empty()))
}
