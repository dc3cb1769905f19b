//! Documents of WAIS. Texts become modern ones: without the codes of the first clients for marked words, and with
//! converted line ends. Sources, the descriptions of databases, become menus with a link to the database.

use geomys_wire::protocol::wais::{WaisSource, source};
use rfc1738::{Url, encoded};

use crate::words::{MenuBuilder, text};
use crate::{PageHead, Sink, Stop};
use geomys_page::document::Shape;

/// A filter for a text while it arrives.
#[derive(Debug, Default)]
pub(super) struct TextCleaner {
    /// The state of an escape sequence, whose octets are removed.
    escape: EscapeState,
    /// True if the last octet was a CR, which was sent as a line end.
    ended: bool,
}

#[derive(Clone, Copy, Debug, Default)]
enum EscapeState {
    #[default]
    None,
    Begun,
    /// The number of octets that still belong to the escape sequence.
    Within(u8),
}

impl TextCleaner {
    /// Filters the next octets: removes ESC with `(` or `)`, and any other ESC with the four octets after it; converts
    /// CR, and CRLF, to LF.
    pub(super) fn text(&mut self, octets: &[u8]) -> Vec<u8> {
        let mut text = Vec::with_capacity(octets.len());
        for &octet in octets {
            let ended = std::mem::take(&mut self.ended);
            if ended && octet == b'\n' {
                continue;
            }
            self.escape = match (self.escape, octet) {
                (EscapeState::None, 0x1B) => EscapeState::Begun,
                (EscapeState::None, b'\r') => {
                    text.push(b'\n');
                    self.ended = true;
                    EscapeState::None
                }
                (EscapeState::None, octet) => {
                    text.push(octet);
                    EscapeState::None
                }
                (EscapeState::Begun, b'(' | b')') | (EscapeState::Within(1), _) => {
                    EscapeState::None
                }
                (EscapeState::Begun, _) => EscapeState::Within(3),
                (EscapeState::Within(left), _) => EscapeState::Within(left.saturating_sub(1)),
            };
        }
        text
    }
}

/// Shows a source; an invalid one is shown as a text.
pub(super) async fn show(octets: Vec<u8>, sink: &mut Sink) -> Result<(), Stop> {
    let found = source(&octets).and_then(|place| Some((url(&place)?, place)));
    let Some((url, place)) = found else {
        sink.begin(PageHead::new(Shape::Text)).await?;
        return sink.octets(octets).await;
    };
    let title = text(&place.database);
    sink.begin(PageHead::new(Shape::Menu).with_title(title))
        .await?;
    sink.octets(menu(&url, &place)).await
}

fn url(place: &WaisSource) -> Option<Url> {
    let host = std::str::from_utf8(&place.host).ok()?;
    Url::on_server("wais", host, place.port, &encoded(&place.database)).ok()
}

fn menu(url: &Url, place: &WaisSource) -> Vec<u8> {
    let mut menu = MenuBuilder::default();
    menu.link(b'7', &[b"Search ", &*place.database].concat(), url);
    menu.say(b"");
    let description = place.description.trim_ascii_end();
    for line in description.split(|&octet| octet == b'\n') {
        menu.say(line.strip_suffix(b"\r").unwrap_or(line));
    }
    if !place.maintainer.is_empty() {
        menu.say(b"");
        menu.say(&[b"Maintained by ", &*place.maintainer].concat());
    }
    menu.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_go_and_lines_end() {
        let text = |octets: &[u8]| TextCleaner::default().text(octets);
        assert_eq!(text(b"a\x1b(bold\x1b) b\rc\r\nd\n"), b"abold b\nc\nd\n");
        assert_eq!(text(b"a\x1bABCDb\n"), b"ab\n");
        assert_eq!(text(b"a\x1bAB"), b"a");
    }

    proptest::proptest! {
        #[test]
        fn the_result_is_the_same_for_any_split(octets in "[a\x1b()\r\n]{0,40}", cut in 0..40_usize) {
            let (first, second) = octets.as_bytes().split_at(cut.min(octets.len()));
            let mut clean = TextCleaner::default();
            let both = [clean.text(first), clean.text(second)].concat();
            proptest::prop_assert_eq!(both, TextCleaner::default().text(octets.as_bytes()));
        }
    }
}
