//! Commands in a limited address space: what has no room ends with a sentence, not with an abort.

use std::fs;
use std::process::Command;

use crate::support::command::text;

/// Dumps a file of these octets with so many KiB of address space. Returns the status, the output and the errors.
fn dump(kib: u32, name: &str, content: &str) -> (Option<i32>, String, String) {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join(name);
    fs::write(&path, content).unwrap();
    let script = format!("ulimit -v {kib}; exec \"$0\" \"$@\"");
    let output = Command::new("bash")
        .args(["-c", &script, env!("CARGO_BIN_EXE_geomys"), "--config"])
        .arg(root.path())
        .args(["dump", path.to_str().unwrap()])
        .env("HOME", root.path())
        .output()
        .unwrap();
    let [out, err] = [&output.stdout, &output.stderr].map(|octets| text(octets));
    (output.status.code(), out, err)
}

#[test]
fn page_too_large_for_the_address_space_is_one_sentence() {
    let row = "<p>A line of <a href=\"/a\">a page</a> that is longer than the address space.</p>\n";
    let html = row.repeat((40 << 20) / row.len());
    for kib in [220_000, 260_000, 300_000, 500_000] {
        let (status, out, err) = dump(kib, "a.html", &html);
        assert_eq!(status, Some(1), "{kib}: {err}");
        assert_eq!((err.lines().count(), out.as_str()), (1, ""), "{kib}: {err}");
        assert!(err.contains("that ulimit -v allows"), "{kib}: {err}");
    }
}

#[test]
fn small_page_and_long_text_are_printed_in_a_small_address_space() {
    let (status, out, err) = dump(300_000, "a.html", "<p>A small page.");
    assert_eq!(status, Some(0), "{err}");
    assert!(out.contains("A small page."), "{out}");
    let (status, out, err) = dump(300_000, "a.txt", &"a line\n".repeat(1 << 20));
    assert_eq!(status, Some(0), "{err}");
    assert_eq!(out.lines().count(), 1 << 20);
}

#[test]
fn no_address_space_makes_a_command_panic() {
    let program = fs::metadata(env!("CARGO_BIN_EXE_geomys")).unwrap().len() >> 10;
    let least = u32::try_from(program / 4).unwrap();
    for kib in (least..least + 60_000).step_by(5_000) {
        let (status, _, err) = dump(kib, "a.html", "<p>A small page.");
        // The system ends what it cannot load, and the allocator what has no room at all.
        let has_room = status.is_some() || err.contains("memory allocation") || err.is_empty();
        assert!(has_room && !err.contains("panicked"), "{kib}: {err}");
    }
}
