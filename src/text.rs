//! The one door from foreign octets to text.
//!
//! Whatever a server, a file or a URL says becomes [`Text`] before it is shown, copied, logged or used as a file
//! name, and `Text` can be made nowhere else. What it can never hold: C0 and C1 control characters (ESC, and the
//! sequences that ESC and CSI open, among them), bidirectional overrides, line separators, characters that nobody sees
//! where no script needs them. Tabs have become spaces. It is one line, for eyes; the octets it came from stay where
//! they were. The colours that it came with can be had beside it ([`Brush`]), and are never in it.

mod charset;
mod clean;
mod cut;
mod escape;
mod hidden;
mod measure;
mod paint;
mod sample;

use std::borrow::Cow;
use std::fmt;

pub use charset::{Charset, ReadAs};
use clean::clean;
pub use clean::is_harmful;
pub use cut::cut;
pub use escape::Escape;
pub use measure::{breaks, columns, hanging, prefix, shorten, width, width_within, wrap};
pub use paint::{Brush, Colour, Mark, Paint, Paints, unpainted};
pub use sample::Sample;

/// The longest file name that [`file_name`] gives, in octets: what every file system of today takes.
const FILE_NAME: usize = 200;

/// A line of text that may be shown on any terminal.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text(String);

impl Text {
    /// Reads octets as UTF-8 when they are that, and else by `charset`; takes out what could touch the terminal.
    pub fn new(octets: &[u8], charset: Charset) -> Self {
        if let Some(text) = plain(octets) {
            return Self(text);
        }
        Self(clean(&decoded(octets, charset), &mut |_, _| {}))
    }

    /// The same for what is text already: our own sentences with foreign words in them.
    pub fn of(text: &str) -> Self {
        Self::new(text.as_bytes(), Charset::default())
    }

    /// The text, without a line end.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Columns it takes on a terminal.
    pub fn width(&self) -> usize {
        width(&self.0)
    }

    /// Whether nothing would be seen.
    pub fn is_blank(&self) -> bool {
        self.0.trim().is_empty()
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A name for a local file, from the octets a server calls it by: the last segment, without control characters,
/// separators, leading dots or blanks, at most 200 octets, and never empty (`fallback` stands in).
pub fn file_name(octets: &[u8], fallback: &str) -> String {
    let last = octets
        .rsplit(|octet| matches!(octet, b'/' | b'\\'))
        .find(|segment| !segment.is_empty())
        .unwrap_or_default();
    let text = Text::new(last, Charset::default());
    let mut name: String = text
        .as_str()
        .trim_start_matches(['.', ' ', '-'])
        .trim_end()
        .chars()
        .map(|c| {
            if matches!(c, ':' | '*' | '?' | '"' | '<' | '>' | '|' | '\0') {
                '_'
            } else {
                c
            }
        })
        .collect();
    while name.len() > FILE_NAME {
        name.pop();
    }
    // What is called so beside a download says whose octets it holds: no server is to write that.
    if name.to_ascii_lowercase().ends_with(".part.geomys") {
        name.push('_');
    }
    if name.is_empty() {
        fallback.to_owned()
    } else {
        name
    }
}

/// Octets as people count them: `512 B`, `4.1 kB`, `147.3 MB`; powers of a thousand.
pub fn octets(count: u64) -> String {
    const UNITS: [&str; 6] = ["kB", "MB", "GB", "TB", "PB", "EB"];
    if count < 1000 {
        return format!("{count} B");
    }
    let mut tenths = u128::from(count) * 10 / 1000;
    for unit in UNITS {
        if tenths < 10_000 {
            return format!("{}.{} {unit}", tenths / 10, tenths % 10);
        }
        tenths /= 1000;
    }
    format!("{} EB", tenths * 100)
}

/// A whole number with its thousands told apart: `1,204`.
pub fn count(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Octets that are text as they are.
fn plain(octets: &[u8]) -> Option<String> {
    let is_plain = octets.iter().all(|octet| matches!(octet, b' '..=b'~'));
    is_plain.then(|| octets.iter().map(|&octet| char::from(octet)).collect())
}

fn decoded(octets: &[u8], charset: Charset) -> Cow<'_, str> {
    match std::str::from_utf8(octets) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => charset.decode(octets),
    }
}
