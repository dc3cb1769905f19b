//! The files that a style sheet names (CSS Syntax Module Level 3, section 4.3):
//!
//! ```text
//! url(a.png)  url("a.png")  @import "b.css";
//! ```
//!
//! Comments and other strings name none.

/// Returns the references in a style sheet, or in the style of an element, in their order. Files that stand in the
/// sheet itself (`data:`) are left out, and so are parts of the page (`url(#gradient)`).
pub fn css_references(css: &str) -> Vec<String> {
    let mut found = Vec::new();
    let (mut rest, mut is_import) = (css, false);
    while let Some(first) = rest.chars().next() {
        if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").map_or("", |(_, after)| after);
        } else if let Some(import) = after_word(rest, "@import") {
            (rest, is_import) = (import, true);
        } else if let Some(argument) = after_word(rest, "url(") {
            let argument = argument.trim_start();
            let (reference, after) = match argument.chars().next() {
                Some(quote @ ('"' | '\'')) => string(argument, quote),
                _ => {
                    let (reference, after) = argument.split_once(')').unwrap_or((argument, ""));
                    (reference.trim().to_owned(), after)
                }
            };
            found.push(reference);
            (rest, is_import) = (after, false);
        } else if matches!(first, '"' | '\'') {
            let (text, after) = string(rest, first);
            found.extend(is_import.then_some(text));
            (rest, is_import) = (after, false);
        } else {
            is_import &= first.is_whitespace();
            rest = rest.get(first.len_utf8()..).unwrap_or_default();
        }
    }
    found.retain(|reference| {
        !reference.is_empty() && !reference.starts_with("data:") && !reference.starts_with('#')
    });
    found
}

/// Returns what follows a word of ASCII, in any letter case.
fn after_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let (beginning, rest) = text.split_at_checked(word.len())?;
    beginning.eq_ignore_ascii_case(word).then_some(rest)
}

/// Returns the string that begins a text, without its quotes and escapes, and what follows it.
fn string(text: &str, quote: char) -> (String, &str) {
    let mut letters = text.char_indices().skip(1);
    let mut string = String::new();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => string.extend(letters.next().map(|(_, letter)| letter)),
            letter if letter == quote || letter == '\n' => {
                let after = text.get(at + letter.len_utf8()..);
                return (string, after.unwrap_or_default());
            }
            letter => string.push(letter),
        }
    }
    (string, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_style_sheet_are_found_and_comments_and_strings_are_not() {
        let css = "@charset \"utf-8\"; @import 'a.css'; @IMPORT url(b.css) screen;\n/* url(no.png) */\n\
            p { background: URL( \"c d.png\" ) no-repeat, url('e\\'f.png'); content: \"url(no.png)\" }\n\
            @font-face { src: local(x), url(g.woff) format('woff') } i { background: url(data:image/png;base64,AA) }\n\
            @import\n\"h.css\"; s { fill: url(#g) } b { background: url(i.png";
        assert_eq!(
            css_references(css),
            [
                "a.css", "b.css", "c d.png", "e'f.png", "g.woff", "h.css", "i.png"
            ]
        );
    }

    #[test]
    fn damaged_style_sheets_name_what_they_can() {
        assert_eq!(css_references("@import \"a.css"), ["a.css"]);
        assert_eq!(css_references("/* @import \"a.css\""), Vec::<String>::new());
        assert_eq!(css_references("é url(ü.png) \"\\"), ["ü.png"]);
        assert_eq!(css_references("url("), Vec::<String>::new());
    }
}
