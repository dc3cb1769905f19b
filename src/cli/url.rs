//! `geomys url`: the parts of URLs, or what is wrong in them.

pub(super) mod json;

use std::io::{BufRead, BufWriter, Write, stdin, stdout};

use clap::Args;

use super::Trouble;
use crate::text::Text;
use crate::url::{ParseError, Url, mask, repair, repaired, unwrapped};

#[derive(Debug, Args)]
pub(super) struct Urls {
    /// One JSON object a URL, on a line of its own
    #[arg(long)]
    json: bool,

    /// What partial URLs are resolved against
    #[arg(long, value_name = "URL", value_parser = base)]
    base: Option<Url>,

    /// Only what RFC 1738 allows is usable
    #[arg(long)]
    strict: bool,

    /// Passwords as they are, not as ***
    #[arg(long)]
    show_password: bool,

    /// URLs; from standard input, one a line, when none is named
    #[arg(value_name = "URL")]
    named: Vec<String>,
}

impl Urls {
    pub(super) fn run(&self) -> Result<(), Trouble> {
        let mut out = BufWriter::with_capacity(64 * 1024, stdout().lock());
        let mut all_good = true;
        if self.named.is_empty() {
            let mut input = stdin().lock();
            let mut line = Vec::new();
            while input.read_until(b'\n', &mut line)? > 0 {
                let input = line.strip_suffix(b"\n").unwrap_or(&line);
                let input = input.strip_suffix(b"\r").unwrap_or(input);
                if !input.trim_ascii().is_empty() {
                    all_good &= self.tell(input, &mut out)?;
                }
                line.clear();
            }
        }
        for url in &self.named {
            all_good &= self.tell(url.as_bytes(), &mut out)?;
        }
        out.flush()?;
        if all_good {
            Ok(())
        } else {
            Err(Trouble::new(""))
        }
    }

    /// Tells one URL; whether it is usable.
    fn tell(&self, input: &[u8], out: &mut impl Write) -> Result<bool, Trouble> {
        let told = Told::of(input, self.base.as_ref());
        let usable = told.is_usable(self.strict);
        if self.json {
            json::write(&told, usable, self.show_password, out)?;
        } else {
            self.write(&told, out)?;
        }
        Ok(usable)
    }

    /// A URL for eyes: itself, the verdict below it, its parts, and what is to be known beside them.
    fn write(&self, told: &Told<'_>, out: &mut impl Write) -> Result<(), Trouble> {
        let text = String::from_utf8_lossy(told.text);
        let (shown, fault) = if self.show_password {
            (Text::of(&text), told.fault)
        } else {
            let fault = told.fault.map(|fault| fault.masked(&text));
            (Text::of(&mask(&text)), fault)
        };
        writeln!(out, "{shown}")?;
        if let Some(fault) = fault {
            writeln!(out, "{}", fault.caret())?;
        }
        let mut say = |label: &str, value: &str| writeln!(out, "  {label:<10} {value}");
        let shown = |url: &Url| {
            if self.show_password {
                url.as_str().to_owned()
            } else {
                url.masked().into_owned()
            }
        };
        if let Some(url) = &told.url {
            if self.base.is_some() {
                say("resolved", &shown(url))?;
            }
            let parts = if self.show_password {
                url.explanation_with_passwords()
            } else {
                url.explanation()
            };
            for (name, value) in parts {
                say(name, &value)?;
            }
            let canonical = url.canonical();
            if canonical != *url {
                say("canonical", &shown(&canonical))?;
            }
            for departure in url.departures().iter() {
                say("beyond", departure.sentence())?;
            }
            for hazard in url.hazards() {
                say("hazard", hazard.sentence())?;
            }
        }
        if let Some(url) = &told.repair {
            say("repair", &shown(url))?;
        }
        Ok(writeln!(out)?)
    }
}

/// What there is to tell of a line.
struct Told<'a> {
    /// The line as it came.
    input: &'a [u8],
    /// The line without what stood around the URL.
    text: &'a [u8],
    /// The URL, where Geomys reads one.
    url: Option<Url>,
    /// What RFC 1738 says against it.
    fault: Option<ParseError>,
    /// The strict URL that means the same as one that is at fault.
    repair: Option<Url>,
}

impl<'a> Told<'a> {
    fn of(input: &'a [u8], base: Option<&Url>) -> Self {
        let text = unwrapped(input);
        let told = |url: Option<Url>, fault, repair| Told {
            input,
            text,
            url,
            fault,
            repair,
        };
        let written = std::str::from_utf8(text).ok();
        if let (Some(base), Some(reference)) = (base, written) {
            return match base.resolve(reference) {
                Ok(url) => {
                    let fault = url
                        .verdict()
                        .err()
                        .map(|fault| within(fault, &url, reference));
                    let repair = fault.and_then(|_| repair(url.as_str()));
                    told(Some(url), fault, repair)
                }
                Err(error) => {
                    let mended = repaired(reference, base);
                    told(None, Some(error), mended)
                }
            };
        }
        match Url::parse_octets(text) {
            Ok(url) => told(Some(url), None, None),
            Err(error) => {
                let url = Url::accept_octets(text).ok();
                told(url, Some(error), written.and_then(repair))
            }
        }
    }

    fn is_usable(&self, strict: bool) -> bool {
        match &self.url {
            Some(_) if strict => self.fault.is_none(),
            Some(url) => url.forbidden().is_none(),
            None => false,
        }
    }
}

/// A fault of a resolved URL, in the reference that it was made of: at its place, where that is in it.
fn within(fault: ParseError, url: &Url, reference: &str) -> ParseError {
    let kept = url.as_str().len().checked_sub(reference.len());
    let at = kept.and_then(|kept| fault.at.checked_sub(kept));
    match at.filter(|_| url.as_str().ends_with(reference)) {
        Some(at) => ParseError { at, ..fault },
        None => ParseError {
            at: 0,
            len: reference.len(),
            ..fault
        },
    }
}

fn base(written: &str) -> Result<Url, String> {
    Url::accept(written).map_err(|error| error.to_string())
}
