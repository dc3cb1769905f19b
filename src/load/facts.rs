//! What is known of a URL before anything is asked.

use super::{sends, spoken};
use crate::text::Text;
use crate::url::{Departure, Parts, Url};

/// Whether Geomys speaks the protocol of a URL itself.
pub fn speaks(url: &Url) -> bool {
    match spoken(url) {
        Parts::Gopher(_) | Parts::News(_) | Parts::Nntp(_) | Parts::Ftp(_) => true,
        Parts::Http(_)
        | Parts::Mailto(_)
        | Parts::Telnet(_)
        | Parts::Wais(_)
        | Parts::File(_)
        | Parts::Prospero(_)
        | Parts::Other(_) => false,
    }
}

/// What a URL says, part by part, and what would be sent for it: names and values.
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
    facts.extend(sends(url).map(|line| fact("sends", &line)));
    facts
}
