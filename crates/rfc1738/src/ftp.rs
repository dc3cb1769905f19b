//! Files and directories of FTP servers (RFC 1738, sections 3.2 and 5).
//!
//! ```text
//! ftpurl   = "ftp://" login [ "/" fpath [ ";type=" ftptype ]]
//! fpath    = fsegment *[ "/" fsegment ]
//! fsegment = *[ uchar | "?" | ":" | "@" | "&" | "=" ]
//! ftptype  = "A" | "I" | "D" | "a" | "i" | "d"
//! ```
//!
//! `;type=` must be in lower case (another case is a departure) and at the very end. There is no query. Segments are
//! split before they are decoded, so `%2F` is an octet of a name and never a separator. Whether a name is a file or a
//! directory is not guessed.

use std::borrow::Cow;

use super::cursor::Cursor;
use super::departure::Departure;
use super::error::{Message, ParseError, Rule};
use super::escape::{self, Encoded, FPATH};
use super::login::{Login, login};
use super::production::{Explanation, Production};

/// The parts of an ftp URL.
///
/// ```
/// use rfc1738::{FtpType, Parts, Url};
///
/// let url = Url::parse("ftp://h.example/pub/a.txt;type=a").unwrap();
/// let Parts::Ftp(ftp) = url.base_parts() else { panic!() };
/// assert_eq!(ftp.path.unwrap().as_str(), "pub/a.txt");
/// assert_eq!(ftp.kind, Some(FtpType::Ascii));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ftp<'a> {
    /// The user, password, host and port.
    pub login: Login<'a>,
    /// `fpath` as written; `None` if the slash after the host is left out too.
    pub path: Option<Encoded<'a>>,
    /// The type that the URL asks for; `None` if the client must find out.
    pub kind: Option<FtpType>,
}

/// `ftptype`: the operation on the last name (section 3.2.2).
///
/// ```
/// use rfc1738::{FtpType, Parts, Url};
///
/// let url = Url::parse("ftp://h.example/;type=D").unwrap();
/// let Parts::Ftp(ftp) = url.base_parts() else { panic!() };
/// assert_eq!(ftp.kind, Some(FtpType::Directory));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FtpType {
    /// `a`: fetch it as text
    Ascii,
    /// `i`: fetch it as octets
    Image,
    /// `d`: list it
    Directory,
}

impl FtpType {
    /// The letter, in lower case.
    ///
    /// ```
    /// use rfc1738::FtpType;
    ///
    /// assert_eq!(FtpType::Image.letter(), 'i');
    /// ```
    pub const fn letter(self) -> char {
        match self {
            FtpType::Ascii => 'a',
            FtpType::Image => 'i',
            FtpType::Directory => 'd',
        }
    }

    const fn of(letter: u8) -> Option<Self> {
        match letter {
            b'a' | b'A' => Some(FtpType::Ascii),
            b'i' | b'I' => Some(FtpType::Image),
            b'd' | b'D' => Some(FtpType::Directory),
            _ => None,
        }
    }
}

impl<'a> Ftp<'a> {
    /// All segments; the last is the name: `a/b/` has `a`, `b` and an empty one. Without a path there are none.
    ///
    /// ```
    /// use rfc1738::{Parts, Url};
    ///
    /// let url = Url::parse("ftp://h.example/a/b/").unwrap();
    /// let Parts::Ftp(ftp) = url.base_parts() else { panic!() };
    /// assert!(ftp.segments().map(|name| name.as_str()).eq(["a", "b", ""]));
    /// ```
    pub fn segments(&self) -> impl DoubleEndedIterator<Item = Encoded<'a>> + use<'a> {
        let path = self.path.map(Encoded::as_str);
        path.into_iter()
            .flat_map(|path| path.split('/'))
            .map(Encoded::new)
    }

    /// The segments for CWD, one command each, in order. An empty segment is a CWD with a null argument.
    ///
    /// ```
    /// use rfc1738::{Parts, Url};
    ///
    /// let url = Url::parse("ftp://h.example/%2Fetc/motd").unwrap();
    /// let Parts::Ftp(ftp) = url.base_parts() else { panic!() };
    /// assert!(ftp.cwd().map(|name| name.octets()).eq([b"/etc".as_slice()]));
    /// ```
    pub fn cwd(&self) -> impl DoubleEndedIterator<Item = Encoded<'a>> + use<'a> {
        let path = self.path.and_then(|path| path.as_str().rsplit_once('/'));
        path.into_iter()
            .flat_map(|(directories, _)| directories.split('/'))
            .map(Encoded::new)
    }

    /// The last segment; empty without a path.
    ///
    /// ```
    /// use rfc1738::{Parts, Url};
    ///
    /// let url = Url::parse("ftp://h.example/etc/motd").unwrap();
    /// let Parts::Ftp(ftp) = url.base_parts() else { panic!() };
    /// assert_eq!(ftp.name().as_str(), "motd");
    /// ```
    pub fn name(&self) -> Encoded<'a> {
        let path = self.path.unwrap_or_default();
        path.as_str()
            .rsplit_once('/')
            .map_or(path, |(_, name)| Encoded::new(name))
    }
}

impl<'a> Production<'a> for Ftp<'a> {
    fn title_path(&self) -> Encoded<'a> {
        let mut names = self.segments().rev();
        names.find(|name| !name.is_empty()).unwrap_or_default()
    }

    fn is_directory(&self) -> bool {
        match self.kind {
            Some(kind) => kind == FtpType::Directory,
            None => self.name().as_str().is_empty(),
        }
    }

    fn explain(&self, lines: &mut Explanation) {
        for directory in self.cwd() {
            lines.add("directory", directory.as_str());
        }
        if self.path.is_some() {
            lines.add("name", self.name().as_str());
        }
        if let Some(kind) = self.kind {
            lines.add("type", kind.letter());
        }
    }

    /// The parent directory with `;type=d`.
    fn parent_path(&self) -> Option<Cow<'a, str>> {
        let path = directory_above(self.path?.as_str())?;
        Some(format!("{path};type=d").into())
    }

    fn root_path(&self) -> Option<&'static str> {
        Some("")
    }

    /// The type in lower case.
    fn canonical_tail(&self, tail: &'a str) -> Cow<'a, str> {
        match (self.path, self.kind) {
            (Some(path), Some(kind)) => format!("/{};type={}", path.as_str(), kind.letter()).into(),
            (_, _) => Cow::Borrowed(tail),
        }
    }
}

/// The path of the parent directory, without the `;type=d` that follows it.
fn directory_above(path: &str) -> Option<String> {
    if path.is_empty() {
        return None;
    }
    let mut segments: Vec<&str> = path.split('/').collect();
    if segments.last().is_some_and(|name| name.is_empty()) {
        // `a/` enters `a` and names no file in it, so it means `a` itself.
        segments.pop();
    }
    let left = segments.pop()?;
    if segments.is_empty() {
        // `%2Fetc` is a path from the server's own root. Its parent is `%2F`, not the login directory.
        let starts_at_root = escape::escaped(left.as_bytes(), 0) == Some(b'/');
        return match left.to_ascii_uppercase().rfind("%2F") {
            Some(0) if left.len() == 3 => None,
            Some(0) => left.get(..3).map(str::to_owned),
            Some(cut) if starts_at_root => left.get(..cut).map(str::to_owned),
            Some(_) | None => Some(String::new()),
        };
    }
    let mut above = segments.join("/");
    if segments.last().is_some_and(|name| name.is_empty()) {
        // A CWD with a null argument stays one. It does not become an empty file name.
        above.push('/');
    }
    Some(above)
}

#[inline]
pub(super) fn parse<'a>(cursor: &mut Cursor<'a>, port: Option<u16>) -> Result<Ftp<'a>, ParseError> {
    let login = login(cursor, port)?;
    let (mut path, mut kind) = (None, None);
    if cursor.eat(b'/') {
        path = Some(Encoded::new(cursor.run(&FPATH)));
        match cursor.peek() {
            None => {}
            Some(b';') => kind = Some(ftptype(cursor)?),
            Some(_) => return Err(cursor.stray(Rule("fsegment", "3.2.2"))),
        }
    }
    Ok(Ftp { login, path, kind })
}

fn ftptype(cursor: &mut Cursor<'_>) -> Result<FtpType, ParseError> {
    let rule = Rule("ftptype", "3.2.2");
    let start = *cursor;
    let word = cursor.take(6.min(cursor.rest().len()));
    if word != ";type=" {
        if !word.eq_ignore_ascii_case(";type=") {
            return Err(start.stray(Rule("fsegment", "3.2.2")));
        }
        if !cursor.may_depart() {
            return Err(start.error(6, Rule("ftpurl", "3.2.2"), Message::TypeCase));
        }
        cursor.depart(Departure::TypeCase);
    }
    let Some(kind) = cursor.peek().and_then(FtpType::of) else {
        let message = Message::TypeLetter(cursor.found());
        return Err(cursor.error(cursor.char_len(), rule, message));
    };
    cursor.take(1);
    match cursor.peek() {
        None => Ok(kind),
        Some(_) => Err(cursor.missing(rule, "the end of the URL")),
    }
}
