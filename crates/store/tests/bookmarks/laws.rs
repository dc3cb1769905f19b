//! Properties of any file and any changes.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use super::*;

/// An edit by the user, on arbitrary items of the file.
#[derive(Clone, Debug)]
struct PersonEdit {
    kind: u8,
    items: Vec<Index>,
    place: InsertPosition,
    at: Index,
}

impl PersonEdit {
    fn change(&self, file: &Bookmarks) -> Option<Change> {
        let count = file.len();
        let pick = |index: &Index| if count == 0 { 0 } else { index.index(count) };
        let items: Vec<usize> = self.items.iter().map(pick).collect();
        let at = pick(&self.at);
        let place = match &self.place {
            InsertPosition::Inside(_) => InsertPosition::Inside(at),
            InsertPosition::Before(_) => InsertPosition::Before(at),
            InsertPosition::After(_) => InsertPosition::After(at),
            other @ (InsertPosition::End | InsertPosition::Top | InsertPosition::Path(_)) => {
                other.clone()
            }
        };
        let words = |words: &[&str]| Some(words.iter().map(|word| (*word).to_owned()).collect());
        let edit = match self.kind % 3 {
            0 => titled("Edited"),
            1 => BookmarkEdit {
                tags: words(&["new"]),
                url: Some(Url::parse("gopher://new/").unwrap()),
                ..BookmarkEdit::default()
            },
            _ => BookmarkEdit {
                notes: words(&["fresh", "note"]),
                ..BookmarkEdit::default()
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

fn any_edit() -> impl Strategy<Value = PersonEdit> {
    let folder = |names: &[&str]| Just(path(names));
    let place = prop_oneof![
        Just(InsertPosition::End),
        Just(InsertPosition::Top),
        Just(InsertPosition::Inside(0)),
        Just(InsertPosition::Before(0)),
        Just(InsertPosition::After(0)),
        folder(&["A"]),
        folder(&["A", "B"]),
        folder(&["Z", "Y"]),
    ];
    (0..16_u8, vec(any::<Index>(), 0..4), place, any::<Index>()).prop_map(
        |(kind, items, place, at)| PersonEdit {
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

/// Arbitrary octets, with many syntax elements.
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

/// Every bookmark as line, notes and folder, sorted.
fn bookmark_lines(file: &Bookmarks) -> Vec<(Vec<u8>, Vec<String>, Vec<String>)> {
    let bookmarks = file.bookmarks().map(|bookmark| {
        let line = bookmark.octets().trim_ascii_start().to_vec();
        let notes = bookmark.notes().iter().map(ToString::to_string).collect();
        (line, notes, file.folder_of(bookmark.index))
    });
    let mut bookmark_lines: Vec<_> = bookmarks.collect();
    bookmark_lines.sort();
    bookmark_lines
}

proptest! {
    #[test]
    fn any_octets_parse_and_stay_unchanged(octets in octets()) {
        let file = Bookmarks::parse(&octets);
        prop_assert_eq!(file.octets(), octets.as_slice());
        for bookmark in file.bookmarks() {
            prop_assert_eq!(bookmark.has_fault, bookmark.url().is_err());
        }
    }

    #[test]
    fn undo_restores_any_octets(octets in octets(), edits in vec(any_edit(), 0..6)) {
        undone(&octets, &edits)?;
    }

    #[test]
    fn undo_restores_bookmark_file(octets in file(), edits in vec(any_edit(), 0..8)) {
        undone(&octets, &edits)?;
    }

    #[test]
    fn incremental_reparse_equals_full_parse(before in octets(), after in octets(), cut in any::<Index>()) {
        let at = cut.index(before.len() + 1);
        let edited = [&before[..at], &after, &before[at..]].concat();
        for now in [&after, &edited] {
            let reread = Bookmarks::parse(&before).reread(now);
            prop_assert_eq!(reread, Bookmarks::parse(now));
        }
        prop_assert_eq!(Bookmarks::parse(&edited).reread(&before), Bookmarks::parse(&before));
    }

    #[test]
    fn move_changes_only_the_folder(octets in file(), edit in any_edit()) {
        let file = Bookmarks::parse(&octets);
        let edit = PersonEdit { kind: 6, ..edit };
        if let Some(change) = edit.change(&file) {
            let moved = file.apply(&change);
            prop_assert_eq!(moved.conflicts.len(), 0);
            let lines = |file: &Bookmarks| -> Vec<_> {
                bookmark_lines(file).into_iter().map(|(line, notes, _)| (line, notes)).collect()
            };
            prop_assert_eq!(lines(&moved.bookmarks), lines(&file));
            prop_assert!(moved.bookmarks.folders().count() >= file.folders().count());
        }
    }

    #[test]
    fn change_touches_only_selected_bookmarks(octets in file(), edit in any_edit()) {
        let file = Bookmarks::parse(&octets);
        let Some(change) = edit.change(&file) else { return Ok(()) };
        let now = file.apply(&change);
        // The result without the added lines equals the original without the removed ones.
        let left = |file: &Bookmarks, without: &[usize]| {
            let mut left = bookmark_lines(file);
            for bookmark in without.iter().filter_map(|&index| file.bookmark(index)) {
                let notes = bookmark.notes().iter().map(ToString::to_string).collect();
                let own = (
                    bookmark.octets().trim_ascii_start().to_vec(),
                    notes,
                    file.folder_of(bookmark.index),
                );
                let at = left.iter().position(|bookmark_lines| *bookmark_lines == own).unwrap();
                left.remove(at);
            }
            left
        };
        let undone = now.bookmarks.apply(&now.undo);
        if edit.kind != 13 {
            prop_assert_eq!(left(&now.bookmarks, &now.items), left(&file, &undone.items));
        }
    }

    #[test]
    fn outside_edit_elsewhere_and_own_edit_are_both_saved(
        octets in file(), edit in any_edit(), theirs in vec(line(), 1..3), at in any::<Index>(),
    ) {
        // The outside edit inserts lines somewhere.
        let file = Bookmarks::parse(&octets);
        let Some(change) = edit.change(&file) else { return Ok(()) };
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
        let back = applied.bookmarks.apply(&applied.undo);
        prop_assert_eq!(back.bookmarks.octets(), now.octets());
    }
}

fn undone(octets: &[u8], edits: &[PersonEdit]) -> Result<(), TestCaseError> {
    let mut file = Bookmarks::parse(octets);
    let mut undo = Vec::new();
    for edit in edits {
        if let Some(change) = edit.change(&file) {
            let applied = file.apply(&change);
            prop_assert_eq!(applied.conflicts.len(), 0);
            // The incremental result equals a full parse.
            prop_assert_eq!(
                &applied.bookmarks,
                &Bookmarks::parse(applied.bookmarks.octets())
            );
            file = applied.bookmarks;
            undo.push(applied.undo);
        }
    }
    while let Some(change) = undo.pop() {
        file = file.apply(&change).bookmarks;
    }
    prop_assert_eq!(file.octets(), octets);
    Ok(())
}
