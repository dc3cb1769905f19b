//! `geomys bookmarks import` and `geomys bookmarks export`.

use std::fs;
use std::io::{self, Read, Write, stderr, stdin, stdout};
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::cli::Trouble;
use crate::cli::output::clean;
use crate::files::bookmarks::Store;
use crate::files::exchange::{Format, LARGEST, Lost, Shelf, detect};
use crate::files::watch;
use crate::text::Text;
use crate::url::{Url, without_secrets};

#[derive(Debug, Args)]
pub(super) struct Import {
    /// What they are in; found out from the content when it is not said
    #[arg(long, value_name = "FORMAT", value_parser = formats())]
    from: Option<Format>,

    /// The folder they go to, made when it is missing; `/` between a folder and one inside it
    #[arg(long)]
    folder: Option<String>,

    /// Take those too whose place is in the bookmarks already
    #[arg(long)]
    again: bool,

    /// Take the passwords off the URLs
    #[arg(long)]
    drop_passwords: bool,

    /// Keep the tag #watch, by which Geomys contacts the address each day
    #[arg(long)]
    keep_watch: bool,

    /// The files of other programs; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
}

impl Import {
    pub(super) fn run(&self, store: &Store) -> Result<(), Trouble> {
        for path in &self.files {
            let name = Text::of(&path.to_string_lossy()).to_string();
            let octets = octets(path);
            let octets =
                octets.map_err(|error| Trouble::new(format!("{name} cannot be read: {error}")))?;
            let format = self.from.unwrap_or_else(|| detect(&octets));
            let shelf = format.read(&octets).map_err(|error| {
                Trouble::new(format!("{name} is not read as {format}: {error}"))
            })?;
            self.take(store, &name, format, shelf)?;
        }
        Ok(())
    }

    fn take(
        &self,
        store: &Store,
        name: &str,
        format: Format,
        mut shelf: Shelf,
    ) -> Result<(), Trouble> {
        let file = store.load()?;
        let mut said = stderr().lock();
        self.look_at_passwords(&mut shelf, &mut said)?;
        if !self.again {
            shelf.leave_out(&file);
        }
        self.drop_watch_tags(&mut shelf, &mut said)?;
        shelf.lose_dates();
        let folder = file.folder_named(self.folder.as_deref().unwrap_or_default());
        let change = shelf.going_into(&file, &folder);
        let applied = store.save(&file, &change)?;
        tell(&shelf.lost, &mut said)?;
        for bookmark in applied
            .items
            .iter()
            .filter_map(|&it| applied.bookmarks.bookmark(it))
        {
            if bookmark.has_fault
                && let Err(fault) = bookmark.url()
            {
                let there = super::shown(&applied.bookmarks, &bookmark);
                writeln!(said, "geomys: {there} has a fault: {fault}")?;
            }
        }
        let count = shelf.entries().count();
        let count = crate::text::count(count);
        Ok(writeln!(stdout(), "{name} ({format}): {count} taken over")?)
    }

    /// What another person tagged is not contacted each day.
    fn drop_watch_tags(&self, shelf: &mut Shelf, said: &mut impl Write) -> io::Result<()> {
        if self.keep_watch {
            return Ok(());
        }
        let mut dropped = 0;
        for entry in shelf.entries_mut() {
            let before = entry.tags.len();
            entry.tags.retain(|tag| !watch::is_tag(tag));
            dropped += usize::from(entry.tags.len() < before);
        }
        match dropped {
            0 => Ok(()),
            dropped => writeln!(
                said,
                "geomys: tag #{} dropped ({}): --keep-watch keeps it",
                watch::TAG,
                crate::text::count(dropped)
            ),
        }
    }

    fn look_at_passwords(&self, shelf: &mut Shelf, said: &mut impl Write) -> io::Result<()> {
        for entry in shelf.entries_mut() {
            if !Url::accept(&entry.url).is_ok_and(|url| url.has_secret()) {
                continue;
            }
            let label = entry.label();
            if self.drop_passwords {
                entry.url = without_secrets(&entry.url).into_owned();
                writeln!(said, "geomys: the password was taken off: {label}")?;
            } else {
                let advice = "--drop-passwords takes it off";
                writeln!(
                    said,
                    "geomys: a password is in the URL of {label}; {advice}"
                )?;
            }
        }
        Ok(())
    }
}

#[derive(Debug, Args)]
pub(super) struct Export {
    /// What to write; when it is not said, what FILE is called after, else html
    #[arg(long, value_name = "FORMAT", value_parser = formats())]
    to: Option<Format>,

    /// Where to; standard output when it is not said
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

impl Export {
    pub(super) fn run(&self, store: &Store) -> Result<(), Trouble> {
        let bookmarks = store.load()?;
        let named = self.file.as_deref().and_then(Path::file_name);
        let named = named.and_then(|name| Format::of_file(&name.to_string_lossy()));
        let format = self.to.or(named).unwrap_or(Format::Html);
        let shelf = Shelf::of(&bookmarks);
        let (octets, lost) = format.write(&shelf);
        match self.file.as_deref().filter(|path| *path != Path::new("-")) {
            None => {
                let mut out = stdout().lock();
                out.write_all(&octets)?;
                out.flush()?;
            }
            Some(path) => write(path, &octets, store)?,
        }
        let mut said = stderr().lock();
        tell(&shelf.lost, &mut said)?;
        tell(&lost, &mut said)
    }
}

/// Writes an export; the bookmark file itself is none.
fn write(path: &Path, octets: &[u8], store: &Store) -> Result<(), Trouble> {
    let name = Text::of(&path.to_string_lossy()).to_string();
    let real = |path: &Path| fs::canonicalize(path).ok();
    if real(path).is_some() && real(path) == real(store.path()) {
        let sentence = format!("{name} is the bookmark file itself; nothing was written");
        return Err(Trouble::new(sentence));
    }
    fs::write(path, octets)
        .map_err(|error| Trouble::new(format!("{name} was not written: {error}")))
}

fn octets(path: &Path) -> io::Result<Vec<u8>> {
    let most = u64::try_from(LARGEST).unwrap_or(u64::MAX).saturating_add(1);
    let mut octets = Vec::new();
    if path == Path::new("-") {
        stdin().lock().take(most).read_to_end(&mut octets)?;
    } else {
        fs::File::open(path)?.take(most).read_to_end(&mut octets)?;
    }
    Ok(octets)
}

/// Says what was not kept.
fn tell(lost: &Lost, said: &mut impl Write) -> Result<(), Trouble> {
    for (what, why) in &lost.wholes {
        let what = if what.is_empty() { "an entry" } else { what };
        writeln!(said, "geomys: left out: {}: {why}", clean(what))?;
    }
    for (what, count) in &lost.parts {
        let count = crate::text::count(*count);
        writeln!(said, "geomys: not kept: {} ({count})", clean(what))?;
    }
    Ok(())
}

/// The names of all formats, which are all that is taken.
fn formats() -> impl TypedValueParser<Value = Format> {
    let names = PossibleValuesParser::new(Format::ALL.map(Format::name));
    names.try_map(|name| Format::named(&name).ok_or("no format has that name"))
}
