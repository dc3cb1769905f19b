//! Remarks beside a listing: the server's messages, its clock offset and the readme. A page is complete without them.

use geomys_wire::protocol::ftp::listing::Format;
use geomys_wire::protocol::ftp::{DataReply, Representation};
use geomys_wire::text::Text;
use tokio::time::timeout;

use super::TIME_LIMIT;
use super::clock::sample;
use super::command::{DirectoryMessages, TargetError, TargetJob, TargetOutcome};
use super::readme::ReadmeFinder;
use crate::document::Remark;
use crate::load::day::today;
use crate::load::sniff::{SAMPLE, is_text};
use crate::load::words::text;
use crate::load::{Part, Purpose, Stop};

impl TargetJob<'_> {
    /// Sends the server's messages as remarks: the greeting of a new connection, and those about this directory.
    pub(super) async fn remark_on(&mut self, messages: DirectoryMessages) -> Result<(), Stop> {
        let mut remarks = Vec::new();
        if self.is_new || self.target.path().is_empty() {
            let login = self.connection.login_messages().clone();
            remarks.push(("before the login", login.banner));
            remarks.push(("welcome", login.welcome));
        }
        remarks.push(("about this directory", messages.said));
        let skipped = b"The address has an empty name in its path, which this server does not take as RFC 1738 has it. \
                       It was passed over.\n";
        let skipped = (messages.skipped > 0).then(|| skipped.to_vec());
        remarks.push(("an empty name", skipped));
        for (title, octets) in remarks {
            if let Some(octets) = octets {
                let title = Text::of(title);
                self.sink
                    .put(Part::Remark(Remark { title, octets }))
                    .await?;
            }
        }
        Ok(())
    }

    /// Finds the offset of the server's clock, if the listing uses that clock.
    pub(super) async fn send_clock(
        &mut self,
        ended: TargetOutcome,
        first: &[u8],
        format: Option<Format>,
    ) -> Result<TargetOutcome, Stop> {
        let whole = memchr::memrchr(b'\n', first).and_then(|end| first.get(..end));
        let sample = whole.and_then(|lines| sample(lines, format, today()));
        let (TargetOutcome::Complete(end), Some(sample), Purpose::Show) =
            (&ended, sample, self.request.purpose)
        else {
            return Ok(ended);
        };
        let asking = self.connection.modified(&sample.name);
        let Ok(Ok(modified)) = timeout(TIME_LIMIT.min(self.net.limits().idle), asking).await else {
            return Ok(TargetOutcome::OutOfStep(*end));
        };
        if let Some(minutes) = modified.and_then(|modified| sample.ahead(&modified)) {
            self.sink.put(Part::Clock(minutes)).await?;
        }
        Ok(ended)
    }

    /// Sends the beginning of the readme, if the listing has one.
    pub(super) async fn send_readme(
        &mut self,
        ended: TargetOutcome,
        readme: &mut ReadmeFinder,
    ) -> Result<TargetOutcome, TargetError> {
        let (TargetOutcome::Complete(end), Some(name), Purpose::Show) =
            (&ended, readme.name(), self.request.purpose)
        else {
            return Ok(ended);
        };
        let reading = timeout(TIME_LIMIT.min(self.net.limits().idle), self.remark_of(name));
        match reading.await {
            Ok(Err(TargetError::Load(Stop::Closed))) => Err(Stop::Closed.into()),
            Ok(Ok(true)) => Ok(ended),
            Ok(Ok(false) | Err(_)) | Err(_) => Ok(TargetOutcome::OutOfStep(*end)),
        }
    }

    /// Fetches the beginning of a readme and sends it as a remark. Returns true if the connection is reusable.
    async fn remark_of(&mut self, name: &[u8]) -> Result<bool, TargetError> {
        let fetched = self
            .connection
            .fetch(self.net, name, Representation::Ascii, 0)
            .await?;
        let DataReply::Transfer(mut transfer) = fetched else {
            return Ok(true);
        };
        let mut octets = Vec::new();
        loop {
            let more = self.connection.read(self.net, &mut transfer).await?;
            if more.is_empty() {
                break;
            }
            octets.extend(more);
            if octets.len() > ReadmeFinder::MAX_README_BYTES {
                // The server is still sending: a new connection is faster than ABOR.
                octets.truncate(ReadmeFinder::MAX_README_BYTES);
                self.put_readme(name, octets).await?;
                return Ok(false);
            }
        }
        let ended = self.connection.finish(self.net, transfer, true).await;
        self.put_readme(name, octets).await?;
        Ok(ended.is_ok())
    }

    async fn put_readme(&self, name: &[u8], octets: Vec<u8>) -> Result<(), Stop> {
        if !is_text(octets.get(..SAMPLE).unwrap_or(&octets)) {
            return Ok(());
        }
        let title = text(name);
        self.sink.put(Part::Remark(Remark { title, octets })).await
    }
}
