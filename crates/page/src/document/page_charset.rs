//! The charset of a page's lines that are not UTF-8.
//!
//! Such lines are sampled while the page arrives. The charset is detected from them once: when the page is complete, or
//! when the sample is large enough. So the letters of a row on the screen change at most once.

use geomys_wire::text::{Charset, CharsetSample, CharsetSetting};
use rfc1738::Url;

use super::raw::LineBuffer;

/// The charset of a page, its source, and the sample for its detection.
#[derive(Clone, Debug)]
pub(super) struct PageCharset {
    /// The selected charset, or automatic detection.
    pub(super) charset_setting: CharsetSetting,
    source: CharsetSource,
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

    /// Returns true if a line has arrived that is not UTF-8.
    pub(super) fn has_non_utf8(&self, raw: &LineBuffer) -> bool {
        !self.sample.is_empty()
            || (raw.pieces_from(self.scanned)).any(|line| std::str::from_utf8(line).is_err())
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
            self.source = CharsetSource::Detected(self.sample.charset(country(url)));
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
fn country(url: &Url) -> Option<&str> {
    let host = url.base_parts().address()?.node();
    host.rsplit('.').find(|label| !label.is_empty())
}
