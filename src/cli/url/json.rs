//! URLs as JSON objects, one per line.
//!
//! The keys and their order are part of the interface: scripts read them. Values are still encoded; absent parts are null,
//! empty parts are "".

use std::borrow::Cow;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::{CompactFormatter, Formatter};

use super::UrlReport;
use crate::text::is_harmful;
use crate::url::{
    Departure, Departures, Encoded, GroupPart, Hazard, ParseError, Parts, Range, Scheme, Url,
    WaisTarget, mask,
};

/// Writes a report and a line end.
pub(super) fn write(
    report: &UrlReport<'_>,
    usable: bool,
    show_password: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    let input = String::from_utf8_lossy(report.input);
    let url = report.url.as_ref().map(|url| {
        if show_password {
            Cow::Borrowed(url)
        } else {
            url.masked_url()
        }
    });
    // The URL is parsed only once.
    let parsed = url.as_deref().map(|url| {
        let generic = |_| (url.parts(), Departures::NONE);
        let (reading, departures) = Parts::accept(url.as_str()).unwrap_or_else(generic);
        (url, reading, departures)
    });
    let canonical = parsed.map(|(url, reading, _)| url.canonical_of(reading));
    let shown = |url| shown(url, show_password);
    let mut object = UrlObject {
        input: if show_password {
            Cow::Borrowed(&*input)
        } else {
            mask(&input)
        },
        valid: report.fault.is_none(),
        usable,
        url: canonical.as_ref().map(shown),
        error: report.fault.as_ref().map(Fault::of),
        repair: report.repair.as_ref().map(shown),
        ..UrlObject::default()
    };
    if let (Some(url), Some((shown, reading, departures))) = (&report.url, parsed) {
        object.set_parts(shown, reading);
        let hazards = url.hazards().into_iter();
        object.hazards = hazards.map(Hazard::code).collect();
        object.departures = departures.iter().map(Departure::code).collect();
    }
    line(&object, out)
}

/// Writes an object on its own line, with control characters escaped.
pub(in crate::cli) fn line(object: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    let mut serializer = Serializer::with_formatter(&mut *out, EscapedFormatter(CompactFormatter));
    object.serialize(&mut serializer)?;
    out.write_all(b"\n")
}

fn shown(url: &Url, show_password: bool) -> Cow<'_, str> {
    if show_password {
        Cow::Borrowed(url.as_str())
    } else {
        url.masked()
    }
}

/// All keys in order.
#[derive(Default, Serialize)]
struct UrlObject<'a> {
    input: Cow<'a, str>,
    valid: bool,
    usable: bool,
    url: Option<Cow<'a, str>>,
    scheme: Option<Cow<'a, str>>,
    user: Option<&'a str>,
    password: Option<&'a str>,
    host: Option<&'a str>,
    port: Option<u16>,
    path: Option<&'a str>,
    parts: Option<SchemeParts<'a>>,
    hazards: Vec<&'static str>,
    departures: Vec<&'static str>,
    error: Option<Fault>,
    repair: Option<Cow<'a, str>>,
}

impl<'a> UrlObject<'a> {
    /// Fills in the parts of a URL.
    fn set_parts(&mut self, url: &'a Url, reading: Parts<'a>) {
        let parts = match url.scheme() {
            Scheme::Other => url.parts(),
            _ => reading,
        };
        self.scheme = Some(match url.scheme() {
            Scheme::Other => Cow::Owned(url.scheme_name().to_ascii_lowercase()),
            scheme => Cow::Borrowed(scheme.name()),
        });
        if let Some(login) = parts.login() {
            self.user = login.user.map(Encoded::as_str);
            self.password = login.password.map(Encoded::as_str);
        }
        let address = parts.address();
        match parts {
            // A news URL has no host by RFC 1738, although later documents add one.
            Parts::News(_) | Parts::Mailto(_) | Parts::Other(_) => {}
            Parts::File(file) => {
                self.host = file.host;
                self.path = Some(file.path.as_str());
            }
            Parts::Ftp(_)
            | Parts::Http(_)
            | Parts::Gopher(_)
            | Parts::Nntp(_)
            | Parts::Telnet(_)
            | Parts::Wais(_)
            | Parts::Prospero(_) => {
                self.host = address.map(|address| address.host);
                self.port = address.and_then(|address| address.written_port);
                self.path = url.path();
            }
        }
        self.parts = Some(SchemeParts::of(parts));
    }
}

/// The parts that are specific to a scheme.
#[derive(Serialize)]
#[serde(untagged)]
enum SchemeParts<'a> {
    Ftp {
        cwd: Vec<&'a str>,
        name: &'a str,
        r#type: Option<char>,
    },
    Gopher {
        r#type: Option<&'a str>,
        selector: &'a str,
        search: Option<&'a str>,
        plus: Option<&'a str>,
    },
    Http {
        path: Option<&'a str>,
        search: Option<&'a str>,
    },
    News {
        all: bool,
        group: Option<&'a str>,
        article: Option<&'a str>,
        range: Option<String>,
    },
    Nntp {
        group: &'a str,
        number: Option<&'a str>,
        range: Option<String>,
    },
    Wais {
        database: &'a str,
        search: Option<&'a str>,
        wtype: Option<&'a str>,
        wpath: Option<&'a str>,
    },
    Prospero {
        path: &'a str,
        fields: Vec<(&'a str, &'a str)>,
    },
    Mailto {
        address: &'a str,
    },
    File {
        path: &'a str,
    },
    Nothing {},
}

impl<'a> SchemeParts<'a> {
    fn of(parts: Parts<'a>) -> Self {
        let written = |part: Option<Encoded<'a>>| part.map(Encoded::as_str);
        match parts {
            Parts::Ftp(ftp) => SchemeParts::Ftp {
                cwd: ftp.cwd().map(Encoded::as_str).collect(),
                name: ftp.name().as_str(),
                r#type: ftp.kind.map(crate::url::FtpType::letter),
            },
            Parts::Gopher(gopher) => SchemeParts::Gopher {
                r#type: written(gopher.gtype),
                selector: gopher.selector.as_str(),
                search: written(gopher.search),
                plus: written(gopher.plus),
            },
            Parts::Http(http) => SchemeParts::Http {
                path: written(http.path),
                search: written(http.search),
            },
            Parts::News(news) => {
                let (group, article, range) = match news.part {
                    GroupPart::All => (None, None, None),
                    GroupPart::Group(name) | GroupPart::Groups(name) => (Some(name), None, None),
                    GroupPart::Articles(name, range) => (Some(name), None, Some(range)),
                    GroupPart::Article(article) => (None, Some(article.id), None),
                };
                SchemeParts::News {
                    all: group.is_none() && article.is_none(),
                    group: written(group),
                    article: written(article),
                    range: range.map(Range::written),
                }
            }
            Parts::Nntp(nntp) => SchemeParts::Nntp {
                group: nntp.group.as_str(),
                number: nntp.number,
                range: nntp.range.map(Range::written),
            },
            Parts::Wais(wais) => {
                let (search, document) = match wais.target {
                    WaisTarget::Database => (None, None),
                    WaisTarget::Search(search) => (Some(search), None),
                    WaisTarget::Document { wtype, wpath } => (None, Some((wtype, wpath))),
                    WaisTarget::Fields { wtype, id, .. } => (None, Some((wtype, id))),
                };
                SchemeParts::Wais {
                    database: wais.database.as_str(),
                    search: written(search),
                    wtype: document.map(|(wtype, _)| wtype.as_str()),
                    wpath: document.map(|(_, wpath)| wpath.as_str()),
                }
            }
            Parts::Prospero(prospero) => SchemeParts::Prospero {
                path: prospero.path.as_str(),
                fields: prospero
                    .fields()
                    .map(|(name, value)| (name.as_str(), value.as_str()))
                    .collect(),
            },
            Parts::Mailto(mailto) => SchemeParts::Mailto {
                address: mailto.address.as_str(),
            },
            Parts::File(file) => SchemeParts::File {
                path: file.path.as_str(),
            },
            Parts::Telnet(_) | Parts::Other(_) => SchemeParts::Nothing {},
        }
    }
}

/// A violation of RFC 1738.
#[derive(Serialize)]
pub(in crate::cli) struct Fault {
    at: usize,
    len: usize,
    rule: &'static str,
    section: &'static str,
    message: String,
}

impl Fault {
    pub(in crate::cli) fn of(error: &ParseError) -> Self {
        Fault {
            at: error.at,
            len: error.len,
            rule: error.rule,
            section: error.section,
            message: error.message.to_string(),
        }
    }
}

/// A JSON formatter that escapes control characters.
struct EscapedFormatter(CompactFormatter);

impl Formatter for EscapedFormatter {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        if fragment.is_ascii() && !fragment.as_bytes().contains(&0x7F) {
            return self.0.write_string_fragment(writer, fragment);
        }
        let mut units = [0; 2];
        for c in fragment.chars() {
            if is_harmful(c) {
                for unit in c.encode_utf16(&mut units) {
                    write!(writer, "\\u{unit:04x}")?;
                }
            } else {
                write!(writer, "{c}")?;
            }
        }
        Ok(())
    }
}
