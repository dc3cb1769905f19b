//! The charset of a session: the one that the user has set, else what the octets are.
//!
//! While nothing is sure, the octets from the first one above ASCII on are judged as the lines of a text are, and again
//! as more of them come. When the judgement changes, or the user sets a charset, the screen is drawn again from the
//! last octets, which are stored.

use geomys_wire::text::{Charset, CharsetDecoder, CharsetSample, CharsetSetting, is_utf8};

/// The number of octets after which each further judgement comes; up to it every part is judged.
const JUDGED_BYTES: usize = 4 * 1024;

/// The number of octets after which the charset is sure, from the first one above ASCII.
const SURE_BYTES: usize = 16 * 1024;

/// The maximum number of octets that are stored: those of many screens.
const STORED_BYTES: usize = 64 * 1024;

/// The charset of a session.
pub(super) struct SessionCharset {
    /// The charset; None for ASCII and UTF-8.
    charset: Option<Charset>,
    decoder: CharsetDecoder,
    /// True if the charset is not judged again.
    is_sure: bool,
    /// The last octets.
    stored: Vec<u8>,
    /// The number of octets since the first one above ASCII, with it.
    foreign: usize,
    /// That number at the last judgement.
    judged: usize,
    /// The last label of the host name, as `ru`, which separates languages.
    label: Option<String>,
}

/// What received octets are.
pub(super) enum Received {
    /// Text to draw, in UTF-8.
    Text(Vec<u8>),
    /// The text before the octets, to be drawn on a new screen as it is in another charset, and the text of the octets.
    Again(Vec<u8>, Vec<u8>),
}

impl SessionCharset {
    /// Creates the charset of a session with a host.
    pub(super) fn new(setting: CharsetSetting, host: &str) -> Self {
        let label = host.rsplit('.').next().filter(|_| host.contains('.'));
        let charset = match setting {
            CharsetSetting::Detected => None,
            CharsetSetting::Set(charset) => Some(charset),
        };
        Self {
            charset,
            decoder: charset.unwrap_or(Charset::utf_8()).decoder(),
            is_sure: charset.is_some(),
            stored: Vec::new(),
            foreign: 0,
            judged: 0,
            label: label.map(str::to_owned),
        }
    }

    fn decode_as(&mut self, charset: Option<Charset>) {
        self.charset = charset;
        self.decoder = charset.unwrap_or(Charset::utf_8()).decoder();
    }

    /// Changes the charset, as the user has set it. Returns the text of the stored octets, to be drawn again; None if
    /// there are none.
    pub(super) fn set(&mut self, setting: CharsetSetting) -> Option<Vec<u8>> {
        let octets = std::mem::take(&mut self.stored);
        (self.judged, self.foreign) = (0, foreign(&octets));
        let charset = match setting {
            CharsetSetting::Detected => self.judgement(&octets),
            CharsetSetting::Set(charset) => Some(charset),
        };
        self.is_sure = setting != CharsetSetting::Detected;
        self.decode_as(charset);
        let text = (!octets.is_empty()).then(|| self.decoded(&octets));
        self.stored = octets;
        text
    }

    /// The charset of the session; None while it is ASCII or UTF-8.
    pub(super) fn charset(&self) -> Option<Charset> {
        self.charset
    }

    /// Takes received octets.
    pub(super) fn receive(&mut self, octets: &[u8]) -> Received {
        let mut all = std::mem::take(&mut self.stored);
        let before = all.len();
        all.extend_from_slice(octets);
        let again = if self.is_sure {
            None
        } else {
            self.judge(&all, before)
        };
        let text = self.decoded(octets);
        all.drain(..all.len().saturating_sub(STORED_BYTES));
        self.stored = all;
        match again {
            Some(again) => Received::Again(again, text),
            None => Received::Text(text),
        }
    }

    /// Judges the octets so far, of which those from `before` on are new. Returns the text of the others if it has
    /// changed.
    fn judge(&mut self, all: &[u8], before: usize) -> Option<Vec<u8>> {
        let (old, new) = all.split_at(before);
        let was_ascii = self.foreign == 0;
        self.foreign = if was_ascii {
            foreign(new)
        } else {
            self.foreign + new.len()
        };
        let is_due = self.foreign <= JUDGED_BYTES || self.foreign >= self.judged + JUDGED_BYTES;
        if self.foreign == 0 || !is_due {
            return None;
        }
        self.judged = self.foreign;
        let (ascii, _) = all.split_at(all.len().saturating_sub(self.foreign));
        let line = ascii.iter().rposition(|octet| *octet == b'\n');
        let charset = self.judgement(all.get(line.unwrap_or(0)..).unwrap_or_default());
        let is_other = charset != self.charset;
        if is_other {
            self.decode_as(charset);
        }
        let again = (is_other && !was_ascii).then(|| self.decoded(old));
        self.is_sure = self.foreign >= SURE_BYTES;
        again
    }

    /// Judges octets that are not ASCII; None if they are UTF-8, though single octets may be damaged.
    fn judgement(&self, octets: &[u8]) -> Option<Charset> {
        // The last character may be cut.
        let ends =
            (0..4_usize.min(octets.len())).filter_map(|cut| octets.get(..octets.len() - cut));
        if ends.into_iter().any(is_utf8) {
            return None;
        }
        let mut sample = CharsetSample::default();
        octets
            .split(|octet| *octet == b'\n')
            .for_each(|line| sample.add(line));
        (!sample.is_empty()).then(|| sample.charset(self.label.as_deref()))
    }

    /// Decodes octets to UTF-8.
    fn decoded(&mut self, octets: &[u8]) -> Vec<u8> {
        self.decoder.decode(octets).into_bytes()
    }

    /// Encodes the octets of keys, which are UTF-8.
    pub(super) fn encode(&self, keys: Vec<u8>) -> Vec<u8> {
        match self.charset {
            None => keys,
            Some(charset) => charset.encode(&String::from_utf8_lossy(&keys)),
        }
    }
}

/// The number of octets since the first one above ASCII, with it.
fn foreign(octets: &[u8]) -> usize {
    let first = octets.iter().position(|octet| !octet.is_ascii());
    first.map_or(0, |first| octets.len() - first)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The text on the screen after octets that come in parts of this size.
    fn drawn(octets: &[u8], part: usize, host: &str) -> String {
        let mut session = SessionCharset::new(CharsetSetting::Detected, host);
        let mut text = Vec::new();
        for part in octets.chunks(part.max(1)) {
            match session.receive(part) {
                Received::Text(new) => text.extend_from_slice(&new),
                Received::Again(before, new) => text = [before, new].concat(),
            }
        }
        // A terminal drops what is no UTF-8.
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn octets_are_read_as_what_they_are() {
        let russian = "Добро пожаловать на наш сервер. Введите ваше имя и пароль:";
        let koi8 = Charset::named("koi8-r").unwrap().encode(russian);
        let frame = "╔════════════╗\r\n║ The night board ║\r\n╚════════════╝";
        for (octets, host, expected) in [
            (koi8, "h.example.ru", russian),
            (Charset::CP437.encode(frame), "h.example", frame),
            (b"caf\xe9 open".to_vec(), "h.example", "café open"),
            ("café ║".into(), "h.example", "café ║"),
            (
                b"utf8 \xc3\xa9 \xd0\x96 ok\r\nbad \xe9 end\r\ncaf\xe9 na\xefve\r\n".to_vec(),
                "h.example",
                "utf8 é Ж ok\r\nbad é end\r\ncafé naïve\r\n",
            ),
            (b"plain".to_vec(), "127.0.0.1", "plain"),
        ] {
            for part in [1, 7, 4096] {
                assert_eq!(drawn(&octets, part, host), expected, "in parts of {part}");
            }
        }
    }

    #[test]
    fn charset_that_is_set_draws_again_what_came() {
        let mut session = SessionCharset::new(CharsetSetting::Detected, "h.example");
        session.receive(b"\xc9\xcd\xbb");
        let again = session.set(CharsetSetting::Set(Charset::CP437)).unwrap();
        assert_eq!(String::from_utf8(again).unwrap(), "╔═╗");
        assert_eq!(session.encode("é".into()), b"\x82");
    }

    #[test]
    fn charset_is_set_again_after_a_mistake_and_nothing_is_drawn_from_nothing() {
        let set = |session: &mut SessionCharset, setting| {
            let text = session.set(setting)?;
            Some(String::from_utf8(text).unwrap())
        };
        let koi8 = Charset::named("koi8-r").unwrap();
        let octets = koi8.encode("привет, мир");
        for setting in [
            CharsetSetting::Detected,
            CharsetSetting::Set(Charset::CP437),
        ] {
            let mut session = SessionCharset::new(setting, "h.example.ru");
            assert_eq!(set(&mut session, CharsetSetting::Detected), None);
            assert_eq!(set(&mut session, setting), None);
            session.receive(&octets);
            set(&mut session, CharsetSetting::Set(Charset::CP437)).unwrap();
            session.receive(&octets);
            let text = set(&mut session, CharsetSetting::Set(koi8)).unwrap();
            assert_eq!(text, "привет, мирпривет, мир");
            let text = set(&mut session, CharsetSetting::Detected).unwrap();
            assert_eq!(text, "привет, мирпривет, мир");
            // The stored octets are limited.
            session.receive(&vec![b'x'; 2 * STORED_BYTES]);
            let text = set(&mut session, CharsetSetting::Set(koi8)).unwrap();
            assert_eq!(text.len(), STORED_BYTES);
        }
    }

    #[test]
    fn charset_is_detected_after_any_length_of_ascii() {
        let russian = "Добро пожаловать на наш сервер. Введите ваше имя и пароль:";
        let koi8 = Charset::named("koi8-r").unwrap().encode(russian);
        for ascii in [15_000, 17_000, 70_000] {
            let octets = ["plain text\r\n".repeat(ascii / 12).as_bytes(), &koi8].concat();
            for part in [1, 7, 4096] {
                let text = drawn(&octets, part, "h.example.ru");
                assert!(text.ends_with(russian), "after {ascii} in parts of {part}");
            }
        }
    }

    proptest! {
        /// Every octet above ASCII is on the screen as something.
        #[test]
        fn no_octet_is_dropped(octets in proptest::collection::vec(0x20_u8.., 0..300), part in 1..99_usize) {
            let text = drawn(&octets, part, "h.example");
            prop_assert!(octets.is_empty() || !text.is_empty());
        }
    }
}
