//! Dots at the start of lines (RFC 1436, section 3.7): a server may double them, and ends a text with a lone one.
//!
//! RFC 1436 requires doubling, but servers in use do not do it. So dots are removed only if every line that begins with
//! a dot begins with two. From the first such line on, the text is buffered until that is certain, or until it is too
//! long: then it stays unchanged. A lone dot ends the text only if nothing follows it.

/// The most octets of a text that are buffered.
const MAX_BUFFERED_BYTES: usize = 16 * 1024 * 1024;

/// The treatment of dots at the start of lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DotStuffing {
    /// Text: lines that begin with two dots lose one, unless a line begins with a single dot.
    #[default]
    Doubled,
    /// A file or a menu: only the final dot is removed.
    Plain,
}

/// The state of the detection of doubled dots.
#[derive(Debug)]
enum StuffingState {
    /// No line has begun with a dot.
    NoDots,
    /// Every line that began with a dot began with two; with the buffered text from the first of them on.
    Doubled(Vec<u8>),
    /// Dots are not doubled, or it cannot be determined any more.
    Single,
}

/// A filter that removes doubled dots and the final dot from a text while it arrives.
#[derive(Debug)]
pub struct DotUnstuffer {
    state: StuffingState,
    /// The most octets that are buffered.
    max: usize,
    /// The start of a line that could be the final dot ([`is_final_dot`]), or empty.
    line: Vec<u8>,
    /// The next octet continues a line.
    inside: bool,
}

impl Default for DotUnstuffer {
    fn default() -> Self {
        Self::new(DotStuffing::default())
    }
}

impl DotUnstuffer {
    /// Creates a filter for text, or for octets that may lose only the final dot.
    pub fn new(dots: DotStuffing) -> Self {
        Self {
            state: match dots {
                DotStuffing::Doubled => StuffingState::NoDots,
                DotStuffing::Plain => StuffingState::Single,
            },
            max: MAX_BUFFERED_BYTES,
            line: Vec::new(),
            inside: false,
        }
    }

    /// Sets the most octets that are buffered.
    #[must_use]
    pub fn with_max_buffer(self, max: usize) -> Self {
        Self { max, ..self }
    }

    /// Filters the next octets and returns the text that is complete.
    pub fn push(&mut self, octets: &[u8]) -> Vec<u8> {
        let mut text = Vec::with_capacity(octets.len() + 4);
        for mut piece in octets.split_inclusive(|&octet| octet == b'\n') {
            if let Some(rest) = piece.strip_prefix(b"\0")
                && !self.inside
                && self.line.is_empty()
            {
                // The other half of a line end in UTF-16: the server has put its dot behind it.
                self.put(b"\0", &mut text);
                piece = rest;
            }
            if self.inside {
                self.put(piece, &mut text);
                self.inside = piece.last() != Some(&b'\n');
                continue;
            }
            if self.line.ends_with(b"\n") {
                // More octets follow: the lone dot was not the end.
                let line = std::mem::take(&mut self.line);
                self.put_line(&line, &mut text);
            }
            self.line.extend_from_slice(piece);
            if !is_final_dot(&self.line) {
                let line = std::mem::take(&mut self.line);
                self.inside = line.last() != Some(&b'\n');
                self.put_line(&line, &mut text);
            }
        }
        text
    }

    /// Filters a line, or at least its first octets.
    fn put_line(&mut self, line: &[u8], text: &mut Vec<u8>) {
        if line.starts_with(b"..") {
            if matches!(self.state, StuffingState::NoDots) {
                self.state = StuffingState::Doubled(Vec::new());
            }
        } else if line.starts_with(b".") {
            self.stop_buffering(text);
        }
        self.put(line, text);
    }

    fn put(&mut self, octets: &[u8], text: &mut Vec<u8>) {
        match &mut self.state {
            StuffingState::NoDots | StuffingState::Single => text.extend_from_slice(octets),
            StuffingState::Doubled(buffered) => {
                buffered.extend_from_slice(octets);
                if buffered.len() > self.max {
                    self.stop_buffering(text);
                }
            }
        }
    }

    /// Returns the buffered text unchanged; later text is unchanged too.
    fn stop_buffering(&mut self, text: &mut Vec<u8>) {
        if let StuffingState::Doubled(buffered) =
            std::mem::replace(&mut self.state, StuffingState::Single)
        {
            text.extend(buffered);
        }
    }

    /// Returns true if the last line is a lone dot, which could be the end.
    pub fn is_at_dot(&self) -> bool {
        self.line == b"." || self.is_at_whole_dot()
    }

    /// Returns true if the last line is a lone dot with its line end.
    pub fn is_at_whole_dot(&self) -> bool {
        self.line.ends_with(b"\n") && is_final_dot(&self.line)
    }

    /// Ends the text and returns the buffered rest. A final dot is removed; `.CR` at the very end is text.
    pub fn finish(mut self) -> Vec<u8> {
        let mut text = Vec::new();
        if self.line.ends_with(b"\r") {
            let line = std::mem::take(&mut self.line);
            self.put_line(&line, &mut text);
        }
        if let StuffingState::Doubled(buffered) = &self.state {
            for line in buffered.split_inclusive(|&octet| octet == b'\n') {
                text.extend_from_slice(line.strip_prefix(b".").unwrap_or(line));
            }
        }
        text
    }
}

/// Returns true for a line that can be the final dot, with its line end or a part of it: `.`, `.CRLF`, `.LF`, or with a
/// doubled CR. The line ends the reply if nothing follows it.
pub fn is_final_dot(line: &[u8]) -> bool {
    matches!(
        line,
        b"." | b".\r" | b".\r\r" | b".\n" | b".\r\n" | b".\r\r\n"
    )
}

/// Returns a text without its final dot.
pub fn without_final_dot(text: &[u8]) -> &[u8] {
    let before = text.strip_suffix(b"\n").unwrap_or(text);
    let start = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
    match text.split_at_checked(start) {
        Some((lines, last)) if is_final_dot(last) => lines,
        Some(_) | None => text,
    }
}

/// The last octets of a reply, as many as are needed to recognise the final dot.
#[derive(Debug, Default)]
pub struct ReplyTail(Vec<u8>);

impl ReplyTail {
    const MAX_OCTETS: usize = b"\n.\r\r\n".len();

    /// Appends the next octets of the reply.
    pub fn push(&mut self, octets: &[u8]) {
        let skip = octets.len().saturating_sub(Self::MAX_OCTETS);
        self.0.extend(octets.iter().skip(skip));
        let over = self.0.len().saturating_sub(Self::MAX_OCTETS);
        self.0.drain(..over);
    }

    /// Returns true if the last line is a final dot with its line end.
    pub fn is_dot(&self) -> bool {
        let Some(before) = self.0.strip_suffix(b"\n") else {
            // A text of an old Mac.
            return self.0.ends_with(b"\r.\r");
        };
        let line = match memchr::memrchr(b'\n', before) {
            Some(end) => before.get(end + 1..),
            // The whole reply.
            None => (self.0.len() < Self::MAX_OCTETS).then_some(before),
        };
        line.is_some_and(is_final_dot)
    }
}
