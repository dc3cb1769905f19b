//! A change of one value in settings.toml that keeps every other line.

use std::io;
use std::path::Path;

use super::{atomic, regular};

/// Sets a value above the first table of the file, which is created if there is none.
///
/// # Errors
/// The file cannot be read or written.
pub fn store(path: &Path, name: &str, value: &str) -> io::Result<()> {
    let text = match regular::read(path, regular::BY_HAND) {
        Ok(octets) => String::from_utf8(octets).map_err(io::Error::other)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error),
    };
    if let Some(directory) = path.parent() {
        std::fs::create_dir_all(directory)?;
    }
    atomic::replace(path, with_value(&text, name, value).as_bytes(), &|_| {})
}

/// The text with a value in place of the one that it has, or as its first line.
fn with_value(text: &str, name: &str, value: &str) -> String {
    let line = format!("{name} = \"{value}\"\n");
    let mut changed = String::with_capacity(text.len() + line.len());
    let mut lines = text.split_inclusive('\n');
    for old in lines.by_ref() {
        if old.trim_start().starts_with('[') {
            return format!("{line}{text}");
        }
        let after = old.trim_start().strip_prefix(name);
        if after.is_some_and(|after| after.trim_start().starts_with('=')) {
            changed.push_str(&line);
            changed.extend(lines);
            return changed;
        }
        changed.push_str(old);
    }
    format!("{line}{text}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_value_replaces_its_line_alone() {
        let with = |text| with_value(text, "theme", "nord");
        assert_eq!(with(""), "theme = \"nord\"\n");
        assert_eq!(
            with("# a\ntheme='x'\nb = 1\n"),
            "# a\ntheme = \"nord\"\nb = 1\n"
        );
        assert_eq!(
            with("themes = 1\n[t]\ntheme = 2\n"),
            "theme = \"nord\"\nthemes = 1\n[t]\ntheme = 2\n"
        );
    }

    #[test]
    fn file_is_created_with_its_directory() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("geomys/settings.toml");
        store(&path, "theme", "mono").unwrap();
        store(&path, "theme", "nord").unwrap();
        assert_eq!(std::fs::read_to_string(path).unwrap(), "theme = \"nord\"\n");
    }
}
