//! The keys that commands had in version 0.2: they tell the key of the command now. To be removed after version 0.3.

use super::{Key, KeyContext, Keymap, parse_keys, write_keys};
use crate::app::action::Action;

/// The former keys of commands that have another key now.
const FORMER: [(KeyContext, &str, Action); 22] = [
    (KeyContext::List, "T", Action::MarkRow),
    (KeyContext::Bookmarks, "C", Action::CheckAll),
    (KeyContext::Bookmarks, "P", Action::PasteCopies),
    (KeyContext::Bookmarks, "R", Action::Repair),
    (KeyContext::Groups, "+", Action::ToggleSubscription),
    (KeyContext::Groups, "-", Action::ToggleSubscription),
    (KeyContext::Group, "+", Action::ToggleSubscription),
    (KeyContext::Group, "-", Action::ToggleSubscription),
    (KeyContext::Group, "z", Action::FoldThread),
    (KeyContext::Group, "Z", Action::FoldThreads),
    (KeyContext::Group, "v", Action::OnlyUnread),
    (KeyContext::Group, "V", Action::ShowHidden),
    (KeyContext::Group, "g p", Action::Parent),
    (KeyContext::Group, "X", Action::CancelArticle),
    (KeyContext::Article, "g p", Action::Parent),
    (KeyContext::Article, "C", Action::CancelArticle),
    (KeyContext::Article, "X", Action::CancelArticle),
    (KeyContext::Article, "z", Action::FoldQuotations),
    (KeyContext::Transfers, "P", Action::PauseAll),
    (KeyContext::Transfers, "E", Action::EraseTransfer),
    (KeyContext::Transfers, "c", Action::ClearDone),
    (KeyContext::SessionPage, "z", Action::ZoomSession),
];

/// The keys that are bound since version 0.2.
const ADDED: [(KeyContext, &str); 29] = [
    (KeyContext::Global, "W"),
    (KeyContext::Picture, "+"),
    (KeyContext::Picture, "-"),
    (KeyContext::Picture, "="),
    (KeyContext::Global, "z"),
    (KeyContext::Global, "Z"),
    (KeyContext::List, "v"),
    (KeyContext::Bookmarks, "g c"),
    (KeyContext::Bookmarks, "g v"),
    (KeyContext::Bookmarks, "Ctrl-R"),
    (KeyContext::Groups, "*"),
    (KeyContext::Groups, "g +"),
    (KeyContext::Groups, "g -"),
    (KeyContext::Group, "*"),
    (KeyContext::Group, "g +"),
    (KeyContext::Group, "g -"),
    (KeyContext::Group, "("),
    (KeyContext::Group, ")"),
    (KeyContext::Group, ", u"),
    (KeyContext::Group, ", h"),
    (KeyContext::Group, "g X"),
    (KeyContext::Article, "("),
    (KeyContext::Article, "g X"),
    (KeyContext::Transfers, "g p"),
    (KeyContext::Transfers, "g E"),
    (KeyContext::Transfers, "g x"),
    (KeyContext::SessionPage, "g z"),
    (KeyContext::Page, "g D"),
    (KeyContext::Bookmarks, "g D"),
];

/// The command that these keys had in the first of `contexts` that had one.
pub(crate) fn former_action(contexts: &[KeyContext], keys: &[Key]) -> Option<Action> {
    let written = write_keys(keys);
    contexts.iter().find_map(|context| {
        let mut former = FORMER.iter();
        let former = former.find(|(of, keys, _)| of == context && *keys == written);
        former.map(|(_, _, action)| *action)
    })
}

impl KeyContext {
    /// Returns true if a binding of this context works where `other` is in force, unless `other` has the same keys.
    fn includes(self, other: Self) -> bool {
        match self {
            Self::Global => true,
            Self::Page => {
                let pages = [
                    Self::List,
                    Self::Groups,
                    Self::Group,
                    Self::Article,
                    Self::Picture,
                    Self::History,
                    Self::SessionPage,
                ];
                self == other || pages.contains(&other)
            }
            Self::List => matches!(
                other,
                Self::List | Self::Groups | Self::Group | Self::History
            ),
            Self::Bookmarks
            | Self::Groups
            | Self::Group
            | Self::Article
            | Self::Picture
            | Self::Transfers
            | Self::History
            | Self::Prompt
            | Self::Form
            | Self::Session
            | Self::SessionPage => self == other,
        }
    }
}

impl Keymap {
    /// Removes the bindings that were added since version 0.2 and would hide one of the user's, which keep their meaning.
    pub(crate) fn yield_to(&mut self, user: &[(KeyContext, Vec<Key>)]) {
        for (context, added) in ADDED {
            let Some(added) = parse_keys(added) else {
                continue;
            };
            let hides = |(of, keys): &(KeyContext, Vec<Key>)| {
                of.includes(context) && keys.starts_with(&added)
            };
            let is_users = |(of, keys): &(KeyContext, Vec<Key>)| *of == context && *keys == added;
            if user.iter().any(hides) && !user.iter().any(is_users) {
                self.forget(context, &added);
            }
        }
    }
}
