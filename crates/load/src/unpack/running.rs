//! The reader of a file on another thread: what goes in, and the head of the page, the question or the failure that
//! comes out.

use std::io::{self, Read};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use geomys_wire::protocol::ftp::listing::Format;
use geomys_wire::task;
use geomys_wire::text::{Charset, Text, count, is_utf8, octets as size_text};
use tokio::sync::mpsc;

use super::plan::{UnpackPlan, unasked_bytes};
use crate::archives::{MAX_ARCHIVE_BYTES, SpooledArchive};
use crate::http::{MediaType, PageKind};
use crate::sniff::{SAMPLE, is_text};
use crate::words::today;
use crate::{
    Failure, FailureKind, PageHead, PageStorage, Phase, Question, ServerFileName, Stop,
    UnpackedFile, Version,
};
use geomys_page::archive::mailbox::is_article;
use geomys_page::archive::{
    ComingPart, KnownParts, LeftOut, UnpackError, Unpacked, UnpackedHead, UnpackedKind, Unpacker,
};
use geomys_page::document::{Kind, ListingPlace, Remark, Shape, suffix};

/// The capacity of the channels to and from the reader.
const CHANNEL_PIECES: usize = 4;

/// The octets of an archive after which its progress is reported again.
const REPORT_BYTES: u64 = 256 * 1024;

/// A file that is being read.
#[derive(Debug)]
pub(crate) struct Running {
    pub(super) plan: UnpackPlan,
    head: PageHead,
    name: String,
    /// The number of octets that have come.
    fed: u64,
    /// The number of octets of which the last report told.
    reported: u64,
    /// The octets for the reader; None at the end of the file.
    pub(super) input: Option<mpsc::Sender<Vec<u8>>>,
    pub(super) output: mpsc::Receiver<Report>,
    /// The octets of an archive for the next member; None if they are too many.
    pub(super) stored: Option<Vec<u8>>,
    /// The octets that are needed, of an archive of which parts are known.
    pub(super) missing: Option<Range<u64>>,
    /// True if the directory at the end of a zip is missing.
    pub(super) lacks_directory: bool,
    /// The result, once what was wanted has come or failed.
    pub(super) result: Option<Result<(), Stop>>,
}

/// A part of a file, and its octets while they come.
pub(super) type ComingRange = (Range<u64>, mpsc::Receiver<Vec<u8>>);

/// A report of the reader.
#[derive(Debug)]
pub(super) enum Report {
    Part(Unpacked),
    End(Result<(), UnpackError>),
}

impl Running {
    /// Starts the reader of a file.
    pub(super) fn start(plan: UnpackPlan, head: PageHead) -> Self {
        let (input, coming) = mpsc::channel(CHANNEL_PIECES);
        let (spool, own) = (plan.spool(&head), (plan.clone(), head.clone()));
        let stored = Some(Vec::new()).filter(|_| plan.is_stored);
        let running = Self::read(plan, head, move |unpacker, name, path| {
            let mut reader = ChannelReader::new(coming);
            unpacker.set_spool(spool);
            let end = unpacker.run(&mut reader, name, path);
            put_spool(own, unpacker, reader.count);
            end
        });
        Self {
            input: Some(input),
            stored,
            ..running
        }
    }

    /// Starts the reader of a zip of which parts are known, and perhaps one comes; `has_all` is true for one on this
    /// machine.
    pub(super) fn start_parts(
        plan: UnpackPlan,
        head: PageHead,
        (known, has_all): (&Arc<Mutex<KnownParts>>, bool),
        coming: Option<ComingRange>,
    ) -> Self {
        let known = Arc::clone(known);
        let spool = plan.spool(&head).filter(|_| has_all);
        let own = (plan.clone(), head.clone());
        Self::read(plan, head, move |unpacker, name, path| {
            let known = known.lock().unwrap_or_else(PoisonError::into_inner);
            unpacker.set_spool(spool);
            let coming =
                coming.map(|(range, octets)| ComingPart::new(range, ChannelReader::new(octets)));
            let end = unpacker.run_zip((&known, coming), name, path);
            put_spool(own, unpacker, known.size());
            end
        })
    }

    /// Starts the reader of an archive that was unpacked whole.
    pub(super) fn start_spool(plan: UnpackPlan, archive: &Arc<SpooledArchive>) -> Self {
        let (head, archive) = (archive.head.clone(), Arc::clone(archive));
        Self::read(plan, head, move |unpacker, name, path| {
            unpacker.run_spool(&archive.spool, name, path)
        })
    }

    /// Starts a reader, which gets the name of the file and the path of the member.
    fn read(
        plan: UnpackPlan,
        head: PageHead,
        read: impl FnOnce(&mut Unpacker<'_>, &[u8], &[Vec<u8>]) -> Result<(), UnpackError>
        + Send
        + 'static,
    ) -> Self {
        let (reports, output) = mpsc::channel(CHANNEL_PIECES);
        let (is_raw, path, version) = (plan.is_raw, plan.path.clone(), plan.version);
        let names = plan.hints.names_of(&plan.url);
        let name = plan.name(&head);
        let inner = name.clone();
        // It ends with its channels.
        drop(task::blocking(move || {
            let waiting = reports.clone();
            let mut receive = |part| {
                let sent = reports.blocking_send(Report::Part(part));
                sent.map_err(|_| UnpackError::Closed)
            };
            let mut unpacker = Unpacker::new(is_raw, &mut receive, move || waiting.is_closed());
            unpacker.set_names(names, today());
            unpacker.set_version(version);
            let end = read(&mut unpacker, inner.as_bytes(), &path);
            // If the receiver is closed, nobody waits for the end.
            let _ = reports.blocking_send(Report::End(end));
        }));
        Self {
            plan,
            head,
            name,
            fed: 0,
            reported: 0,
            input: None,
            output,
            stored: None,
            missing: None,
            lacks_directory: false,
            result: None,
        }
    }

    pub(super) fn store(&mut self, octets: &[u8]) {
        self.fed += octets.len() as u64;
        if let Some(stored) = self
            .stored
            .as_mut()
            .filter(|stored| stored.len() + octets.len() <= MAX_ARCHIVE_BYTES)
        {
            stored.extend_from_slice(octets);
        } else {
            self.stored = None;
        }
    }

    /// Returns the progress, if enough octets have come since the last report.
    pub(super) fn progress(&mut self) -> Option<Phase> {
        if self.fed - self.reported < REPORT_BYTES {
            return None;
        }
        self.reported = self.fed;
        Some(Phase::Unpacking {
            octets: self.fed,
            size: self.head.size,
        })
    }

    /// Counts octets of a member that is saved, which has `size` more.
    ///
    /// # Errors
    /// The question whether an archive may unpack to so many octets.
    pub(super) fn count_saved(&self, octets: u64, size: u64) -> Result<(), Stop> {
        if !self.plan.is_raw {
            return Ok(());
        }
        let saved = self.plan.store.count_saved(&self.plan.url, octets);
        let unpacked = saved.saturating_add(size);
        let packed = self.head.size.unwrap_or_default().max(self.fed);
        if unpacked <= unasked_bytes(packed) || self.plan.is_unbounded {
            return Ok(());
        }
        Err(Stop::Needs(Question::Unpack {
            name: self.name.clone(),
            packed,
            unpacked,
        }))
    }

    /// Stores a whole archive.
    pub(super) fn put_in_store(&mut self) {
        if let Some(octets) = self.stored.take() {
            self.plan
                .store
                .put(&self.plan.url, self.head.clone(), octets);
        }
    }

    /// Returns the head of the page of what was found.
    pub(super) fn page_head(&self, unpacked: &UnpackedHead) -> Result<PageHead, Stop> {
        let mut head = self.head.clone();
        head.size = unpacked.size;
        head.unpacked = Some(UnpackedFile {
            name: unpacked.name.clone(),
            in_archive: unpacked.member.is_some(),
        });
        if unpacked.kind == UnpackedKind::Site {
            head.storage = PageStorage::Forbidden;
            head.title = Some(Text::of("Tree of the whole site"));
        }
        let Some(member) = &unpacked.member else {
            return self.file_head(head, unpacked);
        };
        let name = Text::of(&self.name);
        head.title = Some(if member.is_empty() {
            head.title.unwrap_or(name)
        } else {
            let path = Text::new(&member.join(&b'/'), Charset::default());
            Text::of(&format!("{path} in {name}"))
        });
        // Only the user writes what is in an archive to the disk.
        head.storage = PageStorage::Forbidden;
        let is_listing = unpacked.kind == UnpackedKind::Listing;
        head.charset = unpacked.charset.filter(|_| is_listing);
        head.version = Version {
            size: unpacked.size,
            modified: unpacked.modified.clone(),
            ..head.version
        };
        head.file_name = ServerFileName {
            disposition: member.last().map(|name| match unpacked.charset {
                Some(charset) if !is_utf8(name) => charset.decode(name).into_owned().into_bytes(),
                Some(_) | None => name.clone(),
            }),
            media_type: None,
        };
        self.file_head(head, unpacked)
    }

    fn file_head(&self, head: PageHead, unpacked: &UnpackedHead) -> Result<PageHead, Stop> {
        let shape = match &unpacked.kind {
            UnpackedKind::Listing => Shape::Listing {
                format: Some(Format::Facts),
                today: today(),
                place: ListingPlace::Archive,
            },
            UnpackedKind::Site => Shape::Listing {
                format: Some(Format::Paths),
                today: today(),
                place: ListingPlace::Site,
            },
            UnpackedKind::Mailbox => Shape::Group,
            UnpackedKind::Message => Shape::Article,
            UnpackedKind::File(_) if !self.plan.asks => Shape::Text,
            UnpackedKind::File(start) => self.shape(&unpacked.name, start, unpacked)?,
        };
        Ok(PageHead { shape, ..head })
    }

    /// Returns the shape of a file by its name and its first octets.
    ///
    /// # Errors
    /// The question for a file that cannot be shown.
    fn shape(&self, name: &[u8], start: &[u8], unpacked: &UnpackedHead) -> Result<Shape, Stop> {
        let media = suffix::media_type(name).unwrap_or_default();
        let sample = start.get(..SAMPLE).unwrap_or(start);
        let kind = MediaType::parse(media.as_bytes()).kind(sample);
        match kind.unwrap_or(PageKind::Text).shape() {
            Ok(Shape::Text) if is_article(start) => Ok(Shape::Article),
            Ok(shape) => Ok(shape),
            // A text may have any name.
            Err(Kind::Binary) if is_text(sample, None) => Ok(Shape::Text),
            Err(kind) => Err(Stop::Needs(Question::Save {
                what: suffix::kind_words(kind),
                name: match &unpacked.member {
                    Some(_) => self.plan.hints.file_name(name),
                    // The file is saved as it came.
                    None => self.name.clone(),
                },
                size: unpacked.size,
            })),
        }
    }

    /// Returns the stop for an error.
    pub(super) fn stop(&self, error: UnpackError) -> Stop {
        let name = Text::of(&self.name);
        let path = Text::new(&self.plan.path.join(&b'/'), Charset::default());
        let failure = match error {
            UnpackError::Closed => return Stop::Closed,
            UnpackError::Malformed(why) => Failure::new(format!("{name} is damaged: {why}"))
                .with_kind(FailureKind::Malformed)
                .with_advice("save it, and try another program"),
            UnpackError::Missing => Failure::new(format!("{name} has no {path}"))
                .with_kind(FailureKind::Missing)
                .with_advice("the archive may have changed since it was listed"),
            UnpackError::Link(_) => Failure::new(format!("{path} in {name} is a link in a circle"))
                .with_advice("open the archive, and look at its links"),
            UnpackError::NoDirectory => Failure::new(format!("{name} is damaged: it has no end"))
                .with_kind(FailureKind::Malformed)
                .with_advice("save it, and try another program"),
            UnpackError::Range(_) => Failure::new(format!("{name} has changed on its server"))
                .with_kind(FailureKind::Transient),
            UnpackError::Directory => Failure::new(format!("{path} in {name} is a directory"))
                .with_advice("open it, and mark the files to save"),
            UnpackError::Refused(sentence, advice) => Failure::new(sentence).with_advice(advice),
            UnpackError::TooLarge(limit) => {
                let limit = size_text(limit);
                Failure::new(format!("only {limit} of {name} were read"))
                    .with_advice("save it, and open it with another program")
            }
            UnpackError::TooDeep => Failure::new("archives are opened three deep, no deeper")
                .with_advice("save the inner archive, and open it"),
        };
        failure.into()
    }
}

/// Returns the remark about members without a row.
pub(super) fn left_out(left_out: LeftOut) -> Remark {
    let shown = if left_out.is_newest {
        "newest"
    } else {
        "first"
    };
    let shown = format!("members with the name of another: the {shown} of each is shown");
    let lines = [
        (left_out.names, "names that no URL can contain"),
        (left_out.repeated, shown.as_str()),
    ];
    let lines = lines.iter().filter(|(number, _)| *number > 0);
    let lines = lines.map(|(number, what)| format!("{} {what}\n", count(*number)));
    Remark {
        title: Text::of("left out"),
        octets: lines.collect::<String>().into_bytes(),
    }
}

/// Stores the spool of an archive that was unpacked whole, of which so many octets were read.
fn put_spool((plan, head): (UnpackPlan, PageHead), unpacker: &mut Unpacker<'_>, read: u64) {
    if let Some(spool) = unpacker.take_spool() {
        let head = PageHead {
            size: head.size.or(Some(read)),
            ..head
        };
        plan.store
            .put_spool(&plan.url, SpooledArchive { head, spool });
    }
}

/// A reader of the octets of a channel.
struct ChannelReader {
    coming: mpsc::Receiver<Vec<u8>>,
    piece: io::Cursor<Vec<u8>>,
    /// The octets that have come.
    count: u64,
}

impl ChannelReader {
    fn new(coming: mpsc::Receiver<Vec<u8>>) -> Self {
        Self {
            coming,
            piece: io::Cursor::default(),
            count: 0,
        }
    }
}

impl Read for ChannelReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.piece.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            match self.coming.blocking_recv() {
                Some(octets) => {
                    self.count += octets.len() as u64;
                    self.piece = io::Cursor::new(octets);
                }
                None => return Ok(0),
            }
        }
    }
}
