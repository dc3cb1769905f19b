//! The dates of articles, and the time zone in which dates are shown.
//!
//! ```text
//! strict  = [ day-name "," ] day month year time zone                     (RFC 5322, section 3.3)
//! lenient = *( day-name / day / month / year / time / zone / comment )    ; in any order, between blanks, commas and hyphens
//! time    = 1*2digit ":" 1*2digit [ ":" 1*2digit [ "." 1*digit ] ] [ "AM" / "PM" ]      ; "." for ":" too
//! zone    = [ "UTC" / "GMT" ] ( "+" / "-" ) ( 1*2digit / 1*2digit [ ":" ] 2digit ) / name
//! date    = year "-" month "-" day [ ( "T" / blank ) time [ zone ] ]      ; ISO 8601
//! ```
//!
//! The lenient parser is asked where the strict one fails. It reads the forms of RFC 850, RFC 1036 (2.1.2) and `ctime`,
//! and those that programs and people write: without a zone (read as UTC) or a time (read as midnight), and with a zone
//! of three digits. A year of two digits is after 1949, one of three is since 1900 (RFC 5322, section 4.3). A date of
//! three numbers is one only where it has a year of four digits first.

use std::sync::{Arc, LazyLock};

use geomys_wire::protocol::octets;
use geomys_wire::text::Text;
use jiff::civil::{Date, DateTime, Time};
use jiff::fmt::rfc2822::DateTimeParser;
use jiff::tz::{Offset, TimeZone};
use jiff::{SignedDuration, Timestamp, Zoned};

const PARSER: DateTimeParser = DateTimeParser::new().relaxed_weekday(true);

/// The names of zones that are no military letters, with their hours (RFC 5322, section 4.3, and common ones).
const ZONES: [(&str, i8); 25] = [
    ("UT", 0),
    ("UTC", 0),
    ("GMT", 0),
    ("WET", 0),
    ("Z", 0),
    ("BST", 1),
    ("CET", 1),
    ("MET", 1),
    ("MEZ", 1),
    ("WEST", 1),
    ("CEST", 2),
    ("MEST", 2),
    ("MESZ", 2),
    ("EET", 2),
    ("EEST", 3),
    ("MSK", 3),
    ("MSD", 4),
    ("JST", 9),
    ("KST", 9),
    ("AST", -4),
    ("ADT", -3),
    ("EST", -5),
    ("EDT", -4),
    ("CST", -6),
    ("CDT", -5),
];

/// Zones of North America in the west.
const WESTERN_ZONES: [(&str, i8); 4] = [("MST", -7), ("MDT", -6), ("PST", -8), ("PDT", -7)];

/// The names of the months, in small letters.
pub(super) const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// The age of a date of the current day, as a list shows it.
pub const TODAY: &str = "today";

/// The age in days from which a date is shown instead.
const MAX_DAYS: i32 = 31;

/// The age of a date in a zone, as [`Zone::by_age`] formats it. A date that cannot be read is a question mark.
pub(super) fn by_age(date: &[u8], zone: &Zone) -> Text {
    let shown = time(date).map(|time| zone.by_age(time));
    Text::of(shown.as_deref().unwrap_or("?"))
}

/// Formats a date with its time and zone; returns nothing where it cannot be read.
pub(super) fn moment(date: &[u8]) -> Option<Text> {
    let zoned = zoned(date)?;
    Some(Text::of(&zoned.strftime("%Y-%m-%d %H:%M %z").to_string()))
}

/// Parses a date; returns nothing where it cannot be read.
pub(super) fn time(date: &[u8]) -> Option<Timestamp> {
    let strict = PARSER.parse_timestamp(date.trim_ascii()).ok();
    strict.or_else(|| Some(lenient(date)?.timestamp()))
}

/// Parses a date, in seconds since 1970; returns nothing where it cannot be read.
pub(super) fn seconds(date: &[u8]) -> Option<i64> {
    Some(time(date)?.as_second())
}

/// Parses a date; returns its day in its own zone, or nothing where it cannot be read.
pub(super) fn day(date: &[u8]) -> Option<Date> {
    Some(zoned(date)?.date())
}

fn zoned(date: &[u8]) -> Option<Zoned> {
    let strict = PARSER.parse_zoned(date.trim_ascii()).ok();
    strict.or_else(|| lenient(date))
}

/// The fields of a date that were found.
#[derive(Default)]
struct Fields {
    /// The year, as written.
    year: Option<i16>,
    month: Option<i8>,
    day: Option<i8>,
    /// The seconds since the beginning of the day.
    time: Option<i64>,
    /// True behind a time of twelve hours.
    is_afternoon: Option<bool>,
    offset: Option<Offset>,
}

/// Parses a date whose fields stand in any order.
fn lenient(date: &[u8]) -> Option<Zoned> {
    let date = String::from_utf8_lossy(date.get(..date.len().min(MAX_DATE_BYTES))?);
    let mut fields = Fields::default();
    for word in without_comments(&date).split([' ', '\t', ',']) {
        if word.is_empty() || fields.take(word) {
            continue;
        }
        let is_day = |day: &str| day.ends_with(|letter: char| letter.is_ascii_digit());
        let (day, time) = word.split_once('T').unwrap_or((word, ""));
        let (day, time) = if is_day(day) { (day, time) } else { (word, "") };
        for part in day.split(['-', '/']).chain([time]) {
            fields.take(part);
        }
    }
    fields.zoned()
}

/// The maximum length of a date that is parsed, in octets.
const MAX_DATE_BYTES: usize = 200;

/// The text without comments in parentheses.
fn without_comments(text: &str) -> String {
    let mut depth = 0_usize;
    let mut plain = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => plain.push(letter),
            _ => {}
        }
    }
    plain
}

impl Fields {
    /// Takes a word as one of the fields. Returns false if it is none of them.
    fn take(&mut self, word: &str) -> bool {
        if let Some(month) = month(word) {
            self.month = self.month.or(Some(month));
        } else if let Some((time, rest)) = clock(word) {
            self.time = self.time.or(Some(time));
            return rest.is_empty() || self.take(rest);
        } else if let Some(offset) = self.time.and_then(|_| offset(word)) {
            // A number with a sign is a zone behind a time only.
            self.offset = self.offset.or(Some(offset));
        } else if matches!(
            word.to_ascii_uppercase().as_str(),
            "AM" | "PM" | "A.M." | "P.M."
        ) {
            self.is_afternoon = Some(word.starts_with(['P', 'p']));
        } else if let Some(digits) = number(word) {
            return self.number(digits, word.len());
        } else {
            return false;
        }
        true
    }

    /// Takes a number as the day or the year, whichever is missing; a month in digits follows a year only.
    fn number(&mut self, number: i16, digits: usize) -> bool {
        let is_day = (1..=31).contains(&number) && digits <= 2;
        let is_first_year = self.year.is_none() && self.day.is_none() && digits == 4;
        let small = i8::try_from(number).ok().filter(|_| is_day);
        if is_first_year || self.year.is_none() && (self.day.is_some() || !is_day) {
            self.year = Some(full_year(number, digits));
        } else if self.month.is_none() && self.year.is_some() && self.day.is_none() {
            self.month = small.filter(|month| *month <= 12);
        } else if self.day.is_none() {
            self.day = small;
        } else {
            return false;
        }
        true
    }

    fn zoned(self) -> Option<Zoned> {
        let date = Date::new(self.year?, self.month?, self.day?).ok()?;
        let time = self.time.unwrap_or_default();
        let time = match (self.is_afternoon, time / HOUR) {
            (Some(false), 12) => time - 12 * HOUR,
            (Some(true), 1..=11) => time + 12 * HOUR,
            _ => time,
        };
        let time = date
            .to_datetime(Time::midnight())
            .checked_add(SignedDuration::from_secs(time));
        let zone = TimeZone::fixed(self.offset.unwrap_or(Offset::UTC));
        time.ok()?.to_zoned(zone).ok()
    }
}

/// A year with its century.
fn full_year(year: i16, digits: usize) -> i16 {
    match digits {
        0..=2 if year < 50 => year + 2000,
        0..=3 => year + 1900,
        _ => year,
    }
}

/// The month whose name begins with a word of three letters at least.
fn month(word: &str) -> Option<i8> {
    let name = word.trim_end_matches('.').to_ascii_lowercase();
    let mut months = MONTHS.iter();
    let at = months.position(|month| name.len() >= 3 && month.starts_with(&name))?;
    i8::try_from(at + 1).ok()
}

/// The seconds of an hour.
const HOUR: i64 = 3600;

/// A time of day at the beginning of a word, in seconds, and the rest of the word.
fn clock(word: &str) -> Option<(i64, &str)> {
    let mut fields = [0_i64; 3];
    let mut rest = word;
    let mut count = 0;
    for field in &mut fields {
        let (number, after) = leading_number(rest)?;
        *field = number;
        count += 1;
        rest = after;
        match after.strip_prefix([':', '.']).filter(|_| count < 3) {
            Some(next) if next.starts_with(|letter: char| letter.is_ascii_digit()) => rest = next,
            _ => break,
        }
    }
    if count < 2 {
        return None;
    }
    // A fraction of a second.
    if let Some(fraction) = rest.strip_prefix(['.', ',']).filter(|_| count == 3) {
        rest = fraction.trim_start_matches(|letter: char| letter.is_ascii_digit());
    }
    let [hour, minute, second] = fields;
    // A leap second, and the end of a day.
    let time = hour * HOUR + minute * 60 + second.min(59);
    (time <= 24 * HOUR && minute < 60 && second <= 60).then_some((time, rest))
}

/// One or two digits at the beginning of a text, and the rest.
fn leading_number(text: &str) -> Option<(i64, &str)> {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, rest) = text.split_at_checked(length)?;
    let number = number(digits).filter(|_| length <= 2)?;
    Some((i64::from(number), rest))
}

fn number(digits: &str) -> Option<i16> {
    let number = octets::number::<u16>(digits.as_bytes())?;
    i16::try_from(number).ok()
}

/// The offset of a zone: by its name, or by a number with a sign, perhaps behind a name.
fn offset(word: &str) -> Option<Offset> {
    let at = word.find(['+', '-', '\u{2212}']).unwrap_or(word.len());
    let (name, number) = word.split_at_checked(at)?;
    let hours = |name: &str| {
        let name = name.trim_matches(['"', '.']).to_ascii_uppercase();
        let mut zones = ZONES.iter().chain(&WESTERN_ZONES);
        let zone = zones.find(|(other, _)| *other == name);
        // Military letters were defined with the wrong signs (RFC 5322, section 4.3).
        let is_military = name.len() == 1 && name.bytes().all(|letter| letter.is_ascii_uppercase());
        zone.map(|(_, hours)| *hours).or(is_military.then_some(0))
    };
    let Some(sign) = number.chars().next() else {
        return hours(name).and_then(|hours| Offset::from_hours(hours).ok());
    };
    if !name.is_empty() && hours(name).is_none() {
        return None;
    }
    let digits: String = number
        .chars()
        .skip(1)
        .filter(|letter| *letter != ':')
        .collect();
    let value = i32::from(self::number(&digits)?);
    let (hours, minutes) = match digits.len() {
        1 | 2 => (value, 0),
        3 | 4 => (value / 100, value % 100),
        _ => return None,
    };
    let seconds = (hours * 60 + minutes) * 60;
    let seconds = if sign == '+' { seconds } else { -seconds };
    Offset::from_seconds(seconds).ok().filter(|_| minutes < 60)
}

/// A time zone that is determined when the first date is shown. Loading the system's zone takes most of a millisecond,
/// and would slow every start.
#[derive(Clone, Debug)]
pub struct Zone {
    zone: Arc<LazyLock<TimeZone>>,
    /// The clock that determines the current day; nothing shows no date as one of today.
    clock: Option<fn() -> Timestamp>,
}

/// Zones are equal if one is a copy of the other.
impl PartialEq for Zone {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.zone, &other.zone)
    }
}

impl Zone {
    /// Returns a zone that `find` determines once, on first use.
    pub fn new(find: fn() -> TimeZone) -> Self {
        Self {
            zone: Arc::new(LazyLock::new(find)),
            clock: None,
        }
    }

    /// Returns the zone with a clock: dates of the current day are shown as times.
    #[must_use]
    pub fn with_clock(self, clock: fn() -> Timestamp) -> Self {
        Self {
            clock: Some(clock),
            ..self
        }
    }

    /// The zone of the system; UTC where it has none.
    pub fn system() -> Self {
        Self::new(TimeZone::system)
    }

    /// Formats a time in the zone, as `2026-11-20 14:03`.
    pub fn written(&self, time: Timestamp) -> String {
        let shown = self.zone.to_datetime(time);
        shown.strftime("%Y-%m-%d %H:%M").to_string()
    }

    /// Formats a time by its age in days of the zone: `today`, `2 d`, and from 31 days on as `2026-11-20`, as a time in
    /// the future, and without a clock.
    pub fn by_age(&self, time: Timestamp) -> String {
        self.day_by_age(self.zone.to_datetime(time).date())
    }

    /// Formats a day by its age, as [`Zone::by_age`] does.
    pub fn day_by_age(&self, shown: Date) -> String {
        let today = self.clock.map(|now| self.zone.to_datetime(now()).date());
        let days = today.map(|today| (today - shown).get_days());
        match days {
            Some(0) => TODAY.to_owned(),
            Some(days @ 1..MAX_DAYS) => format!("{days} d"),
            Some(_) | None => shown.to_string(),
        }
    }

    /// The local time in the zone at `seconds` since 1970, UTC; nothing outside the supported range.
    pub(super) fn civil(&self, seconds: i64) -> Option<DateTime> {
        let stamp = Timestamp::from_second(seconds).ok()?;
        Some(self.zone.to_datetime(stamp))
    }
}

impl Default for Zone {
    /// UTC.
    fn default() -> Self {
        Self::new(|| TimeZone::UTC)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn times_in_the_zone_are_shown_by_their_age() {
        let east = Zone::new(|| TimeZone::fixed(Offset::constant(2)));
        let clock = || Timestamp::constant(1_795_376_400, 0); // 2026-11-22 21:00 UTC
        let shown = |time: &str, zone: &Zone| zone.by_age(time.parse().unwrap());
        let with_clock = east.clone().with_clock(clock);
        for (time, expected) in [
            ("2026-11-22T19:03:00Z", "today"),
            ("2026-11-22T21:59:59Z", "today"),
            ("2026-11-21T22:00:00Z", "today"),
            ("2026-11-21T21:59:59Z", "1 d"),
            ("2026-10-23T19:03:00Z", "30 d"),
            ("2026-10-22T19:03:00Z", "2026-10-22"),
            ("2026-11-22T22:00:00Z", "2026-11-23"),
            ("2025-11-22T19:03:00Z", "2025-11-22"),
        ] {
            assert_eq!(shown(time, &with_clock), expected, "{time}");
        }
        assert_eq!(shown("2026-11-22T19:03:00Z", &east), "2026-11-22");
    }

    #[test]
    fn dates_that_people_write_are_read() {
        for (written, expected) in [
            ("Thu, 19 Nov 2026 14:03:00 +0100", "2026-11-19T13:03:00Z"),
            ("Thu, 19 Nov 2026 14:03:00", "2026-11-19T14:03:00Z"),
            ("Thu, 19 Nov 2026 9:03 GMT", "2026-11-19T09:03:00Z"),
            ("19 Nov 2026 4:03:07 -600", "2026-11-19T10:03:07Z"),
            ("19 Nov 26 14:03:00 EST", "2026-11-19T19:03:00Z"),
            ("Thursday, 19-Nov-26 14:03:00 GMT", "2026-11-19T14:03:00Z"),
            ("Thu Nov 19 14:03:00 2026", "2026-11-19T14:03:00Z"),
            ("Thu Nov  9 14:03:00 PST 2026", "2026-11-09T22:03:00Z"),
            ("Thu Nov 19 14:03:00 CET 2026", "2026-11-19T13:03:00Z"),
            ("November 19, 2026 2:03 PM", "2026-11-19T14:03:00Z"),
            (
                "19 Nov 2026 12:03:00 am (a zone) +02:00",
                "2026-11-18T22:03:00Z",
            ),
            ("Thu, 19 Nov 2026", "2026-11-19T00:00:00Z"),
            (
                "Thu, 19 Nov 2026 14.03.00 +0100 (CET)",
                "2026-11-19T13:03:00Z",
            ),
            ("Thu,19 Nov 2026 14:03:00 GMT+2", "2026-11-19T12:03:00Z"),
            ("Thu, 19 Nov 2026 14:03:00 \"EST\"", "2026-11-19T19:03:00Z"),
            ("Thu, 19 Nov 2026 14:03:00.25 +0000", "2026-11-19T14:03:00Z"),
            ("Thu, 19 Nov 2026 23:59:60 +0000", "2026-11-19T23:59:59Z"),
            ("Thu, 19 Nov 2026 24:00:00 +0000", "2026-11-20T00:00:00Z"),
            ("Thu, 19 Nov 126 14:03:00 Q", "2026-11-19T14:03:00Z"),
            ("19 Sept 1993 14:03", "1993-09-19T14:03:00Z"),
            ("2026-11-19 14:03:00 +0100", "2026-11-19T13:03:00Z"),
            ("2026-11-19T14:03:00+01:00", "2026-11-19T13:03:00Z"),
            ("2026-11-19T14:03:00-01:00", "2026-11-19T15:03:00Z"),
            (
                "Thu Nov 19 2026 14:03:00 GMT+0100 (CET)",
                "2026-11-19T13:03:00Z",
            ),
            ("2026-11-19T14:03:00Z", "2026-11-19T14:03:00Z"),
            ("2026/11/19 14:03", "2026-11-19T14:03:00Z"),
            ("2026-Nov-19 14:03 +1", "2026-11-19T13:03:00Z"),
        ] {
            let read = time(written.as_bytes()).map(|time| time.to_string());
            assert_eq!(read.as_deref(), Some(expected), "{written}");
        }
        for none in [
            "",
            "yesterday",
            "31 Jun 2026 1:00",
            "19 Nov",
            "14:03",
            "11/12/2026 14:03",
            "Nov 2026 14:03",
        ] {
            assert_eq!(time(none.as_bytes()), None, "{none}");
        }
    }

    proptest! {
        #[test]
        fn any_form_of_a_date_is_the_same_time(
            seconds in 0_i64..4_000_000_000,
            name in "(Mon, |Thursday, |)",
            zone in prop::sample::select(vec!["", " +0000", " -000", " GMT", " UT (x)", " Z"]),
            form in 0..4_usize,
        ) {
            let civil = Offset::UTC.to_datetime(Timestamp::from_second(seconds).unwrap());
            let form = ["%-d %b %Y %-H:%M:%S", "%d-%b-%Y %H:%M:%S", "%B %d, %Y %-I:%M:%S %p", "%Y-%m-%d %T"][form];
            let written = format!("{name}{}{zone}", civil.strftime(form));
            prop_assert_eq!(super::seconds(written.as_bytes()), Some(seconds), "{}", written);
        }

        #[test]
        fn any_octets_are_a_date_or_none(octets: Vec<u8>, text in "([0-9]{1,4}|[:+./-]|Nov|PM|T|GMT| ){0,14}") {
            for date in [octets.as_slice(), text.as_bytes()] {
                prop_assert_eq!(time(date).is_some(), moment(date).is_some());
            }
        }
    }
}
