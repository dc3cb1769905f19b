//! Lines of the files of states by URL: one JSON object per line.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Parses the lines; damaged ones are ignored.
pub(super) fn parse<L: DeserializeOwned>(octets: &[u8]) -> impl Iterator<Item = L> {
    let lines = octets.split(|&octet| octet == b'\n');
    lines.filter_map(|line| serde_json::from_slice(line).ok())
}

/// Formats the lines.
pub(super) fn format<L: Serialize>(lines: impl Iterator<Item = L>) -> Vec<u8> {
    let mut octets = Vec::new();
    for line in lines {
        // A line holds strings and numbers alone, so serializing cannot fail.
        if serde_json::to_writer(&mut octets, &line).is_ok() {
            octets.push(b'\n');
        }
    }
    octets
}
