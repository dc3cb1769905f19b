//! The manual's Markdown as roff for man(7).

use std::io::{self, Write};

use crate::app::manual::{ManualBlock, ManualSpan};

/// Writes blocks, except the title of the text: the page has its own. Text below the title is the description.
pub(super) fn write(blocks: &[ManualBlock], out: &mut impl Write) -> io::Result<()> {
    let mut blocks = blocks.iter().peekable();
    while let Some(block) = blocks.next() {
        match block {
            ManualBlock::Heading { level: 1, .. } => {
                if !matches!(blocks.peek(), None | Some(ManualBlock::Heading { .. })) {
                    writeln!(out, ".SH DESCRIPTION")?;
                }
            }
            ManualBlock::Heading { level: 2, text } => writeln!(out, ".SH {}", heading(text))?,
            ManualBlock::Heading { text, .. } => writeln!(out, ".SS {}", heading(text))?,
            ManualBlock::Paragraph(spans) => writeln!(out, ".PP\n{}", line(spans))?,
            ManualBlock::Item(spans) => writeln!(out, ".IP \\(bu 2\n{}", line(spans))?,
            ManualBlock::Code(lines) => {
                writeln!(out, ".PP\n.RS 4\n.nf")?;
                for line in lines {
                    writeln!(out, "{}", escape(line))?;
                }
                writeln!(out, ".fi\n.RE")?;
            }
        }
    }
    Ok(())
}

/// The text of a heading as one argument of a macro.
fn heading(text: &str) -> String {
    format!("\"{}\"", escape(text).replace('"', "\\(dq"))
}

fn line(spans: &[ManualSpan]) -> String {
    let parts = spans.iter().map(|span| match span {
        ManualSpan::Plain(text) => escape_inside(text),
        ManualSpan::Code(text) | ManualSpan::Bold(text) => {
            format!("\\fB{}\\fR", escape_inside(text))
        }
    });
    let line: String = parts.collect();
    protect(line)
}

/// Escapes a line of text.
pub(super) fn escape(text: &str) -> String {
    protect(escape_inside(text))
}

/// Prevents a line from being a request of roff.
fn protect(line: String) -> String {
    if line.starts_with(['.', '\'']) {
        return format!("\\&{line}");
    }
    line
}

fn escape_inside(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\\' => escaped.push_str("\\(rs"),
            '-' => escaped.push_str("\\-"),
            '\'' => escaped.push_str("\\(aq"),
            '`' => escaped.push_str("\\(ga"),
            '^' => escaped.push_str("\\(ha"),
            '~' => escaped.push_str("\\(ti"),
            _ => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use crate::app::manual::parse;

    fn roff(text: &str) -> String {
        let mut out = Vec::new();
        super::write(&parse(text), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn text_at_the_start_of_a_line_is_no_request() {
        assert_eq!(roff(".so /etc/passwd\n"), ".PP\n\\&.so /etc/passwd\n");
        let code = roff("```\n.x 'a' \\n\n```\n");
        assert_eq!(
            code,
            ".PP\n.RS 4\n.nf\n\\&.x \\(aqa\\(aq \\(rsn\n.fi\n.RE\n"
        );
    }

    #[test]
    fn headings_items_and_code_have_their_macros() {
        assert_eq!(
            roff("# T\n## A \"b\"\n- `-x`: y~\n"),
            ".SH \"A \\(dqb\\(dq\"\n.IP \\(bu 2\n\\fB\\-x\\fR: y\\(ti\n"
        );
    }
}
