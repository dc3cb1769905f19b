//! The texts of errors of libraries: some of them show the names of types and their fields, which say little to a reader.

/// Returns the words of a text before the first name of a type with its fields, or the path of a type; None if there are none.
///
/// ```
/// use geomys_wire::text::words_before_types;
///
/// assert_eq!(words_before_types("invalid part: BadTag"), Some("invalid part: BadTag"));
/// assert_eq!(words_before_types("in ChunkType { type: IDAT }"), Some("in"));
/// assert_eq!(words_before_types("invalid part: Tag(7)"), Some("invalid part"));
/// assert_eq!(words_before_types("Tag(7)"), None);
/// ```
pub fn words_before_types(text: &str) -> Option<&str> {
    let is_brace = |(at, sign): (usize, char)| {
        let before = text.get(..at).unwrap_or_default();
        let follows_name =
            || before.ends_with(|letter: char| letter.is_alphanumeric() || letter == '_');
        match sign {
            '{' | '[' => true,
            '(' => follows_name(),
            ':' => before.ends_with(':'),
            _ => false,
        }
    };
    let Some((at, sign)) = text.char_indices().find(|at| is_brace(*at)) else {
        return Some(text.trim()).filter(|text| !text.is_empty());
    };
    let before = text.get(..at).unwrap_or_default();
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == ':';
    // A list has no name before it; a struct has one, and a blank between.
    let before = match sign {
        '[' => before,
        _ => before.trim_end().trim_end_matches(is_name),
    };
    Some(before.trim().trim_end_matches([':', ',']).trim_end()).filter(|text| !text.is_empty())
}
