//! Opening archives and compressed files while they arrive: a sink passes the octets of a file to a reader on another
//! thread, and gets what they contain.
//!
//! Files are recognised by their first octets. A file that cannot be shown ends the load with the question of its
//! protocol. A fragment of the URL is the path of a member; the whole archive stays in memory for some time
//! ([`ArchiveStore`](crate::ArchiveStore)), so that the next member needs no request. Of a message that is saved, the
//! fragment names an attachment.

mod parts;
mod plan;
mod running;

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use geomys_wire::net::TransferEnd;
use geomys_wire::task;

pub use self::plan::MAX_UNASKED_BYTES;
pub(super) use self::plan::UnpackPlan;
use self::running::{Report, Running, left_out};
use super::archives::{ArchiveParts, MAX_ARCHIVE_BYTES, SpooledArchive};
use super::{PageHead, PageStorage, Part, ServerFileName, Sink, Stop, Version};
use geomys_page::archive::{KnownParts, Packing, UnpackError, Unpacked};
use geomys_page::document::attachment_at;

/// A zip that is opened by parts.
#[derive(Debug)]
pub(super) struct PartialZip {
    pub(super) plan: UnpackPlan,
    pub(super) parts: ArchiveParts,
}

/// The state of a file in a sink.
#[derive(Debug, Default)]
pub(super) enum Unpacking {
    /// Pages are passed on.
    #[default]
    Off,
    /// The next file is examined.
    Planned(UnpackPlan),
    /// The first octets of a file are awaited; the stop is for a file that cannot be opened.
    Waiting {
        plan: UnpackPlan,
        head: Box<PageHead>,
        start: Vec<u8>,
        otherwise: Option<Stop>,
    },
    Running(Box<Running>),
    /// The octets of a file that may be a message with the attachment that is to be saved.
    Message {
        plan: UnpackPlan,
        head: Box<PageHead>,
        octets: Vec<u8>,
    },
}

impl Sink {
    /// Returns true if a member is wanted, if the next file is an archive.
    pub(super) fn wants_member(&self) -> bool {
        matches!(&self.unpacking, Unpacking::Planned(plan) if plan.has_path())
    }

    /// Begins a file that cannot be shown: it is opened if it is packed, else the load ends with `otherwise`.
    pub(super) fn begin_or(&mut self, head: PageHead, otherwise: Stop) -> Result<(), Stop> {
        match std::mem::take(&mut self.unpacking) {
            Unpacking::Planned(plan) => {
                self.page_source.has_begun = true;
                self.unpacking = Unpacking::Waiting {
                    plan,
                    head: Box::new(head),
                    start: Vec::new(),
                    otherwise: Some(otherwise),
                };
                Ok(())
            }
            _ => Err(otherwise),
        }
    }

    /// Passes octets of a file on, or to its reader.
    pub(super) fn unpack(&mut self, octets: Vec<u8>) -> BoxFuture<'_, Result<(), Stop>> {
        async move {
            match std::mem::take(&mut self.unpacking) {
                state @ (Unpacking::Off | Unpacking::Planned(_)) => {
                    self.unpacking = state;
                    self.deliver(octets).await
                }
                Unpacking::Waiting {
                    plan,
                    head,
                    mut start,
                    otherwise,
                } => {
                    start.extend(octets);
                    let is_decided = if otherwise.is_some() {
                        start.len() >= Packing::SAMPLE_BYTES
                    } else {
                        !Packing::may_follow(&start)
                    };
                    if !is_decided {
                        self.unpacking = Unpacking::Waiting {
                            plan,
                            head,
                            start,
                            otherwise,
                        };
                        return Ok(());
                    }
                    self.decide(plan, *head, start, otherwise).await
                }
                Unpacking::Running(mut running) => {
                    let fed = self.feed(&mut running, octets).await;
                    self.unpacking = Unpacking::Running(running);
                    fed
                }
                Unpacking::Message {
                    plan,
                    head,
                    octets: mut before,
                } => {
                    before.extend(octets);
                    self.collect(plan, *head, before).await
                }
            }
        }
        .boxed()
    }

    /// Begins a file whose first octets have come.
    async fn decide(
        &mut self,
        plan: UnpackPlan,
        head: PageHead,
        start: Vec<u8>,
        otherwise: Option<Stop>,
    ) -> Result<(), Stop> {
        let packing = plan.packing(&head, &start);
        if packing == Some(Packing::Zip) && head.size.is_some_and(|size| plan.asks_for_parts(size))
        {
            let mut known = KnownParts::new(head.size.unwrap_or_default());
            known.add(0, start);
            let parts = ArchiveParts { head, known };
            self.partial = Some(Box::new(PartialZip { plan, parts }));
            return Err(Stop::Closed);
        }
        if packing.is_some() {
            let mut running = Running::start(plan, head);
            let fed = self.feed(&mut running, start).await;
            self.unpacking = Unpacking::Running(Box::new(running));
            return fed;
        }
        match otherwise {
            Some(stop) => Err(stop),
            None if plan.saves_attachment() => self.collect(plan, head, start).await,
            None => {
                self.begin(head).await?;
                self.deliver(start).await
            }
        }
    }

    /// Keeps the octets of a file that may be a message; one that is too large is passed on.
    async fn collect(
        &mut self,
        plan: UnpackPlan,
        head: PageHead,
        octets: Vec<u8>,
    ) -> Result<(), Stop> {
        if octets.len() > MAX_ARCHIVE_BYTES {
            self.begin(head).await?;
            return self.deliver(octets).await;
        }
        self.unpacking = Unpacking::Message {
            plan,
            head: Box::new(head),
            octets,
        };
        Ok(())
    }

    /// Passes on the attachment of a message that has come, or the file if it has no such attachment.
    async fn end_message(
        &mut self,
        plan: UnpackPlan,
        head: PageHead,
        octets: Vec<u8>,
    ) -> Result<(), Stop> {
        let (path, name) = (plan.path.clone(), plan.path.last().cloned());
        let found = task::blocking(move || match attachment_at(&octets, &path) {
            Some(attachment) => (attachment, true),
            None => (octets, false),
        });
        let (octets, is_attachment) = found.await;
        if !is_attachment {
            self.begin(head).await?;
            return self.deliver(octets).await;
        }
        let size = Some(octets.len() as u64);
        let head = PageHead {
            size,
            storage: PageStorage::Forbidden,
            charset: None,
            version: Version {
                size,
                ..head.version
            },
            file_name: ServerFileName {
                disposition: name,
                media_type: None,
            },
            ..head
        };
        self.begin(head).await?;
        self.deliver(octets).await
    }

    /// Sends octets to the reader, and passes on what it reports meanwhile.
    async fn feed(&mut self, running: &mut Running, octets: Vec<u8>) -> Result<(), Stop> {
        running.store(&octets);
        if let Some(phase) = running.progress() {
            self.phase(phase).await?;
        }
        if let Some(input) = running.input.take() {
            while running.result.is_none() {
                tokio::select! {
                    permit = input.clone().reserve_owned() => match permit {
                        Ok(permit) => {
                            running.input = Some(permit.send(octets));
                            return Ok(());
                        }
                        // The reader needs no more.
                        Err(_) => break,
                    },
                    report = running.output.recv() => self.report(running, report).await?,
                }
            }
        }
        self.drain(running).await?;
        // The rest is stored for the next member.
        if running.stored.is_some() {
            return Ok(());
        }
        match running.result.take() {
            Some(Err(stop)) => Err(stop),
            done => {
                running.result = done;
                Err(Stop::Closed)
            }
        }
    }

    /// Passes on what a plan names in an archive that was unpacked whole.
    pub(super) async fn open_spooled(
        &mut self,
        archive: &Arc<SpooledArchive>,
        plan: UnpackPlan,
    ) -> Result<TransferEnd, Stop> {
        let mut running = Running::start_spool(plan, archive);
        self.drain(&mut running).await?;
        let result = running.result.take().unwrap_or(Ok(()));
        result.map(|()| TransferEnd::Confirmed)
    }

    /// Passes on all reports up to the end.
    async fn drain(&mut self, running: &mut Running) -> Result<(), Stop> {
        while running.result.is_none() {
            let report = running.output.recv().await;
            self.report(running, report).await?;
        }
        Ok(())
    }

    /// Passes a report on, and stores the result that ends it.
    async fn report(&mut self, running: &mut Running, report: Option<Report>) -> Result<(), Stop> {
        let passed = match report {
            Some(Report::Part(part)) => {
                if matches!(&part, Unpacked::Begin(unpacked) if unpacked.member.is_none()) {
                    // It is no archive, and there is no next member.
                    running.stored = None;
                }
                self.pass(running, part).await
            }
            Some(Report::End(end)) => {
                match &end {
                    Err(UnpackError::Link(target)) => self.linked = Some(target.clone()),
                    Err(UnpackError::NoDirectory) => running.lacks_directory = true,
                    Err(UnpackError::Range(range)) => running.missing = Some(range.clone()),
                    Ok(()) | Err(_) => {}
                }
                running.result = Some(end.map_err(|error| running.stop(error)));
                return Ok(());
            }
            None => Err(running.stop(UnpackError::Malformed("its reader failed".to_owned()))),
        };
        match passed {
            Ok(()) => Ok(()),
            Err(Stop::Closed) => Err(Stop::Closed),
            Err(stop) => {
                running.result = Some(Err(stop));
                Ok(())
            }
        }
    }

    async fn pass(&mut self, running: &Running, part: Unpacked) -> Result<(), Stop> {
        match part {
            Unpacked::Begin(unpacked) => {
                let head = running.page_head(&unpacked)?;
                running.count_saved(0, unpacked.size.unwrap_or_default())?;
                self.begin(head).await?;
                self.lower_limit(running.plan.limit);
                Ok(())
            }
            Unpacked::Octets(octets) => {
                running.count_saved(octets.len() as u64, 0)?;
                self.deliver(octets).await
            }
            Unpacked::Hole(length) => {
                running.count_saved(length, 0)?;
                self.hole(length).await
            }
            Unpacked::LeftOut(numbers) => self.put(Part::Remark(left_out(numbers))).await,
        }
    }

    /// Ends the file of a load that has ended, and returns the end of the load.
    pub(super) async fn finish(
        &mut self,
        end: Result<TransferEnd, Stop>,
    ) -> Result<TransferEnd, Stop> {
        if matches!(&end, Err(Stop::Needs(_))) {
            return end;
        }
        match std::mem::take(&mut self.unpacking) {
            Unpacking::Waiting {
                plan,
                head,
                start,
                otherwise,
            } => self.decide(plan, *head, start, otherwise).await?,
            state => self.unpacking = state,
        }
        match std::mem::take(&mut self.unpacking) {
            Unpacking::Message { plan, head, octets } if end.is_ok() => {
                self.end_message(plan, *head, octets).await?;
            }
            state => self.unpacking = state,
        }
        let Unpacking::Running(mut running) = std::mem::take(&mut self.unpacking) else {
            return end;
        };
        running.input = None;
        self.drain(&mut running).await?;
        match (running.result.take(), end) {
            // The load was ended here.
            (Some(result), Err(Stop::Closed)) => result.map(|()| TransferEnd::Confirmed),
            (Some(Ok(())), Ok(end)) => {
                running.put_in_store();
                Ok(end)
            }
            (Some(Err(stop)), Ok(_)) => {
                running.put_in_store();
                Err(stop)
            }
            (_, end) => end,
        }
    }
}
