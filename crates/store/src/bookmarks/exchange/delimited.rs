//! Links between delimiters: `[[URL][title]]` of Org and `[title](URL)` of Markdown. All between the delimiters is the
//! URL, also what would be the punctuation of a sentence in running text.

use std::borrow::Cow;
use std::ops::Range;

use rfc1738::{leading_scheme, links_in_text};

use super::url_line::UrlLine;

/// Link on a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Link<'a> {
    /// The octets of the line that the link covers, with its delimiters.
    pub(super) range: Range<usize>,
    pub(super) url: Cow<'a, str>,
    /// The title; empty for a URL without delimiters.
    pub(super) title: &'a str,
    /// True for a picture of Markdown, `![title](URL)`.
    pub(super) is_picture: bool,
}

/// A function that returns the next link between delimiters, from an offset of the line on: [`org`], [`markdown`].
pub(super) type NextLink = for<'a> fn(&'a str, usize) -> Option<Link<'a>>;

/// Returns the links on a line in their order: those between delimiters, and the URLs of the text around them.
pub(super) fn links(line: &str, next: NextLink) -> Vec<Link<'_>> {
    let mut links: Vec<Link<'_>> = Vec::new();
    let mut at = 0;
    let mut from = 0;
    while let Some(link) = next(line, from) {
        from = link.range.end;
        if is_address(&link.url) {
            push_bare(line, at..link.range.start, &mut links);
            at = link.range.end;
            links.push(link);
        }
    }
    // A list item that is a URL alone has no punctuation of a sentence.
    let is_alone = |listed: &UrlLine<'_>| listed.words.is_empty();
    match UrlLine::parse(line).filter(|listed| links.is_empty() && is_alone(listed)) {
        Some(listed) => links.extend(whole(line, &listed)),
        None => push_bare(line, at..line.len(), &mut links),
    }
    links
}

/// Returns the link of a line that has one URL, without delimiters.
fn whole<'a>(line: &'a str, listed: &UrlLine<'a>) -> Option<Link<'a>> {
    let start = line.find(listed.url)?;
    Some(Link {
        range: start..start + listed.url.len(),
        url: Cow::Borrowed(listed.url),
        title: "",
        is_picture: false,
    })
}

/// Adds the URLs in a part of the line that has no delimiters.
fn push_bare<'a>(line: &'a str, part: Range<usize>, links: &mut Vec<Link<'a>>) {
    let text = line.get(part.clone()).unwrap_or_default();
    links.extend(links_in_text(text.as_bytes()).map(|found| Link {
        range: part.start + found.range.start..part.start + found.range.end,
        url: Cow::Owned(found.full_text().into_owned()),
        title: "",
        is_picture: false,
    }));
}

/// Returns true for an address that is no link inside the file or to a file beside it.
fn is_address(url: &str) -> bool {
    let is_found = || {
        let found = links_in_text(url.as_bytes()).next();
        found.is_some_and(|found| found.range.start == 0)
    };
    leading_scheme(url).is_some() && (url.contains("://") || is_found())
}

/// Returns the next link of Org: `[[URL]]` or `[[URL][title]]`. A backslash escapes a bracket in the URL.
pub(super) fn org(line: &str, from: usize) -> Option<Link<'_>> {
    let start = from + line.get(from..)?.find("[[")?;
    let inside = line.get(start + 2..)?;
    let is_end = |at: &usize| {
        let slashes = inside.get(..*at).unwrap_or_default();
        let slashes = slashes.len() - slashes.trim_end_matches('\\').len();
        let after = inside.get(at + 1..).unwrap_or_default();
        slashes.is_multiple_of(2) && after.starts_with(['[', ']'])
    };
    let closing = inside.match_indices(']').map(|(at, _)| at);
    let Some(end) = closing.into_iter().find(is_end) else {
        return Some(none(start + 2));
    };
    let url = unescaped(inside.get(..end)?, &['[', ']', '\\']);
    let after = inside.get(end + 1..)?;
    let (title, length) = match after.strip_prefix('[') {
        Some(after) => {
            let Some(close) = after.find("]]") else {
                return Some(none(start + 2));
            };
            (after.get(..close)?, close + 3)
        }
        None => ("", 1),
    };
    Some(Link {
        range: start..start + 2 + end + 1 + length,
        url,
        title: title.trim(),
        is_picture: false,
    })
}

/// A range that was searched and holds no link.
fn none<'a>(end: usize) -> Link<'a> {
    Link {
        range: end..end,
        url: Cow::Borrowed(""),
        title: "",
        is_picture: false,
    }
}

/// Returns the link of a line of Markdown that defines a reference: `[label]: URL`, or with a title in quotes.
fn reference(line: &str) -> Option<Link<'_>> {
    let (label, target) = line.trim_start().strip_prefix('[')?.split_once("]:")?;
    let target = target.trim();
    let url = without_quoted(target);
    let title = target.get(url.len()..)?.trim();
    let title = title.get(1..title.len().saturating_sub(1)).unwrap_or(label);
    let url = url
        .strip_prefix('<')
        .and_then(|url| url.strip_suffix('>'))
        .unwrap_or(url);
    UrlLine::is_url(url).then(|| Link {
        range: 0..line.len(),
        url: unescaped(url, &['\\', '_', '*']),
        title: title.trim(),
        is_picture: false,
    })
}

/// Returns the next link of Markdown: `[title](URL)`, `[title](<URL>)`, or with a text in quotes behind the URL; and
/// `[label]: URL`.
pub(super) fn markdown(line: &str, from: usize) -> Option<Link<'_>> {
    if from == 0
        && let Some(link) = reference(line)
    {
        return Some(link);
    }
    let middle = from + line.get(from..)?.find("](")?;
    let start = opening(line.get(from..middle)?).map_or(middle, |at| from + at);
    let inside = line.get(middle + 2..)?;
    let Some(end) = closing(inside) else {
        return Some(none(middle + 2));
    };
    let target = inside.get(..end)?.trim();
    let url = match target
        .strip_prefix('<')
        .and_then(|target| target.split_once('>'))
    {
        Some((url, _)) => url,
        None => without_quoted(target),
    };
    let is_picture = line.get(..start)?.ends_with('!') && start > from;
    Some(Link {
        range: start - usize::from(is_picture)..middle + 2 + end + 1,
        url: unescaped(url, &['(', ')', '[', ']', '<', '>', '\\', '_', '*']),
        title: line.get(start + 1..middle).unwrap_or_default().trim(),
        is_picture,
    })
}

/// Returns the offset of the bracket that opens the title at the end of `text`.
fn opening(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut brackets = text.rmatch_indices(['[', ']']);
    let found = brackets.find(|(_, bracket)| {
        if *bracket == "]" {
            depth += 1;
            return false;
        }
        let is_own = depth == 0;
        depth = depth.saturating_sub(1);
        is_own
    });
    found.map(|(at, _)| at)
}

/// Returns the offset of the parenthesis that closes a target.
fn closing(text: &str) -> Option<usize> {
    if text.starts_with('<') {
        let end = text.find('>')?;
        return Some(end + text.get(end..)?.find(')')?);
    }
    let mut depth = 0_usize;
    let mut is_escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if is_escaped => {}
            '(' => depth += 1,
            ')' if depth == 0 => return Some(at),
            ')' => depth -= 1,
            _ => {}
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    None
}

/// Returns a target of Markdown without the text in quotes behind its URL.
fn without_quoted(target: &str) -> &str {
    let mut blanks = target.match_indices([' ', '\t']);
    let quoted = blanks.find(|(at, _)| {
        let rest = target.get(*at..).unwrap_or_default().trim();
        let is_in =
            |quote: char| rest.len() > 1 && rest.starts_with(quote) && rest.ends_with(quote);
        is_in('"') || is_in('\'')
    });
    let end = quoted.map_or(target.len(), |(at, _)| at);
    target.get(..end).unwrap_or(target)
}

/// Returns a text without the backslashes that escape these characters.
fn unescaped<'a>(text: &'a str, escaped: &[char]) -> Cow<'a, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut result = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match chars.peek() {
            Some(next) if c == '\\' && escaped.contains(next) => result.extend(chars.next()),
            Some(_) | None => result.push(c),
        }
    }
    Cow::Owned(result)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(line: &str, next: NextLink) -> Vec<(String, String)> {
        let links = links(line, next).into_iter();
        links
            .filter(|link| !link.is_picture)
            .map(|link| (link.url.into_owned(), link.title.to_owned()))
            .collect()
    }

    proptest! {
        /// Everything between the delimiters is the URL, and the text around it changes nothing.
        #[test]
        fn url_between_delimiters_is_whole(
            path in "[!-~é日]{0,12}[!\"':;.,?*_~]{0,2}",
            title in "[a-z !\"':]{0,8}",
            before in "[a-z -]{0,6}",
            after in "[a-z .:]{0,6}",
        ) {
            let url = format!("https://h.example/{path}");
            let title = title.trim();
            let own = vec![(url.clone(), title.to_owned())];
            let escaped = url.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]");
            let line = format!("{before}[[{escaped}][{title}]]{after}");
            prop_assert_eq!(&found(&line, org), &own);
            let escaped = escaped.replace('(', "\\(").replace(')', "\\)").replace('<', "\\<").replace('>', "\\>");
            let line = format!("{before}[{title}]({escaped}){after}");
            prop_assert_eq!(&found(&line, markdown), &own);
        }

        #[test]
        fn any_line_has_links_in_order(line in "([\\]\\[()!<>\\\\ ]|https://h/|\\PC){0,24}") {
            for next in [org as NextLink, markdown] {
                let mut end = 0;
                for link in links(&line, next) {
                    prop_assert!(link.range.start >= end && line.get(link.range.clone()).is_some());
                    end = link.range.end;
                }
            }
        }
    }

    #[test]
    fn links_of_other_forms_are_read() {
        for (line, url, title) in [
            ("[a](https://h/a_(b))c", "https://h/a_(b)", "a"),
            ("[a](<https://h/a b> \"t\")", "https://h/a b", "a"),
            ("[a](https://h/a \"the title\")", "https://h/a", "a"),
            ("[a [b]](https://h/)", "https://h/", "a [b]"),
            ("![p](https://h/p.png) [a](https://h/)", "https://h/", "a"),
            ("see https://h/a.", "https://h/a", ""),
        ] {
            let own = [(url.to_owned(), title.to_owned())];
            assert_eq!(found(line, markdown), own, "{line}");
        }
        for line in [
            "[a](notes.md)",
            "[a](#b)",
            "[[file:a.org][b]]",
            "[[*a][b]]",
            "[[https://",
        ] {
            assert!(found(line, org).is_empty(), "{line}");
            assert!(found(line, markdown).is_empty(), "{line}");
        }
        let all = found("[[https://h/Yahoo!][Y]] [[https://h/a::b]]", org);
        let urls: Vec<&str> = all.iter().map(|(url, _)| url.as_str()).collect();
        assert_eq!(urls, ["https://h/Yahoo!", "https://h/a::b"]);
    }
}
