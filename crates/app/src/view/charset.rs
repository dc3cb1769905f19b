//! The charset for the octets of a page that are not UTF-8: chosen by the user, for a host or for one article.

use geomys_page::document::Shape;
use geomys_wire::text::CharsetSetting;

use crate::view::context::{Outcome, ViewContext};
use crate::view::viewport::Viewport;
use crate::{Command, Dialog, Effect};

/// The charsets of the question: letter, name and use.
const CHARSETS: [(char, &str, &str); 13] = [
    ('a', CharsetSetting::AUTO, "detect for each page"),
    ('w', "windows-1252", "Western"),
    ('m', "macintosh", "old Macs"),
    ('l', "iso-8859-2", "Central European"),
    ('k', "koi8-r", "Russian"),
    ('c', "windows-1251", "Cyrillic"),
    ('d', "ibm866", "DOS Cyrillic"),
    ('s', "shift_jis", "Japanese"),
    ('j', "euc-jp", "Unix Japanese"),
    ('g', "gb18030", "Chinese"),
    ('b', "big5", "Chinese, traditional"),
    ('e', "euc-kr", "Korean"),
    ('p', "cp437", "DOS graphics"),
];

impl Viewport {
    /// Asks for the charset of the document.
    pub(super) fn ask_charset(&self) -> Outcome {
        let document = &self.document;
        let name = document.charset().name();
        let setting = document.charset_setting();
        let is_article = self.own_document().shape() == Shape::Article;
        let question = match (setting, document.non_utf8_charset()) {
            (CharsetSetting::Set(_), _) if is_article => {
                format!("Charset of this article (now {name}):")
            }
            (CharsetSetting::Detected, _) if is_article => {
                "Charset of this article, overriding its header:".to_owned()
            }
            (CharsetSetting::Set(_), _) => {
                format!("Charset of text that is not UTF-8 (now {name}):")
            }
            (CharsetSetting::Detected, Some(_)) if document.needs_finish() => {
                format!("Charset of text that is not UTF-8 (for now {name}):")
            }
            (CharsetSetting::Detected, Some(_)) => {
                format!("Charset of text that is not UTF-8 (guessed {name}):")
            }
            (CharsetSetting::Detected, None) => {
                "This page is UTF-8. Charset of other pages of this host:".to_owned()
            }
        };
        ask_among_charsets(&question).into()
    }

    /// Reads the document in a charset that the user chose.
    pub(super) fn set_charset(&mut self, read_as: CharsetSetting, at: &mut ViewContext<'_>) {
        let rendered = self.rendered.as_mut().map(|page| &mut page.document);
        for document in std::iter::once(&mut self.document).chain(rendered) {
            document.set_charset_setting(read_as);
            document.read_article_as(read_as);
        }
        if !at.state.is_arriving() {
            self.finish(at.cx);
        }
        let is_article = self.own_document().shape() == Shape::Article;
        remember_charset(is_article, read_as, at);
    }
}

/// Remembers the charset of a page for all later pages of its host; that of an article for this article only. A page
/// without a host has nothing to remember it by.
pub(super) fn remember_charset(
    is_article: bool,
    read_as: CharsetSetting,
    at: &mut ViewContext<'_>,
) {
    let chosen = at.chosen();
    let extent = if is_article {
        at.choices.set_article_charset(at.url, read_as, chosen);
        "this article only"
    } else {
        let host = at.choices.set_charset(at.url, read_as, chosen);
        let has_host = host.is_some();
        let stored = host.filter(|_| chosen.is_stored);
        at.cx
            .effects
            .extend(stored.map(|host| Effect::StoreCharset(host, read_as)));
        if has_host {
            "for all pages of this host"
        } else {
            "this page only"
        }
    };
    let description = match read_as {
        CharsetSetting::Set(charset) => format!("read as {}", charset.name()),
        CharsetSetting::Detected => "detected".to_owned(),
    };
    at.cx.notify(&format!("{description}, {extent}"));
}

/// Returns the question for a charset.
pub(super) fn ask_among_charsets(question: &str) -> Dialog {
    let mut dialog = Dialog::new(question);
    for (letter, name, used) in CHARSETS {
        if let Some(read_as) = CharsetSetting::named(name) {
            let set = Command::SetCharset(read_as);
            dialog = dialog.answer(letter, &format!("{name} ({used})"), set);
        }
    }
    dialog
}
