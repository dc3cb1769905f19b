//! Dots at the start of lines (RFC 1436, section 3.7): a server may double them, and ends a text with a lone one.
//!
//! Servers differ: RFC 1436 says double, and all servers in use do not. So dots are taken out only where every line that
//! begins with a dot begins with two. From the first such line on a text is held back until it is known, or until it is
//! too long: then it stays as it came. A lone dot ends the text only when nothing follows it.

/// How much of a text is held back, in octets.
const HELD: usize = 16 * 1024 * 1024;

/// Whether dots at the start of lines may have been doubled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dots {
    /// It is a text: lines that begin with two dots lose one, where no line begins with one.
    #[default]
    Doubled,
    /// It is a file or a menu: no octet is touched but those of the final dot.
    Plain,
}

/// What is known of a server's way with dots.
#[derive(Debug)]
enum Seen {
    /// No line has begun with a dot.
    Nothing,
    /// Every line that began with a dot began with two; the text from the first of them on.
    Doubled(Vec<u8>),
    /// Dots are not doubled, or nobody can know any more.
    Single,
}

/// Takes doubled dots out of a text while it arrives, and the final dot off.
#[derive(Debug)]
pub struct Unstuff {
    seen: Seen,
    /// The most that is held back, in octets.
    most: usize,
    /// The beginning of a line that could be the end: nothing, `.`, `.CR`, `.CRLF` or `.LF`.
    line: Vec<u8>,
    /// The next octet continues a line.
    inside: bool,
}

impl Default for Unstuff {
    fn default() -> Self {
        Self::new(Dots::default())
    }
}

impl Unstuff {
    /// For text, or for octets that only may lose the final dot.
    pub fn new(dots: Dots) -> Self {
        Self {
            seen: match dots {
                Dots::Doubled => Seen::Nothing,
                Dots::Plain => Seen::Single,
            },
            most: HELD,
            line: Vec::new(),
            inside: false,
        }
    }

    /// The same, with no more than so many octets held back.
    #[must_use]
    pub fn holding(self, most: usize) -> Self {
        Self { most, ..self }
    }

    /// What is text of what has arrived.
    pub fn push(&mut self, octets: &[u8]) -> Vec<u8> {
        let mut text = Vec::with_capacity(octets.len() + 4);
        for piece in octets.split_inclusive(|&octet| octet == b'\n') {
            if self.inside {
                self.put(piece, &mut text);
                self.inside = piece.last() != Some(&b'\n');
                continue;
            }
            if self.line.ends_with(b"\n") {
                // More follows what looked like the end: it was a line.
                let line = std::mem::take(&mut self.line);
                self.put_line(&line, &mut text);
            }
            self.line.extend_from_slice(piece);
            if !matches!(self.line.as_slice(), b"." | b".\r" | b".\r\n" | b".\n") {
                let line = std::mem::take(&mut self.line);
                self.inside = line.last() != Some(&b'\n');
                self.put_line(&line, &mut text);
            }
        }
        text
    }

    /// Takes a line, or as much of its beginning as tells how it begins.
    fn put_line(&mut self, line: &[u8], text: &mut Vec<u8>) {
        if line.starts_with(b"..") {
            if matches!(self.seen, Seen::Nothing) {
                self.seen = Seen::Doubled(Vec::new());
            }
        } else if line.starts_with(b".") {
            self.give_up(text);
        }
        self.put(line, text);
    }

    fn put(&mut self, octets: &[u8], text: &mut Vec<u8>) {
        match &mut self.seen {
            Seen::Nothing | Seen::Single => text.extend_from_slice(octets),
            Seen::Doubled(held) => {
                held.extend_from_slice(octets);
                if held.len() > self.most {
                    self.give_up(text);
                }
            }
        }
    }

    /// What is held back is text as it came, and so is all that follows.
    fn give_up(&mut self, text: &mut Vec<u8>) {
        if let Seen::Doubled(held) = std::mem::replace(&mut self.seen, Seen::Single) {
            text.extend(held);
        }
    }

    /// Whether a lone dot, which could be the end, is the last that came.
    pub fn is_at_dot(&self) -> bool {
        matches!(self.line.as_slice(), b"." | b".\r\n" | b".\n")
    }

    /// What was held back, now that nothing follows. A final dot is no text; a `.CR` at the very end is.
    pub fn finish(mut self) -> Vec<u8> {
        let mut text = Vec::new();
        if self.line == b".\r" {
            let line = std::mem::take(&mut self.line);
            self.put_line(&line, &mut text);
        }
        if let Seen::Doubled(held) = &self.seen {
            for line in held.split_inclusive(|&octet| octet == b'\n') {
                text.extend_from_slice(line.strip_prefix(b".").unwrap_or(line));
            }
        }
        text
    }
}
