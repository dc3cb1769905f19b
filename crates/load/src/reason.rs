//! The reason of a request: who named its URL, and where. Rules about local addresses are functions of it.
//!
//! ```text
//! stored = "geomys:user" / url                ; the user, or the page that named the URL, without its password
//! ```
//!
//! A request that was put aside keeps its [`Namer`] in this form. Without one it counts as named by a page of the
//! Internet, as nobody knows better. Versions that know no namer but a page read `geomys:user` as a page without a
//! host, and ask.

use rfc1738::{Dialect, Url};

/// The reason why a request is made. The code that makes a request says it: there is no default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The user typed the URL, or chose it in a page of Geomys that lists what the user has opened before.
    Typed,
    /// The command line names it.
    CommandLine,
    /// It is a bookmark.
    Bookmark,
    /// A setting names it, as a news server, a gateway or an archive.
    Setting,
    /// This page has a link to it, or its server needs it for the page.
    Link(Url),
    /// It was put aside, to be fetched later.
    Queued(Namer),
    /// This followed page or group has it as a new entry or article.
    Followed(Url),
    /// This URL redirects to it.
    Redirect(Url),
    /// It was open when the browser ended, or its tab was closed.
    Restored(Namer),
}

/// Who named a URL that was put aside.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Namer {
    /// The user.
    User,
    /// This page.
    Page(Url),
    /// A page that is not known any more: it counts as a page of the Internet.
    #[default]
    Unknown,
}

/// The stored form of [`Namer::User`].
const USER: &str = "geomys:user";

impl Namer {
    /// Parses the stored form; without one the namer is unknown.
    pub fn from_stored(stored: Option<&str>) -> Self {
        match stored {
            Some(USER) => Self::User,
            Some(page) => Dialect::Extended
                .parse(page)
                .map_or(Self::Unknown, Self::Page),
            None => Self::Unknown,
        }
    }

    /// Returns the stored form; None if the namer is unknown.
    pub fn to_stored(&self) -> Option<String> {
        match self {
            Self::User => Some(USER.to_owned()),
            Self::Page(page) => Some(page.without_password().to_string()),
            Self::Unknown => None,
        }
    }

    /// Returns the page, if one named the URL.
    pub fn page(&self) -> Option<&Url> {
        match self {
            Self::Page(page) => Some(page),
            Self::User | Self::Unknown => None,
        }
    }
}

impl Reason {
    /// Returns who named the URL.
    pub fn namer(&self) -> Namer {
        match self {
            Self::Typed | Self::CommandLine | Self::Bookmark | Self::Setting => Namer::User,
            Self::Link(page) | Self::Followed(page) | Self::Redirect(page) => {
                Namer::Page(page.clone())
            }
            Self::Queued(namer) | Self::Restored(namer) => namer.clone(),
        }
    }

    /// Returns the reason in words, for a person and for the log: a phrase without passwords.
    pub fn words(&self) -> String {
        let by = |verb: &str, namer: &Namer| match namer {
            Namer::User => verb.to_owned(),
            Namer::Page(page) => format!("{verb}, named by {}", page.masked()),
            Namer::Unknown => format!("{verb}, named by an unknown page"),
        };
        match self {
            Self::Typed => "typed or chosen".to_owned(),
            Self::CommandLine => "command line".to_owned(),
            Self::Bookmark => "bookmark".to_owned(),
            Self::Setting => "setting".to_owned(),
            Self::Link(page) => format!("link of {}", page.masked()),
            Self::Queued(namer) => by("put aside", namer),
            Self::Followed(page) => format!("followed in {}", page.masked()),
            Self::Redirect(from) => format!("redirect of {}", from.masked()),
            Self::Restored(namer) => by("restored", namer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namer_is_read_as_it_was_stored() {
        let page = Namer::Page(Url::parse("gopher://h.example/1/").unwrap());
        for namer in [Namer::User, page, Namer::Unknown] {
            let stored = namer.to_stored();
            assert_eq!(Namer::from_stored(stored.as_deref()), namer);
        }
        let login = Dialect::Extended
            .parse("ftp://u:secret@h.example/a")
            .unwrap();
        let stored = Namer::Page(login).to_stored().unwrap();
        assert!(!stored.contains("secret"), "{stored}");
        assert_eq!(Namer::from_stored(Some("no URL")), Namer::Unknown);
    }
}
