//! The Markdown of the manual, a subset: `# Title`, `## Section`, `### Part`, paragraphs, lists by `- `, code between
//! lines of three backquotes or indented by four blanks, and in the text `` `code` `` and `**bold**`. A paragraph or
//! item ends at a blank line or the next item; its lines are joined.

/// A block of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ManualBlock {
    /// A heading: level 1 is the title, 2 a section, 3 a part of one.
    Heading {
        /// The number of `#`.
        level: usize,
        /// The text.
        text: String,
    },
    /// A paragraph.
    Paragraph(Vec<ManualSpan>),
    /// An item of a list.
    Item(Vec<ManualSpan>),
    /// Lines of code, shown as they are.
    Code(Vec<String>),
}

/// A part of a paragraph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ManualSpan {
    /// Text.
    Plain(String),
    /// Keys, names, URLs and commands.
    Code(String),
    /// Emphasized text.
    Bold(String),
}

impl ManualSpan {
    /// The text without its style.
    pub fn text(&self) -> &str {
        match self {
            Self::Plain(text) | Self::Code(text) | Self::Bold(text) => text,
        }
    }
}

/// The indentation of code.
const INDENT: &str = "    ";

/// Parses a text into its blocks.
pub fn parse(text: &str) -> Vec<ManualBlock> {
    let mut blocks = Vec::new();
    let mut open = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let level = line.bytes().take_while(|&octet| octet == b'#').count();
        if line.starts_with("```") {
            close(&mut open, &mut blocks);
            let code = lines.by_ref().take_while(|line| !line.starts_with("```"));
            blocks.push(ManualBlock::Code(code.map(str::to_owned).collect()));
        } else if open.is_empty()
            && let Some(first) = line.strip_prefix(INDENT)
            && !first.trim().is_empty()
        {
            let is_code = |line: &&str| line.starts_with(INDENT) || line.trim().is_empty();
            let rest = std::iter::from_fn(|| lines.next_if(is_code));
            let rest = rest.map(|line| line.strip_prefix(INDENT).unwrap_or_default());
            let mut code: Vec<String> = std::iter::once(first)
                .chain(rest)
                .map(str::to_owned)
                .collect();
            while code.last().is_some_and(|line| line.trim().is_empty()) {
                code.pop();
            }
            blocks.push(ManualBlock::Code(code));
        } else if let 1..=3 = level
            && let Some(text) = line.trim_start_matches('#').strip_prefix(' ')
        {
            close(&mut open, &mut blocks);
            let text = text.to_owned();
            blocks.push(ManualBlock::Heading { level, text });
        } else if line.trim().is_empty() {
            close(&mut open, &mut blocks);
        } else {
            if line.starts_with("- ") {
                close(&mut open, &mut blocks);
            } else if !open.is_empty() {
                open.push(' ');
            }
            open.push_str(line.trim());
        }
    }
    close(&mut open, &mut blocks);
    blocks
}

/// Ends the open paragraph or item.
fn close(open: &mut String, blocks: &mut Vec<ManualBlock>) {
    if open.is_empty() {
        return;
    }
    blocks.push(match open.strip_prefix("- ") {
        Some(item) => ManualBlock::Item(spans(item)),
        None => ManualBlock::Paragraph(spans(open)),
    });
    open.clear();
}

/// Splits a text at its `` ` `` and `**`. One without its end is text.
fn spans(mut text: &str) -> Vec<ManualSpan> {
    let mut spans = Vec::new();
    let mut plain = String::new();
    while let Some(at) = text.find(['`', '*']) {
        let (before, rest) = text.split_at(at);
        plain.push_str(before);
        let mark = if rest.starts_with("**") { "**" } else { "`" };
        let inside = rest
            .strip_prefix(mark)
            .and_then(|rest| rest.split_once(mark));
        let Some((inside, after)) = inside else {
            let (mark, after) = rest.split_at(1);
            plain.push_str(mark);
            text = after;
            continue;
        };
        if !plain.is_empty() {
            spans.push(ManualSpan::Plain(std::mem::take(&mut plain)));
        }
        let inside = inside.to_owned();
        spans.push(match mark {
            "`" => ManualSpan::Code(inside),
            _ => ManualSpan::Bold(inside),
        });
        text = after;
    }
    plain.push_str(text);
    if !plain.is_empty() {
        spans.push(ManualSpan::Plain(plain));
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_end_at_blank_lines_items_and_headings() {
        let text = "# T\n\none\ntwo\n- a\n  b\n- c\n```\n - `x`\n```\n#hash\n";
        let plain = |text: &str| vec![ManualSpan::Plain(text.to_owned())];
        assert_eq!(
            parse(text),
            [
                ManualBlock::Heading {
                    level: 1,
                    text: "T".to_owned()
                },
                ManualBlock::Paragraph(plain("one two")),
                ManualBlock::Item(plain("a b")),
                ManualBlock::Item(plain("c")),
                ManualBlock::Code(vec![" - `x`".to_owned()]),
                ManualBlock::Paragraph(plain("#hash")),
            ]
        );
    }

    #[test]
    fn indented_lines_behind_a_blank_one_are_code() {
        let text = "one\n    two\n\n    a\n      b\n\n    c\n\nthree\n- d\n    e\n";
        let plain = |text: &str| vec![ManualSpan::Plain(text.to_owned())];
        assert_eq!(
            parse(text),
            [
                ManualBlock::Paragraph(plain("one two")),
                ManualBlock::Code(["a", "  b", "", "c"].map(str::to_owned).to_vec()),
                ManualBlock::Paragraph(plain("three")),
                ManualBlock::Item(plain("d e")),
            ]
        );
    }

    #[test]
    fn marks_without_an_end_are_text() {
        let spans = |text: &str| match parse(text).pop() {
            Some(ManualBlock::Paragraph(spans)) => spans,
            other => panic!("{other:?}"),
        };
        assert_eq!(
            spans("a `b *` **c** d"),
            [
                ManualSpan::Plain("a ".to_owned()),
                ManualSpan::Code("b *".to_owned()),
                ManualSpan::Plain(" ".to_owned()),
                ManualSpan::Bold("c".to_owned()),
                ManualSpan::Plain(" d".to_owned()),
            ]
        );
        assert_eq!(
            spans("2 * 3 ` 4 ** 5"),
            [ManualSpan::Plain("2 * 3 ` 4 ** 5".to_owned())]
        );
    }

    proptest::proptest! {
        #[test]
        fn parse_loses_no_word(text in "[a-z#`* \n-]{0,80}") {
            let _ = parse(&text);
            let words = text.replace(['#', '`', '*', '-', ' ', '\n'], "").len();
            let kept: usize = parse(&text).iter().map(|block| {
                let text = match block {
                    ManualBlock::Heading { text, .. } => text.clone(),
                    ManualBlock::Paragraph(spans) | ManualBlock::Item(spans) => spans.iter().map(ManualSpan::text).collect(),
                    ManualBlock::Code(lines) => lines.concat(),
                };
                text.chars().filter(char::is_ascii_lowercase).count()
            }).sum();
            // The rest of a line that opens code is its language, and a line that closes it is dropped.
            if !text.contains("```") {
                proptest::prop_assert_eq!(words, kept);
            }
        }
    }
}
