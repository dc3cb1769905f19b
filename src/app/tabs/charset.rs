//! The charset for the octets of a page that are not UTF-8: chosen by the user, for a host or for one article.

use geomys_page::document::Shape;
use geomys_wire::text::CharsetSetting;
use rfc1738::Url;

use crate::app::tabs::choices::host;
use crate::app::{Command, Context, Dialog, Page, Tabs, TabsCommand, TabsEffect};

/// The charsets of the question: letter, name and use.
const CHARSETS: [(char, &str, &str); 13] = [
    ('a', CharsetSetting::AUTO, "each page by its octets"),
    ('w', "windows-1252", "Western"),
    ('m', "macintosh", "old Macs"),
    ('l', "iso-8859-2", "Central European"),
    ('k', "koi8-r", "Russian"),
    ('c', "windows-1251", "Cyrillic"),
    ('d', "ibm866", "Cyrillic of DOS"),
    ('s', "shift_jis", "Japanese"),
    ('j', "euc-jp", "Japanese of Unix"),
    ('g', "gb18030", "Chinese"),
    ('b', "big5", "Chinese, traditional"),
    ('e', "euc-kr", "Korean"),
    ('p', "cp437", "drawings of the PC"),
];

impl Tabs {
    /// Opens the question for the charset of the current page.
    pub(crate) fn ask_charset(&self, cx: &mut Context) {
        if self.page().is_some_and(|page| page.session().is_some()) {
            let question = "Charset of sessions with this host (auto is UTF-8):";
            return ask_among_charsets(question, cx);
        }
        let Some(document) = self.page().and_then(Page::document) else {
            cx.notify("no text here");
            return;
        };
        if self.page().is_some_and(Page::is_article) {
            let name = document.charset().name();
            let question = match document.charset_setting() {
                CharsetSetting::Set(_) => format!("Charset of this article (now {name}):"),
                CharsetSetting::Detected => {
                    "Charset of this article, overriding its header:".to_owned()
                }
            };
            return ask_among_charsets(&question, cx);
        }
        let name = document.charset().name();
        let question = match (document.charset_setting(), document.non_utf8_charset()) {
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
        ask_among_charsets(&question, cx);
    }

    /// Sets the charset of the current page, and of all later pages of its host; of an article only that of the article.
    pub(crate) fn set_charset(&mut self, read_as: CharsetSetting, cx: &mut Context) {
        let Some(page) = self.page_mut() else {
            return;
        };
        let is_article = page.shape() == Some(Shape::Article);
        let rendered = page.rendered.as_mut().map(|page| &mut page.document);
        for document in page.content.document_mut().into_iter().chain(rendered) {
            document.set_charset_setting(read_as);
            document.read_article_as(read_as);
        }
        if let Some(session) = page.session_mut() {
            session.set_charset(read_as);
        }
        let is_arriving = page.state.is_arriving();
        let (url, host) = (page.url.clone(), host(&page.url));
        match host {
            _ if is_article => {
                self.article_charsets.insert(url.to_string(), read_as);
            }
            Some(host) => {
                cx.emit(TabsEffect::StoreCharset(host.clone(), read_as));
                self.charsets.insert(host, read_as);
            }
            None => {}
        }
        if !is_arriving {
            self.finish_page(cx);
        }
        let description = match read_as {
            CharsetSetting::Set(charset) => format!("read as {}", charset.name()),
            CharsetSetting::Detected => "read as its octets suggest".to_owned(),
        };
        let extent = if is_article {
            "this article only"
        } else {
            "as every page of this host is"
        };
        cx.notify(&format!("{description}, {extent}"));
    }

    /// Returns the charset setting for the pages of a URL's host.
    pub(crate) fn charset_of(&self, url: &Url, cx: &Context) -> CharsetSetting {
        let chosen = host(url).and_then(|host| self.charsets.get(&host));
        chosen.copied().unwrap_or(cx.settings.charset)
    }

    /// Returns the charset that the user chose for an article.
    pub(crate) fn article_charset(&self, url: &Url) -> Option<CharsetSetting> {
        self.article_charsets.get(url.as_str()).copied()
    }
}

fn ask_among_charsets(question: &str, cx: &mut Context) {
    let mut dialog = Dialog::new(question);
    for (letter, name, used) in CHARSETS {
        if let Some(read_as) = CharsetSetting::named(name) {
            let set = Command::Tabs(TabsCommand::SetCharset(read_as));
            dialog = dialog.answer(letter, &format!("{name} ({used})"), set);
        }
    }
    cx.ask(dialog);
}
