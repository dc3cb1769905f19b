//! The charset of a page's lines that are not UTF-8.
//!
//! Such lines are sampled while the page arrives. The charset is detected from them once: when the page is complete, or
//! when the sample is large enough. So the letters of a row on the screen change at most once.

use geomys_wire::text::{Charset, CharsetSample, CharsetSetting, is_utf8};
use rfc1738::Url;

use super::raw::LineBuffer;
use super::rows::RowSource;

/// The charset of a page, its source, and the sample for its detection.
#[derive(Clone, Debug)]
pub(super) struct PageCharset {
    /// The selected charset, or automatic detection.
    pub(super) charset_setting: CharsetSetting,
    source: CharsetSource,
    /// The charset of the directory above: of a sample that is too small for detection it is the better guess.
    pub(super) prior: Option<Charset>,
    sample: CharsetSample,
    /// The number of line pieces that were scanned.
    scanned: usize,
    /// True if the last line, which may be incomplete and was not scanned, is ASCII.
    is_last_ascii: bool,
}

/// The source of the charset, when the user has not selected one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CharsetSource {
    /// The default charset applies.
    Default,
    /// The charset that the page declares.
    Declared(Charset),
    /// The charset detected from the lines.
    Detected(Charset),
}

impl PageCharset {
    pub(super) fn new(charset_setting: CharsetSetting) -> Self {
        Self {
            charset_setting,
            source: CharsetSource::Default,
            prior: None,
            sample: CharsetSample::default(),
            scanned: 0,
            is_last_ascii: true,
        }
    }

    /// The effective charset.
    pub(super) fn charset(&self) -> Charset {
        match self.charset_setting {
            CharsetSetting::Set(charset) => charset,
            CharsetSetting::Detected => match self.source {
                CharsetSource::Default => Charset::default(),
                CharsetSource::Declared(charset) | CharsetSource::Detected(charset) => charset,
            },
        }
    }

    /// Returns true if the charset was neither chosen nor declared.
    pub(super) fn is_detected(&self) -> bool {
        self.charset_setting == CharsetSetting::Detected && self.declared().is_none()
    }

    /// Returns the charset that the page declares.
    pub(super) fn declared(&self) -> Option<Charset> {
        match self.source {
            CharsetSource::Declared(charset) => Some(charset),
            CharsetSource::Default | CharsetSource::Detected(_) => None,
        }
    }

    /// Sets the charset that the page declares. Only the first declaration counts.
    pub(super) fn declare(&mut self, charset: Option<Charset>) {
        match (self.source, charset) {
            (CharsetSource::Default | CharsetSource::Detected(_), Some(charset)) => {
                self.source = CharsetSource::Declared(charset);
            }
            (CharsetSource::Declared(_), _) | (_, None) => {}
        }
    }

    /// Sets the charset that the escapes in the octets say.
    pub(super) fn detected_as(&mut self, charset: Charset) {
        self.source = CharsetSource::Detected(charset);
    }

    /// Sets the charset that a part of the page is in, whatever was declared or chosen.
    pub(super) fn declare_instead(&mut self, charset: Charset) {
        self.source = CharsetSource::Declared(charset);
        self.charset_setting = CharsetSetting::Detected;
    }

    /// Forgets the lines that were scanned.
    pub(super) fn forget_lines(&mut self) {
        self.sample = CharsetSample::default();
        (self.scanned, self.is_last_ascii) = (0, true);
    }

    /// Returns true if a line has arrived that is not UTF-8.
    pub(super) fn has_non_utf8(&self, raw: &LineBuffer) -> bool {
        !self.sample.is_empty() || (raw.pieces_from(self.scanned)).any(|line| !is_utf8(line))
    }

    /// Returns true if the charset is final, unless the user selects another.
    pub(super) fn is_settled(&self, raw: &LineBuffer) -> bool {
        match self.charset_setting {
            CharsetSetting::Set(_) => true,
            CharsetSetting::Detected => {
                self.source != CharsetSource::Default || !self.has_non_utf8(raw)
            }
        }
    }

    /// Scans new lines of `raw`. `is_ascii` is true if the new octets are all ASCII.
    pub(super) fn on_append(&mut self, raw: &LineBuffer, is_ascii: bool, url: &Url) {
        if self.sample.is_enough() {
            return;
        }
        // The last line may be incomplete: it is scanned when the next one has begun.
        let complete = raw.pieces().saturating_sub(1);
        if is_ascii && self.is_last_ascii {
            self.scanned = complete;
            return;
        }
        self.scan(raw, complete);
        self.is_last_ascii = raw.piece(complete).is_none_or(<[u8]>::is_ascii);
        if self.sample.is_enough() {
            self.detect(raw, url);
        }
    }

    /// Scans the remaining lines and detects the charset, when the page is complete.
    pub(super) fn finish(&mut self, raw: &LineBuffer, url: &Url) {
        self.scan(raw, raw.pieces());
        self.detect(raw, url);
    }

    /// Detects the charset from decoded lines, when the received lines are all UTF-8.
    pub(super) fn finish_decoded(&mut self, lines: &LineBuffer, url: &Url) {
        if self.sample.is_empty() {
            (lines.pieces_from(0)).for_each(|line| self.sample.add(line));
            self.detect(lines, url);
        }
    }

    fn detect(&mut self, raw: &LineBuffer, url: &Url) {
        if !self.is_settled(raw) {
            let prior = self.prior.filter(|prior| self.sample.fits(*prior));
            let detected = || self.sample.charset(country(url));
            self.source = CharsetSource::Detected(prior.unwrap_or_else(detected));
        }
    }

    fn scan(&mut self, raw: &LineBuffer, until: usize) {
        raw.pieces_from(self.scanned)
            .take(until.saturating_sub(self.scanned))
            .for_each(|line| self.sample.add(line));
        self.scanned = self.scanned.max(until);
    }
}

/// The last label of the host's name, which is often a country code.
pub fn country(url: &Url) -> Option<&str> {
    let host = url.base_parts().address()?.node();
    host.rsplit('.').find(|label| !label.is_empty())
}

/// The number of octets above ASCII in a line that are too few to tell another charset than the page's.
const FEW: usize = 4;

/// The charset of texts in a line that has its own: the one that its octets suggest, that of the page where they are
/// few. `label`, if it is a country, separates languages where the octets do not; else that of the server.
pub(super) fn own_charset(source: RowSource<'_>, texts: &[&[u8]], label: Option<&str>) -> Charset {
    if !source.is_detected {
        return source.charset;
    }
    let mut sample = CharsetSample::default();
    for text in texts {
        sample.add(text);
    }
    if sample.octets_above_ascii() < FEW {
        return source.charset;
    }
    let label = label.filter(|label| label.len() == 2);
    sample.charset(label.or_else(|| country(source.url)))
}
