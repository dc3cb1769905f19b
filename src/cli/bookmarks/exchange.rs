//! `geomys bookmarks import` and `geomys bookmarks export`.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read, Write, stdin};
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use geomys_store::bookmarks::exchange::{
    BookmarkFormat, BookmarkTree, LossReport, MAX_FILE_BYTES, detect, opened, other_format,
};
use geomys_store::bookmarks::followed::depth_of_tag;
use geomys_store::bookmarks::{AppliedChange, Store};
use geomys_store::files::user_file::write_named;
use geomys_wire::text::Text;
use rfc1738::{Dialect, without_secrets};
use serde::Serialize;

use super::edit::matching;
use super::resolve::describe;
use crate::cli::context::CliContext;
use crate::cli::error::CliError;
use crate::cli::error::clean;
use crate::cli::locale::{octet_stdout, stderr, stdout};
use crate::cli::url::json::line as json_line;

#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of the command line"
)]
#[derive(Debug, Args)]
pub(super) struct Import {
    /// Set the format; without it, detect it by the content
    #[arg(long, value_name = "FORMAT", value_parser = formats(BookmarkFormat::all()))]
    from: Option<BookmarkFormat>,

    /// Import into a folder, created when missing
    ///
    /// `/` separates a folder from one inside it.
    #[arg(long)]
    folder: Option<String>,

    /// Import URLs that are bookmarked already, too
    #[arg(long)]
    again: bool,

    /// Remove passwords from the URLs
    #[arg(long)]
    drop_passwords: bool,

    /// Keep the tags #follow to #follow3, which fetch pages (#watch and #offline too)
    #[arg(long, alias = "keep-watch")]
    keep_follow: bool,

    /// Print one JSON object per file: how many were imported, what was left out, and what no bookmark has
    #[arg(long)]
    json: bool,

    /// Files to import; `-` is standard input, a directory all files in it whose names a format has
    ///
    /// Directories in it become folders, as for the favourites of Internet Explorer.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
}

/// The import of a file.
#[derive(Serialize)]
struct ImportObject<'a> {
    file: &'a str,
    /// The name of the format; of a directory the number of its files.
    format: &'a str,
    imported: usize,
    left_out: Vec<LeftOut<'a>>,
    /// Numbers of details that were dropped, by their names in the plural.
    dropped: &'a BTreeMap<String, usize>,
    /// Numbers of values that were dropped, by the names of their fields in the file.
    fields: &'a BTreeMap<String, usize>,
}

/// An entry that was left out.
#[derive(Serialize)]
struct LeftOut<'a> {
    title: &'a str,
    reason: &'a str,
}

impl<'a> ImportObject<'a> {
    fn of(file: &'a str, format: &'a str, imported: usize, losses: &'a LossReport) -> Self {
        let left_out = losses.entries.iter();
        let left_out = left_out.map(|(title, reason)| LeftOut { title, reason });
        Self {
            file,
            format,
            imported,
            left_out: left_out.collect(),
            dropped: &losses.parts,
            fields: &losses.fields,
        }
    }
}

impl Import {
    pub(super) fn run(&self, store: &Store) -> Result<(), CliError> {
        for path in &self.files {
            let (name, kind, mut tree) = if path.is_dir() {
                self.read_directory(path)?
            } else {
                let (format, tree) = self.read_file(path).map_err(CliError::new)?;
                (shown(path), format.to_string(), tree)
            };
            if tree.entries().next().is_none() {
                print_losses(&tree.losses, &mut stderr())?;
                let sentence = format!("{name} is not imported: no bookmarks in it ({kind})");
                return Err(CliError::new(sentence));
            }
            let file = store.load()?;
            let dates = tree.added_dates();
            let mut messages = stderr();
            self.report_passwords(&mut tree, &mut messages)?;
            if !self.again {
                tree.remove_existing(&file);
            }
            if !self.keep_follow {
                Self::drop_follow_tags(&mut tree, &mut messages)?;
            }
            let folder = file.folder_named(self.folder.as_deref().unwrap_or_default());
            let change = tree.insert_into(&file, &folder);
            let (applied, dated) = store.save_with_dates(&file, &change, &dates)?;
            let imported = tree.entries().count();
            if self.json {
                let object = ImportObject::of(&name, &kind, imported, &tree.losses);
                json_line(&object, &mut stdout())?;
            } else {
                print_losses(&tree.losses, &mut messages)?;
                let count = geomys_wire::text::count(imported);
                writeln!(stdout(), "{name} ({kind}): {count} imported")?;
            }
            print_faults(&applied, &mut messages)?;
            dated?;
        }
        Ok(())
    }

    /// Reads a file in its format; the error is a sentence.
    fn read_file(&self, path: &Path) -> Result<(BookmarkFormat, BookmarkTree), String> {
        let name = shown(path);
        let unreadable = |error| format!("{name} cannot be read: {error}");
        let octets = octets(path).map_err(unreadable)?;
        let unopened = |error| format!("{name} is not imported: {error}");
        let octets = opened(&octets).map_err(unopened)?;
        if let Some(other) = other_format(&octets, self.from) {
            let sentence = format!("{name} is not imported: it is {other}");
            return Err(sentence);
        }
        let format = self.from.unwrap_or_else(|| detect(&octets));
        let malformed = |error| format!("{name} is not read as {format}: {error}");
        let mut tree = format.read(&octets).map_err(malformed)?;
        if tree.entries().next().is_none() && octets.contains(&0) {
            let sentence = format!("{name} is not imported: no bookmarks in it (binary data)");
            return Err(sentence);
        }
        if matches!(format, BookmarkFormat::Shortcut | BookmarkFormat::Safari) {
            tree.name_untitled(path);
        }
        Ok((format, tree))
    }

    /// Reads the files of a directory and of those in it, in the order of their names. A file that cannot be read is
    /// reported and left out; links are not followed.
    fn read_directory(&self, top: &Path) -> Result<(String, String, BookmarkTree), CliError> {
        let mut tree = BookmarkTree::default();
        let mut files = 0;
        let mut waiting = vec![(top.to_owned(), Vec::new())];
        while let Some((directory, folder)) = waiting.pop() {
            let unreadable =
                |error| CliError::new(format!("{} cannot be read: {error}", shown(&directory)));
            let entries = fs::read_dir(&directory).map_err(unreadable)?;
            let entries: io::Result<Vec<fs::DirEntry>> = entries.collect();
            let mut entries = entries.map_err(unreadable)?;
            entries.sort_by_key(fs::DirEntry::file_name);
            let mut inner = Vec::new();
            for entry in entries {
                let name = entry.file_name().to_string_lossy().into_owned();
                let kind = entry.file_type().map_err(unreadable)?;
                if kind.is_dir() {
                    inner.push((entry.path(), [folder.clone(), vec![name]].concat()));
                } else if kind.is_file() && BookmarkFormat::of_file(&name).is_some() {
                    match self.read_file(&entry.path()) {
                        Ok((_, read)) => tree.append(&folder, read),
                        Err(error) => writeln!(stderr(), "geomys: {}", clean(&error))?,
                    }
                    files += 1;
                }
            }
            // The first directory is the next one.
            waiting.extend(inner.into_iter().rev());
        }
        let kind = match files {
            1 => "1 file".to_owned(),
            count => format!("{} files", geomys_wire::text::count(count)),
        };
        Ok((shown(top), kind, tree))
    }

    /// Drops the tags by which other people follow, so that their addresses are not contacted each day.
    fn drop_follow_tags(tree: &mut BookmarkTree, out: &mut impl Write) -> io::Result<()> {
        let mut dropped = 0;
        for entry in tree.entries_mut() {
            let before = entry.tags.len();
            entry.tags.retain(|tag| depth_of_tag(tag).is_none());
            dropped += usize::from(entry.tags.len() < before);
        }
        if dropped > 0 {
            let count = geomys_wire::text::count(dropped);
            writeln!(
                out,
                "geomys: tags that follow dropped ({count}): --keep-follow keeps them"
            )?;
        }
        Ok(())
    }

    fn report_passwords(&self, tree: &mut BookmarkTree, out: &mut impl Write) -> io::Result<()> {
        for entry in tree.entries_mut() {
            if !Dialect::Extended
                .parse(&entry.url)
                .is_ok_and(|url| url.has_secret())
            {
                continue;
            }
            let label = entry.label();
            if self.drop_passwords {
                entry.url = without_secrets(&entry.url).into_owned();
                writeln!(out, "geomys: password removed: {label}")?;
            } else {
                let advice = "--drop-passwords removes it";
                writeln!(out, "geomys: a password is in the URL of {label}; {advice}")?;
            }
        }
        Ok(())
    }
}

#[derive(Debug, Args)]
pub(super) struct Export {
    /// Set the format; without it, by the name of FILE, or html
    #[arg(long, value_name = "FORMAT", value_parser = formats(BookmarkFormat::written()))]
    to: Option<BookmarkFormat>,

    /// Export only bookmarks that `bookmarks list QUERY` lists
    #[arg(long, value_name = "QUERY", allow_hyphen_values = true)]
    matching: Option<String>,

    /// File to write; without it, standard output
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

impl Export {
    pub(super) fn run(&self, store: &Store, context: &CliContext) -> Result<(), CliError> {
        let bookmarks = store.load()?;
        let named = self.file.as_deref().and_then(Path::file_name);
        let named = named.and_then(|name| BookmarkFormat::of_file(&name.to_string_lossy()));
        let format = self.to.or(named).unwrap_or(BookmarkFormat::Html);
        let tree = match &self.matching {
            Some(query) => {
                let exported = matching(query, &bookmarks, context)?;
                if exported.is_empty() {
                    return Err(CliError::new("no bookmark matches"));
                }
                BookmarkTree::of_some(&bookmarks, &exported)
            }
            None => BookmarkTree::of(&bookmarks),
        };
        let unwritten = || {
            let names: Vec<&str> = BookmarkFormat::written()
                .map(BookmarkFormat::name)
                .collect();
            let names = names.join(", ");
            CliError::new(format!(
                "{format} is only imported; --to takes one of {names}"
            ))
        };
        let tree = tree.with_dates(&store.added_dates()?);
        let (octets, losses) = format.write(&tree).ok_or_else(unwritten)?;
        match self.file.as_deref().filter(|path| *path != Path::new("-")) {
            None => {
                // Formats have a charset of their own.
                let mut out = octet_stdout();
                out.write_all(&octets)?;
                out.flush()?;
            }
            Some(path) => write(path, &octets, store)?,
        }
        let mut messages = stderr();
        print_losses(&tree.losses, &mut messages)?;
        print_losses(&losses, &mut messages)
    }
}

/// Writes an export; refuses to overwrite the bookmark file itself.
fn write(path: &Path, octets: &[u8], store: &Store) -> Result<(), CliError> {
    let name = Text::of(&path.to_string_lossy()).to_string();
    let real = |path: &Path| fs::canonicalize(path).ok();
    if real(path).is_some() && real(path) == real(store.path()) {
        let sentence = format!("{name} is the bookmark file itself; nothing was written");
        return Err(CliError::new(sentence));
    }
    write_named(path, octets)
        .map_err(|error| CliError::new(format!("{name} was not written: {error}")))
}

/// Returns a path as it is shown.
fn shown(path: &Path) -> String {
    Text::of(&path.to_string_lossy()).to_string()
}

fn octets(path: &Path) -> io::Result<Vec<u8>> {
    let max = u64::try_from(MAX_FILE_BYTES)
        .unwrap_or(u64::MAX)
        .saturating_add(1);
    let mut octets = Vec::new();
    if path == Path::new("-") {
        stdin().lock().take(max).read_to_end(&mut octets)?;
    } else {
        fs::File::open(path)?.take(max).read_to_end(&mut octets)?;
    }
    Ok(octets)
}

/// The largest number of entries that are printed one by one; more are counted.
const LISTED: usize = 10;

/// Prints the new bookmarks whose URL has a fault.
fn print_faults(applied: &AppliedChange, messages: &mut impl Write) -> io::Result<()> {
    let file = &applied.bookmarks;
    let items = applied.items.iter();
    let items = items.filter_map(|&item| file.bookmark(item));
    let faulty: Vec<_> = items.filter(|bookmark| bookmark.has_fault).collect();
    if faulty.len() > LISTED {
        let count = geomys_wire::text::count(faulty.len());
        return writeln!(
            messages,
            "geomys: {count} URLs have a fault: `geomys bookmarks list is:fault` lists them"
        );
    }
    for bookmark in faulty {
        if let Err(fault) = bookmark.url() {
            let described = describe(file, &bookmark);
            writeln!(messages, "geomys: {described} has a fault: {fault}")?;
        }
    }
    Ok(())
}

/// Prints what the format could not store.
fn print_losses(losses: &LossReport, messages: &mut impl Write) -> Result<(), CliError> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, why) in &losses.entries {
        *counts.entry(why).or_default() += 1;
    }
    counts.retain(|_, count| *count > LISTED);
    for (what, why) in &losses.entries {
        if counts.contains_key(why) {
            continue;
        }
        let what = if what.is_empty() { "an entry" } else { what };
        writeln!(messages, "geomys: left out: {}: {why}", clean(what))?;
    }
    for (why, count) in counts {
        let count = geomys_wire::text::count(count);
        writeln!(messages, "geomys: left out: {count} entries: {why}")?;
    }
    for (what, count) in &losses.parts {
        let count = geomys_wire::text::count(*count);
        writeln!(messages, "geomys: not imported: {} ({count})", clean(what))?;
    }
    if !losses.fields.is_empty() {
        let names = losses.fields.iter().take(LISTED);
        let names = names.map(|(name, count)| {
            let count = geomys_wire::text::count(*count);
            format!("“{}” ({count})", clean(name))
        });
        let mut names: Vec<String> = names.collect();
        if let Some(more) = losses
            .fields
            .len()
            .checked_sub(LISTED)
            .filter(|more| *more > 0)
        {
            names.push(format!("{} more", geomys_wire::text::count(more)));
        }
        let names = names.join(", ");
        writeln!(
            messages,
            "geomys: not imported: fields that no bookmark has: {names}"
        )?;
    }
    Ok(())
}

/// Returns a parser that accepts the names of these formats.
fn formats(
    formats: impl Iterator<Item = BookmarkFormat>,
) -> impl TypedValueParser<Value = BookmarkFormat> {
    let names = PossibleValuesParser::new(formats.map(BookmarkFormat::name));
    names.try_map(|name| BookmarkFormat::named(&name).ok_or("unknown format"))
}
