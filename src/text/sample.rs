//! Which charset a page is written in, by the lines of it that are not UTF-8.
//!
//! A library knows the charsets of people's languages. It does not know code page 437, in which the boards of the PC
//! drew, and takes a drawing for one language or another. So drawings are looked for before it is asked, by what they
//! are made of: rules, walls and shades in rows of the same octet, `ÄÄÄÄ` or `ÛÛÛÛ` to those who read them as Latin-1.
//! No language writes one letter so often so many times.
//!
//! A page is a drawing when all of this is so:
//!
//! - at least eight octets stand in runs of three or more of the same line, block or shade;
//! - those are a quarter of the octets above ASCII, or more (in KOI8-R the small letters draw too, and somebody shouts);
//! - half of the octets above ASCII, or more, are those that draw (0xB0 to 0xDF);
//! - what is left between those is not Russian of DOS (code page 866), which draws with the same octets. Whether it is,
//!   the library can tell.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};

use super::Charset;

/// Octets that are enough to tell.
const ENOUGH: usize = 64 * 1024;

/// Drawn octets in runs, below which nothing is called a drawing.
const DRAWN: usize = 8;

/// Octets of one kind beside each other that make a run.
const RUN: usize = 3;

/// Lines of a page that are not UTF-8: as many as it takes to tell their charset.
#[derive(Clone, Debug, Default)]
pub struct Sample(Vec<u8>);

impl Sample {
    /// Looks at a line, and keeps it when it is not UTF-8.
    pub fn add(&mut self, line: &[u8]) {
        if !self.is_enough() && std::str::from_utf8(line).is_err() {
            // A whole line: half a character at its end would speak against the charset that it is written in.
            self.0.extend_from_slice(line);
            self.0.push(b'\n');
        }
    }

    /// Whether there is no line that is not UTF-8.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether more lines would tell no more.
    pub fn is_enough(&self) -> bool {
        self.0.len() >= ENOUGH
    }

    /// The charset that these lines suggest. The last label of a host's name, as in `ru`, tells languages apart where
    /// the octets do not. Takes some milliseconds when there are many.
    pub fn charset(&self, label: Option<&str>) -> Charset {
        let octets = &self.0;
        let above = octets.iter().filter(|octet| !octet.is_ascii()).count();
        if !has_drawing(octets, above) {
            return detected(octets, label);
        }
        let rest: Vec<u8> = octets.iter().map(|&octet| undrawn(octet)).collect();
        let left = detected(&rest, label);
        let drawing = octets.iter().filter(|&&octet| draws(octet)).count();
        if left == Charset::listed(encoding_rs::IBM866) {
            left
        } else if drawing * 2 >= above {
            Charset::CP437
        } else {
            detected(octets, label)
        }
    }
}

fn detected(octets: &[u8], label: Option<&str>) -> Charset {
    let label = label
        .map(str::to_ascii_lowercase)
        .filter(|label| label.bytes().all(|octet| octet.is_ascii_lowercase()));
    // What is written in ISO-2022-JP is ASCII all over, and UTF-8 was looked for line by line.
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(octets, true);
    let label = label.as_deref().map(str::as_bytes);
    Charset::listed(detector.guess(label, Utf8Detection::Deny))
}

/// Whether there is a drawing among octets, so many of which are above ASCII.
fn has_drawing(octets: &[u8], above: usize) -> bool {
    let runs = octets.chunk_by(|a, b| a == b);
    let in_runs: usize = runs
        .filter(|run| run.len() >= RUN && run.first().is_some_and(|octet| runs_on(*octet)))
        .map(<[u8]>::len)
        .sum();
    in_runs >= DRAWN && in_runs * 4 >= above
}

fn draws(octet: u8) -> bool {
    matches!(octet, 0xb0..=0xdf)
}

/// Level lines, single and double, blocks, and shades; but not the lightest, which is the degree sign of Latin-1, of
/// which people make rules.
fn runs_on(octet: u8) -> bool {
    matches!(octet, 0xb1 | 0xb2 | 0xc4 | 0xcd | 0xdb | 0xdc | 0xdf)
}

fn undrawn(octet: u8) -> u8 {
    if draws(octet) { b' ' } else { octet }
}
