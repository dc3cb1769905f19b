//! Elements inside a line that the text alone would lose: superscripts, subscripts, quotations, deleted text.

use super::LayoutBuilder;

/// An open superscript or subscript: its start in the current line.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenScript {
    is_super: bool,
    start: usize,
}

impl LayoutBuilder {
    /// Handles the start of an inline element. Returns false for any other element.
    pub(super) fn inline_start(&mut self, name: &str) -> bool {
        match name {
            "sup" | "sub" => {
                let start = self.line.as_ref().map_or(0, |line| line.text.len());
                let is_super = name == "sup";
                self.script = Some(OpenScript { is_super, start });
            }
            "q" => self.word("\""),
            "del" | "s" | "strike" => self.word("[deleted: "),
            _ => return false,
        }
        true
    }

    /// Handles the end of an inline element. Returns false for any other element.
    pub(super) fn inline_end(&mut self, name: &str) -> bool {
        match name {
            "sup" | "sub" => self.end_script(),
            "q" => self.word("\""),
            "del" | "s" | "strike" => self.word("]"),
            _ => return false,
        }
        true
    }

    /// Marks the text since the start of the open superscript or subscript: `2^10`, `2^(n+1)`, `x[1]`.
    fn end_script(&mut self) {
        let (Some(script), Some(line)) = (self.script.take(), &mut self.line) else {
            return;
        };
        let text = line.text.get(script.start..).unwrap_or_default();
        let is_bracketed = text.starts_with(['[', '(']);
        let is_ordinal = matches!(text, "st" | "nd" | "rd" | "th");
        let is_word = text.chars().all(|c| c.is_alphanumeric() || c == '-');
        let (before, after) = match script.is_super {
            _ if text.trim().is_empty() => return,
            true if is_ordinal => return,
            true if is_word || is_bracketed => ("^", ""),
            true => ("^(", ")"),
            false if is_bracketed => return,
            false => ("[", "]"),
        };
        line.text.insert_str(script.start, before);
        line.text.push_str(after);
        for (range, _) in &mut line.links {
            if range.start >= script.start {
                *range = range.start + before.len()..range.end + before.len();
            }
        }
        if let Some((_, start)) = &mut self.link
            && *start >= script.start
        {
            *start += before.len();
        }
    }
}
