//! The town of Underloam: the content of all servers, with the servers' own addresses filled in.
//!
//! The texts are readable files in `assets/demo/`; content that is too big for a file is computed. This module is
//! independent of protocols and of the clock.

pub(super) mod groups;
pub(super) mod pages;
pub(super) mod people;
pub(super) mod tree;

use std::sync::{Arc, PoisonError, RwLock};

use memchr::memmem;

use self::groups::Groups;
use self::pages::Pages;
use self::people::PhoneBook;
use self::tree::Tree;
use super::Addresses;

/// The first group of the bookmarks.
pub const FIRST_GROUP: &str = "geomys.demo.announce";
/// The computed group.
pub const BIG_GROUP: &str = "geomys.demo.big";
/// The number of articles of the computed group.
pub const BIG_GROUP_ARTICLES: u64 = 100_000;
/// A group that only `ada` may read, so that a password is required.
pub const PRIVATE_GROUP: &str = "geomys.demo.attic";
/// The one account of the FTP and news servers.
pub const ACCOUNT: &str = "ada";
/// The password of the account, which is public.
pub const PASSWORD: &str = "lovelace";
/// The path of the big computed file of the FTP server.
pub const DRUM_PATH: &str = "/pub/software/drum.img";
/// The length of that file in octets.
pub const DRUM_LENGTH: usize = 1_500_007;

/// The content of all servers.
#[derive(Debug)]
pub struct World {
    pub(super) addresses: Addresses,
    pub(super) pages: Pages,
    pub(super) tree: Tree,
    /// The current groups. A reader keeps the version that it started with.
    groups: RwLock<Arc<Groups>>,
    pub(super) phone_book: PhoneBook,
    /// The number of computed groups that are only in the news server's lists.
    pub(super) crowd: u64,
}

impl World {
    /// The town, with links to these servers, and with this many computed groups in the lists of the news server.
    pub(super) fn new(addresses: Addresses, crowd: u64) -> Self {
        let placeholders = Placeholders::new(&addresses);
        Self {
            addresses,
            pages: Pages::new(&placeholders, addresses.gopher),
            tree: Tree::new(&placeholders),
            groups: RwLock::new(Arc::new(Groups::new(&placeholders))),
            phone_book: PhoneBook::new(),
            crowd,
        }
    }

    /// The current groups.
    pub(super) fn groups(&self) -> Arc<Groups> {
        Arc::clone(&self.groups.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes the groups; changes run one after the other.
    pub(super) fn change_groups<T>(&self, change: impl FnOnce(&mut Groups) -> T) -> T {
        let mut groups = self.groups.write().unwrap_or_else(PoisonError::into_inner);
        change(Arc::make_mut(&mut groups))
    }
}

/// The placeholders of the texts, with their replacements.
pub(super) struct Placeholders([(&'static [u8], String); 11]);

impl Placeholders {
    pub(super) fn new(addresses: &Addresses) -> Self {
        let (gopher, phone) = (addresses.gopher, addresses.phone);
        Self([
            (b"{gopher}", gopher.to_string()),
            (b"{ftp}", addresses.ftp.to_string()),
            (b"{news}", addresses.news.to_string()),
            (b"{wais}", addresses.wais.to_string()),
            (b"{web}", addresses.web.to_string()),
            (b"{finger}", addresses.finger.to_string()),
            (b"{telnet}", addresses.telnet.to_string()),
            (b"{prospero}", addresses.prospero.to_string()),
            // The formats of a menu: no URL of RFC 1738 names a phone book.
            (b"{phone}", format!("{}\t{}", phone.ip(), phone.port())),
            (b"{host}", gopher.ip().to_string()),
            (b"{port}", gopher.port().to_string()),
        ])
    }

    /// Replaces every placeholder in `text`; other octets, Latin-1 included, stay as they are.
    pub(super) fn fill(&self, text: &[u8]) -> Vec<u8> {
        self.0.iter().fold(text.to_vec(), |text, (name, value)| {
            let mut filled = Vec::with_capacity(text.len());
            let mut rest = text.as_slice();
            while let Some((before, after)) = memmem::find(rest, name).and_then(|at| {
                let (before, after) = rest.split_at_checked(at)?;
                Some((before, after.strip_prefix(*name)?))
            }) {
                filled.extend_from_slice(before);
                filled.extend_from_slice(value.as_bytes());
                rest = after;
            }
            filled.extend_from_slice(rest);
            filled
        })
    }
}

/// The octets of the drum: every value, in an order that no wrong transfer mode leaves intact by luck.
pub fn drum() -> Vec<u8> {
    // Xorshift64 is short, gives the same result on every machine, and produces CR, LF, NUL and 0xFF.
    let mut state: u64 = 0x1738_1994;
    let mut octets = Vec::with_capacity(DRUM_LENGTH + 8);
    while octets.len() < DRUM_LENGTH {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        octets.extend_from_slice(&state.to_le_bytes());
    }
    octets.truncate(DRUM_LENGTH);
    octets
}

/// Parses a number: digits only, and limited in length.
pub(super) fn number(digits: &[u8]) -> Option<u64> {
    let plain = !digits.is_empty() && digits.len() <= 12 && digits.iter().all(u8::is_ascii_digit);
    plain.then(|| {
        digits
            .iter()
            .fold(0, |value, digit| value * 10 + u64::from(digit - b'0'))
    })
}

/// Splits at the first `separator`, which belongs to neither part.
pub(super) fn split_once(octets: &[u8], separator: u8) -> Option<(&[u8], &[u8])> {
    let at = memchr::memchr(separator, octets)?;
    let (before, after) = octets.split_at_checked(at)?;
    Some((before, after.get(1..)?))
}
