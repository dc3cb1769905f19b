//! A directory of a walk: its listing, and what stands in it.

use std::collections::HashMap;

use tokio::sync::mpsc;

use crate::document::{Document, Kind, Raw, Remark, Shape};
use crate::files::download::Report;
use crate::files::retry::{Patience, Tries, wait};
use crate::load::{Begin, Failure, LoadId, Part, Request, Sink, Stop, load};
use crate::net::Net;
use crate::protocol::ftp::listing::{Date, Format, Line, SAMPLE};
use crate::text::{Charset, Text};
use crate::url::{Parts, Url};

/// Parts that may wait to be put together.
const WAITING: usize = 16;

/// What stands in a directory.
#[derive(Debug)]
pub(super) struct Listed {
    /// What the server calls it.
    pub(super) real: Option<Vec<u8>>,
    /// By name.
    pub(super) items: Vec<Item>,
    /// What could not be read of it, and why.
    pub(super) left_out: Vec<(Text, String)>,
}

/// An entry.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) name: Vec<u8>,
    pub(super) what: What,
    pub(super) url: Url,
    pub(super) size: Option<u64>,
    /// As [`crate::load::Version`] has it.
    pub(super) modified: Option<String>,
}

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    Directory,
    /// Or something that leads to one.
    File,
}

/// Loads a listing, more than once when the connection dies.
pub(super) async fn list(
    net: &Net,
    request: Request,
    patience: &Patience,
    report: &mut impl FnMut(Report),
) -> Result<Listed, Stop> {
    let mut tries = Tries::default();
    loop {
        match once(net, request.clone(), &mut tries).await {
            Ok((begin, raw, remarks)) => {
                let mut listed = read(begin, raw, &request.url).await?;
                if matches!(request.url.reading(), Parts::File(_)) {
                    // The one remark of a directory here is of entries that have no line.
                    let told = |remark: &Remark| {
                        let why = Text::new(remark.octets.trim_ascii(), Charset::default());
                        (Text::of(&request.url.masked()), why.to_string())
                    };
                    listed.left_out.extend(remarks.iter().map(told));
                }
                return Ok(listed);
            }
            Err(Stop::Failed(failure)) => match tries.wait(&failure, patience) {
                Some(time) => wait(time, &failure.sentence, report).await,
                None => return Err(Stop::Failed(failure)),
            },
            Err(stop) => return Err(stop),
        }
    }
}

async fn once(
    net: &Net,
    request: Request,
    tries: &mut Tries,
) -> Result<(Begin, Raw, Vec<Remark>), Stop> {
    let (sender, mut parts) = mpsc::channel(WAITING);
    let cap = net.limits().list;
    let loading = load(net, request, Sink::new(LoadId(0), sender));
    let reading = async {
        let mut begun = None;
        let mut raw = Raw::default();
        let mut remarks = Vec::new();
        while let Some((_, part)) = parts.recv().await {
            match part {
                Part::Phase(_) | Part::Session(_) | Part::Clock(_) => {}
                Part::Remark(remark) => remarks.push(remark),
                Part::Begin(begin) => {
                    tries.begun();
                    if !matches!(begin.shape, Shape::Listing { .. }) {
                        return Err(Failure::new("this is no directory").into());
                    }
                    begun = Some(begin);
                }
                Part::Octets(octets) if raw.len() as u64 + octets.len() as u64 > cap => {
                    return Err(Stop::Cut(cap));
                }
                Part::Octets(octets) => raw.take(octets),
                Part::End(end) => {
                    let begin = begun.ok_or_else(|| Failure::new("this is no directory"));
                    return end.and_then(|()| Ok((begin?, raw, remarks)));
                }
            }
        }
        Err(Stop::Closed)
    };
    tokio::pin!(loading);
    tokio::pin!(reading);
    tokio::select! {
        biased;
        read = &mut reading => read,
        () = &mut loading => reading.await,
    }
}

/// Reads a listing where long work keeps nobody waiting.
async fn read(begin: Begin, raw: Raw, asked: &Url) -> Result<Listed, Stop> {
    let url = begin.url.clone().unwrap_or_else(|| asked.clone());
    let real = begin.real.clone();
    let reading = tokio::task::spawn_blocking(move || items(url, begin.shape, &raw));
    match reading.await {
        Ok((items, left_out)) => Ok(Listed {
            real,
            items,
            left_out,
        }),
        Err(_) => {
            Err(Failure::new("the listing could not be read: that is a mistake in Geomys").into())
        }
    }
}

/// What stands in a listing, and what cannot be read of it.
fn items(url: Url, shape: Shape, raw: &Raw) -> (Vec<Item>, Vec<(Text, String)>) {
    let mut facts = facts(shape, raw);
    let mut document = Document::new(url, shape, Charset::default());
    for block in raw.blocks() {
        document.append(block);
    }
    let document = document.finished();
    let mut items = Vec::new();
    let mut left_out = Vec::new();
    for number in 0..document.count() {
        let Some(row) = document.row(number).filter(|row| row.kind != Kind::Up) else {
            continue;
        };
        let link = document.links(number).into_iter().next();
        let target = match link.map(|link| link.target) {
            Some(Ok(url)) => name(&url).map(|name| (url, name)),
            Some(Err(error)) => {
                left_out.push((Text::of(&row.text()), error.to_string()));
                continue;
            }
            None => None,
        };
        let Some((url, name)) = target else {
            let why = "this line of the listing cannot be read".to_owned();
            left_out.push((Text::of(&row.text()), why));
            continue;
        };
        let what = match row.kind {
            Kind::Menu => What::Directory,
            _ => What::File,
        };
        let facts = facts.remove(&name).filter(|_| row.kind != Kind::Symlink);
        // Those of a link are not those of what it leads to.
        let (size, modified) = facts.unwrap_or_default();
        items.push(Item {
            name,
            what,
            url,
            size,
            modified,
        });
    }
    // Names that come to the same here are numbered alike in every run.
    items.sort_by(|one, other| one.name.cmp(&other.name));
    (items, left_out)
}

/// The last name of a URL, as octets.
fn name(url: &Url) -> Option<Vec<u8>> {
    let last = match url.reading() {
        Parts::Ftp(ftp) => ftp.segments().rev().find(|segment| !segment.is_empty()),
        Parts::File(file) => file.segments().rev().find(|segment| !segment.is_empty()),
        _ => None,
    };
    last.map(|segment| segment.octets().into_owned())
}

/// Sizes, and the times that are surely UTC: those of MLSD.
fn facts(shape: Shape, raw: &Raw) -> HashMap<Vec<u8>, (Option<u64>, Option<String>)> {
    let Shape::Listing { format, today } = shape else {
        return HashMap::new();
    };
    let lines = || (0..raw.lines()).filter_map(|line| raw.line(line));
    let form = format.unwrap_or_else(|| Format::guess(lines().take(SAMPLE)));
    let entries = lines().filter_map(|line| match form.line(line, today) {
        Line::Entry(entry) => Some(entry),
        Line::Aside | Line::Odd => None,
    });
    entries
        .map(|entry| {
            let date = entry.date.filter(|_| form == Format::Facts);
            (entry.name.to_vec(), (entry.size, date.and_then(digits)))
        })
        .collect()
}

fn digits(Date { day, time, .. }: Date) -> Option<String> {
    let time = time?;
    Some(format!(
        "{:04}{:02}{:02}{:02}{:02}{:02}",
        day.year, day.month, day.day, time.hour, time.minute, time.second
    ))
}
