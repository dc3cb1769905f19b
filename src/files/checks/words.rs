//! Words of a filter that are about what is known of a URL: `is:gone`, `is:unchecked`, `gone>30d`.

use jiff::SignedDuration;

use crate::load::check::Verdict;

/// What a word wants of what is known.
pub(super) enum Wanted {
    /// That it is nothing.
    Unchecked,
    /// A verdict of this name.
    State(&'static str),
    /// The same for longer than this.
    For(&'static str, SignedDuration),
}

impl Wanted {
    pub(super) fn of(word: &str) -> Option<Self> {
        let word = word.to_ascii_lowercase();
        if let Some(name) = word.strip_prefix("is:") {
            return match name {
                "unchecked" => Some(Self::Unchecked),
                name => Some(Self::State(state(name)?)),
            };
        }
        let (name, age) = word.split_once('>')?;
        Some(Self::For(state(name)?, age_of(age)?))
    }
}

/// Whether more letters make one of these words of it: `is:`, `is:go`, `gone>`.
pub(super) fn is_begun(word: &str) -> bool {
    const NAMES: [&str; 7] = [
        "alive",
        "moved",
        "gone",
        "refused",
        "silent",
        "no-answer",
        "unchecked",
    ];
    if let Some(begun) = word.strip_prefix("is:") {
        return NAMES.iter().any(|name| name.starts_with(begun));
    }
    word.strip_suffix('>')
        .is_some_and(|name| state(name).is_some())
}

/// The name of the verdict that a word of a filter stands for.
fn state(word: &str) -> Option<&'static str> {
    Some(match word {
        "alive" => Verdict::Alive.name(),
        "moved" => "moved",
        "gone" => "gone",
        "refused" => "refused",
        "silent" | "no-answer" => "no answer",
        _ => return None,
    })
}

/// A span of time as people write it: `30d`, `12h`, `2w`; digits alone are days.
pub fn age_of(written: &str) -> Option<SignedDuration> {
    let (digits, hours) = match written.strip_suffix(['h', 'd', 'w']) {
        Some(digits) if written.ends_with('h') => (digits, 1),
        Some(digits) if written.ends_with('w') => (digits, 7 * 24),
        Some(digits) => (digits, 24),
        None => (written, 24),
    };
    // So much is more than anybody has been on the net.
    let count = digits.parse::<u16>().ok()?;
    Some(SignedDuration::from_hours(i64::from(count) * hours))
}
