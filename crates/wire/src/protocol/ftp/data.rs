//! Data connections: opening them, and the transfers over them (RFC 959 section 3.2, RFC 2428, RFC 4217 section 9).
//!
//! EPSV is tried first, then PASV. Only the port of the PASV reply is used, so that no server can send the client to
//! another host. If both fail and [`ActiveMode`] says so, the server connects to the client (EPRT or PORT); only its
//! own address is accepted. What comes over a data connection is read in [`super::transfer`].

use std::net::IpAddr;
use std::time::Duration;

use suppaftp::Status;
use tokio::net::{TcpListener, TcpStream};

use super::listing::{Format, ListingStart};
use super::session::{ExtensionState, FtpConnection, HiddenNames, not_goodbye};
use super::transfer::{Ending, Transfer};
use super::{ActiveMode, FtpError, Reply, Representation};
use crate::net::{LocalNetwork, NetError, Quirk, RequestNet, authority};

/// The time without a reply to EPSV after which PASV is used: some firewalls swallow what they do not know.
const EPSV_SILENCE: Duration = Duration::from_secs(5);

/// The time without a reply to SYST after which the server is taken for no Unix.
const SYST_SILENCE: Duration = Duration::from_secs(10);

/// The command that lists names which begin with a dot, as a server may leave it without an answer.
const LIST_HIDDEN: &str = "LIST -a";

/// The most octets of a listing before its first entry, where that tells whether the server takes an option.
const MAX_LIST_HEAD_BYTES: usize = 64 * 1024;

/// The result of a LIST, NLST or RETR command.
#[derive(Debug)]
pub enum DataReply {
    /// The server sends octets.
    Transfer(Transfer),
    /// The directory is empty.
    Empty,
    /// The server refused; the connection can be used further.
    Refused(Reply),
}

/// A data connection, open or awaited.
pub(super) enum DataConnection {
    /// An open connection, and its authority.
    Connected(TcpStream, String),
    Listening(TcpListener),
}

impl FtpConnection {
    /// Lists the working directory: by MLSD if the server offers it, else by LIST, with `-a` on Unix, else by NLST. The
    /// format is given if it follows from the command.
    ///
    /// # Errors
    /// Any [`FtpError`].
    pub async fn list(
        &mut self,
        net: &RequestNet,
    ) -> Result<(DataReply, Option<Format>), FtpError> {
        self.represent(Representation::Ascii).await?;
        self.lists_hidden = false;
        if self.facts == ExtensionState::Usable {
            match self.transfer(net, "MLSD", None, 0).await? {
                DataReply::Refused(reply) if reply.is_unknown_command() => {
                    self.facts = ExtensionState::Declined;
                }
                // LIST may work, or give a better error.
                DataReply::Refused(_) => {}
                answer => {
                    self.lists_hidden = true;
                    return Ok((answer, Some(Format::Facts)));
                }
            }
        }
        let mut was_empty = false;
        if self.hidden_usable().await? {
            let listed = self.transfer(net, "LIST", Some(b"-a"), 0).await;
            if let DataReply::Transfer(mut transfer) =
                listed.map_err(|error| self.control.unanswered(LIST_HIDDEN, error))?
            {
                let head = self.list_head(net, &mut transfer).await?;
                let start = ListingStart::of(&head);
                if start.has_entry {
                    transfer.ahead = head;
                    // A server may pass over the option without a word.
                    self.lists_hidden = start.has_hidden;
                    return Ok((DataReply::Transfer(transfer), None));
                }
                was_empty = start.has_hidden || head.trim_ascii().is_empty();
                self.finish(net, transfer, true).await?;
            }
            if !was_empty {
                self.hidden = HiddenNames::Declined;
            }
        }
        let (answer, format) = match self.transfer(net, "LIST", None, 0).await? {
            DataReply::Transfer(mut transfer) if was_empty => {
                let head = self.read(net, &mut transfer).await?;
                if !head.is_empty() {
                    // The option, and not the directory, has made it empty.
                    self.hidden = HiddenNames::Declined;
                }
                transfer.ahead = head;
                (DataReply::Transfer(transfer), None)
            }
            DataReply::Refused(reply) if reply.is_unknown_command() => {
                let answer = self.transfer(net, "NLST", None, 0).await?;
                (answer, Some(Format::Names))
            }
            answer => (answer, None),
        };
        Ok(match answer {
            DataReply::Refused(reply) if is_empty(&reply) => (DataReply::Empty, None),
            answer => (answer, format),
        })
    }

    /// Returns true if `LIST -a` may be tried: the server says that it is a Unix (SYST).
    async fn hidden_usable(&mut self) -> Result<bool, FtpError> {
        if self.control.is_unanswered(LIST_HIDDEN) {
            self.hidden = HiddenNames::Declined;
        }
        if self.hidden == HiddenNames::Unknown {
            let asking = (self.control).ask_optional("SYST", None, ("nothing", Some(SYST_SILENCE)));
            let reply = not_goodbye(asking.await?)?;
            let is_unix = reply.status() == Status::Name && reply.contains_any(&[b"unix"]);
            self.hidden = if is_unix {
                HiddenNames::Usable
            } else {
                HiddenNames::Declined
            };
        }
        Ok(self.hidden == HiddenNames::Usable)
    }

    /// Reads the beginning of a listing, up to its first entry.
    async fn list_head(
        &mut self,
        net: &RequestNet,
        transfer: &mut Transfer,
    ) -> Result<Vec<u8>, FtpError> {
        let mut head = Vec::new();
        while head.len() < MAX_LIST_HEAD_BYTES && !ListingStart::of(&head).has_entry {
            let octets = self.read(net, transfer).await?;
            if octets.is_empty() {
                break;
            }
            head.extend(octets);
        }
        Ok(head)
    }

    /// Sends LIST for a pattern of the server.
    ///
    /// # Errors
    /// Any [`FtpError`].
    pub async fn list_pattern(
        &mut self,
        net: &RequestNet,
        pattern: &[u8],
    ) -> Result<DataReply, FtpError> {
        self.represent(Representation::Ascii).await?;
        let pattern = protect_dash(pattern);
        self.transfer(net, "LIST", Some(&pattern), 0).await
    }

    /// Sends NLST for the working directory or for `name` (RFC 1738, section 3.2.2), which may be a pattern of the
    /// server.
    ///
    /// # Errors
    /// Any [`FtpError`].
    pub async fn names(
        &mut self,
        net: &RequestNet,
        name: Option<&[u8]>,
    ) -> Result<DataReply, FtpError> {
        self.represent(Representation::Ascii).await?;
        let name = name.map(protect_dash);
        self.transfer(net, "NLST", name.as_deref(), 0).await
    }

    /// Fetches a file, from the octet `offset` on if the server can restart.
    ///
    /// # Errors
    /// Any [`FtpError`].
    pub async fn fetch(
        &mut self,
        net: &RequestNet,
        name: &[u8],
        representation: Representation,
        offset: u64,
    ) -> Result<DataReply, FtpError> {
        self.represent(representation).await?;
        self.transfer(net, "RETR", Some(name), offset).await
    }

    async fn transfer(
        &mut self,
        net: &RequestNet,
        verb: &str,
        argument: Option<&[u8]>,
        offset: u64,
    ) -> Result<DataReply, FtpError> {
        let first = self.transfer_once(net, verb, argument, offset).await?;
        let DataReply::Refused(reply) = &first else {
            return Ok(first);
        };
        if !self.control.escape.first(argument, reply) {
            return Ok(first);
        }
        let second = self.transfer_once(net, verb, argument, offset).await?;
        let is_known = match &second {
            DataReply::Refused(reply) => self.control.escape.second(reply),
            DataReply::Transfer(_) | DataReply::Empty => {
                self.control.escape.second(&Reply::new(b"226".to_vec()))
            }
        };
        Ok(if is_known { second } else { first })
    }

    async fn transfer_once(
        &mut self,
        net: &RequestNet,
        verb: &str,
        argument: Option<&[u8]>,
        offset: u64,
    ) -> Result<DataReply, FtpError> {
        let data = self.data_connection(net).await?;
        let offset = match offset {
            0 => 0,
            // REST directly before its command: some servers forget it otherwise.
            offset => {
                self.is_restarting = true;
                let digits = offset.to_string();
                let reply = self
                    .ask_optional("REST", Some(digits.as_bytes()), "nothing")
                    .await?;
                if reply.status() == Status::RequestFilePending {
                    offset
                } else {
                    0
                }
            }
        };
        let reply = not_goodbye(self.control.begin(verb, argument, "the path").await?)?;
        if !reply.is_begun() && !reply.is_done() {
            return Ok(DataReply::Refused(reply));
        }
        self.is_restarting = false;
        let ending = if reply.is_done() {
            Ending::Early(reply)
        } else {
            Ending::Awaited
        };
        let opened = self.open_data(net, data, ending, offset).await?;
        Ok(opened.map_or_else(DataReply::Refused, DataReply::Transfer))
    }

    /// Opens a data connection, or a listener for one.
    async fn data_connection(&mut self, net: &RequestNet) -> Result<DataConnection, FtpError> {
        let error = match self.connect_data(net).await? {
            Ok(data) => return Ok(data),
            Err(error) => error,
        };
        match (self.active, error) {
            (ActiveMode::Always, _) if net.is_direct() => {}
            (active, FtpError::Refused { reply, .. })
                if reply.code() >= 500 && self.is_reachable(net) =>
            {
                if active == ActiveMode::Asked {
                    return Err(FtpError::ActiveMode { reply });
                }
            }
            (_, error) => return Err(error),
        }
        Ok(DataConnection::Listening(self.listen().await?))
    }

    /// Returns true if the server could connect to this machine: the address here is one of the Internet, or both are
    /// in one network. A server that did not answer EPSV is none that refused it, and on IPv6 there is no PASV to
    /// refuse.
    fn is_reachable(&self, net: &RequestNet) -> bool {
        let own = LocalNetwork::of(self.control.local.ip());
        let is_one = own == LocalNetwork::of(self.control.peer.ip());
        let quirk = Quirk::Unanswered("EPSV");
        let is_refused = !net.quirks().contains(&self.control.authority, quirk);
        let is_ipv6 = self.control.peer.is_ipv6();
        net.is_direct() && is_refused && !is_ipv6 && (own.is_none() || is_one)
    }

    /// Connects by EPSV (RFC 2428), then by PASV, which can name only IPv4. After the inner error the connection can be
    /// used further.
    async fn connect_data(
        &mut self,
        net: &RequestNet,
    ) -> Result<Result<DataConnection, FtpError>, FtpError> {
        let refused = |reply| FtpError::refused("offers no data connection", reply);
        let (mut failed, mut declined) = (None, None);
        if self.extended == ExtensionState::Usable {
            // IPv6 has no other way: only on IPv4 silence is an answer.
            let is_only_way = self.control.peer.is_ipv6() && net.is_direct();
            let reply = if is_only_way {
                self.ask("EPSV", None, "nothing").await?
            } else {
                let silence = net.limits().idle.min(EPSV_SILENCE);
                let asking = self
                    .control
                    .ask_optional("EPSV", None, ("nothing", Some(silence)));
                not_goodbye(asking.await?)?
            };
            match reply.extended_port() {
                None => declined = Some(reply),
                Some(port) => match self.dial(net, port).await {
                    // A firewall or NAT in between may know only PASV.
                    Err(error) => failed = Some(error),
                    data => return Ok(data),
                },
            }
            self.extended = ExtensionState::Declined;
        }
        if self.control.peer.is_ipv6() && net.is_direct() {
            // IPv6 has only EPSV.
            self.extended = ExtensionState::Usable;
            let reply = declined.unwrap_or_default();
            let problem = "offers no data connection over IPv6; its IPv4 address may work";
            return Ok(Err(
                failed.unwrap_or_else(|| FtpError::refused(problem, reply))
            ));
        }
        let reply = self.ask("PASV", None, "nothing").await?;
        Ok(match reply.passive_port() {
            None => Err(failed.unwrap_or_else(|| refused(reply))),
            Some(port) => self.dial(net, port).await,
        })
    }

    /// Connects to a port of the server.
    async fn dial(&self, net: &RequestNet, port: u16) -> Result<DataConnection, FtpError> {
        let dialling = net.connect_same_host(self.control.peer, &self.host, port);
        let stream = dialling.await?;
        Ok(DataConnection::Connected(
            stream,
            authority(&self.host, port),
        ))
    }

    /// Listens and sends EPRT, or PORT if the server does not know EPRT.
    async fn listen(&mut self) -> Result<TcpListener, FtpError> {
        let own_address = self.control.local.ip().to_canonical();
        let to_net_error = |source| NetError::io(&own_address.to_string(), source);
        let bound = TcpListener::bind((own_address, 0)).await;
        let listener = bound.map_err(to_net_error)?;
        let port = listener.local_addr().map_err(to_net_error)?.port();
        let family = if own_address.is_ipv4() { 1 } else { 2 };
        let extended = format!("|{family}|{own_address}|{port}|");
        let mut reply = self
            .ask("EPRT", Some(extended.as_bytes()), "nothing")
            .await?;
        if let (false, IpAddr::V4(address)) = (reply.is_done(), own_address) {
            let [a, b, c, d] = address.octets();
            let [high, low] = port.to_be_bytes();
            let numbers = format!("{a},{b},{c},{d},{high},{low}");
            reply = self
                .ask("PORT", Some(numbers.as_bytes()), "nothing")
                .await?;
        }
        reply.done_or("offers no data connection, and opens none")?;
        Ok(listener)
    }
}

/// Protects a name that looks like an option of `ls`.
fn protect_dash(name: &[u8]) -> Vec<u8> {
    if name.starts_with(b"-") {
        [b"./", name].concat()
    } else {
        name.to_vec()
    }
}

/// Returns true if a refused listing means an empty directory: many servers have no other reply for it.
fn is_empty(reply: &Reply) -> bool {
    let is_refusal = matches!(
        reply.status(),
        Status::RequestFileActionIgnored | Status::FileUnavailable
    );
    is_refusal
        && reply.contains_any(&[
            b"no files",
            b"no such file",
            b"not found",
            b"no members",
            b"no data sets",
            b"no entries",
            b"empty",
        ])
}
