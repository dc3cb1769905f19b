//! `geomys bookmarks remove`, `edit`, and `merge`: one bookmark for each URL.

use std::collections::{BTreeSet, HashSet};
use std::io::Write;

use clap::Args;
use geomys_store::bookmarks::checks::{self, UrlKey};
use geomys_store::bookmarks::followed::depth_of_tags;
use geomys_store::bookmarks::{BookmarkEdit, Bookmarks, Change, Query, Store, split_tags};
use geomys_wire::text::{Text, count};
use rfc1738::Url;
use serde::Serialize;

use super::follow::confirm_tagged;
use super::resolve::{
    BookmarkObject, LinkRecords, check_conflicts, describe, folder_end, print_applied,
    print_remarks, resolve, save_with_records, with_stored_passwords,
};
use crate::cli::argument::UrlArgument;
use crate::cli::ask;
use crate::cli::context::{CliContext, typed_url};
use crate::cli::error::CliError;
use crate::cli::locale::{stderr, stdout};
use crate::cli::url::json::line as json_line;

/// The bookmarks that a command acts on.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
pub(super) struct SelectedBookmarks {
    /// A URL, a line number, or a line of `bookmarks list`; may be repeated; `-` is the lines of standard input
    #[arg(value_name = "BOOKMARK")]
    which: Vec<UrlArgument>,

    /// Select all bookmarks that `bookmarks list QUERY` lists, too
    #[arg(long, value_name = "QUERY", allow_hyphen_values = true)]
    matching: Option<String>,
}

impl SelectedBookmarks {
    /// Returns the indices of the bookmarks, each once.
    pub(super) fn resolve(
        &self,
        file: &Bookmarks,
        context: &CliContext,
    ) -> Result<Vec<usize>, CliError> {
        let mut selected = self.named(file, context)?;
        if let Some(query) = &self.matching {
            selected.extend(matching(query, file, context)?);
        }
        let mut seen = HashSet::new();
        selected.retain(|index| seen.insert(*index));
        if selected.is_empty() {
            return Err(CliError::new("no bookmark matches"));
        }
        Ok(selected)
    }

    /// Returns the indices of the bookmarks that are given one by one.
    pub(super) fn named(
        &self,
        file: &Bookmarks,
        context: &CliContext,
    ) -> Result<Vec<usize>, CliError> {
        let which = UrlArgument::expanded(&self.which)?;
        which
            .iter()
            .map(|written| resolve(file, written, &context.config.settings))
            .collect()
    }
}

/// Returns the indices of the bookmarks that a query of `--matching` lists.
pub(super) fn matching(
    query: &str,
    file: &Bookmarks,
    context: &CliContext,
) -> Result<Vec<usize>, CliError> {
    let query = Query::complete(query)?;
    if query.is_blank() {
        return Err(CliError::new("--matching needs a word"));
    }
    let records = LinkRecords::load(context)?;
    Ok(file.matching(&query, &|word, url| records.matches(word, url)))
}

/// The question about the bookmarks that a query selects.
#[derive(Debug, Args)]
struct Confirmation {
    /// Change all bookmarks that match, without a question
    ///
    /// Only asked on a terminal, about more than one bookmark of --matching.
    #[arg(long, requires = "matching")]
    yes: bool,
}

impl Confirmation {
    /// Asks on a terminal before more than one bookmark is changed that a query has selected.
    fn ask(
        &self,
        verb: &str,
        selection: &SelectedBookmarks,
        number: usize,
    ) -> Result<(), CliError> {
        if self.yes || selection.matching.is_none() || number < 2 {
            return Ok(());
        }
        match ask::agrees(&format!("{verb} {} bookmarks?", count(number)))? {
            Some(false) => Err(CliError::new("nothing was changed")),
            Some(true) | None => Ok(()),
        }
    }
}

#[derive(Debug, Args)]
pub(super) struct Remove {
    #[command(flatten)]
    selection: SelectedBookmarks,

    #[command(flatten)]
    confirmation: Confirmation,
}

impl Remove {
    pub(super) fn run(&self, store: &Store, context: &CliContext) -> Result<(), CliError> {
        let file = store.load()?;
        let which = self.selection.resolve(&file, context)?;
        self.confirmation
            .ask("Remove", &self.selection, which.len())?;
        let applied = store.save(&file, &file.removing(&which))?;
        let mut out = stdout();
        check_conflicts(&applied)?;
        for bookmark in which.iter().filter_map(|&index| file.bookmark(index)) {
            writeln!(out, "removed {}", describe(&file, &bookmark))?;
        }
        Ok(())
    }
}

#[derive(Debug, Args)]
pub(super) struct Edit {
    #[command(flatten)]
    selection: SelectedBookmarks,

    #[command(flatten)]
    confirmation: Confirmation,

    #[command(flatten)]
    fields: EditedFields,
}

/// What is to be another; the rest stays.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
struct EditedFields {
    /// Set the title of one bookmark; empty removes it
    #[arg(long)]
    title: Option<String>,

    /// Set the URL of one bookmark
    #[arg(long)]
    url: Option<UrlArgument>,

    /// Move them to a folder; empty is the top of the list
    ///
    /// A missing folder is created. `/` separates a folder from one inside it.
    #[arg(long)]
    folder: Option<String>,

    /// Replace all tags; empty removes them
    ///
    /// Several are separated by commas, or the option is repeated.
    #[arg(long = "tag", value_name = "TAG")]
    tags: Option<Vec<String>>,

    /// Add a tag, or several with commas; may be repeated
    #[arg(long, value_name = "TAG", conflicts_with = "tags")]
    add_tag: Vec<String>,

    /// Remove a tag, or several with commas; may be repeated
    #[arg(long, value_name = "TAG", conflicts_with = "tags")]
    remove_tag: Vec<String>,

    /// Replace the note; empty removes it
    ///
    /// May be repeated, for each line of the note.
    #[arg(long = "note", value_name = "NOTE")]
    notes: Option<Vec<String>>,
}

impl EditedFields {
    /// Returns the tags that the options give.
    fn given_tags(&self) -> Vec<String> {
        split_tags(self.tags.as_deref().unwrap_or(&self.add_tag))
    }

    /// Returns the tags of a bookmark after the edit; `None` if no option changes them.
    fn new_tags(&self, old: &[Text]) -> Option<Vec<String>> {
        if self.add_tag.is_empty() && self.remove_tag.is_empty() {
            return self.tags.as_deref().map(split_tags);
        }
        let removed = split_tags(&self.remove_tag);
        let mut tags: Vec<String> = old.iter().map(Text::to_string).collect();
        tags.retain(|tag| !removed.contains(tag));
        for tag in split_tags(&self.add_tag) {
            if !tags.contains(&tag) {
                tags.push(tag);
            }
        }
        Some(tags)
    }

    /// Returns the edit of a bookmark; `url` is its new URL.
    fn edit(&self, file: &Bookmarks, index: usize, url: Option<Url>) -> BookmarkEdit {
        let tags = file.bookmark(index).map(|bookmark| bookmark.tags());
        BookmarkEdit {
            title: self.title.clone(),
            url,
            tags: self.new_tags(&tags.unwrap_or_default()),
            notes: self.notes.clone(),
            ..BookmarkEdit::default()
        }
    }

    /// Returns true if an option but the folder is given.
    fn is_more_than_folder(&self) -> bool {
        let tags = [&self.add_tag, &self.remove_tag];
        self.title.is_some()
            || self.url.is_some()
            || self.tags.is_some()
            || self.notes.is_some()
            || tags.iter().any(|tags| !tags.is_empty())
    }

    /// Returns the change of these bookmarks; `url` is the new URL of a single one.
    fn change(
        &self,
        file: &Bookmarks,
        which: &[usize],
        url: Option<Url>,
    ) -> Result<Change, CliError> {
        let folder = self
            .folder
            .as_deref()
            .map(|folder| folder_end(file, folder));
        match (which, folder) {
            (&[index], Some(folder)) => {
                let edit = self.edit(file, index, url);
                Ok(file.revising(index, &edit, &folder).unwrap_or_default())
            }
            (_, Some(_)) if self.is_more_than_folder() => Err(CliError::new(
                "with several bookmarks, --folder excludes other edits",
            )),
            (which, Some(folder)) => Ok(file.moving(which, &folder).unwrap_or_default()),
            (which, None) => {
                let edits = which.iter();
                let edits = edits.map(|&index| (index, self.edit(file, index, url.clone())));
                Ok(file.editing(&edits.collect::<Vec<_>>()))
            }
        }
    }
}

impl Edit {
    pub(super) fn run(&self, store: &Store, context: &CliContext) -> Result<(), CliError> {
        let file = store.load()?;
        let which = self.selection.resolve(&file, context)?;
        let is_of_one = self.fields.title.is_some() || self.fields.url.is_some();
        if is_of_one && which.len() > 1 {
            let sentence = format!("--title and --url edit one bookmark; {} match", which.len());
            return Err(CliError::new(sentence));
        }
        let first = which.first().and_then(|&index| file.bookmark(index));
        let stored = first.map(|bookmark| bookmark.url_text());
        let stored = stored.unwrap_or_default();
        let url = self.fields.url.as_ref();
        let settings = &context.config.settings;
        let typed = url.map(|url| typed_url(url, settings)).transpose()?;
        let (url, remarks) = typed.map(|typed| (typed.url, typed.remarks)).unzip();
        let url = url.map(|url| with_stored_passwords(url, stored.as_str()));
        let url = url.transpose()?;
        let change = self.fields.change(&file, &which, url.clone())?;
        if change.is_empty() {
            return self.follow(&file, &which, context);
        }
        self.confirmation
            .ask("Change", &self.selection, which.len())?;
        let applied = store.save(&file, &change)?;
        let tagged = url.map_or_else(|| urls(&file, &which), |url| vec![url]);
        confirm_tagged(context, &self.fields.given_tags(), &tagged)?;
        print_remarks(&remarks.unwrap_or_default())?;
        print_applied("edited", &applied)
    }

    /// Agrees to follow bookmarks that have the tags already: another program may have put them into the file.
    fn follow(
        &self,
        file: &Bookmarks,
        which: &[usize],
        context: &CliContext,
    ) -> Result<(), CliError> {
        let tags = self.fields.given_tags();
        if depth_of_tags(tags.iter().map(String::as_str)).is_some() {
            self.confirmation
                .ask("Follow", &self.selection, which.len())?;
        }
        let new = confirm_tagged(context, &tags, &urls(file, which))?;
        if new.is_empty() {
            writeln!(stderr(), "geomys: nothing to change")?;
        }
        let bookmarks = which.iter().filter_map(|&index| file.bookmark(index));
        for bookmark in bookmarks {
            let url = bookmark.repaired_url();
            if url.is_ok_and(|url| new.contains(&UrlKey::of(&url))) {
                writeln!(stdout(), "followed {}", describe(file, &bookmark))?;
            }
        }
        Ok(())
    }
}

/// Returns the URLs of bookmarks, or their repairs, without those that have none.
fn urls(file: &Bookmarks, which: &[usize]) -> Vec<Url> {
    let bookmarks = which.iter().filter_map(|&index| file.bookmark(index));
    bookmarks
        .filter_map(|bookmark| bookmark.repaired_url().ok())
        .collect()
}

#[derive(Debug, Args)]
pub(super) struct Merge {
    /// Merge only the copies of bookmarks that `bookmarks list QUERY` lists
    #[arg(long, value_name = "QUERY", allow_hyphen_values = true)]
    matching: Option<String>,

    /// Offer the bookmarks that `is:similar` lists, too, one page after the other
    ///
    /// http and https, `www.`, a last `/`, index.html, utm_ words, the order of a query: perhaps one page, so that each
    /// is asked about. The first bookmark stays.
    #[arg(long)]
    similar: bool,

    /// Print what would be merged, and change nothing
    #[arg(long)]
    dry_run: bool,

    /// Print one JSON object per copy: the copy, and the bookmark that it is merged into
    #[arg(long)]
    json: bool,
}

/// A copy with the bookmark that it is merged into.
#[derive(Serialize)]
struct MergedObject {
    #[serde(flatten)]
    copy: BookmarkObject,
    into: BookmarkObject,
}

impl Merge {
    /// Keeps the pairs that the user wants merged.
    fn ask(file: &Bookmarks, pairs: &mut Vec<[usize; 2]>) -> Result<(), CliError> {
        for pair in std::mem::take(pairs) {
            for bookmark in pair.iter().filter_map(|&index| file.bookmark(index)) {
                writeln!(stderr(), "{}", describe(file, &bookmark))?;
            }
            match ask::agrees("Merge these bookmarks into the first?")? {
                Some(true) => pairs.push(pair),
                Some(false) => {}
                None => {
                    let sentence = "--similar asks on a terminal; with --dry-run it lists";
                    return Err(CliError::new(sentence));
                }
            }
        }
        Ok(())
    }

    pub(super) fn run(&self, store: &Store, context: &CliContext) -> Result<(), CliError> {
        let file = store.load()?;
        let (mut similar, mut doubles) = if self.similar {
            (file.similar(), Vec::new())
        } else {
            (Vec::new(), file.doubles())
        };
        if let Some(query) = &self.matching {
            let selected: BTreeSet<usize> = matching(query, &file, context)?.into_iter().collect();
            doubles.retain(|same| same.iter().any(|index| selected.contains(index)));
            similar.retain(|pair| pair.iter().any(|index| selected.contains(index)));
        }
        if self.similar && !self.dry_run {
            Self::ask(&file, &mut similar)?;
        }
        doubles.extend(Bookmarks::joined(&similar));
        if doubles.is_empty() {
            writeln!(stderr(), "geomys: no copies to merge")?;
            return Ok(());
        }
        if !self.dry_run {
            let records = file.merged_records(&doubles, checks::current_second());
            let change = file.merging(&doubles);
            save_with_records(store, &file, &change, &records)?;
        }
        let mut out = stdout();
        for same in &doubles {
            let mut same = same.iter().filter_map(|&index| file.bookmark(index));
            let Some(first) = same.next() else { continue };
            for copy in same {
                if self.json {
                    let [copy, into] = [&copy, &first].map(|one| BookmarkObject::of(&file, one));
                    json_line(&MergedObject { copy, into }, &mut out)?;
                } else {
                    let [copy, first] = [&copy, &first].map(|one| describe(&file, one));
                    writeln!(out, "merged {copy} -> {first}")?;
                }
            }
        }
        Ok(())
    }
}
