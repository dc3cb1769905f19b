//! LIST and related commands (RFC 3977 section 7.6, RFC 6048 section 3).

use geomys_wire::protocol::nntp::Wildmat;

use super::{Group, NewsResponse, NewsSession, Obeyed, range};

impl NewsSession {
    pub(super) fn list(&mut self, arguments: &[&[u8]]) -> Obeyed {
        let (keyword, rest) = arguments
            .split_first()
            .map_or((b"ACTIVE".to_vec(), arguments), |(first, rest)| {
                (first.to_ascii_uppercase(), rest)
            });
        let wildmat = match rest {
            [] => Wildmat::parse(b"*"),
            [wildmat] => Wildmat::parse(wildmat),
            _ => return Err("501 One wildmat is enough"),
        };
        match keyword.as_slice() {
            b"ACTIVE" => Ok(self.groups_block(
                "215 Groups follow",
                wildmat,
                |group| active(group, false),
                |name, high| format!("{name} {high} 1 y"),
            )),
            b"COUNTS" => Ok(self.groups_block(
                "215 Groups and counts follow",
                wildmat,
                |group| active(group, true),
                |name, high| format!("{name} {high} 1 {high} y"),
            )),
            b"NEWSGROUPS" => Ok(self.groups_block(
                "215 Descriptions follow",
                wildmat,
                |group| format!("{}\t{}", group.name, group.description),
                |name, high| format!("{name}\tWhat {high} moles have to say (computed)"),
            )),
            b"OVERVIEW.FMT" => Ok(NewsResponse::line(
                "215 Fields follow\r\nSubject:\r\nFrom:\r\nDate:\r\nMessage-ID:\r\nReferences:\r\n:bytes\r\n:lines\r\nXref:full\r\n.",
            )),
            b"HEADERS" => Ok(NewsResponse::line(
                "215 Any header, and these\r\n:\r\n:bytes\r\n:lines\r\n.",
            )),
            _ => Err("501 No such list"),
        }
    }

    /// A block with a line for each group whose name matches: the listed ones, then the computed ones, of which
    /// `computed` gets the name and the highest number.
    fn groups_block(
        &self,
        opening: &str,
        wildmat: Wildmat,
        line: impl Fn(&Group) -> String,
        computed: impl Fn(&str, u64) -> String + Send + 'static,
    ) -> NewsResponse {
        let listed = self.groups.listed();
        let listed = listed.filter(|group| wildmat.matches(group.name.as_bytes()));
        let listed: Vec<_> = listed.map(|group| line(group).into_bytes()).collect();
        let crowd = (0..self.world.crowd).filter_map(move |number| {
            let name = format!("crowd.hill{}.chamber{number}", number % 100);
            let is_match = wildmat.matches(name.as_bytes());
            is_match.then(|| computed(&name, number * 7 % 1000).into_bytes())
        });
        NewsResponse::Block(
            opening.to_owned(),
            Box::new(listed.into_iter().chain(crowd)),
        )
    }

    pub(super) fn new_groups(&mut self, date: &[u8]) -> Obeyed {
        let since = super::number(date).filter(|_| matches!(date.len(), 6 | 8));
        let mut since = since.ok_or("501 NEWGROUPS wants yyyymmdd hhmmss")?;
        if date.len() == 6 {
            // A two-digit year belongs to this century up to the current year (RFC 3977 section 7.3.2).
            since += if since / 10_000 <= 26 {
                2000_0000
            } else {
                1900_0000
            };
        }
        let groups = self.groups.listed().filter(|group| group.created >= since);
        let lines: Vec<_> = groups
            .map(|group| active(group, false).into_bytes())
            .collect();
        let opening = "231 New groups follow".to_owned();
        Ok(NewsResponse::Block(opening, Box::new(lines.into_iter())))
    }

    pub(super) fn list_group(&mut self, arguments: &[&[u8]]) -> Obeyed {
        let wanted = match arguments {
            [_, numbers] => range(numbers),
            [_] | [] => Some((0, u64::MAX)),
            _ => None,
        };
        let (first, last) = wanted.ok_or("501 LISTGROUP takes a group and a range")?;
        let name = match arguments.first() {
            Some(name) => name.to_vec(),
            None => self.group().ok_or("412 No group is selected")?.name.into(),
        };
        let opening = self.select(&name)?;
        let numbers = self
            .group()
            .map(|group| group.numbers(first, last).collect());
        let numbers: Vec<u64> = numbers.unwrap_or_default();
        let lines = numbers
            .into_iter()
            .map(|number| number.to_string().into_bytes());
        Ok(NewsResponse::Block(opening, Box::new(lines)))
    }
}

fn active(group: &Group, is_counted: bool) -> String {
    let (low, high, count) = group.marks();
    let count = if is_counted {
        format!(" {count}")
    } else {
        String::new()
    };
    format!("{} {high} {low}{count} {}", group.name, group.status())
}

#[cfg(test)]
mod tests {
    use super::Wildmat;

    #[test]
    fn the_last_pattern_that_fits_decides() {
        let matches = |wildmat: &[u8], name: &[u8]| Wildmat::parse(wildmat).matches(name);
        assert!(matches(b"*", b"a.b"));
        assert!(matches(b"a.*,!a.b*,a.bc", b"a.bc"));
        assert!(!matches(b"a.*,!a.b*", b"a.bc"));
        assert!(matches(b"a?b", b"a.b"));
        assert!(!matches(b"a.b", b"a.bc"));
        assert!(matches(b"a**b*", b"axxb"));
        assert!(!matches(b"", b"a"));
    }
}
