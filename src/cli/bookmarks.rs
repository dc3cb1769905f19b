//! `geomys bookmarks`: the bookmark file without the browser.

use std::io::{Write, stdout};

use clap::{Args, Subcommand};

use super::{Setting, Trouble, address};
use crate::app::Settings;
use crate::config::BOOKMARKS;
use crate::files::bookmarks::{Bookmark, Bookmarks, Draft, Item, load, save};
use crate::text::Text;
use crate::url::mask;

#[derive(Debug, Args)]
pub(super) struct BookmarksCommand {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Every bookmark: title, URL, folder and tags, a TAB between
    List,
    /// A new bookmark
    Add(Add),
    /// Where the bookmark file is
    Path,
}

#[derive(Debug, Args)]
struct Add {
    /// Its URL, or a whole bookmark line: `Title <URL:...> #tag`
    #[arg(value_name = "URL")]
    address: String,

    /// What it is called
    #[arg(long)]
    title: Option<String>,

    /// The folder it goes to, made when it is missing; `/` between a folder and one inside it
    #[arg(long)]
    folder: Option<String>,

    /// A tag; may be given more than once
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
}

impl BookmarksCommand {
    pub(super) fn run(&self, setting: &Setting) -> Result<(), Trouble> {
        let path = setting.places.bookmarks();
        match &self.command {
            Command::Path => Ok(writeln!(stdout(), "{}", path.display())?),
            Command::List => list(setting),
            Command::Add(add) => {
                let bookmarks =
                    load(&path, BOOKMARKS).map_err(|error| Trouble::new(error.to_string()))?;
                let draft = add.draft(&bookmarks, &setting.config.settings)?;
                let change = bookmarks.adding(&draft);
                save(&path, BOOKMARKS, &change).map_err(|error| Trouble::new(error.to_string()))?;
                Ok(())
            }
        }
    }
}

impl Add {
    fn draft(&self, bookmarks: &Bookmarks, settings: &Settings) -> Result<Draft, Trouble> {
        // A line of a bookmark file brings its own title and tags.
        let line = Bookmarks::parse(self.address.as_bytes());
        let line = line.bookmarks().next().cloned();
        let url = match &line {
            Some(Bookmark { url: Ok(url), .. }) => url.clone(),
            Some(Bookmark {
                url: Err(_),
                written,
                ..
            }) => address(written.as_str(), settings)?,
            None => address(&self.address, settings)?,
        };
        let (title, tags) = line.map_or((String::new(), Vec::new()), |line| {
            (
                line.title.to_string(),
                line.tags.iter().map(Text::to_string).collect(),
            )
        });
        Ok(Draft {
            title: self.title.clone().unwrap_or(title),
            url,
            folder: bookmarks.folder_named(self.folder.as_deref().unwrap_or("")),
            tags: if self.tags.is_empty() {
                tags
            } else {
                self.tags.clone()
            },
        })
    }
}

fn list(setting: &Setting) -> Result<(), Trouble> {
    let path = setting.places.bookmarks();
    let bookmarks = load(&path, BOOKMARKS).map_err(|error| Trouble::new(error.to_string()))?;
    let mut out = stdout().lock();
    for (index, item) in bookmarks.items().iter().enumerate() {
        let Item::Bookmark(bookmark) = item else {
            continue;
        };
        let folder = bookmarks.folder_of(index).join("/");
        let tags: Vec<String> = bookmark.tags.iter().map(|tag| format!("#{tag}")).collect();
        let url = mask(bookmark.written.as_str());
        writeln!(
            out,
            "{}\t{url}\t{folder}\t{}",
            bookmark.title,
            tags.join(" ")
        )?;
    }
    Ok(out.flush()?)
}
