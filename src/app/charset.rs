//! The charset in which the octets of a page are read that are not UTF-8: chosen by a person, remembered for the host.

use super::choice::{Choice, Of};
use super::page::Content;
use super::{App, Effect, Overlay};
use crate::text::{Charset, Text};
use crate::url::Url;

/// The letter of each, its name, and what it is used for.
const CHARSETS: [(char, &str, &str); 11] = [
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
];

impl App {
    /// Asks how the page that is shown is to be read.
    pub(super) fn ask_charset(&mut self) -> Vec<Effect> {
        let Some(document) = self.page().and_then(super::Page::document) else {
            self.tell("there is nothing to read here");
            return Vec::new();
        };
        let question = format!(
            "What is not UTF-8 here is read as {}. As what else?",
            document.charset().name()
        );
        let answers = CHARSETS.iter();
        self.overlay = Some(Overlay::Choice(Choice {
            question: Text::of(&question),
            lines: Vec::new(),
            answers: answers
                .map(|(letter, name, used)| (*letter, format!("{name} ({used})")))
                .collect(),
            of: Of::Charset,
        }));
        Vec::new()
    }

    /// Reads the page that is shown in the charset of this letter, and from now on every page of its host.
    pub(super) fn choose_charset(&mut self, letter: char) -> Vec<Effect> {
        let chosen = CHARSETS.iter().find(|(known, ..)| *known == letter);
        let Some(charset) = chosen.and_then(|(_, name, _)| Charset::named(name)) else {
            return Vec::new();
        };
        let Some(page) = self.page_mut() else {
            return Vec::new();
        };
        if let Content::Document(document) = &mut page.content {
            document.read_as(charset);
        }
        if let Some(rendered) = &mut page.rendered {
            rendered.document.read_as(charset);
        }
        let host = host(&page.url);
        let is_arriving = page.state.is_arriving();
        if let Some(host) = host {
            self.charsets.retain(|(known, _)| *known != host);
            self.charsets.push((host, charset));
        }
        self.tell(&format!(
            "read as {}, as every page of this host is until Geomys ends",
            charset.name()
        ));
        if is_arriving {
            return Vec::new();
        }
        self.finish_page()
    }

    /// How the pages of a URL's host are read.
    pub(super) fn charset_of(&self, url: &Url) -> Charset {
        let host = host(url);
        let chosen = self
            .charsets
            .iter()
            .find(|(known, _)| Some(known) == host.as_ref());
        chosen.map_or(self.settings.charset, |(_, charset)| *charset)
    }
}

/// What a choice is remembered for.
fn host(url: &Url) -> Option<String> {
    let address = url.reading().address()?.node().to_ascii_lowercase();
    Some(address)
}
