//! The charset in which the octets of a page are read that are not UTF-8: chosen by a person, remembered for the host.

use super::choice::{Choice, Of};
use super::page::Content;
use super::{App, Effect};
use crate::text::ReadAs;
use crate::url::Url;

/// The letter of each, its name, and what it is used for.
const CHARSETS: [(char, &str, &str); 13] = [
    ('a', ReadAs::AUTO, "each page by its octets"),
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

impl App {
    /// Asks how the page that is shown is to be read.
    pub(super) fn ask_charset(&mut self) -> Vec<Effect> {
        let Some(document) = self.page().and_then(super::Page::document) else {
            self.tell("there is nothing to read here");
            return Vec::new();
        };
        let name = document.charset().name();
        let question = match (document.read_as(), document.foreign()) {
            (ReadAs::Set(_), _) => {
                format!("What is not UTF-8 here is read as {name}. As what else?")
            }
            (ReadAs::Detected, Some(_)) if document.wants_finish() => {
                format!("Until all is here, what is not UTF-8 is read as {name}. As what else?")
            }
            (ReadAs::Detected, Some(_)) => {
                format!("What is not UTF-8 here looks like {name}. As what else is it to be read?")
            }
            (ReadAs::Detected, None) => {
                "All of this is UTF-8. As what is the rest of this host to be read?".to_owned()
            }
        };
        let answers = CHARSETS.iter();
        let answers = answers.map(|(letter, name, used)| (*letter, format!("{name} ({used})")));
        self.choose(Choice {
            answers: answers.collect(),
            ..Choice::new(&question, &[], Of::Charset)
        })
    }

    /// Reads the page that is shown in the charset of this letter, and from now on every page of its host.
    pub(super) fn choose_charset(&mut self, letter: char) -> Vec<Effect> {
        let chosen = CHARSETS.iter().find(|(known, ..)| *known == letter);
        let Some(read_as) = chosen.and_then(|(_, name, _)| ReadAs::named(name)) else {
            return Vec::new();
        };
        let Some(page) = self.page_mut() else {
            return Vec::new();
        };
        if let Content::Document(document) = &mut page.content {
            document.set_read_as(read_as);
        }
        if let Some(rendered) = &mut page.rendered {
            rendered.document.set_read_as(read_as);
        }
        let host = host(&page.url);
        let is_arriving = page.state.is_arriving();
        if let Some(host) = host {
            self.charsets.retain(|(known, _)| *known != host);
            self.charsets.push((host, read_as));
        }
        let effects = if is_arriving {
            Vec::new()
        } else {
            self.finish_page()
        };
        let so = match read_as {
            ReadAs::Set(charset) => format!("read as {}", charset.name()),
            ReadAs::Detected => "read as its octets suggest".to_owned(),
        };
        self.tell(&format!(
            "{so}, as every page of this host is until Geomys ends"
        ));
        effects
    }

    /// How the pages of a URL's host are read.
    pub(super) fn charset_of(&self, url: &Url) -> ReadAs {
        let host = host(url);
        let chosen = self
            .charsets
            .iter()
            .find(|(known, _)| Some(known) == host.as_ref());
        chosen.map_or(self.settings.charset, |(_, read_as)| *read_as)
    }
}

/// What a choice is remembered for.
fn host(url: &Url) -> Option<String> {
    let address = url.reading().address()?.node().to_ascii_lowercase();
    Some(address)
}
