//! The tags of followed bookmarks, and the one place that decides what they mean.
//!
//! ```text
//! tag = "follow" [ depth ] / "watch" / "offline" [ depth ]    ; without regard to case
//! depth = "1" / "2" / "3"
//! ```
//!
//! `#follow` brings new entries and changes of the page, `#follow1` to `#follow3` also the pages that it links to, that
//! many links away. `#watch` is another spelling of `#follow`; `#offline`, `#offline1`, `#offline2` and `#offline3` are
//! those of the depths. They stay readable, and are never rewritten unless the user edits the bookmark. Of several tags
//! the deepest counts.

use geomys_wire::text::Text;

use super::Bookmark;

/// The tag of a followed bookmark.
pub const TAG: &str = "follow";

/// The largest depth: the number of links from the bookmark to a page that is fetched with it.
pub const MAX_DEPTH: u8 = 3;

/// The tags by their depth, each with what it brings.
pub const TAGS: [(&str, &str); 4] = [
    (TAG, "new entries and changes"),
    ("follow1", "also the pages it links to"),
    ("follow2", "also pages 2 links away"),
    ("follow3", "also pages 3 links away"),
];

/// The beginnings of all spellings, and the depth without a digit behind them.
const NAMES: [(&str, u8); 3] = [(TAG, 0), ("watch", 0), ("offline", 1)];

/// Returns the name of a tag, and the digit behind it if it is a depth.
fn split(tag: &str) -> (&str, Option<u8>) {
    let depths = (1..=MAX_DEPTH).zip(["1", "2", "3"]);
    let mut named =
        depths.filter_map(|(depth, digit)| Some((tag.strip_suffix(digit)?, Some(depth))));
    named.next().unwrap_or((tag, None))
}

/// Returns the depth of a tag, without its `#`; `None` for one that does not follow.
pub fn depth_of_tag(tag: &str) -> Option<u8> {
    let (name, depth) = split(tag);
    let (name, least) = *NAMES
        .iter()
        .find(|(other, _)| name.eq_ignore_ascii_case(other))?;
    match depth {
        // `#watch` has never had a depth.
        Some(_) if name == "watch" => None,
        depth => Some(depth.unwrap_or(least)),
    }
}

/// Returns the depth of the tags of one bookmark, each without its `#`; `None` if it is not followed.
pub fn depth_of_tags<'t>(tags: impl IntoIterator<Item = &'t str>) -> Option<u8> {
    tags.into_iter().filter_map(depth_of_tag).max()
}

/// Returns the depth of a bookmark; `None` if it is not followed.
pub fn depth(bookmark: &Bookmark<'_>) -> Option<u8> {
    depth_of_tags(bookmark.tags().iter().map(Text::as_str))
}

/// Returns the first tag of a bookmark that follows, as it is written.
pub fn tag(bookmark: &Bookmark<'_>) -> Option<Text> {
    let mut tags = bookmark.tags().into_iter();
    tags.find(|tag| depth_of_tag(tag.as_str()).is_some())
}

/// Returns true if a bookmark is followed.
pub fn is_followed(bookmark: &Bookmark<'_>) -> bool {
    depth(bookmark).is_some()
}

/// Returns true if a sync fetches a bookmark without a question: `#offline` and its depths have never asked.
pub fn never_asks(bookmark: &Bookmark<'_>) -> bool {
    let tags = bookmark.tags();
    let mut names = tags.iter().map(|tag| split(tag.as_str()).0);
    names.any(|name| name.eq_ignore_ascii_case("offline"))
}

/// Returns false for the octets of a bookmark file in which nothing is followed. Most files have no such tag, and are
/// not parsed line by line for it.
pub fn may_follow(file: &[u8]) -> bool {
    memchr::memchr_iter(b'#', file).any(|at| {
        NAMES.iter().any(|(name, _)| {
            let tag = file.get(at + 1..=at + name.len());
            tag.is_some_and(|tag| tag.eq_ignore_ascii_case(name.as_bytes()))
        })
    })
}

/// Sets the depth of the tags of a bookmark; all spellings are replaced by the one of today, at the place of the first.
pub fn set_depth(tags: &mut Vec<String>, depth: Option<u8>) {
    let at = tags.iter().position(|tag| depth_of_tag(tag).is_some());
    tags.retain(|tag| depth_of_tag(tag).is_none());
    let tag = depth.and_then(|depth| TAGS.get(usize::from(depth.min(MAX_DEPTH))));
    if let Some((tag, _)) = tag {
        let at = at.unwrap_or(tags.len()).min(tags.len());
        tags.insert(at, (*tag).to_owned());
    }
}

/// Returns what a tag of today brings; `None` for any other.
pub fn meaning(tag: &str) -> Option<&'static str> {
    let known = TAGS.iter().find(|(known, _)| *known == tag);
    known.map(|(_, meaning)| *meaning)
}

/// Returns the tags that complete a typed one: those that follow before those in use, each once.
pub fn with_special_tags(in_use: Vec<String>) -> Vec<String> {
    let mut tags: Vec<String> = TAGS.iter().map(|(tag, _)| (*tag).to_owned()).collect();
    tags.extend(in_use.into_iter().filter(|tag| meaning(tag).is_none()));
    tags
}

/// Returns the depth that a mistyped tag probably means: at least three letters of a name, or a name with one letter
/// too few, too many or wrong. `None` for a tag that follows, and for any other.
pub fn near_miss(tag: &str) -> Option<u8> {
    let (name, depth) = split(tag);
    if !name.is_ascii() || depth_of_tag(tag).is_some() {
        return None;
    }
    let name = name.to_ascii_lowercase();
    let is_near = |known: &str| {
        let is_begun = name.len() >= 3 && known.starts_with(&name);
        is_begun || differs_by_one(name.as_bytes(), known.as_bytes())
    };
    let (_, least) = NAMES.iter().find(|(known, _)| is_near(known))?;
    Some(depth.unwrap_or(*least))
}

/// Returns true if two words differ by one letter that is missing, added or another one, or by two exchanged ones.
fn differs_by_one(a: &[u8], b: &[u8]) -> bool {
    let start = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (a.get(start..), b.get(start..));
    let (a, b) = (a.unwrap_or_default(), b.unwrap_or_default());
    match (a, b) {
        ([], []) => true,
        ([_, rest @ ..], other) | (other, [_, rest @ ..]) if rest == other => true,
        ([_, a @ ..], [_, b @ ..]) if a == b => true,
        _ => {
            let (a, b) = (a.split_at_checked(2), b.split_at_checked(2));
            let is_exchange = |(a, rest): (&[u8], &[u8]), (b, other): (&[u8], &[u8])| {
                a.iter().eq(b.iter().rev()) && rest == other
            };
            a.zip(b).is_some_and(|(a, b)| is_exchange(a, b))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_have_their_depth_in_every_spelling() {
        for (tags, depth) in [
            ("follow", Some(0)),
            ("Follow", Some(0)),
            ("watch", Some(0)),
            ("follow1", Some(1)),
            ("offline", Some(1)),
            ("offline1", Some(1)),
            ("OFFLINE2", Some(2)),
            ("follow3", Some(3)),
            ("watch offline2", Some(2)),
            ("follow3 watch", Some(3)),
            ("watch1", None),
            ("follow4", None),
            ("follow0", None),
            ("following", None),
            ("", None),
            ("é1", None),
        ] {
            assert_eq!(depth_of_tags(tags.split(' ')), depth, "{tags}");
        }
    }

    #[test]
    fn depth_is_set_by_the_word_of_today() {
        let set = |tags: &str, depth| {
            let mut tags = tags.split_whitespace().map(str::to_owned).collect();
            set_depth(&mut tags, depth);
            tags.join(" ")
        };
        assert_eq!(set("a", Some(0)), "a follow");
        assert_eq!(set("a watch b offline2", Some(2)), "a follow2 b");
        assert_eq!(set("a watch b", None), "a b");
    }

    #[test]
    fn near_misses_are_known_and_other_words_are_not() {
        for (tag, depth) in [
            ("wat", Some(0)),
            ("wacth", Some(0)),
            ("folow", Some(0)),
            ("Follow1x", None),
            ("follows", Some(0)),
            ("folow2", Some(2)),
            ("offlin", Some(1)),
            ("follow", None),
            ("offline3", None),
            ("water", None),
            ("match", Some(0)),
            ("of", None),
            ("news", None),
            ("", None),
        ] {
            assert_eq!(near_miss(tag), depth, "{tag}");
        }
    }

    #[test]
    fn files_without_a_tag_are_not_searched() {
        assert!(may_follow(b"A <URL:gopher://h/> #Offline2\n"));
        assert!(may_follow(b"A <URL:gopher://h/> #follow"));
        assert!(!may_follow(b"# Watches\nA <URL:gopher://h/> #unix #foll"));
    }
}
