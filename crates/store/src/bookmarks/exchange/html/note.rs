//! Text of a note in HTML, with the line breaks that its tags mean.

use super::super::pinboard::push_quote;

/// Text behind a `<DD>`. Line breaks of the file stay, as no program writes tags for all of them.
#[derive(Default)]
pub(super) struct NoteText {
    text: String,
    /// Offsets at which the open quotes begin.
    quotes: Vec<usize>,
    /// True behind a tag that breaks the line: a line break of the file that follows is the same one.
    is_broken: bool,
    /// True if the text ends with a line break of the file.
    ends_line: bool,
}

impl NoteText {
    pub(super) fn push(&mut self, words: &str) {
        let mut words = words;
        if self.is_broken {
            words = words.trim_start_matches([' ', '\t']);
            if words.is_empty() {
                return;
            }
            words = words.strip_prefix('\n').unwrap_or(words);
            self.is_broken = false;
        }
        self.text.push_str(words);
        if !words.is_empty() {
            self.ends_line = words.trim_end_matches([' ', '\t']).ends_with('\n');
        }
    }

    /// Breaks the line, at a `<BR>`.
    pub(super) fn break_line(&mut self) {
        if !self.ends_line {
            self.text.push('\n');
        }
        self.is_broken = true;
        self.ends_line = false;
    }

    /// Ends a paragraph: the next one is below a blank line.
    pub(super) fn break_paragraph(&mut self) {
        let end = self.text.trim_end().len();
        self.text.truncate(end);
        if !self.text.is_empty() {
            self.text.push_str("\n\n");
        }
        self.is_broken = true;
        self.ends_line = false;
    }

    pub(super) fn open_quote(&mut self) {
        self.quotes.push(self.text.len());
    }

    pub(super) fn close_quote(&mut self) {
        if let Some(start) = self.quotes.pop() {
            let quote = self.text.split_off(start.min(self.text.len()));
            push_quote(&quote, &mut self.text);
            self.is_broken = true;
        }
    }

    /// Returns the note. Blanks directly behind the tag are no indentation.
    pub(super) fn finish(mut self) -> String {
        while !self.quotes.is_empty() {
            self.close_quote();
        }
        self.text.trim_start_matches([' ', '\t']).to_owned()
    }
}
