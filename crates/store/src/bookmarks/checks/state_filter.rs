//! Filter words about the stored state of a URL: `is:dead`, `is:unchecked`, `dead>30d`.

use jiff::SignedDuration;

/// State that a filter word selects.
pub(super) enum StateFilter {
    /// No stored state.
    Unchecked,
    /// [`LinkStatus`](geomys_page::load::check::LinkStatus) of this name, perhaps for longer than a time.
    State(&'static str, Option<SignedDuration>),
}

impl StateFilter {
    pub(super) fn of(word: &str) -> Option<Self> {
        let word = word.to_ascii_lowercase();
        if let Some(name) = word.strip_prefix("is:") {
            return match name {
                "unchecked" => Some(Self::Unchecked),
                name => Some(Self::State(dated_state(name)?, None)),
            };
        }
        let (name, age) = word.split_once('>')?;
        Some(Self::State(dated_state(name)?, Some(age_of(age)?)))
    }
}

/// Returns true if [`Checks::matches`](super::Checks::matches) understands the filter word.
pub(in crate::bookmarks) fn is_state_word(word: &str) -> bool {
    StateFilter::of(word).is_some()
}

/// Returns true if the filter word compares an age.
pub(in crate::bookmarks) fn is_age_word(word: &str) -> bool {
    matches!(StateFilter::of(word), Some(StateFilter::State(_, Some(_))))
}

/// Names of the states that can be compared with an age.
pub(in crate::bookmarks) const DATED_STATES: [&str; 5] =
    ["alive", "dead", "moved", "refused", "unreachable"];

/// Returns the one of [`DATED_STATES`] that a word is.
fn dated_state(word: &str) -> Option<&'static str> {
    DATED_STATES.into_iter().find(|state| *state == word)
}

/// Parses a time span: `30d`, `12h`, `2w`; digits alone are days.
pub fn age_of(text: &str) -> Option<SignedDuration> {
    let (digits, hours) = match text.strip_suffix(['h', 'd', 'w']) {
        Some(digits) if text.ends_with('h') => (digits, 1),
        Some(digits) if text.ends_with('w') => (digits, 7 * 24),
        Some(digits) => (digits, 24),
        None => (text, 24),
    };
    // 65535 days are longer than the net has existed.
    let count = digits.parse::<u16>().ok()?;
    Some(SignedDuration::from_hours(i64::from(count) * hours))
}
