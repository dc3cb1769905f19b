//! `geomys url`: the parts of URLs, or what is wrong in them.

use std::io::{BufRead, Write, stdin, stdout};

use clap::Args;

use super::Trouble;
use crate::text::Text;
use crate::url::{Url, mask, meant, repair};

#[derive(Debug, Args)]
pub(super) struct Urls {
    /// URLs; from standard input, one a line, when none is named
    #[arg(value_name = "URL")]
    urls: Vec<String>,
}

impl Urls {
    pub(super) fn run(&self) -> Result<(), Trouble> {
        let mut out = stdout().lock();
        let mut all_good = true;
        if self.urls.is_empty() {
            for line in stdin().lock().split(b'\n') {
                let line = line?;
                let line = line.trim_ascii();
                if !line.is_empty() {
                    all_good &= tell(line, &mut out)?;
                }
            }
        }
        for url in &self.urls {
            all_good &= tell(url.as_bytes(), &mut out)?;
        }
        out.flush()?;
        if all_good {
            Ok(())
        } else {
            Err(Trouble::new(""))
        }
    }
}

/// Tells one URL; whether it is one.
fn tell(line: &[u8], out: &mut impl Write) -> Result<bool, Trouble> {
    let parsed = match std::str::from_utf8(line) {
        Ok(text) => {
            let text = meant(text).into_owned();
            (Url::parse(&text), Text::of(&mask(&text)))
        }
        Err(_) => (
            Url::parse_octets(line),
            Text::new(line, crate::text::Charset::default()),
        ),
    };
    match parsed {
        (Ok(url), shown) => {
            writeln!(out, "{shown}")?;
            for (name, value) in url.explanation() {
                writeln!(out, "  {name:<10} {value}")?;
            }
            for hazard in url.hazards() {
                writeln!(out, "  {:<10} {}", "hazard", hazard.code())?;
            }
            writeln!(out)?;
            Ok(true)
        }
        (Err(error), shown) => {
            writeln!(out, "{shown}\n{}", error.caret())?;
            if let Some(url) = std::str::from_utf8(line).ok().and_then(repair) {
                writeln!(out, "  {:<10} {}", "repair", url.masked())?;
            }
            writeln!(out)?;
            Ok(false)
        }
    }
}
