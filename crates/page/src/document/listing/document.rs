//! The operations of a document on a listing: the columns beside the names, and the totals.

use std::fmt::Write as _;

use std::sync::Arc;

use geomys_wire::protocol::ftp::listing::{
    Clock, Date, Descriptions, Entry, Format, Kind, UnlistedNames,
};
use geomys_wire::text::{self, Text};
use rfc1738::{FtpType, ParseError, Url, encoded};

use super::ListingBody;
use crate::document::body::Body;
use crate::document::date::Zone;
use crate::document::model::Document;
use crate::document::row::Remark;
use crate::document::row::RowOrigin;

impl Document {
    /// Sets the zone in which dates are shown.
    pub fn set_zone(&mut self, zone: Zone) {
        match &mut self.body {
            Body::Listing(listing) => listing.clocks.zone = zone,
            Body::Group(group) => group.zone = zone,
            Body::Article(article) => article.zone = zone,
            Body::Web(page) => page.zone = zone,
            _ => {}
        }
    }

    /// Sets the offset of the server's clock from UTC, in minutes, for a listing.
    pub fn set_clock(&mut self, minutes: i32) {
        if let Body::Listing(listing) = &mut self.body {
            listing.clocks.server = Some(minutes);
        }
    }

    /// Sets the names that no line of a listing tells; its lines that end with one become entries.
    pub fn set_unlisted_names(&mut self, names: UnlistedNames) {
        if let Body::Listing(listing) = &mut self.body {
            listing.unlisted = Arc::new(names);
        }
    }

    /// Gives the tree of the whole site a row of its own, if the listing has its file.
    pub fn offer_tree(&mut self) {
        if let Body::Listing(listing) = &mut self.body {
            listing.offers_tree = true;
        }
    }

    /// Gives the names of a listing that begin with a dot no rows.
    pub fn hide_dot_names(&mut self) {
        if let Body::Listing(listing) = &mut self.body {
            listing.hide_dot_names();
        }
    }

    /// Returns the offset of the server's clock from UTC, in minutes, if it was set for a listing.
    pub fn clock(&self) -> Option<i32> {
        match &self.body {
            Body::Listing(listing) => listing.clocks.server,
            _ => None,
        }
    }

    /// The widths of the columns of a listing; nothing for other documents.
    pub fn listing_columns(&self) -> Option<ListingColumns> {
        Some(self.body.listing()?.columns())
    }

    /// Adds a remark of the server, folded above the entries of a listing; descriptions of files stand beside these
    /// too. Other documents ignore it.
    pub fn add_remark(&mut self, remark: Remark) {
        self.change_remarks(|listing| {
            if Descriptions::are_in(remark.title.as_str().as_bytes()) {
                listing.descriptions = Arc::new(Descriptions::parse(&remark.octets));
            }
            listing.remarks.push(remark);
        });
    }

    /// Toggles the remark whose title is row `number`, or the preformatted block that it opens. Returns true if there
    /// is one.
    pub fn toggle_remark(&mut self, number: usize) -> bool {
        if let Some(is_toggled) = self.toggle_preformatted(number) {
            return is_toggled;
        }
        let Some(RowOrigin::Remark(remark, None)) = self.origin(number) else {
            return false;
        };
        self.change_remarks(|listing| listing.remarks.toggle(remark));
        true
    }

    fn change_remarks(&mut self, change: impl FnOnce(&mut ListingBody)) {
        let before = self.rows().count(self.source());
        if let Body::Listing(listing) = &mut self.body {
            change(listing);
        }
        let after = self.rows().count(self.source());
        // A filter shows no remarks.
        if self.filter.is_none() {
            let distance = after.cast_signed().wrapping_sub(before.cast_signed());
            self.continuations.shift(distance);
        }
    }
}

/// The number of entries of a directory, by kind, and their size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListingTotals {
    /// The number of directories.
    pub directories: usize,
    /// The number of symbolic links, of any target.
    pub links: usize,
    /// The number of other entries.
    pub files: usize,
    /// The total size of the entries whose size is certain, in octets.
    pub octets: u64,
    /// True if the size of a file is uncertain: all together are larger than `octets`.
    pub is_at_least: bool,
    /// The number of malformed lines.
    pub malformed: usize,
    /// The number of entries without a row, because their names begin with a dot.
    pub hidden: usize,
}

impl ListingTotals {
    pub(super) fn count(&mut self, entry: &Entry<'_>, format: Format) {
        let kind = match entry.kind {
            Kind::Directory => &mut self.directories,
            Kind::Symlink(_) => &mut self.links,
            Kind::File | Kind::Other | Kind::Unknown => &mut self.files,
        };
        *kind += 1;
        let size = entry.exact_size(format);
        self.is_at_least |= size.is_none() && matches!(entry.kind, Kind::File | Kind::Unknown);
        self.octets = self.octets.saturating_add(size.unwrap_or_default());
    }
}

/// The widths of a size, and of a date with its time, in columns.
const SIZE: usize = 9;
const DATE: usize = 16;

/// The limits of the width of the name column, and its width while the names arrive.
const NAME: (usize, usize) = (20, 60);
const ARRIVING_NAME: usize = 40;

/// The text between a symbolic link and its target.
pub(super) const ARROW: &str = " → ";

/// The widths of the columns of a listing, in columns of the screen. Two blanks are between two columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListingColumns {
    /// The width of the name column, where there is room for it.
    pub name: usize,
    /// The width of the size column.
    pub size: usize,
    /// The width of the date column.
    pub date: usize,
}

impl ListingColumns {
    /// The columns for names of at most this many octets, once all have arrived.
    pub(super) fn of_names(longest: Option<usize>) -> Self {
        Self {
            name: longest.map_or(ARRIVING_NAME, |octets| octets.clamp(NAME.0, NAME.1)),
            size: SIZE,
            date: DATE,
        }
    }
}

/// Returns the URL of a path below the directory of `tree`, the file with the tree of a whole site.
pub(super) fn site_url(tree: &Url, path: &[u8], is_directory: bool) -> Result<Url, ParseError> {
    let kind = is_directory.then_some(FtpType::Directory);
    let above = tree.up().filter(|_| tree.child(b"x", None).is_ok());
    let Some(mut url) = above else {
        let end = if is_directory { "/" } else { "" };
        let path = path.split(|&octet| octet == b'/').map(encoded);
        return tree.resolve(&format!("./{}{end}", path.collect::<Vec<_>>().join("/")));
    };
    let mut segments = path.split(|&octet| octet == b'/').peekable();
    while let Some(segment) = segments.next() {
        let kind = kind.filter(|_| segments.peek().is_none());
        url = url.child(segment, kind)?;
    }
    Ok(url)
}

/// The octets of an entry's name, with the target of a symbolic link.
pub(super) fn name_octets(entry: &Entry<'_>) -> usize {
    let target = match entry.kind {
        Kind::Symlink(Some(target)) => ARROW.len() + target.len(),
        _ => 0,
    };
    entry.name.len() + target
}

/// The zone in which dates are shown, and the server's clock for dates that state no zone.
#[derive(Clone, Debug, Default)]
pub(super) struct DateClocks {
    pub(super) zone: Zone,
    /// The offset of the server's clock from UTC, in minutes (positive is ahead), once it is measured.
    pub(super) server: Option<i32>,
}

impl DateClocks {
    /// The size and the date, each padded to its width, so that they are aligned.
    pub(super) fn columns(&self, entry: &Entry<'_>) -> Text {
        let size = entry.size.map_or_else(|| "–".to_owned(), text::octets);
        let date = entry.date.map(|date| self.written(date));
        let date = date.unwrap_or_default();
        Text::of(&format!("{size:>SIZE$}  {date:<DATE$}"))
    }

    /// The title of the row that leads to the tree of the whole site.
    pub(super) fn tree_title(&self, entry: &Entry<'_>) -> Text {
        let size = entry.size.map(text::octets);
        let date = entry
            .date
            .map(|date| self.written(Date { time: None, ..date }));
        let facts: Vec<String> = size.into_iter().chain(date).collect();
        if facts.is_empty() {
            return Text::of("Tree of the whole site");
        }
        Text::of(&format!("Tree of the whole site ({})", facts.join(", ")))
    }

    /// Formats a date: in the user's zone where its instant can be computed, else as the server wrote it.
    pub(super) fn written(&self, date: Date) -> String {
        let local = match (date.time, date.clock, self.server) {
            (None, _, _) | (Some(_), Clock::Server, None) => None,
            (Some(_), Clock::Ahead(_), _) | (Some(_), Clock::Server, Some(_)) => {
                self.zone.civil(self.seconds(date))
            }
        };
        if let Some(local) = local {
            return local.strftime("%Y-%m-%d %H:%M").to_string();
        }
        let day = date.day;
        let mut written = format!("{:04}-{:02}-{:02}", day.year, day.month, day.day);
        if let Some(time) = date.time {
            // Writing to a text cannot fail.
            let _ = write!(written, " {:02}:{:02}", time.hour, time.minute);
        }
        written
    }

    /// The time of a date, in seconds since 1970. Without a measured clock the date is taken as UTC.
    pub(super) fn seconds(&self, date: Date) -> i64 {
        date.seconds(self.server.unwrap_or_default())
    }
}
