//! The built-in pages: the home page, the topics of the manual, the history, pages saved for later, client
//! certificates, the configuration, the report of an import.

use geomys_load::Reason;
use std::collections::HashMap;

use geomys_page::document::{Document, Link, Shape};
use geomys_wire::net::shown_url;
use geomys_wire::text::{CharsetSetting, Text};
use rfc1738::{Dialect, Url, decode, encoded};

use crate::action::Action;
use crate::dialogs::text_input::{InputCommand, RequestInput, TextInput};
use crate::home::menu::KeyInRow;
use crate::keymap::{KeyContext, Keymap};
use crate::library::message::IdentityChange;
use crate::manual::{Topic, topics};
use crate::requester::OpenPage;
use crate::settings::Settings;
use crate::view::context::{Outcome, State, ViewContext};
use crate::view::kind::{KeyHint, ViewKind, has_rows};
use crate::view::text::TEXT_HINTS;
use crate::view::viewport::Viewport;
use crate::{Command, Dialog, LibraryCommand, LibraryEffect, Overlay, PendingRequest};

/// The address of the home page. It is made each time.
pub const HOME: &str = "geomys:home";

/// The hints of the home page; its links have letters and numbers as those of every page.
const HOME_HINTS: [KeyHint; 4] = [
    (Action::Go, "URL"),
    (Action::Bookmarks, "bookmarks"),
    (Action::Palette, "commands"),
    (Action::Quit, "quit"),
];

/// The address of the session that waits, for a row of the home page alone.
pub(crate) const SESSION: &str = "geomys:session";

/// The address of the list of topics.
pub const HELP: &str = "geomys:help";

/// The address of the page of visits.
pub const HISTORY: &str = "geomys:history";

/// The address of the page of the configuration.
pub const CONFIG: &str = "geomys:config";

/// The address of the page of pages to read later. It is made from its file each time.
pub const LATER: &str = "geomys:later";

/// The address of the page of client certificates. It is made from their files each time.
pub const IDENTITIES: &str = "geomys:identities";

/// The address of the report of the last import of bookmarks. It is made each time.
pub const IMPORT: &str = "geomys:import";

/// The address of the search of stored copies; with its words after a `?`, that of the pages that were found.
pub const SEARCH: &str = "geomys:search";

/// The beginning of the address of a topic.
pub const TOPIC: &str = "geomys:help/";

/// A page that Geomys makes itself.
#[derive(Debug)]
pub struct BuiltinView {
    /// The document with its cursor.
    pub rows: Viewport,
    /// The titles of pages that rows lead to, where the rows show more than these.
    pub(crate) titles: HashMap<Url, Text>,
    /// The reasons to request the pages that rows lead to, where another page has named them.
    pub(crate) reasons: HashMap<Url, Reason>,
    /// The keys in rows, by the number of the row.
    pub(crate) keys: HashMap<usize, Vec<KeyInRow>>,
}

impl From<Document> for BuiltinView {
    fn from(document: Document) -> Self {
        Self {
            rows: document.into(),
            titles: HashMap::new(),
            reasons: HashMap::new(),
            keys: HashMap::new(),
        }
    }
}

impl BuiltinView {
    /// Returns the keys in a row, which can be pressed there; none while only rows that match a filter are shown.
    pub fn keys(&self, row: usize) -> &[KeyInRow] {
        let keys = self.keys.get(&row);
        let keys = keys.filter(|_| self.rows.document.filter_summary().is_none());
        keys.map_or(&[], Vec::as_slice)
    }

    /// Asks whether the visits of the page under the cursor of the history are to be removed.
    fn ask_remove_visit(&self, at: &mut ViewContext<'_>) -> Outcome {
        if at.url.as_str() != HISTORY {
            return Outcome::Ignored;
        }
        let Some(url) = self.rows.link().and_then(|link| link.target.ok()) else {
            at.cx.notify("Not a visited page");
            return Outcome::Done;
        };
        let question = format!("Remove all visits of {}?", shown_url(&url));
        let remove = LibraryCommand::Remove(url.as_str().to_owned());
        Dialog::confirm(&question, remove)
            .declined(Vec::new())
            .into()
    }

    /// Removes the page under the cursor from the pages to read later; asks before it removes a client certificate.
    fn remove_later(&self, at: &mut ViewContext<'_>) -> Outcome {
        if at.url.as_str() == IDENTITIES {
            let link = self.rows.link().and_then(|link| link.target.ok());
            let Some(row) = link.as_ref().and_then(IdentityRow::of) else {
                at.cx.notify("No certificate on this row");
                return Outcome::Done;
            };
            return row.removal().declined(Vec::new()).into();
        }
        if at.url.as_str() != LATER {
            return Outcome::Ignored;
        }
        match self.rows.link().map(|link| link.target) {
            Some(Ok(url)) => at.cx.emit(LibraryEffect::RemoveLater(url)),
            Some(Err(_)) | None => at.cx.notify("No page is on this row"),
        }
        Outcome::Done
    }
}

impl ViewKind for BuiltinView {
    has_rows!();

    fn contexts(&self) -> Vec<KeyContext> {
        let is_history = self.rows.own_document().shape() == Shape::Visits;
        self.rows
            .contexts(is_history.then_some(KeyContext::History))
    }

    fn act(&mut self, action: Action, at: &mut ViewContext<'_>) -> Outcome {
        match action {
            Action::RemoveVisit => self.ask_remove_visit(at),
            Action::RemoveLater => self.remove_later(at),
            _ => self.rows.act(action, at),
        }
    }

    fn link(&self) -> Option<Link> {
        let mut link = self.rows.link()?;
        let title = link
            .target
            .as_ref()
            .ok()
            .and_then(|url| self.titles.get(url));
        if let Some(title) = title {
            link.label = title.clone();
        }
        Some(link)
    }

    fn hints(&self, url: &Url, _: &State, _: &Settings) -> Vec<KeyHint> {
        let remove = match self.rows.document.shape() {
            Shape::Visits => Some(Action::RemoveVisit),
            Shape::Menu if [LATER, IDENTITIES].contains(&url.as_str()) => Some(Action::RemoveLater),
            Shape::Menu if url.as_str() == HOME => return HOME_HINTS.to_vec(),
            Shape::Menu => None,
            _ => return TEXT_HINTS.to_vec(),
        };
        let remove = remove.filter(|_| self.link().is_some());
        let remove = remove.map(|remove| (remove, "remove"));
        let document = &self.rows.document;
        let has_link = (0..document.count()).any(|row| document.is_link(row));
        let pick = has_link.then_some((Action::Hints, "pick"));
        remove.into_iter().chain(pick).collect()
    }
}

/// A row of the page of client certificates: a certificate, or one of the scopes that it is used for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IdentityRow {
    name: String,
    /// The host with its port, and the path.
    scope: Option<(String, String)>,
}

impl IdentityRow {
    /// The URL of a row, for this page alone.
    pub(crate) fn url(name: &str, scope: Option<&str>) -> String {
        match scope {
            Some(scope) => format!("{IDENTITIES}/{name}/{}", encoded(scope.as_bytes())),
            None => format!("{IDENTITIES}/{name}"),
        }
    }

    /// The URL of the row that makes a certificate for a page: no certificate has an empty name.
    pub(crate) fn url_of_new() -> String {
        Self::url("", None)
    }

    /// Returns the row with a URL.
    pub(crate) fn of(url: &Url) -> Option<Self> {
        let row = url.as_str().strip_prefix(IDENTITIES)?.strip_prefix('/')?;
        let (name, scope) = match row.split_once('/') {
            Some((name, scope)) => (name, String::from_utf8(decode(scope).into_owned()).ok()),
            None => (row, None),
        };
        let scope = scope.as_deref().and_then(|scope| scope.split_once('/'));
        Some(Self {
            name: name.to_owned(),
            scope: scope.map(|(authority, path)| (authority.to_owned(), format!("/{path}"))),
        })
    }

    /// Asks what to do with the certificate. It can be used for the page that `pending` requests, or made for it.
    pub(crate) fn question(self, pending: Option<PendingRequest>) -> Dialog {
        if let (Some(pending), "") = (&pending, self.name.as_str()) {
            let input = TextInput::for_request(pending, RequestInput::Identity, None);
            return Dialog::input("Name of the new certificate:", input).about(pending.clone());
        }
        let remove = Command::Show(Overlay::Dialog(Box::new(self.removal())));
        let Self { name, scope } = self;
        let rename = InputCommand::RenameIdentity(name.clone());
        let rename = Dialog::input("New name:", TextInput::new(rename, &name));
        let rename = Command::Show(Overlay::Dialog(Box::new(rename)));
        let mut dialog = Dialog::new(&format!("Certificate {name}:")).answer('r', "rename", rename);
        if let (Some(mut pending), None) = (pending, &scope) {
            pending.request.certificate.name = Some(name.clone());
            dialog = dialog.with_lines(vec![Text::of(&shown_url(&pending.request.url))]);
            let choose = Overlay::Dialog(Box::new(Dialog::identity_scope(pending)));
            dialog = dialog.answer('u', "use it here", Command::Show(choose));
        }
        if let Some((authority, path)) = scope {
            let url = format!("gemini://{authority}{path}");
            dialog = dialog.with_lines(vec![Text::of(&url)]);
            if let Ok(url) = Dialect::Extended.parse(&url) {
                let open = Command::Open(Box::new(OpenPage::at(url, Reason::Typed)));
                dialog = dialog.answer('o', "open the page", open);
            }
            if path != "/" {
                let widen = IdentityChange::Widen {
                    name: name.clone(),
                    authority: authority.clone(),
                };
                let widen = LibraryCommand::ChangeIdentity(widen);
                dialog = dialog.answer('w', "widen to the whole host", widen);
            }
            let leave = IdentityChange::Leave {
                name,
                authority,
                path,
            };
            let leave = LibraryCommand::ChangeIdentity(leave);
            dialog = dialog.answer('l', "leave: stop using it here", leave);
        }
        dialog.answer('x', "remove it", remove).no("cancel")
    }

    /// Asks whether the certificate is to be removed.
    pub(crate) fn removal(&self) -> Dialog {
        let remove = IdentityChange::Remove(self.name.clone());
        let question = format!("Remove the certificate {}?", self.name);
        let lines = vec![Text::of(
            "Its key is deleted. Servers will not recognise you.",
        )];
        Dialog::confirm(&question, LibraryCommand::ChangeIdentity(remove)).with_lines(lines)
    }
}

/// Returns true for the address of a built-in page.
pub fn is_builtin(url: &Url) -> bool {
    matches!(
        url.as_str(),
        HOME | HELP | HISTORY | CONFIG | LATER | IDENTITIES | IMPORT | SEARCH
    ) || topic(url).is_some()
        || search_words(url).is_some()
}

/// Returns the words of a search of stored copies.
pub(crate) fn search_words(url: &Url) -> Option<String> {
    let words = url.as_str().strip_prefix(SEARCH)?.strip_prefix('?')?;
    Some(String::from_utf8_lossy(&decode(words)).into_owned())
}

/// Returns the address of a search of stored copies.
pub(crate) fn search_url(words: &str) -> Option<Url> {
    let words = encoded(words.trim().as_bytes());
    Dialect::Extended.parse(&format!("{SEARCH}?{words}")).ok()
}

/// Returns the topic with an address.
fn topic(url: &Url) -> Option<Topic> {
    Topic::named(url.before_fragment().strip_prefix(TOPIC)?)
}

/// Returns the built-in page with an address.
pub(crate) fn page(url: &Url, keymap: &Keymap, settings: &Settings) -> Option<Document> {
    let (shape, octets) = match url.as_str() {
        HELP => (Shape::Html, topics(TOPIC)),
        CONFIG => (Shape::Html, settings.config.page()),
        _ => (Shape::Html, topic(url)?.html(keymap, TOPIC)),
    };
    let mut document = Document::new(url.clone(), shape, CharsetSetting::default());
    document.append(octets.as_bytes());
    // A short text is laid out at once.
    Some(document.finished())
}
