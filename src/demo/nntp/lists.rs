//! LIST and related commands (RFC 3977 section 7.6, RFC 6048 section 3), and wildmats.
//!
//! ```text
//! wildmat  = pattern *( "," [ "!" ] pattern )      ; the last one that matches decides
//! pattern  = 1*( "*" / "?" / other )
//! ```

use std::io;
use std::sync::Arc;

use super::{Group, Session, range};

impl Session {
    pub(super) async fn list(&mut self, arguments: &[&[u8]]) -> io::Result<()> {
        let groups = Arc::clone(&self.groups);
        let (keyword, rest) = arguments
            .split_first()
            .map_or((b"ACTIVE".to_vec(), arguments), |(first, rest)| {
                (first.to_ascii_uppercase(), rest)
            });
        let wildmat = rest.first().copied().unwrap_or(b"*");
        if rest.len() > 1 {
            return self.reply("501 One wildmat is enough").await;
        }
        let listed = groups
            .listed()
            .filter(|group| matches(wildmat, group.name.as_bytes()));
        match keyword.as_slice() {
            b"ACTIVE" => {
                let lines = listed.map(|group| active(group, false));
                let lines = lines.chain(self.crowd(wildmat, |name, high| format!("{name} {high} 1 y")));
                self.block("215 Groups follow", lines).await
            }
            b"COUNTS" => {
                let lines = listed.map(|group| active(group, true));
                let lines = lines.chain(self.crowd(wildmat, |name, high| format!("{name} {high} 1 {high} y")));
                self.block("215 Groups and counts follow", lines).await
            }
            b"NEWSGROUPS" => {
                let lines = listed.map(|group| format!("{}\t{}", group.name, group.description).into_bytes());
                let lines = lines.chain(self.crowd(wildmat, |name, high| format!("{name}\tWhat {high} moles have to say (computed)")));
                self.block("215 Descriptions follow", lines).await
            }
            b"OVERVIEW.FMT" => {
                self.reply("215 Fields follow\r\nSubject:\r\nFrom:\r\nDate:\r\nMessage-ID:\r\nReferences:\r\n:bytes\r\n:lines\r\nXref:full\r\n.").await
            }
            b"HEADERS" => self.reply("215 Any header, and these\r\n:\r\n:bytes\r\n:lines\r\n.").await,
            _ => self.reply("501 No such list").await,
        }
    }

    /// The lines of the computed groups whose names match: names and highest numbers.
    fn crowd(
        &self,
        wildmat: &[u8],
        line: impl Fn(&str, u64) -> String + Send + 'static,
    ) -> impl Iterator<Item = Vec<u8>> + Send + 'static {
        let is_all = wildmat == b"*";
        let wildmat = wildmat.to_vec();
        (0..self.world.crowd).filter_map(move |number| {
            let name = format!("crowd.hill{}.chamber{number}", number % 100);
            let fits = is_all || matches(&wildmat, name.as_bytes());
            fits.then(|| line(&name, number * 7 % 1000).into_bytes())
        })
    }

    pub(super) async fn new_groups(&mut self, date: &[u8]) -> io::Result<()> {
        let groups = Arc::clone(&self.groups);
        let Some(mut since) = super::number(date).filter(|_| matches!(date.len(), 6 | 8)) else {
            return self.reply("501 NEWGROUPS wants yyyymmdd hhmmss").await;
        };
        if date.len() == 6 {
            // A two-digit year belongs to this century up to the current year (RFC 3977 section 7.3.2).
            since += if since / 10_000 <= 26 {
                2000_0000
            } else {
                1900_0000
            };
        }
        let groups = groups.listed().filter(|group| group.created >= since);
        self.block(
            "231 New groups follow",
            groups.map(|group| active(group, false)),
        )
        .await
    }

    pub(super) async fn list_group(&mut self, arguments: &[&[u8]]) -> io::Result<()> {
        let wanted = match arguments {
            [_, numbers] => range(numbers),
            [_] | [] => Some((0, u64::MAX)),
            _ => None,
        };
        let Some((first, last)) = wanted else {
            return self.reply("501 LISTGROUP takes a group and a range").await;
        };
        let groups = Arc::clone(&self.groups);
        let name = match arguments.first() {
            Some(name) => name.to_vec(),
            None => self
                .group()
                .map(|group| group.name.as_bytes().to_vec())
                .unwrap_or_default(),
        };
        if name.is_empty() {
            return self.reply("412 No group is selected").await;
        }
        let Some(opening) = self.enter(&name).await? else {
            return Ok(());
        };
        let numbers = groups
            .named(&name)
            .into_iter()
            .flat_map(|(_, group)| group.numbers(first, last));
        self.block(
            &opening,
            numbers.map(|number| number.to_string().into_bytes()),
        )
        .await
    }
}

fn active(group: &Group, is_counted: bool) -> Vec<u8> {
    let (low, high, count) = group.marks();
    let count = if is_counted {
        format!(" {count}")
    } else {
        String::new()
    };
    format!("{} {high} {low}{count} {}", group.name, group.status()).into_bytes()
}

/// Returns true if a group's name matches. The last matching pattern decides.
fn matches(wildmat: &[u8], name: &[u8]) -> bool {
    let mut verdict = false;
    for pattern in wildmat.split(|&octet| octet == b',') {
        let (pattern, answer) = pattern
            .strip_prefix(b"!")
            .map_or((pattern, true), |pattern| (pattern, false));
        if fits(pattern, name) {
            verdict = answer;
        }
    }
    verdict
}

/// Matches one pattern. The set of possible positions in the pattern is tracked, so that no pattern, however many
/// stars it has, takes longer than its length times the name's.
fn fits(pattern: &[u8], name: &[u8]) -> bool {
    let with_stars = |mut places: Vec<bool>| {
        for at in 0..pattern.len() {
            if places.get(at) == Some(&true)
                && pattern.get(at) == Some(&b'*')
                && let Some(next) = places.get_mut(at + 1)
            {
                *next = true;
            }
        }
        places
    };
    let mut places = vec![false; pattern.len() + 1];
    if let Some(first) = places.first_mut() {
        *first = true;
    }
    places = with_stars(places);
    for octet in name {
        let mut after = vec![false; places.len()];
        for (at, expected) in pattern
            .iter()
            .enumerate()
            .filter(|(at, _)| places.get(*at) == Some(&true))
        {
            let to = match expected {
                b'*' => at,
                b'?' => at + 1,
                other if other == octet => at + 1,
                _ => continue,
            };
            if let Some(place) = after.get_mut(to) {
                *place = true;
            }
        }
        places = with_stars(after);
    }
    places.last() == Some(&true)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn the_last_pattern_that_fits_decides() {
        assert!(matches(b"*", b"a.b"));
        assert!(matches(b"a.*,!a.b*,a.bc", b"a.bc"));
        assert!(!matches(b"a.*,!a.b*", b"a.bc"));
        assert!(matches(b"a?b", b"a.b"));
        assert!(!matches(b"a.b", b"a.bc"));
        assert!(matches(b"a**b*", b"axxb"));
        assert!(!matches(b"", b"a"));
    }
}
