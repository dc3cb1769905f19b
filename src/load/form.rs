//! Forms on their way from a server to a person, and the answers on their way back.

use std::fmt;

use crate::text::Text;

/// What is known of the answers to a form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Answers {
    /// Nobody has looked at what a filled form in the URL says: it is asked about before it is sent.
    #[default]
    Unseen,
    /// Somebody has written the filled form that the URL holds, or has agreed to it.
    Agreed,
    /// They are sent and stand in no address, since one of them is not to be seen: the page that answers goes by the
    /// address of its form.
    Hidden(Hidden),
}

/// A Gopher+ string that no `Debug`, title or log shows.
#[derive(Clone, PartialEq, Eq)]
pub struct Hidden(pub Vec<u8>);

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hidden({} octets)", self.0.len())
    }
}

/// A form as a server asks it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// What the server calls the item, where it says.
    pub title: Option<Text>,
    /// The lines of a +ASK block.
    pub lines: Vec<Vec<u8>>,
    /// What is said beside each line, as far as anything is.
    pub hints: Vec<Text>,
    /// What it is a form of.
    pub of: FormOf,
}

/// What a form is for, and so what its answers become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormOf {
    /// A Gopher+ item: the answers are its Gopher+ string (RFC 1738, section 3.4.9).
    Item,
    /// A phone book: the answers are the words of a query (RFC 2378). Each line of the form but the first is a field of
    /// the phone book, by its name.
    PhoneBook,
}
