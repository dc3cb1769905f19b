//! Deadlines and caps.

use std::time::Duration;

/// The deadline of every await and the cap of every buffer.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The deadline for a name lookup plus a connection.
    pub connect: Duration,
    /// The deadline between two arrivals of octets, and for a write to be accepted.
    pub idle: Duration,
    /// The deadline for what a person waits for and could do without: more octets after what may be the end of a reply
    /// (the final dot of Gopher), data beside a page.
    pub brief: Duration,
    /// The time without any octet after which a server may be asked whether it waits for TLS.
    pub silence: Duration,
    /// The cap for a reply line, in octets.
    pub line: usize,
    /// The cap for a page, in octets. A download has no such cap.
    pub page: u64,
    /// The cap for a list of groups, articles or files, in octets.
    pub list: u64,
    /// The time for which an idle connection stays in the pool.
    pub pool_lifetime: Duration,
}

impl Limits {
    /// These limits after what may be the end of a reply, where no long wait for more is of use.
    #[must_use]
    pub fn at_end(&self) -> Self {
        Self {
            idle: self.idle.min(self.brief),
            ..self.clone()
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(15),
            idle: Duration::from_secs(30),
            brief: Duration::from_secs(2),
            silence: Duration::from_secs(4),
            line: 64 * 1024,
            page: 128 * 1024 * 1024,
            list: 512 * 1024 * 1024,
            pool_lifetime: Duration::from_mins(1),
        }
    }
}
