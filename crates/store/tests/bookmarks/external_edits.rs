//! The file is edited by another program between our read and our write.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use geomys_store::bookmarks::WriteStep;

use super::*;

const READ: &str = "\
# A
one <URL:gopher://one/>
two <URL:gopher://two/>
  note
three <URL:gopher://three/>

# B
four <URL:gopher://four/>
";

/// Applies a change to a file that was edited meanwhile; gives the result and the reports, and checks that undo
/// restores it.
fn apply_to_edited(change: &Change, now: &str) -> (String, Vec<String>) {
    let now = Bookmarks::parse(now.as_bytes());
    let applied = now.apply(change);
    let again = Bookmarks::parse(applied.bookmarks.octets());
    assert_eq!(applied.bookmarks, again);
    for clash in &applied.conflicts {
        assert!(clash.theirs < applied.bookmarks.line_count());
    }
    let back = applied.bookmarks.apply(&applied.undo).bookmarks;
    assert_eq!(text(&back), text(&now));
    let said = applied.conflicts.iter().map(ToString::to_string).collect();
    (text(&applied.bookmarks), said)
}

fn read() -> Bookmarks {
    Bookmarks::parse(READ.as_bytes())
}

#[test]
fn outside_edit_of_another_line_is_merged_silently() {
    let edits = [
        format!("# Top\nnew <URL:gopher://new/>\n{READ}"),
        READ.replace("one", "ONE"),
        READ.replace("three <", "three, edited <"),
        READ.replace("# A\n", ""),
        READ.replace("three <URL:gopher://three/>\n", ""),
        READ.replace("one <", "\n\n\none <"),
    ];
    let changes = [
        (read().editing(&[(2, titled("TWO"))]), "two <", "TWO <"),
        (
            read().removing(&[2]),
            "two <URL:gopher://two/>\n  note\n",
            "",
        ),
        (
            read().adding(&[draft("N")], &InsertPosition::After(2)),
            "  note\n",
            "  note\nN <URL:gopher://h/>\n",
        ),
    ];
    for now in &edits {
        for (change, from, to) in &changes {
            assert_eq!(
                apply_to_edited(change, now),
                (now.replace(from, to), vec![]),
                "{now}"
            );
        }
    }
}

#[test]
fn edit_conflict_keeps_both_lines() {
    let ours = read().editing(&[(2, titled("TWO"))]);
    let now = READ.replace("two <", "deux <");
    let (then, said) = apply_to_edited(&ours, &now);
    assert_eq!(
        then,
        now.replace("  note\n", "  note\nTWO <URL:gopher://two/>\n")
    );
    assert_eq!(
        said,
        ["line 3 was changed in the file by another program: it stays, and yours is below it"]
    );
    // A line removed there is inserted there again.
    let now = READ.replace("two <URL:gopher://two/>\n  note\n", "");
    let (then, said) = apply_to_edited(&ours, &now);
    assert_eq!(then, READ.replace("two <", "TWO <").replace("  note\n", ""));
    assert_eq!(said, [""; 0]);
    // Both made the same change.
    let now = READ.replace("two <", "TWO <");
    assert_eq!(apply_to_edited(&ours, &now), (now, vec![]));
}

#[test]
fn line_edited_outside_is_not_removed() {
    let removing = read().removing(&[1, 2, 3]);
    let now = READ.replace("two <", "deux <");
    let (then, said) = apply_to_edited(&removing, &now);
    assert_eq!(
        then,
        "# A\ndeux <URL:gopher://two/>\n  note\n\n# B\nfour <URL:gopher://four/>\n"
    );
    assert_eq!(
        said,
        ["line 2 was changed in the file by another program: it stays where it is"]
    );
    let now = READ.replace("two <URL:gopher://two/>\n  note\n", "");
    let (then, said) = apply_to_edited(&removing, &now);
    assert_eq!(then, "# A\n\n# B\nfour <URL:gopher://four/>\n");
    assert_eq!(said, [""; 0]);
}

#[test]
fn note_added_outside_stays_with_its_bookmark() {
    let now = READ.replace("one/>\n", "one/>\n  theirs\n");
    let (then, said) = apply_to_edited(&read().removing(&[1]), &now);
    assert_eq!(then, now);
    assert_eq!(said.len(), 1);
    let adding = read().adding(&[draft("N")], &InsertPosition::After(1));
    let (then, said) = apply_to_edited(&adding, &now);
    assert_eq!(
        then,
        now.replace("theirs\n", "theirs\nN <URL:gopher://h/>\n")
    );
    assert_eq!(said.len(), 0);
}

#[test]
fn moved_line_edited_outside_is_there_twice() {
    let moving = read().moving(&[1], &InsertPosition::Inside(4)).unwrap();
    let now = READ.replace("one <", "un <");
    let (then, said) = apply_to_edited(&moving, &now);
    assert_eq!(then, format!("{now}one <URL:gopher://one/>\n"));
    assert_eq!(said.len(), 1);
}

#[test]
fn equal_lines_are_matched_each_to_its_own() {
    let twice = "# A\na <URL:gopher://a/>\nx <URL:gopher://x/>\n# B\nx <URL:gopher://x/>\nb <URL:gopher://b/>\n";
    let read = Bookmarks::parse(twice.as_bytes());
    // Edits above the first and below the last line, so that all between has to be matched.
    let now = twice
        .replace("a <", "new <URL:gopher://new/>\na <")
        .replace("b <", "bb <");
    let now = Bookmarks::parse(now.as_bytes());
    let followed = read.follow(&now, &[0, 1, 2, 3, 4, 5]);
    let each = [Some(0), Some(2), Some(3), Some(4), Some(5), None];
    assert_eq!(followed, each);
    assert_eq!(read.follow(&now, &[4]), [Some(5)]);
}

#[test]
fn equal_lines_in_two_folders_are_not_confused() {
    let twice = "# A\nx <URL:gopher://x/>\na <URL:gopher://a/>\n# B\nx <URL:gopher://x/>\nb <URL:gopher://b/>\n";
    let change = Bookmarks::parse(twice.as_bytes()).editing(&[(4, titled("ours"))]);
    let now = twice.replacen("# B\nx", "# B\ntheirs", 1);
    let (then, said) = apply_to_edited(&change, &now);
    assert_eq!(
        then,
        now.replace(
            "theirs <URL:gopher://x/>\n",
            "theirs <URL:gopher://x/>\nours <URL:gopher://x/>\n"
        )
    );
    assert_eq!(said.len(), 1);
}

#[test]
fn line_without_line_ending_is_not_joined_to_a_new_one() {
    let read = Bookmarks::parse(b"one <URL:gopher://one/>\nlast <URL:gopher://last/>\n");
    let adding = adding(&read, draft("New"), &[]);
    let (then, said) = apply_to_edited(
        &adding,
        "one <URL:gopher://one/>\nlast, edited <URL:gopher://last/>",
    );
    assert_eq!(
        then,
        "one <URL:gopher://one/>\nlast, edited <URL:gopher://last/>\nNew <URL:gopher://h/>\n"
    );
    assert_eq!(said.len(), 0);
    // The reverse: a line without line ending is restored where lines follow now.
    let file = Bookmarks::parse(b"one <URL:gopher://one/>\nlast <URL:gopher://last/>");
    let back = file.apply(&file.removing(&[1])).undo;
    let (then, _) = apply_to_edited(
        &back,
        "one <URL:gopher://one/>\nmore <URL:gopher://more/>\n",
    );
    assert_eq!(Bookmarks::parse(then.as_bytes()).len(), 3);
}

#[test]
fn undo_keeps_an_outside_edit() {
    let read = read();
    let removed = read.apply(&read.removing(&[2, 5]));
    let now = text(&removed.bookmarks).replace("one", "ONE") + "five <URL:gopher://five/>\n";
    let (then, said) = apply_to_edited(&removed.undo, &now);
    assert_eq!(
        then,
        READ.replace("one", "ONE") + "five <URL:gopher://five/>\n"
    );
    assert_eq!(said.len(), 0);
}

#[test]
fn same_line_in_another_folder_is_another_bookmark() {
    let x = "x <URL:gopher://x/>\n";
    let y = "y <URL:gopher://y/>\n";
    let file = format!("# A\n{x}{y}# B\n{x}{y}");
    let read = Bookmarks::parse(file.as_bytes());
    let removing = read.removing(&[4]);
    // Another program has removed it already: the one in the other folder stays.
    let theirs = format!("# A\n{x}{y}# B\n{y}");
    assert_eq!(
        apply_to_edited(&removing, &theirs),
        (theirs.clone(), vec![])
    );
    // It is not confused with the one between the same neighbours.
    let w = "w <URL:gopher://w/>\n";
    let file = format!("# A\n{w}{x}{y}# B\n{w}{x}{y}");
    let read = Bookmarks::parse(file.as_bytes());
    let theirs = format!("# A\n{w}{x}{y}# B\n{w}{y}");
    assert_eq!(
        apply_to_edited(&read.removing(&[6]), &theirs),
        (theirs.clone(), vec![])
    );
    // It is found after lines were inserted above it, and after its folder was renamed.
    let more = format!("# A\n{w}{x}{y}{w}# B\n{w}{x}{y}");
    let then = format!("# A\n{w}{x}{y}{w}# B\n{w}{y}");
    assert_eq!(apply_to_edited(&read.removing(&[6]), &more), (then, vec![]));
    let renamed = format!("# A\n{w}{x}{y}# C\n{w}{x}{y}");
    let then = format!("# A\n{w}{x}{y}# C\n{w}{y}");
    assert_eq!(
        apply_to_edited(&read.removing(&[6]), &renamed),
        (then, vec![])
    );
}

/// A store on a file of these bookmarks that calls `outside` at each step of a write.
fn interrupted(
    path: &Path,
    outside: impl Fn(WriteStep) + Send + Sync + 'static,
) -> (Store, Bookmarks, Change) {
    fs::write(path, READ).unwrap();
    let store = Store::new(path, "").with_write_observer(outside);
    let read = store.load().unwrap();
    let change = read.editing(&[(2, titled("TWO"))]);
    (store, read, change)
}

#[test]
fn edit_from_outside_during_a_save_keeps_both() {
    for step in [
        WriteStep::Read,
        WriteStep::Opened,
        WriteStep::Written,
        WriteStep::Synced,
    ] {
        for by_rename in [false, true] {
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("bookmarks.txt");
            let (file, is_done) = (path.clone(), AtomicBool::new(false));
            let (store, read, change) = interrupted(&path, move |now| {
                if now == step && !is_done.swap(true, Ordering::Relaxed) {
                    let theirs = READ.replace("four", if by_rename { "FOUR" } else { "fourth" });
                    if by_rename {
                        // Of the same size, as a new file.
                        let aside = file.with_extension("new");
                        fs::write(&aside, theirs).unwrap();
                        fs::rename(&aside, &file).unwrap();
                    } else {
                        fs::write(&file, theirs).unwrap();
                    }
                }
            });
            let applied = store.save(&read, &change).unwrap();
            assert!(applied.conflicts.is_empty());
            let theirs = if by_rename { "FOUR" } else { "fourth" };
            let both = READ.replace("two <", "TWO <").replace("four", theirs);
            assert_eq!(fs::read_to_string(&path).unwrap(), both, "{step:?}");
            assert_eq!(text(&applied.bookmarks), both);
            // No temporary file is left.
            assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
        }
    }
}

#[test]
fn file_made_or_removed_during_a_save_is_noticed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("bookmarks.txt");
    let (file, is_done) = (path.clone(), AtomicBool::new(false));
    let store =
        Store::new(&path, "shipped <URL:gopher://shipped/>\n").with_write_observer(move |step| {
            if step == WriteStep::Synced && !is_done.swap(true, Ordering::Relaxed) {
                fs::write(&file, "theirs <URL:gopher://theirs/>\n").unwrap();
            }
        });
    let shipped = store.load().unwrap();
    let change = adding(&shipped, draft("ours"), &[]);
    store.save(&shipped, &change).unwrap();
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        "theirs <URL:gopher://theirs/>\nours <URL:gopher://h/>\n"
    );
}

#[test]
fn constantly_writing_program_loses_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("bookmarks.txt");
    let (file, count) = (path.clone(), AtomicUsize::new(0));
    let (store, read, change) = interrupted(&path, move |step| {
        if step == WriteStep::Written {
            let count = count.fetch_add(1, Ordering::Relaxed);
            fs::write(&file, format!("{READ}{}\n", "x".repeat(count))).unwrap();
        }
    });
    let error = store.save(&read, &change).unwrap_err();
    assert!(error.to_string().contains("keeps writing"), "{error}");
    let left = fs::read_to_string(&path).unwrap();
    assert!(left.starts_with(READ) && left.ends_with("x\n"), "{left}");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}
