//! What holds for any file and any changes.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use super::*;

/// Something that a person does, with whatever the file has.
#[derive(Clone, Debug)]
struct Deed {
    kind: u8,
    items: Vec<Index>,
    place: Place,
    at: Index,
}

impl Deed {
    fn change(&self, file: &Bookmarks) -> Option<Change> {
        let count = file.len();
        let pick = |index: &Index| if count == 0 { 0 } else { index.index(count) };
        let items: Vec<usize> = self.items.iter().map(pick).collect();
        let at = pick(&self.at);
        let place = match &self.place {
            Place::Inside(_) => Place::Inside(at),
            Place::Before(_) => Place::Before(at),
            Place::After(_) => Place::After(at),
            other @ (Place::End | Place::Top | Place::Path(_)) => other.clone(),
        };
        let words = |words: &[&str]| Some(words.iter().map(|word| (*word).to_owned()).collect());
        let edit = match self.kind % 3 {
            0 => titled("Edited"),
            1 => Edit {
                tags: words(&["new"]),
                url: Some(Url::parse("gopher://new/").unwrap()),
                ..Edit::default()
            },
            _ => Edit {
                notes: words(&["fresh", "note"]),
                ..Edit::default()
            },
        };
        match self.kind {
            0..=2 => {
                let edits: Vec<_> = items.into_iter().map(|item| (item, edit.clone())).collect();
                Some(file.editing(&edits))
            }
            3..=5 => Some(file.adding(&[draft("N1"), draft("N2")], &place)),
            6..=8 => file.moving(&items, &place),
            9..=10 => Some(file.removing(&items)),
            11..=12 => Some(file.pasting(&file.copying(&items), &place)),
            13 => file.renaming(at, "Renamed"),
            14 => file.adding_folder("Made", &place),
            _ => file.revising(at, &edit, &place),
        }
    }
}

fn deed() -> impl Strategy<Value = Deed> {
    let folder = |names: &[&str]| Just(path(names));
    let place = prop_oneof![
        Just(Place::End),
        Just(Place::Top),
        Just(Place::Inside(0)),
        Just(Place::Before(0)),
        Just(Place::After(0)),
        folder(&["A"]),
        folder(&["A", "B"]),
        folder(&["Z", "Y"]),
    ];
    (0..16_u8, vec(any::<Index>(), 0..4), place, any::<Index>()).prop_map(
        |(kind, items, place, at)| Deed {
            kind,
            items,
            place,
            at,
        },
    )
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("# A\n".to_owned()),
        Just("## B\n".to_owned()),
        Just("### D\n".to_owned()),
        Just("# C\r\n".to_owned()),
        Just("\n".to_owned()),
        Just("  note\n".to_owned()),
        Just("words\n".to_owned()),
        Just("  in <URL:gopher://in/>\n".to_owned()),
        (0..9_u8).prop_map(|n| format!("b{n} <URL:gopher://b{n}/> #t\n")),
        Just("two <URL:ftp://two/;type=d> more\n".to_owned()),
        Just("bad <URL:gopher://b_d/>\r\n".to_owned()),
        Just("open <URL:gopher://open/\n".to_owned()),
    ]
}

fn file() -> impl Strategy<Value = Vec<u8>> {
    (vec(line(), 0..24), any::<bool>()).prop_map(|(lines, ended)| {
        let mut file = lines.concat();
        if !ended {
            file.pop();
        }
        file.into_bytes()
    })
}

/// Any octets, those that mean something more often than others.
fn octets() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        vec(any::<u8>(), 0..4),
        Just(b"<URL:".to_vec()),
        Just(b">".to_vec()),
        Just(b"\n".to_vec()),
        Just(b"\n  ".to_vec()),
        Just(b"\n# ".to_vec()),
        Just(b"gopher://h/".to_vec()),
    ];
    vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// Every bookmark, by what a person knows of it.
fn known(file: &Bookmarks) -> Vec<(Vec<u8>, Vec<String>, Vec<String>)> {
    let bookmarks = file.bookmarks().map(|bookmark| {
        let line = bookmark.octets().trim_ascii_start().to_vec();
        let notes = bookmark.notes().iter().map(ToString::to_string).collect();
        (line, notes, file.folder_of(bookmark.index))
    });
    let mut known: Vec<_> = bookmarks.collect();
    known.sort();
    known
}

proptest! {
    #[test]
    fn any_octets_are_a_bookmark_file_and_are_kept(octets in octets()) {
        let file = Bookmarks::parse(&octets);
        prop_assert_eq!(file.octets(), octets.as_slice());
        for bookmark in file.bookmarks() {
            prop_assert_eq!(bookmark.has_fault, bookmark.url().is_err());
        }
    }

    #[test]
    fn any_deeds_undone_were_never_done(octets in octets(), deeds in vec(deed(), 0..6)) {
        undone(&octets, &deeds)?;
    }

    #[test]
    fn deeds_undone_were_never_done(octets in file(), deeds in vec(deed(), 0..8)) {
        undone(&octets, &deeds)?;
    }

    #[test]
    fn what_is_read_again_is_what_is_there(before in octets(), after in octets(), cut in any::<Index>()) {
        let at = cut.index(before.len() + 1);
        let edited = [&before[..at], &after, &before[at..]].concat();
        for now in [&after, &edited] {
            let reread = Bookmarks::parse(&before).reread(now);
            prop_assert_eq!(reread, Bookmarks::parse(now));
        }
        prop_assert_eq!(Bookmarks::parse(&edited).reread(&before), Bookmarks::parse(&before));
    }

    #[test]
    fn a_move_changes_the_folder_and_nothing_else(octets in file(), deed in deed()) {
        let file = Bookmarks::parse(&octets);
        let deed = Deed { kind: 6, ..deed };
        if let Some(change) = deed.change(&file) {
            let moved = file.apply(&change);
            prop_assert_eq!(moved.clashes.len(), 0);
            let lines = |file: &Bookmarks| -> Vec<_> {
                known(file).into_iter().map(|(line, notes, _)| (line, notes)).collect()
            };
            prop_assert_eq!(lines(&moved.bookmarks), lines(&file));
            prop_assert!(moved.bookmarks.folders().count() >= file.folders().count());
        }
    }

    #[test]
    fn what_is_chosen_alone_is_touched(octets in file(), deed in deed()) {
        let file = Bookmarks::parse(&octets);
        let Some(change) = deed.change(&file) else { return Ok(()) };
        let now = file.apply(&change);
        // What the change put in, taken out of what is there, and what it took out of what was.
        let left = |file: &Bookmarks, without: &[usize]| {
            let mut left = known(file);
            for bookmark in without.iter().filter_map(|&index| file.bookmark(index)) {
                let notes = bookmark.notes().iter().map(ToString::to_string).collect();
                let own = (
                    bookmark.octets().trim_ascii_start().to_vec(),
                    notes,
                    file.folder_of(bookmark.index),
                );
                let at = left.iter().position(|known| *known == own).unwrap();
                left.remove(at);
            }
            left
        };
        let undone = now.bookmarks.apply(&now.back);
        if deed.kind != 13 {
            prop_assert_eq!(left(&now.bookmarks, &now.items), left(&file, &undone.items));
        }
    }

    #[test]
    fn an_outside_edit_elsewhere_and_ours_are_both_there(
        octets in file(), deed in deed(), theirs in vec(line(), 1..3), at in any::<Index>(),
    ) {
        // Theirs are lines put in somewhere.
        let file = Bookmarks::parse(&octets);
        let Some(change) = deed.change(&file) else { return Ok(()) };
        let lines: Vec<&[u8]> = octets.split_inclusive(|&octet| octet == b'\n').collect();
        let at = at.index(lines.len() + 1);
        let mut now = lines[..at].concat();
        if !now.is_empty() && !now.ends_with(b"\n") {
            now.push(b'\n');
        }
        now.extend(theirs.concat().into_bytes());
        now.extend(lines[at..].concat());
        let now = file.reread(&now);
        let applied = now.apply(&change);
        prop_assert_eq!(&applied.bookmarks, &Bookmarks::parse(applied.bookmarks.octets()));
        let there = String::from_utf8(applied.bookmarks.octets().to_vec()).unwrap();
        for line in &theirs {
            prop_assert!(there.contains(line.trim_end()), "{there}");
        }
        let back = applied.bookmarks.apply(&applied.back);
        prop_assert_eq!(back.bookmarks.octets(), now.octets());
    }
}

fn undone(octets: &[u8], deeds: &[Deed]) -> Result<(), TestCaseError> {
    let mut file = Bookmarks::parse(octets);
    let mut undo = Vec::new();
    for deed in deeds {
        if let Some(change) = deed.change(&file) {
            let applied = file.apply(&change);
            prop_assert_eq!(applied.clashes.len(), 0);
            // What was taken over of the file before is what reading all of it finds.
            prop_assert_eq!(
                &applied.bookmarks,
                &Bookmarks::parse(applied.bookmarks.octets())
            );
            file = applied.bookmarks;
            undo.push(applied.back);
        }
    }
    while let Some(change) = undo.pop() {
        file = file.apply(&change).bookmarks;
    }
    prop_assert_eq!(file.octets(), octets);
    Ok(())
}
