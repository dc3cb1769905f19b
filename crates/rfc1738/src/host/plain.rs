//! Fast path for hosts: it accepts the hosts that nearly all URLs have, and leaves all others, and all faults, to the
//! slow path.
//!
//! Each of the next 32 octets is classified in two bits, even past the end of the host. The end of the host and the
//! relations between neighbours are then computed from these bits for all octets at once. Where a host ends, and
//! where its dots and hyphens are, is unpredictable for a processor, and a mispredicted branch costs more than extra
//! octets.

use super::super::cursor::Cursor;
use super::super::escape::ALPHA;
use super::super::login::HostPort;
use super::HOST_CHARS;

/// The lengths of the host and of host with port, in octets, and the value of the port.
#[derive(Clone, Copy)]
pub(in super::super) struct HostPortLengths {
    pub(in super::super) host: u32,
    pub(in super::super) text: u32,
    pub(in super::super) port: Option<u16>,
}

impl HostPortLengths {
    /// Scans `host [ ":" 1*5digit ]` at the start of `octets`, followed by a `/` or the end, as nearly all URLs have
    /// it. Returns `None` if the slow path is needed.
    pub(in super::super) fn scan(octets: &[u8]) -> Option<HostPortLengths> {
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
        matches!(octets.get(end), None | Some(b'/')).then_some(HostPortLengths {
            host: u32::try_from(host).ok()?,
            text: u32::try_from(end).ok()?,
            port,
        })
    }

    /// Takes host and port from `cursor`, which must be at the start of the scanned octets.
    #[inline]
    pub(in super::super) fn take<'a>(
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

/// The number of octets that are classified.
const WINDOW: usize = 32;

/// The length of a `host` at the start of `octets`, or `None` if the slow path is needed.
#[inline]
pub(super) fn host(octets: &[u8]) -> Option<usize> {
    // No host contains a NUL.
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
    // A host is treated as if one dot came before it and one after it.
    let before = (1 << (2 * len)) - 1;
    let dot = u64::from(DOT);
    let kinds = (kinds & before) << 2 | dot | dot << (2 * len + 2);
    let (dots, hyphens) = (kinds >> 1 & EACH, kinds & EACH);
    if (dots << 2 & (dots | hyphens) | hyphens << 2 & dots) != 0 {
        return None;
    }
    // The last dot in the host, without the one after it.
    let top = (dots & before).checked_ilog2()? as usize / 2;
    let len = len as usize;
    match octets.get(top) {
        Some(first) if ALPHA.has(*first) => Some(len),
        _ => four_groups(octets.get(..len)?).then_some(len),
    }
}

/// The class of each octet, the first in the lowest two bits. The four groups of eight are independent of each other.
#[inline]
#[expect(
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

/// The lower bit of each pair.
const EACH: u64 = 0x5555_5555_5555_5555;

// The classes of octets in a host.
const LETTER: u8 = 0b00;
const HYPHEN: u8 = 0b01;
const DOT: u8 = 0b10;
const OUTSIDE: u8 = 0b11;

static KINDS: [u8; 256] = kinds();

#[expect(
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
