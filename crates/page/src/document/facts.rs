//! The facts about a URL, as names and values.

use geomys_wire::text::Text;
use rfc1738::{Departure, Url};

/// The names and values of a URL: the URL itself, its parts, its departures from RFC 1738, and its hazards. The password
/// is masked.
pub fn facts(url: &Url) -> Vec<(Text, Text)> {
    let fact = |name: &str, value: &str| (Text::of(name), Text::of(value));
    let mut facts = vec![fact("URL", &url.masked())];
    let parts = url.explanation();
    facts.extend(parts.iter().map(|(name, value)| fact(name, value)));
    let departures = url.departures();
    let sentences = departures.iter().map(Departure::sentence);
    facts.extend(sentences.map(|sentence| fact("beyond", sentence)));
    let hazards = url.hazards();
    let sentences = hazards.iter().map(|hazard| hazard.sentence());
    facts.extend(sentences.map(|sentence| fact("hazard", sentence)));
    facts
}
