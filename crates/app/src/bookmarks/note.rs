//! Notes with several lines, typed as one line of input.

/// Splits one line of input into the lines of a note: a `|` between blanks begins the next line. `\|` is a literal bar.
pub(crate) fn note_lines(typed: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in typed.split_inclusive(char::is_whitespace) {
        let bare = word.trim_end();
        match lines.last_mut() {
            Some(_) if bare == "|" => lines.push(String::new()),
            Some(line) if is_bar(bare) => line.push_str(word.strip_prefix('\\').unwrap_or(word)),
            Some(line) => line.push_str(word),
            None => {}
        }
    }
    let lines = lines.iter().map(|line| line.trim_end().to_owned());
    let mut lines: Vec<String> = lines.skip_while(String::is_empty).collect();
    while lines.pop_if(|line| line.is_empty()).is_some() {}
    lines
}

/// Joins the lines of a note into one line of input.
pub(crate) fn note_typed<'a>(lines: impl IntoIterator<Item = &'a str>) -> String {
    let mut typed = String::new();
    for (number, line) in lines.into_iter().enumerate() {
        if number > 0 {
            typed.push_str(" | ");
        }
        for word in line.split_inclusive(char::is_whitespace) {
            if is_bar(word.trim_end()) {
                typed.push('\\');
            }
            typed.push_str(word);
        }
    }
    typed
}

/// Returns true if a word is a `|`, with any escapes.
fn is_bar(word: &str) -> bool {
    word.strip_suffix('|')
        .is_some_and(|before| before.bytes().all(|octet| octet == b'\\'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_bar_within_a_note_stays_in_it() {
        for (typed, lines) in [
            ("one | two", vec!["one", "two"]),
            ("a|b c| |d", vec!["a|b c| |d"]),
            ("a \\| b | c", vec!["a | b", "c"]),
            (" | ", vec![]),
            ("one | | two", vec!["one", "", "two"]),
            ("one |   two | ", vec!["one", "  two"]),
        ] {
            assert_eq!(note_lines(typed), lines, "{typed}");
        }
    }

    proptest! {
        #[test]
        fn notes_are_typed_as_they_are(
            mut lines in prop::collection::vec(r"[ ]{0,2}[a|\\]([a|\\ ]{0,6}[a|\\])?|", 0..4),
        ) {
            lines = lines.into_iter().skip_while(String::is_empty).collect();
            while lines.pop_if(|line| line.is_empty()).is_some() {}
            prop_assert_eq!(note_lines(&note_typed(lines.iter().map(String::as_str))), lines);
        }
    }
}
