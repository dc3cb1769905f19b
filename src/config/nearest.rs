//! The name that a mistyped one was probably meant to be.

/// The largest number of letters that differ from a suggested name.
const MAX_DISTANCE_LETTERS: usize = 3;

/// Returns the name that differs least from the written one: by a few letters, by letters before and after it, or by
/// the order of its words.
pub fn nearest<'a>(written: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = written.to_lowercase();
    let near = names.into_iter().filter_map(|name| {
        let distance = distance(&lower, name).min(distance(&sorted(&lower), &sorted(name)));
        let is_close = distance <= MAX_DISTANCE_LETTERS.min(name.len() / 2);
        // More letters are missing than may differ.
        let is_part = lower.len() > 2 && name.contains(&lower);
        (is_close || is_part).then_some((!is_close, distance, name))
    });
    near.min().map(|(.., name)| name)
}

/// Returns the words of a name in the order of their letters.
fn sorted(name: &str) -> String {
    let mut words: Vec<&str> = name.split('-').collect();
    words.sort_unstable();
    words.join("-")
}

/// Returns the message about an unknown name: the nearest known one, or all if they are few.
pub(super) fn unknown(kind: &str, written: &str, names: &[&str]) -> String {
    let advice = match nearest(written, names.iter().copied()) {
        Some(name) => format!(" (did you mean {name}?)"),
        None if names.len() <= MAX_LISTED => format!("; expected {}", names.join(", ")),
        None => String::new(),
    };
    format!("unknown {kind} “{written}”{advice}")
}

/// The largest number of names that a message lists.
const MAX_LISTED: usize = 16;

/// The number of letters to insert, delete, replace or exchange with their neighbour to turn `a` into `b`.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, letter) in a.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, other) in b.iter().enumerate() {
            let at = |row: &[usize], at: usize| row.get(at).copied().unwrap_or(usize::MAX - 1);
            let replaced = at(&row, j) + usize::from(letter != other);
            let mut least = replaced.min(at(&row, j + 1) + 1).min(at(&next, j) + 1);
            let is_exchange =
                i > 0 && j > 0 && a.get(i - 1) == Some(other) && b.get(j - 1) == Some(letter);
            if is_exchange {
                least = least.min(at(&before, j - 1) + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_changed_letters() {
        for (a, b, expected) in [
            ("", "", 0),
            ("", "ab", 2),
            ("demo", "demo", 0),
            ("dmeo", "demo", 1),
            ("compeltions", "completions", 1),
            ("bookmark", "bookmarks", 1),
            ("get", "dump", 4),
        ] {
            assert_eq!(distance(a, b), expected, "{a} {b}");
            assert_eq!(distance(b, a), expected, "{b} {a}");
        }
    }

    #[test]
    fn nearest_name_differs_by_few_letters_or_contains_what_is_written() {
        let names = ["quit", "page-colours", "reading", "row-down"];
        for (written, meant) in [
            ("quitt", Some("quit")),
            ("Quit", Some("quit")),
            ("colour", Some("page-colours")),
            ("raeding", Some("reading")),
            ("frobnicate", None),
            ("ow", None),
            ("down-row", Some("row-down")),
        ] {
            assert_eq!(nearest(written, names), meant, "{written}");
        }
    }
}
