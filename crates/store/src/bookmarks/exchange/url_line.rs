//! Line with one URL and words before or behind it: quickmarks and lftp (`name URL`), lists of links (`URL title`,
//! `URL | title`, `title: URL`). Blanks delimit the URL, so all of its word belongs to it.

use rfc1738::leading_scheme;

/// Signs between a URL and its words.
const SIGNS: [char; 6] = ['-', '–', '—', ':', '|', ','];

/// Signs in front of a list item.
const ITEMS: [&str; 4] = ["- ", "* ", "+ ", "• "];

/// Line with a URL.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct UrlLine<'a> {
    pub(super) url: &'a str,
    /// Words before or behind the URL, without the signs around them.
    pub(super) words: &'a str,
    /// Words that begin with `#` at the end of a line that the URL begins.
    pub(super) tags: Vec<&'a str>,
}

impl<'a> UrlLine<'a> {
    /// Parses a line whose first or last word is its only URL; `None` for other lines, and for one that reads like a
    /// sentence.
    pub(super) fn parse(line: &'a str) -> Option<Self> {
        Self::in_list(line).filter(|parsed| {
            let is_end = parsed.url.ends_with(['.', ',', ';', ')', '>', '"', '\'']);
            let is_last = line.trim_end().ends_with(parsed.url);
            !(is_end && is_last && parsed.words.contains(char::is_whitespace))
        })
    }

    /// Parses a line of a list: its first or last word is its only URL. `None` for other lines.
    pub(super) fn in_list(line: &'a str) -> Option<Self> {
        let line = line.trim();
        let item = ITEMS.iter().find_map(|sign| line.strip_prefix(sign));
        let line = item.map_or(line, str::trim_start);
        let first = line.split_whitespace().next()?;
        let last = line.split_whitespace().next_back()?;
        let is_own = |rest: &str| !rest.split_whitespace().any(|word| word.contains("://"));
        if Self::is_url(first) {
            let rest = line.strip_prefix(first)?;
            let (words, tags) = split_tags(rest);
            return is_own(rest).then(|| Self {
                url: first,
                words: words.trim_start().trim_start_matches(SIGNS).trim(),
                tags,
            });
        }
        let before = line.strip_suffix(last)?.trim();
        let is_line = Self::is_url(last) && is_own(before);
        is_line.then(|| Self {
            url: last,
            words: before.trim_end_matches(SIGNS).trim(),
            tags: Vec::new(),
        })
    }
}

impl UrlLine<'_> {
    /// Returns true for a word that begins with a scheme and has an authority.
    pub(super) fn is_url(word: &str) -> bool {
        leading_scheme(word).is_some_and(|scheme| {
            let rest = word.get(scheme.len()..).unwrap_or_default();
            let host = rest.strip_prefix("://").unwrap_or_default();
            !host.is_empty() && !word.contains(char::is_whitespace)
        })
    }
}

/// Splits the words that begin with `#` off the end of a text.
fn split_tags(text: &str) -> (&str, Vec<&str>) {
    let mut text = text.trim();
    let mut tags = Vec::new();
    while let Some(last) = text.split_whitespace().next_back()
        && let Some(tag) = last.strip_prefix('#').filter(|tag| !tag.is_empty())
        && let Some(before) = text.strip_suffix(last)
    {
        tags.insert(0, tag);
        text = before.trim_end();
    }
    (text, tags)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The word of the URL is whole, whatever its last characters are.
        #[test]
        fn url_of_a_line_is_whole(
            path in "[!-~é日]{0,12}[!\"':;?*_~]{0,2}",
            name in "[a-z]{1,6}( [a-z]{1,6}){0,2}",
        ) {
            let url = format!("https://h.example/{path}");
            prop_assume!(!path.contains("://"));
            let words = name.as_str();
            for line in [format!("{url} {name}"), format!("{url} | {name}"), format!("{url}\t{name} #a")] {
                let parsed = UrlLine::parse(&line).map(|line| (line.url.to_owned(), line.words.to_owned()));
                prop_assert_eq!(parsed, Some((url.clone(), words.to_owned())));
            }
            prop_assume!(!url.ends_with(['.', ',', ';', ')', '>', '"', '\'']));
            for line in [format!("{name} {url}"), format!("- {name}: {url}  ")] {
                let parsed = UrlLine::parse(&line).map(|line| (line.url.to_owned(), line.words.to_owned()));
                prop_assert_eq!(parsed, Some((url.clone(), words.to_owned())));
            }
        }
    }

    #[test]
    fn sentences_are_no_lines_of_a_list() {
        for line in [
            "Have a look at https://h.example/.",
            "see https://h.example/ and https://i.example/",
            "https://h.example/ or https://i.example/",
            "words only",
            "(https://h.example/)",
            "x <URL:https://h.example/>",
            "",
        ] {
            assert_eq!(UrlLine::parse(line), None, "{line}");
        }
    }
}
