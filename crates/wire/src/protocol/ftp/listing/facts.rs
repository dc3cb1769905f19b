//! MLSD and MLST (RFC 3659, section 7).
//!
//! ```text
//! entry = [ facts ] SP pathname
//! facts = 1*( factname "=" value ";" )
//! ```
//!
//! `NcFTPd` omits the last `;`, others write `sizd` for the size of a directory. The facts `type`, `size` and `modify`
//! are read, all others ignored. Links are `type=OS.unix=slink:target` or `OS.unix=symlink`. A target may contain a
//! blank, and so may the name of a user or a group. A pathname is a name here: some servers put the directory before
//! it, and the name follows the last slash.

use super::details::Details;
use super::entry::{Entry, Kind, Line};
use super::{Date, date, names};
use crate::protocol::octets::{number, split_once};

/// The values of `type` with one meaning.
const KINDS: [(&[u8], Kind<'_>); 3] = [
    (b"dir", Kind::Directory),
    (b"file", Kind::File),
    (b"OS.unix=symlink", Kind::Symlink(None)),
];

/// The facts with an owner, the best one first.
const OWNERS: [&[u8]; 2] = [b"unix.ownername", b"unix.owner"];

/// The facts with a group, the best one first.
const GROUPS: [&[u8]; 2] = [b"unix.groupname", b"unix.group"];

/// Parses a line of MLSD.
pub(super) fn line(line: &[u8]) -> Option<Line<'_>> {
    line_named(line, names::last)
}

/// Parses a line with a path instead of a name.
pub(super) fn path_line(line: &[u8]) -> Option<Line<'_>> {
    line_named(line, |path| path)
}

fn line_named(line: &[u8], name_of: fn(&[u8]) -> &[u8]) -> Option<Line<'_>> {
    let (facts, name) = split(line)?;
    let mut kind = Kind::Unknown;
    let mut size = None;
    let mut date: Option<Date> = None;
    for fact in facts.split(|&octet| octet == b';') {
        if fact.is_empty() {
            continue;
        }
        let (fact, value) = split_once(fact, b'=')?;
        if is(fact, b"type") {
            match self::kind(value) {
                Some(parsed) => kind = parsed,
                None => return Some(Line::Metadata),
            }
        } else if is(fact, b"size") || is(fact, b"sizd") {
            size = number(value);
        } else if is(fact, b"modify") {
            date = date::stamp(value);
        }
    }
    let entry = Entry {
        name: name_of(name),
        kind,
        size: kind.size(size),
        date,
    };
    entry.line()
}

/// Returns true if [`line`] can parse a line, without reading its facts; a false result may be wrong.
pub(super) fn is_readable(line: &[u8]) -> bool {
    let Some((facts, name)) = split(line) else {
        return false;
    };
    let (mut is_empty, mut has_value) = (true, false);
    for &octet in facts {
        match octet {
            b';' if !is_empty && !has_value => return false,
            b';' => (is_empty, has_value) = (true, false),
            b'=' => (is_empty, has_value) = (false, true),
            _ => is_empty = false,
        }
    }
    let has_name = name.last().is_some_and(|&octet| octet != b'/');
    (is_empty || has_value) && (has_name || !names::last(name).is_empty())
}

/// Returns true if [`line`] is the entry of the directory itself or of its parent.
pub(super) fn is_metadata(line: &[u8]) -> bool {
    let Some((facts, name)) = split(line) else {
        return false;
    };
    for fact in facts.split(|&octet| octet == b';') {
        match split_once(fact, b'=') {
            Some((fact, value)) if is(fact, b"type") => {
                if kind(value).is_none() {
                    return true;
                }
            }
            None if !fact.is_empty() => return false,
            Some(_) | None => {}
        }
    }
    matches!(names::last(name), b"." | b"..")
}

/// Returns true if a word of the facts is this one. Most servers write it in lower case, and this is faster.
fn is(word: &[u8], expected: &[u8]) -> bool {
    word == expected || word.eq_ignore_ascii_case(expected)
}

/// Splits a line into facts and name. The facts end at a blank after a `;`; or at the first blank, if no `;` is before
/// it and it is not inside the target of a link or the name of a user or a group.
fn split(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let (facts, name) = split_once(line, b' ')?;
    if facts.ends_with(b";") {
        return Some((facts, name));
    }
    let last = facts.rsplit(|&octet| octet == b';').next()?;
    let (fact, value) = split_once(last, b'=').unwrap_or((last, b""));
    let mut people = [OWNERS, GROUPS].into_iter().flatten();
    let is_name =
        people.any(|name| fact.eq_ignore_ascii_case(name)) && number::<u64>(value).is_none();
    if !is_name && memchr::memmem::find(value, b"slink:").is_none() {
        return Some((facts, name));
    }
    match memchr::memmem::find(line, b"; ") {
        Some(at) => Some((line.get(..at)?, line.get(at + 2..)?)),
        None => Some((facts, name)),
    }
}

/// Returns the kind for a value of `type`; `None` for the directory itself and its parent.
fn kind(value: &[u8]) -> Option<Kind<'_>> {
    const LINK: &[u8] = b"OS.unix=slink";
    let mut kinds = KINDS.iter();
    if let Some((_, kind)) = kinds.find(|(name, _)| is(value, name)) {
        return Some(*kind);
    }
    if is(value, b"cdir") || is(value, b"pdir") {
        return None;
    }
    match value.split_at_checked(LINK.len()) {
        Some((link, target)) if link.eq_ignore_ascii_case(LINK) => {
            let target = target
                .strip_prefix(b":")
                .filter(|target| !target.is_empty());
            Some(Kind::Symlink(target))
        }
        _ => Some(Kind::Other),
    }
}

/// Returns the permissions, owner and group of a line of MLSD.
pub(super) fn details(line: &[u8]) -> Details<'_> {
    let facts = split(line).map_or(b"".as_slice(), |(facts, _)| facts);
    let fact = |names: &[&[u8]]| {
        names.iter().find_map(|name| {
            let mut facts = facts.split(|&octet| octet == b';');
            facts.find_map(|fact| {
                let (found, value) = split_once(fact, b'=')?;
                found.eq_ignore_ascii_case(name).then_some(value)
            })
        })
    };
    let group = fact(&GROUPS);
    Details {
        permissions: fact(&[b"unix.mode", b"perm"]),
        owner: fact(&OWNERS),
        group: group.map(<[u8]>::to_vec),
    }
}
