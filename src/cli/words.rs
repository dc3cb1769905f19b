//! Words of the command line that are neither a command nor an address.

use std::fs;

/// The names of the subcommands.
pub(super) const COMMANDS: [&str; 11] = [
    "demo",
    "url",
    "links",
    "dump",
    "get",
    "bookmarks",
    "config",
    "man",
    "certificates",
    "completions",
    "history",
];

/// The names of hosts on this machine.
const HOSTS: &str = "/etc/hosts";

/// The largest number of letters that differ in a suggested command.
const MAX_DISTANCE_LETTERS: usize = 3;

/// Returns the error for a word that is no URL, no path, and no name of a host that could be found without a look-up: it has no
/// dot, and `/etc/hosts` does not have it.
pub(super) fn unknown_word(written: &str) -> Option<String> {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    let is_host = |hosts: &str| {
        let lines = hosts.lines().filter_map(|line| line.split('#').next());
        let mut names = lines.flat_map(|line| line.split_whitespace().skip(1));
        names.any(|name| name.eq_ignore_ascii_case(written))
    };
    if written.is_empty()
        || !written.chars().all(is_word)
        || written.eq_ignore_ascii_case("localhost")
        || is_host(&fs::read_to_string(HOSTS).unwrap_or_default())
    {
        return None;
    }
    let nearest = COMMANDS
        .iter()
        .map(|name| (distance(written, name), name))
        .filter(|(distance, name)| *distance <= MAX_DISTANCE_LETTERS.min(name.len() / 2))
        .min();
    let advice = match nearest {
        Some((_, name)) => format!("did you mean geomys {name}?"),
        None => format!("a host without a dot is gopher://{written}/"),
    };
    Some(format!("{written} is no command, URL or host; {advice}"))
}

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
    fn word_that_resembles_a_command_suggests_it() {
        let error = unknown_word("compeltions").unwrap();
        assert!(
            error.ends_with("did you mean geomys completions?"),
            "{error}"
        );
        let error = unknown_word("gopherspace").unwrap();
        assert!(error.ends_with("gopher://gopherspace/"), "{error}");
    }

    #[test]
    fn addresses_are_no_words() {
        for written in [
            "localhost",
            "sdf.org",
            "h:70",
            "gopher://h/",
            "/etc/motd",
            "./x",
            "h/path",
            "<id@h>",
            "",
        ] {
            assert_eq!(unknown_word(written), None, "{written}");
        }
    }
}
