//! `geomys bookmarks import` and `geomys bookmarks export`.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use geomys_store::bookmarks::exchange::import::{ImportOptions, MAX_LISTED};
use geomys_store::bookmarks::exchange::{self, BookmarkFormat, BookmarkTree, LossReport};
use geomys_store::bookmarks::records::RecordChange;
use geomys_store::bookmarks::{AppliedChange, Store};
use geomys_store::files::user_file::write_named;
use geomys_wire::text::Text;
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
    /// The number of its line in a file of lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    reason: &'a str,
}

impl<'a> ImportObject<'a> {
    fn of(file: &'a str, format: &'a str, imported: usize, losses: &'a LossReport) -> Self {
        let left_out = losses.entries.iter();
        let left_out = left_out.map(|entry| LeftOut {
            title: &entry.label,
            line: entry.line,
            reason: entry.reason,
        });
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
        let options = ImportOptions {
            format: self.from,
            again: self.again,
            drop_passwords: self.drop_passwords,
            keep_follow: self.keep_follow,
        };
        for path in &self.files {
            let mut import =
                exchange::import::Import::read(path, options.format).map_err(CliError::new)?;
            let mut messages = stderr();
            if let Some(fault) = import.fault() {
                print_remarks(&import.unread, &mut messages)?;
                print_losses(&import.tree.losses, "imported", &mut messages)?;
                return Err(CliError::new(fault));
            }
            let file = store.load()?;
            let records = import.tree.added_dates();
            import.select(&file, options);
            let folder = file.folder_named(self.folder.as_deref().unwrap_or_default());
            let change = import.tree.insert_into(&file, &folder);
            let (applied, dated) =
                store.save_with_records(&file, &change, RecordChange::Add(&records))?;
            let imported = import.tree.entries().count();
            let (name, kind) = (&import.name, &import.kind);
            print_remarks(&self.remarks(&import), &mut messages)?;
            if self.json {
                let object = ImportObject::of(name, kind, imported, &import.tree.losses);
                json_line(&object, &mut stdout())?;
            } else {
                print_losses(&import.tree.losses, "imported", &mut messages)?;
                let count = geomys_wire::text::count(imported);
                writeln!(stdout(), "{name} ({kind}): {count} imported")?;
            }
            print_faults(&applied, &mut messages)?;
            dated?;
        }
        Ok(())
    }

    /// Returns the sentences about what was not read, and what was changed.
    fn remarks(&self, import: &exchange::import::Import) -> Vec<String> {
        let passwords = import.passwords.iter().map(|label| {
            if self.drop_passwords {
                format!("password removed: {label}")
            } else {
                format!("a password is in the URL of {label}; --drop-passwords removes it")
            }
        });
        let dropped = import.dropped_tags;
        let dropped = (dropped > 0).then(|| {
            let count = geomys_wire::text::count(dropped);
            format!("tags that follow dropped ({count}): --keep-follow keeps them")
        });
        let unread = import.unread.iter().cloned();
        unread.chain(passwords).chain(dropped).collect()
    }
}

fn print_remarks(remarks: &[String], messages: &mut impl Write) -> Result<(), CliError> {
    for remark in remarks {
        writeln!(messages, "geomys: {}", clean(remark))?;
    }
    Ok(())
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
        let tree = tree.with_dates(&store.records()?);
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
        print_losses(&tree.losses, "exported", &mut messages)?;
        print_losses(&losses, "exported", &mut messages)
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

/// Prints the new bookmarks whose URL has a fault.
fn print_faults(applied: &AppliedChange, messages: &mut impl Write) -> io::Result<()> {
    let file = &applied.bookmarks;
    let items = applied.items.iter();
    let items = items.filter_map(|&item| file.bookmark(item));
    let faulty: Vec<_> = items.filter(|bookmark| bookmark.has_fault).collect();
    if faulty.len() > MAX_LISTED {
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

/// Prints what was left out where the rest was imported or exported (`done`).
fn print_losses(
    losses: &LossReport,
    done: &str,
    messages: &mut impl Write,
) -> Result<(), CliError> {
    print_remarks(&losses.lines(done), messages)
}

/// Returns a parser that accepts the names of these formats.
fn formats(
    formats: impl Iterator<Item = BookmarkFormat>,
) -> impl TypedValueParser<Value = BookmarkFormat> {
    let names = PossibleValuesParser::new(formats.map(BookmarkFormat::name));
    names.try_map(|name| BookmarkFormat::named(&name).ok_or("unknown format"))
}
