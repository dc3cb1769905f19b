//! The charset of a session: the one that the user has set, else what the octets are.
//!
//! While nothing is sure, the octets are stored. At the first octet above ASCII they are judged as the lines of a text
//! are, and again as more of them come; when the judgement changes, the screen is drawn again from them.

use std::borrow::Cow;

use geomys_wire::text::{Charset, CharsetDecoder, CharsetSample, CharsetSetting, is_utf8};

/// The number of octets after which each further judgement comes; up to it every part is judged.
const JUDGED_BYTES: usize = 4 * 1024;

/// The number of octets after which the charset is sure.
const SURE_BYTES: usize = 16 * 1024;

/// The charset of a session.
#[derive(Default)]
pub(super) struct SessionCharset {
    /// The charset and its decoder; None for ASCII and UTF-8.
    decoder: Option<(Charset, CharsetDecoder)>,
    /// The octets so far, while the charset is not sure.
    unsure: Option<Vec<u8>>,
    /// The number of octets at the last judgement.
    judged: usize,
    /// The last label of the host name, as `ru`, which separates languages.
    label: Option<String>,
}

/// What received octets are.
pub(super) enum Received<'a> {
    /// Text to draw, in UTF-8.
    Text(Cow<'a, [u8]>),
    /// The text before the octets, to be drawn on a new screen as it is in another charset, and the text of the octets.
    Again(Vec<u8>, Vec<u8>),
}

impl SessionCharset {
    /// Creates the charset of a session with a host.
    pub(super) fn new(setting: CharsetSetting, host: &str) -> Self {
        let label = host.rsplit('.').next().filter(|_| host.contains('.'));
        let new = Self {
            label: label.map(str::to_owned),
            ..Self::default()
        };
        match setting {
            CharsetSetting::Detected => Self {
                unsure: Some(Vec::new()),
                ..new
            },
            CharsetSetting::Set(charset) => Self {
                decoder: Some((charset, charset.decoder())),
                ..new
            },
        }
    }

    /// Changes the charset, as the user has set it. Octets that are stored are drawn again.
    pub(super) fn set(&mut self, setting: CharsetSetting) -> Option<Vec<u8>> {
        let octets = self.unsure.take();
        self.judged = 0;
        match setting {
            CharsetSetting::Detected => {
                let octets = octets.unwrap_or_default();
                let charset = self.judgement(&octets);
                self.decoder = charset.map(|charset| (charset, charset.decoder()));
                let text = self.decoded(&octets).into_owned();
                self.unsure = Some(octets);
                Some(text)
            }
            CharsetSetting::Set(charset) => {
                self.decoder = Some((charset, charset.decoder()));
                octets.map(|octets| self.decoded(&octets).into_owned())
            }
        }
    }

    /// The charset of the session; None while it is ASCII or UTF-8.
    pub(super) fn charset(&self) -> Option<Charset> {
        self.decoder.as_ref().map(|(charset, _)| *charset)
    }

    /// Takes received octets.
    pub(super) fn receive<'a>(&mut self, octets: &'a [u8]) -> Received<'a> {
        let Some(mut all) = self.unsure.take() else {
            return Received::Text(self.decoded(octets));
        };
        let before = all.len();
        let was_ascii = all.is_ascii();
        all.extend_from_slice(octets);
        if all.is_ascii() {
            // Nothing is known yet.
            let over = all.len().saturating_sub(SURE_BYTES);
            all.drain(..over);
            self.unsure = Some(all);
            return Received::Text(Cow::Borrowed(octets));
        }
        let mut received = None;
        if all.len() <= JUDGED_BYTES || all.len() >= self.judged + JUDGED_BYTES {
            self.judged = all.len();
            let charset = self.judgement(&all);
            if charset != self.charset() {
                self.decoder = charset.map(|charset| (charset, charset.decoder()));
                let start = all.get(..before).filter(|_| !was_ascii);
                let start = start.map(|start| self.decoded(start).into_owned());
                received = start.map(|start| (start, self.decoded(octets).into_owned()));
            }
        }
        let received = received.map_or_else(
            || Received::Text(self.decoded(octets)),
            |(before, new)| Received::Again(before, new),
        );
        if all.len() < SURE_BYTES {
            self.unsure = Some(all);
        } else if self.decoder.is_none() {
            // From here on no octet is lost that is no UTF-8.
            let utf_8 = Charset::utf_8();
            self.decoder = Some((utf_8, utf_8.decoder()));
        }
        received
    }

    /// Judges octets that are not ASCII; None if they are UTF-8 without a fault.
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

    /// Decodes octets to UTF-8. Without a charset they are UTF-8.
    fn decoded<'a>(&mut self, octets: &'a [u8]) -> Cow<'a, [u8]> {
        match &mut self.decoder {
            None => Cow::Borrowed(octets),
            Some((_, decoder)) => Cow::Owned(decoder.decode(octets).into_bytes()),
        }
    }

    /// Encodes the octets of keys, which are UTF-8.
    pub(super) fn encode(&self, keys: Vec<u8>) -> Vec<u8> {
        match self.charset() {
            None => keys,
            Some(charset) => charset.encode(&String::from_utf8_lossy(&keys)),
        }
    }
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
        String::from_utf8_lossy(&text).into_owned()
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

    proptest! {
        /// Every octet above ASCII is on the screen as something.
        #[test]
        fn no_octet_is_dropped(octets in proptest::collection::vec(0x20_u8.., 0..300), part in 1..99_usize) {
            let text = drawn(&octets, part, "h.example");
            prop_assert!(octets.is_empty() || !text.is_empty());
        }
    }
}
