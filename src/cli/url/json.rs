//! URLs as JSON objects, one per line.
//!
//! The keys and their order are part of the interface: scripts read them. Values are still encoded; absent parts are
//! null, empty parts are "".

use std::borrow::Cow;
use std::io::{self, Write};

use geomys_wire::net::ascii_url;
use geomys_wire::text::is_harmful;
use rfc1738::{
    Departure, Departures, Dialect, Encoded, FtpType, GroupPart, Hazard, ParseError, Parts, Range,
    Scheme, Url, WaisTarget, mask, repair_fragment,
};
use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::{CompactFormatter, Formatter};

use super::UrlReport;
use crate::cli::locale;

/// Writes a report and a line end.
pub(super) fn write(
    report: &UrlReport<'_>,
    usable: bool,
    show_password: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    // Nearly all reports have no password, and this test is fast.
    let show_password = show_password || !report.may_hold_secret();
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
        let generic = |_| (url.rfc1738_parts(), Departures::NONE);
        let (reading, departures) = Dialect::Extended
            .parts(url.as_str())
            .unwrap_or_else(generic);
        (url, reading, departures)
    });
    let canonical = parsed.map(|(url, reading, _)| match ascii_url(url) {
        Ok(Cow::Owned(ascii)) => ascii.canonical(),
        Ok(Cow::Borrowed(_)) | Err(_) => url.canonical_of(reading),
    });
    let shown = |url| shown(url, show_password);
    let faulty = report
        .fault
        .and_then(|_| std::str::from_utf8(report.text).ok());
    let both = faulty.map_or_else(Vec::new, repair_fragment);
    let mut object = UrlObject {
        input: if show_password {
            Cow::Borrowed(&*input)
        } else {
            mask(&input)
        },
        usable,
        url: canonical.as_ref().map(shown),
        error: report.fault.as_ref().map(Fault::of),
        repair: report.repair.as_ref().map(shown),
        repairs: both.iter().map(shown).collect(),
        ..UrlObject::default()
    };
    if let (Some(url), Some((shown, reading, departures))) = (&report.url, parsed) {
        object.set_parts(shown, reading);
        let hazards = if shown == url {
            url.hazards_of(reading)
        } else {
            url.hazards()
        };
        object.hazards = hazards.into_iter().map(Hazard::code).collect();
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

/// Returns a URL, with its password masked unless it is to be shown.
pub(super) fn shown(url: &Url, show_password: bool) -> Cow<'_, str> {
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
    /// The URLs that one with a fragment may mean by RFC 1738.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    repairs: Vec<Cow<'a, str>>,
}

impl<'a> UrlObject<'a> {
    /// Fills in the parts of a URL.
    fn set_parts(&mut self, url: &'a Url, parts: Parts<'a>) {
        self.scheme = Some(match url.scheme() {
            Scheme::Other => Cow::Owned(url.scheme_name().to_ascii_lowercase()),
            scheme => Cow::Borrowed(scheme.name()),
        });
        if let Some(login) = parts.login() {
            self.user = login.user.map(Encoded::as_str);
            self.password = login.password.map(Encoded::as_str);
        }
        match parts {
            // A news URL has no host by RFC 1738, although later documents add one.
            Parts::News(_) if url.scheme() == Scheme::News => {}
            Parts::File(file) => {
                self.host = file.host;
                self.path = Some(file.path.as_str());
            }
            _ => {
                if let Some(address) = parts.address() {
                    self.host = Some(address.host);
                    self.port = address.written_port;
                    self.path = url.path();
                }
            }
        }
        self.parts = Some(SchemeParts::of(parts));
    }
}

/// The parts that are specific to a scheme: keys and values in order.
struct SchemeParts<'a>(Vec<(&'static str, PartValue<'a>)>);

/// The value of a part that is specific to a scheme.
#[derive(Serialize)]
#[serde(untagged)]
enum PartValue<'a> {
    Text(Option<&'a str>),
    Range(Option<String>),
    Letter(Option<char>),
    Flag(bool),
    List(Vec<&'a str>),
    Fields(Vec<(&'a str, &'a str)>),
}

impl Serialize for SchemeParts<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

impl<'a> SchemeParts<'a> {
    fn of(parts: Parts<'a>) -> Self {
        let text = |part: Encoded<'a>| PartValue::Text(Some(part.as_str()));
        let written = |part: Option<Encoded<'a>>| PartValue::Text(part.map(Encoded::as_str));
        let range = |range: Option<Range<'_>>| PartValue::Range(range.map(Range::written));
        Self(match parts {
            Parts::Ftp(ftp) => vec![
                (
                    "cwd",
                    PartValue::List(ftp.cwd().map(Encoded::as_str).collect()),
                ),
                ("name", text(ftp.name())),
                ("type", PartValue::Letter(ftp.kind.map(FtpType::letter))),
            ],
            Parts::Gopher(gopher) => vec![
                ("type", written(gopher.gtype)),
                ("selector", text(gopher.selector)),
                ("search", written(gopher.search)),
                ("plus", written(gopher.plus)),
            ],
            Parts::Http(http) => vec![
                ("path", written(http.path)),
                ("search", written(http.search)),
            ],
            Parts::News(news) => {
                let (group, article, articles) = match news.part {
                    GroupPart::All => (None, None, None),
                    GroupPart::Group(name) | GroupPart::Groups(name) => (Some(name), None, None),
                    GroupPart::Articles(name, range) => (Some(name), None, Some(range)),
                    GroupPart::Article(article) => (None, Some(article.id), None),
                };
                let is_all = group.is_none() && article.is_none();
                vec![
                    ("all", PartValue::Flag(is_all)),
                    ("group", written(group)),
                    ("article", written(article)),
                    ("range", range(articles)),
                ]
            }
            Parts::Nntp(nntp) => vec![
                ("group", text(nntp.group)),
                ("number", PartValue::Text(nntp.number)),
                ("range", range(nntp.range)),
            ],
            Parts::Wais(wais) => {
                let (search, wtype, wpath) = match wais.target {
                    WaisTarget::Database => (None, None, None),
                    WaisTarget::Search(search) => (Some(search), None, None),
                    WaisTarget::Document { wtype, wpath } => (None, Some(wtype), Some(wpath)),
                    WaisTarget::Fields { wtype, id, .. } => (None, Some(wtype), Some(id)),
                };
                vec![
                    ("database", text(wais.database)),
                    ("search", written(search)),
                    ("wtype", written(wtype)),
                    ("wpath", written(wpath)),
                ]
            }
            Parts::Prospero(prospero) => {
                let fields = prospero.fields();
                let fields = fields.map(|(name, value)| (name.as_str(), value.as_str()));
                vec![
                    ("path", text(prospero.path)),
                    ("fields", PartValue::Fields(fields.collect())),
                ]
            }
            Parts::Mailto(mailto) => vec![("address", text(mailto.address))],
            Parts::File(file) => vec![("path", text(file.path))],
            Parts::Telnet(_) | Parts::Other(_) => Vec::new(),
        })
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

/// A JSON formatter that escapes control characters, and in a locale that is not UTF-8 all characters beyond ASCII.
struct EscapedFormatter(CompactFormatter);

impl Formatter for EscapedFormatter {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        // One more than DEL, or than an octet beyond ASCII, has the highest bit. One pass without branches is the
        // fastest test.
        let bits = fragment
            .bytes()
            .fold(0, |bits, octet| bits | octet.wrapping_add(1));
        if bits & 0x80 == 0 {
            return self.0.write_string_fragment(writer, fragment);
        }
        let is_ascii = locale::has_charset();
        let mut units = [0; 2];
        for c in fragment.chars() {
            if is_harmful(c) || is_ascii && !c.is_ascii() {
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
