//! Choices of the user for the pages of a host, or for one page. Those of public tabs are stored with the session.

use std::collections::{BTreeMap, HashMap};

use geomys_page::document::{ListOrder, Shape};
use geomys_wire::text::CharsetSetting;
use rfc1738::Url;

use crate::settings::Colours;
use crate::{Context, Settings};

/// Chosen values by key. One that was chosen in a private tab holds in private tabs alone, until the process ends: a
/// charset decides what a title in the history is, an order which article is read next.
#[derive(Clone, Debug)]
pub(crate) struct Choices<T> {
    stored: BTreeMap<String, T>,
    /// Those that may not be written to disk, each with true for a private tab.
    kept: HashMap<(bool, String), T>,
}

/// Where a choice was made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chosen {
    /// True in a private tab.
    pub(crate) is_private: bool,
    /// True if it may be written to disk.
    pub(crate) is_stored: bool,
}

impl<T> Default for Choices<T> {
    fn default() -> Self {
        Self::of(BTreeMap::new())
    }
}

impl<T> Choices<T> {
    /// Creates the choices of an earlier session.
    pub(crate) fn of(stored: BTreeMap<String, T>) -> Self {
        Self {
            stored,
            kept: HashMap::new(),
        }
    }

    /// Sets the value of a key. If it may not be written to disk, the stored one stays there.
    pub(crate) fn set(&mut self, key: String, value: T, chosen: Chosen) {
        if chosen.is_private || !chosen.is_stored {
            self.kept.insert((chosen.is_private, key), value);
        } else {
            let key = (false, key);
            self.kept.remove(&key);
            self.stored.insert(key.1, value);
        }
    }

    /// Returns the value of a key, in private tabs or in the others.
    pub(crate) fn get(&self, key: &str, is_private: bool) -> Option<&T> {
        let kept = |is_private| self.kept.get(&(is_private, key.to_owned()));
        let own = is_private.then(|| kept(true)).flatten();
        own.or_else(|| kept(false)).or_else(|| self.stored.get(key))
    }

    /// Returns the values that may be written to disk.
    pub(crate) fn stored(&self) -> &BTreeMap<String, T> {
        &self.stored
    }
}

/// The choices of the user for the pages of hosts.
#[derive(Debug, Default)]
pub struct UserChoices {
    /// The charsets for hosts, and for articles by URL.
    pub(crate) charsets: Choices<CharsetSetting>,
    /// The sort orders, for the listings of hosts and for newsgroups by URL.
    pub(crate) orders: Choices<ListOrder>,
    /// The display of the pages' colours.
    pub(crate) colours: Choices<Colours>,
}

impl UserChoices {
    /// Returns the charset setting for the pages of a URL's host.
    pub(crate) fn charset_of(&self, url: &Url, cx: &Context) -> CharsetSetting {
        let chosen = host(url).and_then(|host| self.charsets.get(&host, cx.found.is_private));
        chosen.copied().unwrap_or(cx.settings.charset)
    }

    /// Returns the charset that the user chose for an article.
    pub(crate) fn article_charset(&self, url: &Url, cx: &Context) -> Option<CharsetSetting> {
        let chosen = self.charsets.get(url.as_str(), cx.found.is_private);
        chosen.copied()
    }

    /// Sets the charset of one article, until the process ends.
    pub(crate) fn set_article_charset(
        &mut self,
        url: &Url,
        read_as: CharsetSetting,
        chosen: Chosen,
    ) {
        let chosen = Chosen {
            is_stored: false,
            ..chosen
        };
        self.charsets.set(url.to_string(), read_as, chosen);
    }

    /// Sets the charset of all pages of a URL's host. Returns the host, whose charset is to be stored if it may be.
    pub(crate) fn set_charset(
        &mut self,
        url: &Url,
        read_as: CharsetSetting,
        chosen: Chosen,
    ) -> Option<String> {
        let host = host(url)?;
        self.charsets.set(host.clone(), read_as, chosen);
        Some(host)
    }

    /// Returns the order for the pages of this shape at a URL.
    pub(crate) fn order_of(&self, shape: Shape, url: &Url, cx: &Context) -> Option<ListOrder> {
        let key = order_key(shape, url)?;
        self.orders.get(&key, cx.found.is_private).copied()
    }

    /// Sets the order of a listing for all listings of its host, and that of a newsgroup for this group.
    pub(crate) fn set_order(
        &mut self,
        (shape, url): (Shape, &Url),
        order: ListOrder,
        chosen: Chosen,
    ) {
        if let Some(key) = order_key(shape, url) {
            self.orders.set(key, order, chosen);
        }
    }

    /// Returns the display of colours for the pages of a URL's host, in private tabs or in the others; for a page
    /// without a host, of that page.
    pub(crate) fn colours_of(&self, url: &Url, settings: &Settings, is_private: bool) -> Colours {
        let chosen = self.colours.get(&colours_key(url), is_private).copied();
        chosen.unwrap_or(settings.colours)
    }

    /// Sets the display of colours for the pages of a URL's host. Returns true if it has one.
    pub(crate) fn set_colours(&mut self, url: &Url, colours: Colours, chosen: Chosen) -> bool {
        let has_host = host(url).is_some();
        let chosen = Chosen {
            is_stored: chosen.is_stored && has_host,
            ..chosen
        };
        self.colours.set(colours_key(url), colours, chosen);
        has_host
    }
}

/// Returns the host of a URL, in lower case, for choices that hold for all its pages.
fn host(url: &Url) -> Option<String> {
    Some(url.base_parts().address()?.node().to_ascii_lowercase())
}

/// Returns the key of the display of colours: the host, or else the page.
fn colours_key(url: &Url) -> String {
    host(url).unwrap_or_else(|| url.before_fragment().to_owned())
}

/// Returns the key of a chosen order: the host of a listing, the URL of a newsgroup.
fn order_key(shape: Shape, url: &Url) -> Option<String> {
    match shape {
        Shape::Listing { .. } => host(url),
        Shape::Group => Some(url.without_password().canonical().to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn choice_of_an_excepted_host_hides_the_stored_one_and_leaves_it_on_disk() {
        let mut choices = Choices::default();
        let chosen = |is_stored| Chosen {
            is_private: false,
            is_stored,
        };
        choices.set("host".to_owned(), 1, chosen(true));
        choices.set("host".to_owned(), 2, chosen(false));
        choices.set("other".to_owned(), 3, chosen(false));
        assert_eq!(choices.get("host", false), Some(&2));
        assert_eq!(choices.get("other", true), Some(&3));
        assert_eq!(*choices.stored(), BTreeMap::from([("host".to_owned(), 1)]));
        choices.set("host".to_owned(), 4, chosen(true));
        assert_eq!(choices.get("host", false), Some(&4));
    }

    proptest! {
        #[test]
        fn choices_of_private_tabs_change_nothing_in_others(steps in vec((any::<[bool; 2]>(), 0..3_u8, 0..9_u8), 0..20)) {
            let mut all = Choices::default();
            let mut public = Choices::default();
            for ([is_private, is_stored], key, value) in steps {
                let (key, chosen) = (key.to_string(), Chosen { is_private, is_stored });
                all.set(key.clone(), value, chosen);
                prop_assert_eq!(all.get(&key, is_private), Some(&value));
                if !is_private {
                    public.set(key, value, chosen);
                }
                for key in ["0", "1", "2"] {
                    prop_assert_eq!(all.get(key, false), public.get(key, false));
                }
                prop_assert_eq!(all.stored(), public.stored());
            }
        }
    }
}
