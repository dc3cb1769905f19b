//! The quick look at a host: it knows the hosts that nearly all URLs have, and leaves the others, with all faults, to a
//! longer look.
//!
//! It writes down what each of the next 32 octets is, two bits for each, wherever the host ends; where that is, and what
//! neighbours are to each other, is then read out of the bits for all at once. Where a host ends and where its dots and
//! hyphens stand cannot be guessed by any processor, and a wrong guess costs more than octets too many.

use super::super::cursor::Cursor;
use super::super::escape::ALPHA;
use super::{HOST_CHARS, HostPort};

/// Where host and port end, and the port.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) host: u32,
    pub(super) text: u32,
    pub(super) port: Option<u16>,
}

impl Place {
    /// `host [ ":" 1*5digit ]` at the start of `octets`, and a `/` or the end behind it, as nearly all URLs have it;
    /// nothing where it takes a longer look.
    pub(super) fn look(octets: &[u8]) -> Option<Place> {
        let host = host(octets)?;
        let mut end = host;
        let mut port = None;
        if octets.get(end) == Some(&b':') {
            let mut value = 0_u32;
            end += 1;
            while let Some(octet @ b'0'..=b'9') = octets.get(end) {
                value = value * 10 + u32::from(octet - b'0');
                end += 1;
                if end > host + 6 {
                    return None;
                }
            }
            if end == host + 1 {
                return None;
            }
            port = Some(u16::try_from(value).ok()?);
        }
        matches!(octets.get(end), None | Some(b'/')).then_some(Place {
            host: u32::try_from(host).ok()?,
            text: u32::try_from(end).ok()?,
            port,
        })
    }

    /// Takes them from `cursor`, which stands where they were seen.
    #[inline]
    pub(super) fn take<'a>(
        self,
        cursor: &mut Cursor<'a>,
        default_port: Option<u16>,
    ) -> HostPort<'a> {
        let text = cursor.take(self.text as usize);
        HostPort {
            text,
            host: text.get(..self.host as usize).unwrap_or(text),
            written_port: self.port,
            default_port,
        }
    }
}

/// The octets that are looked at.
const WINDOW: usize = 32;

/// The length of a `host` at the start of `octets`; nothing where it takes a longer look.
#[inline]
pub(super) fn host(octets: &[u8]) -> Option<usize> {
    // A NUL is in no host.
    let mut short = [0; WINDOW];
    let window = match octets.first_chunk() {
        Some(window) => window,
        None => {
            short.get_mut(..octets.len())?.copy_from_slice(octets);
            &short
        }
    };
    let kinds = kinds_of(window);
    let len = (kinds & kinds >> 1 & EACH).trailing_zeros() / 2;
    if len as usize > WINDOW - 2 {
        return None;
    }
    // A host begins as if a dot stood before it, and ends as if one stood behind.
    let before = (1 << (2 * len)) - 1;
    let dot = u64::from(DOT);
    let kinds = (kinds & before) << 2 | dot | dot << (2 * len + 2);
    let (dots, hyphens) = (kinds >> 1 & EACH, kinds & EACH);
    if (dots << 2 & (dots | hyphens) | hyphens << 2 & dots) != 0 {
        return None;
    }
    // The last dot but the one behind the host.
    let top = (dots & before).checked_ilog2()? as usize / 2;
    let len = len as usize;
    match octets.get(top) {
        Some(first) if ALPHA.has(*first) => Some(len),
        _ => four_groups(octets.get(..len)?).then_some(len),
    }
}

/// What each octet is to a host, the first in the lowest two bits. The four eights do not wait for each other.
#[inline]
#[allow(
    clippy::indexing_slicing,
    reason = "an octet is always inside a table of 256"
)]
fn kinds_of(octets: &[u8; WINDOW]) -> u64 {
    let kind = |all: u64, octet: &u8| all << 2 | u64::from(KINDS[usize::from(*octet)]);
    let (eights, _) = octets.as_chunks::<8>();
    eights
        .iter()
        .rev()
        .fold(0, |all, eight| all << 16 | eight.iter().rev().fold(0, kind))
}

/// The lower bit of each two.
const EACH: u64 = 0x5555_5555_5555_5555;

// What an octet is to a host.
const LETTER: u8 = 0b00;
const HYPHEN: u8 = 0b01;
const DOT: u8 = 0b10;
const OUTSIDE: u8 = 0b11;

static KINDS: [u8; 256] = kinds();

#[allow(
    clippy::indexing_slicing,
    reason = "this is done by the compiler, which would say so"
)]
const fn kinds() -> [u8; 256] {
    let mut kinds = [OUTSIDE; 256];
    let mut octet = 0_u8;
    while octet < 128 {
        if HOST_CHARS.has(octet) {
            kinds[octet as usize] = match octet {
                b'.' => DOT,
                b'-' => HYPHEN,
                _ => LETTER,
            };
        }
        octet += 1;
    }
    kinds
}

/// `hostnumber`, with one to three digits and at most 255 in each group.
pub(super) fn four_groups(host: &[u8]) -> bool {
    let (mut dots, mut digits, mut value) = (0, 0, 0_u16);
    for octet in host {
        match octet {
            b'0'..=b'9' if digits < 3 => {
                value = value * 10 + u16::from(octet - b'0');
                digits += 1;
            }
            b'.' if digits > 0 && value <= 255 => {
                dots += 1;
                (digits, value) = (0, 0);
            }
            _ => return false,
        }
    }
    dots == 3 && digits > 0 && value <= 255
}
