//! The town of Underloam: the content of all servers, with the servers' own addresses filled in.
//!
//! The texts are readable files in `assets/demo/`; content that is too big for a file is computed. This module is
//! independent of protocols and of the clock.

pub(super) mod groups;
pub(super) mod pages;
pub(super) mod people;
pub(super) mod tree;

use std::sync::{Arc, PoisonError, RwLock};

use self::groups::Groups;
pub use self::groups::{BIG_GROUP, BIG_GROUP_ARTICLES, FIRST_GROUP, PRIVATE_GROUP};
use self::pages::Pages;
use self::people::PhoneBook;
use self::tree::Tree;
pub use self::tree::{ACCOUNT, DRUM_LENGTH, drum};
use super::Addresses;
use super::assets::Placeholders;

/// The password of the account, which is public.
pub const PASSWORD: &str = "lovelace";

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
    pub(super) fn new(addresses: &Addresses, crowd: u64) -> Self {
        let placeholders = Placeholders::new(addresses);
        Self {
            addresses: *addresses,
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
