//! `geomys get`: what a URL names, saved.

use std::io::{IsTerminal, Write, stderr, stdout};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use clap::Args;

use super::{Setting, Trouble, address, ask, block_on, fetch};
use crate::app::title_of;
use crate::files::download::{Error, Target, download};
use crate::load::{Part, Purpose, Stop};
use crate::run::sentence;
use crate::text;

#[derive(Debug, Args)]
pub(super) struct Get {
    /// What to save
    #[arg(value_name = "URL")]
    address: String,

    /// The file to write, replaced if it is there; a `/` at the end puts the URL's own name into that directory; `-` is
    /// standard output. Without it, the URL's own name in this directory, which must not be taken
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Get {
    pub(super) fn run(&self, setting: &Setting) -> Result<(), Trouble> {
        let url = address(&self.address, &setting.config.settings)?;
        if self
            .output
            .as_ref()
            .is_some_and(|output| output.as_os_str() == "-")
        {
            return block_on(async {
                let mut out = stdout();
                fetch(setting, url, Purpose::Save, |part| {
                    if let Part::Octets(octets) = part {
                        out.write_all(&octets)?;
                    }
                    Ok(())
                })
                .await?;
                Ok(out.flush()?)
            })?;
        }
        let name = text::file_name(title_of(&url).as_str().as_bytes(), "index");
        let target = match &self.output {
            Some(path) if path.as_os_str().as_bytes().ends_with(b"/") => {
                Target::Replace(path.join(name))
            }
            Some(path) => Target::Replace(path.clone()),
            None => Target::New(PathBuf::from(name)),
        };
        let mut request = setting.request(url, Purpose::Save)?;
        let net = setting.net();
        block_on(async {
            loop {
                let saved = download(&net, request.clone(), target.clone(), progress).await;
                if stderr().is_terminal() {
                    write!(stderr(), "\r\u{1b}[K")?;
                }
                match saved {
                    Ok(saved) => {
                        let size = text::octets(saved.octets);
                        writeln!(stderr(), "{}: {size}", saved.path.display())?;
                        return Ok(());
                    }
                    Err(Error::Stopped {
                        stop: Stop::Needs(question),
                        part,
                    }) => match ask::answer(&question, &request, setting)? {
                        Some(answered) => request = answered,
                        None => {
                            let error = Error::Stopped {
                                stop: Stop::Needs(question),
                                part,
                            };
                            return Err(Trouble::new(sentence(&error)));
                        }
                    },
                    Err(Error::Stopped {
                        stop: Stop::Failed(failure),
                        part: None,
                    }) => {
                        return Err(Stop::Failed(failure).into());
                    }
                    Err(error) => return Err(Trouble::new(sentence(&error))),
                }
            }
        })?
    }
}

/// How far it is, on a terminal.
fn progress(octets: u64, size: Option<u64>) {
    let mut err = stderr();
    if !err.is_terminal() {
        return;
    }
    let line = match size {
        Some(size) => format!("{} of {}", text::octets(octets), text::octets(size)),
        None => text::octets(octets),
    };
    // A terminal that has gone misses nothing.
    let _ = write!(err, "\r\u{1b}[K{line}");
    let _ = err.flush();
}
