//! What is asked beside a listing: the server's words, its clock, a file that is there to be read first. A page is whole
//! without any of it.

use tokio::time::timeout;

use super::PATIENCE;
use super::clock::sign;
use super::command::{Broken, Ended, Heard, Visit};
use super::readme::Readme;
use crate::document::Remark;
use crate::load::day::today;
use crate::load::sniff::{SAMPLE, is_text};
use crate::load::{Part, Purpose, Stop};
use crate::protocol::ftp::listing::Format;
use crate::protocol::ftp::{Answer, Representation};
use crate::text::{Charset, Text};

impl Visit<'_> {
    /// What the server said on the way: its greeting where it has just been said, and its words on this directory.
    pub(super) async fn remark_on(&mut self, heard: Heard) -> Result<(), Stop> {
        let mut remarks = Vec::new();
        if self.is_new || self.target.path().is_empty() {
            let way = self.session.heard().clone();
            remarks.push(("before the login", way.banner));
            remarks.push(("welcome", way.welcome));
        }
        remarks.push(("about this directory", heard.said));
        let passed = b"The address has an empty name in its path, which this server does not take as RFC 1738 has it. \
                       It was passed over.\n";
        let passed = (heard.passed > 0).then(|| passed.to_vec());
        remarks.push(("an empty name", passed));
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

    /// Finds the server's clock out, where its listings are by that.
    pub(super) async fn tell_clock(
        &mut self,
        ended: Ended,
        first: &[u8],
        format: Option<Format>,
    ) -> Result<Ended, Stop> {
        let whole = memchr::memrchr(b'\n', first).and_then(|end| first.get(..end));
        let sign = whole.and_then(|lines| sign(lines, format, today()));
        let (Ended::Whole, Some(sign), Purpose::Show) = (&ended, sign, self.request.purpose) else {
            return Ok(ended);
        };
        let asking = self.session.modified(&sign.name);
        let Ok(Ok(modified)) = timeout(PATIENCE.min(self.net.limits().idle), asking).await else {
            return Ok(Ended::OutOfStep);
        };
        if let Some(minutes) = modified.and_then(|modified| sign.ahead(&modified)) {
            self.sink.put(Part::Clock(minutes)).await?;
        }
        Ok(ended)
    }

    /// Shows the beginning of the file that is there to be read first, if the listing has one.
    pub(super) async fn tell_readme(
        &mut self,
        ended: Ended,
        readme: &mut Readme,
    ) -> Result<Ended, Broken> {
        let (Ended::Whole, Some(name), Purpose::Show) =
            (&ended, readme.name(), self.request.purpose)
        else {
            return Ok(ended);
        };
        let reading = timeout(PATIENCE.min(self.net.limits().idle), self.remark_of(name));
        match reading.await {
            Ok(Err(Broken::Load(Stop::Closed))) => Err(Stop::Closed.into()),
            Ok(Ok(ended)) => Ok(ended),
            Ok(Err(_)) | Err(_) => Ok(Ended::OutOfStep),
        }
    }

    /// The beginning of a file that is there to be read first.
    async fn remark_of(&mut self, name: &[u8]) -> Result<Ended, Broken> {
        let fetched = self
            .session
            .fetch(self.net, name, Representation::Ascii, 0)
            .await?;
        let Answer::Transfer(mut transfer) = fetched else {
            return Ok(Ended::Whole);
        };
        let mut octets = Vec::new();
        loop {
            let more = transfer.read(self.net).await?;
            if more.is_empty() {
                break;
            }
            octets.extend(more);
            if octets.len() > Readme::LONGEST {
                // The server is still sending, and would have to be told to stop: another session is dialled sooner.
                octets.truncate(Readme::LONGEST);
                self.put_readme(name, octets).await?;
                return Ok(Ended::OutOfStep);
            }
        }
        let ended = self.session.finish(self.net, transfer, true).await;
        self.put_readme(name, octets).await?;
        Ok(match ended {
            Ok(_) => Ended::Whole,
            Err(_) => Ended::OutOfStep,
        })
    }

    async fn put_readme(&self, name: &[u8], octets: Vec<u8>) -> Result<(), Stop> {
        if !is_text(octets.get(..SAMPLE).unwrap_or(&octets)) {
            return Ok(());
        }
        let title = Text::new(name, Charset::default());
        self.sink.put(Part::Remark(Remark { title, octets })).await
    }
}
