//! Choices of the user for the pages of a host, or for one page. Those of public tabs are stored with the session.

use std::collections::{BTreeMap, HashMap};

use geomys_page::document::{ListOrder, Shape};
use geomys_store::files::charsets::HostCharsets;
use geomys_wire::text::CharsetSetting;
use rfc1738::Url;

use crate::settings::Colours;
use crate::{Effect, Settings};

/// Chosen values by key. A value chosen in a private tab hides the stored one until the process ends.
#[derive(Clone, Debug)]
pub(crate) struct Choices<T> {
    stored: BTreeMap<String, T>,
    private: HashMap<String, T>,
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
            private: HashMap::new(),
        }
    }

    /// Sets the value of a key. If it may not be written to disk, the stored one stays there.
    pub(crate) fn set(&mut self, key: String, value: T, is_stored: bool) {
        if is_stored {
            self.private.remove(&key);
            self.stored.insert(key, value);
        } else {
            self.private.insert(key, value);
        }
    }

    /// Returns the value of a key.
    pub(crate) fn get(&self, key: &str) -> Option<&T> {
        self.private.get(key).or_else(|| self.stored.get(key))
    }

    /// Returns the values that may be written to disk.
    pub(crate) fn stored(&self) -> &BTreeMap<String, T> {
        &self.stored
    }
}

/// The choices of the user for the pages of hosts.
#[derive(Debug, Default)]
pub struct UserChoices {
    /// The charsets for hosts.
    pub(crate) charsets: HostCharsets,
    /// The charsets for articles, by URL.
    article_charsets: HashMap<String, CharsetSetting>,
    /// The sort orders, for the listings of hosts and for newsgroups by URL.
    pub(crate) orders: Choices<ListOrder>,
    /// The display of the pages' colours.
    pub(crate) colours: Choices<Colours>,
}

impl UserChoices {
    /// Returns the charset setting for the pages of a URL's host.
    pub(crate) fn charset_of(&self, url: &Url, settings: &Settings) -> CharsetSetting {
        let chosen = host(url).and_then(|host| self.charsets.get(&host));
        chosen.copied().unwrap_or(settings.charset)
    }

    /// Returns the charset that the user chose for an article.
    pub(crate) fn article_charset(&self, url: &Url) -> Option<CharsetSetting> {
        self.article_charsets.get(url.as_str()).copied()
    }

    /// Sets the charset of one article.
    pub(crate) fn set_article_charset(&mut self, url: &Url, read_as: CharsetSetting) {
        self.article_charsets.insert(url.to_string(), read_as);
    }

    /// Sets the charset of all pages of a URL's host. Returns the effect that stores it.
    pub(crate) fn set_charset(&mut self, url: &Url, read_as: CharsetSetting) -> Option<Effect> {
        let host = host(url)?;
        self.charsets.insert(host.clone(), read_as);
        Some(Effect::StoreCharset(host, read_as))
    }

    /// Returns the order for the pages of this shape at a URL. One that was chosen in a private tab holds in private
    /// tabs alone: the order decides which article is read next, and that is recorded.
    pub(crate) fn order_of(&self, shape: Shape, url: &Url, is_private: bool) -> Option<ListOrder> {
        let key = order_key(shape, url)?;
        let own = is_private.then(|| private_key(&key));
        let own = own.and_then(|key| self.orders.get(&key));
        own.or_else(|| self.orders.get(&key)).copied()
    }

    /// Sets the order of a listing for all listings of its host, and that of a newsgroup for this group.
    pub(crate) fn set_order(
        &mut self,
        (shape, url): (Shape, &Url),
        order: ListOrder,
        (is_stored, is_private): (bool, bool),
    ) {
        if let Some(key) = order_key(shape, url) {
            let key = if is_private { private_key(&key) } else { key };
            self.orders.set(key, order, is_stored && !is_private);
        }
    }

    /// Returns the display of colours for the pages of a URL's host; for a page without a host, of that page.
    pub fn colours_of(&self, url: &Url, settings: &Settings) -> Colours {
        let chosen = self.colours.get(&colours_key(url)).copied();
        chosen.unwrap_or(settings.colours)
    }

    /// Sets the display of colours for the pages of a URL's host. Returns true if it has one.
    pub(crate) fn set_colours(&mut self, url: &Url, colours: Colours, is_stored: bool) -> bool {
        let has_host = host(url).is_some();
        self.colours
            .set(colours_key(url), colours, is_stored && has_host);
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

/// Returns the key of an order for private tabs. No host and no URL has a blank.
fn private_key(key: &str) -> String {
    format!("private {key}")
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
    use geomys_page::document::SortColumn;

    use super::*;

    #[test]
    fn order_of_a_private_tab_is_that_of_private_tabs_alone() {
        let url = Url::parse("nntp://h.example/a.b").unwrap();
        let mut choices = UserChoices::default();
        let [date, author] = [SortColumn::Date, SortColumn::Author].map(ListOrder::new);
        choices.set_order((Shape::Group, &url), date, (true, false));
        choices.set_order((Shape::Group, &url), author, (true, true));
        assert_eq!(choices.order_of(Shape::Group, &url, false), Some(date));
        assert_eq!(choices.order_of(Shape::Group, &url, true), Some(author));
        assert_eq!(choices.orders.stored().len(), 1);
    }

    #[test]
    fn choice_of_a_private_tab_hides_the_stored_one_and_leaves_it_on_disk() {
        let mut choices = Choices::default();
        choices.set("host".to_owned(), 1, true);
        choices.set("host".to_owned(), 2, false);
        choices.set("other".to_owned(), 3, false);
        assert_eq!(choices.get("host"), Some(&2));
        assert_eq!(choices.get("other"), Some(&3));
        assert_eq!(*choices.stored(), BTreeMap::from([("host".to_owned(), 1)]));
        choices.set("host".to_owned(), 4, true);
        assert_eq!(choices.get("host"), Some(&4));
    }
}
