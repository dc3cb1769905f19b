//! A pool of idle connections between two loads, and of those that are read to the end of a reply that nobody wants any
//! more.
//!
//! To cancel is not to close: what is under way on a connection is read to its end, within [`MAX_DRAINED_BYTES`] and
//! [`MAX_DRAIN_TIME`], and dropped. A load that needs the connection waits for it, as a server may allow only one.

use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use tokio::sync::watch;
use tokio::time::timeout;

use super::{Net, RequestNet, trace};
use crate::task;

/// The highest number of pooled connections per authority, and in total. The oldest are closed first.
const MAX_PER_AUTHORITY: usize = 4;
const MAX_TOTAL: usize = 32;

/// The most octets of a reply that are read when nobody wants it any more.
const MAX_DRAINED_BYTES: usize = 64 * 1024;

/// The time in which such a reply must end.
const MAX_DRAIN_TIME: Duration = Duration::from_secs(2);

/// The pooled connections, oldest first.
pub(super) type ConnectionPool = Arc<Mutex<Vec<PooledConnection>>>;

/// The connections that are on their way to the pool: their keys, and what is closed when they have arrived or were
/// closed.
pub(super) type ReturningConnections = Arc<Mutex<Vec<(String, watch::Receiver<()>)>>>;

/// A connection whose replies can be read to their end.
pub trait Drain: Send + 'static {
    /// Returns true if a reply is under way that can be read to its end.
    fn is_mid_reply(&self) -> bool;

    /// Reads the replies under way to their end and drops them. Returns false if the connection must be closed: they
    /// are longer than `most` octets, or malformed.
    fn drain(&mut self, most: usize) -> BoxFuture<'_, bool>;
}

/// A connection in use. If it is dropped in the middle of a reply, that is read to its end for the next load.
pub struct LentConnection<C: Drain> {
    net: Net,
    key: String,
    connection: Option<C>,
}

impl<C: Drain> LentConnection<C> {
    /// Returns the connection; None after it was returned or taken.
    pub fn get(&mut self) -> Option<&mut C> {
        self.connection.as_mut()
    }

    /// Takes the connection out: from here on it is closed when it is dropped.
    pub fn take(mut self) -> Option<C> {
        self.connection.take()
    }

    /// Closes the connection, which is out of step.
    pub fn close(&mut self) {
        self.connection = None;
    }

    /// Puts the idle connection into the pool.
    pub fn store(mut self) {
        if let Some(connection) = self.connection.take() {
            self.net.put_pooled(&self.key, connection);
        }
    }
}

impl<C: Drain> Drop for LentConnection<C> {
    fn drop(&mut self) {
        let connection = self.connection.take().filter(Drain::is_mid_reply);
        if let Some(connection) = connection
            && tokio::runtime::Handle::try_current().is_ok()
        {
            let (sender, arrival) = watch::channel(());
            self.net.returning().push((self.key.clone(), arrival));
            task::spawn(drain(
                self.net.clone(),
                self.key.clone(),
                connection,
                sender,
            ));
        }
    }
}

/// Reads a reply to its end, and puts its connection into the pool. `arrival` is dropped then.
async fn drain<C: Drain>(net: Net, key: String, mut connection: C, arrival: watch::Sender<()>) {
    let drained = timeout(MAX_DRAIN_TIME, connection.drain(MAX_DRAINED_BYTES)).await;
    if drained == Ok(true) {
        trace::note(&key, format_args!("reply read to its end, connection kept"));
        net.put_pooled(&key, connection);
    } else {
        trace::note(&key, format_args!("reply too long, connection closed"));
        drop(connection);
    }
    let is_this = |receiver: &watch::Receiver<()>| receiver.same_channel(&arrival.subscribe());
    net.returning().retain(|(_, receiver)| !is_this(receiver));
}

/// An idle connection.
pub(super) struct PooledConnection {
    authority: String,
    since: Instant,
    connection: Box<dyn Any + Send>,
}

impl RequestNet {
    /// Takes a connection as [`RequestNet::take_pooled`] does, and waits for one that is on its way to the pool.
    pub async fn take_returning<C: Send + 'static>(
        &self,
        authority: &str,
        address: (&str, u16),
    ) -> Option<C> {
        loop {
            let pooled = self.take_pooled(authority, address);
            if pooled.is_some() || self.is_offline() {
                return pooled;
            }
            let arrival = {
                let returning = self.returning();
                let mut returning = returning.iter();
                returning.find(|(key, _)| key == authority)?.1.clone()
            };
            let mut arrival = arrival;
            // It fails when the sender is dropped: the connection has arrived.
            let _ = arrival.changed().await;
        }
    }

    /// Takes a connection of this type from the pool, if one was put there under this key and has not expired. The
    /// caller tries it, and connects to the host and port again if the other end has closed it.
    pub fn take_pooled<C: Send + 'static>(
        &self,
        authority: &str,
        (host, port): (&str, u16),
    ) -> Option<C> {
        if self.is_offline() || !self.may_reuse(host, port) {
            return None;
        }
        let mut pool = self.pool.lock().unwrap_or_else(PoisonError::into_inner);
        pool.retain(|entry| entry.since.elapsed() < self.limits.pool_lifetime);
        let at = pool
            .iter()
            .rposition(|entry| entry.connection.is::<C>() && entry.authority == authority)?;
        let connection = pool.remove(at).connection.downcast().ok()?;
        trace::note(authority, format_args!("pooled connection reused"));
        Some(*connection)
    }
}

impl Net {
    /// Lends a connection, which may be read to the end of a reply when it is dropped.
    pub fn lend<C: Drain>(&self, key: &str, connection: C) -> LentConnection<C> {
        LentConnection {
            net: self.clone(),
            key: key.to_owned(),
            connection: Some(connection),
        }
    }

    /// Returns the connections on their way to the pool.
    fn returning(&self) -> MutexGuard<'_, Vec<(String, watch::Receiver<()>)>> {
        let returning = self.returning.lock();
        returning.unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a connection with no pending request into the pool, until it has been idle for too long. A connection must
    /// not be pooled after an error or a timeout: its replies would answer the wrong request.
    pub fn put_pooled<C: Send + 'static>(&self, authority: &str, connection: C) {
        let mut pool = self.pool.lock().unwrap_or_else(PoisonError::into_inner);
        pool.retain(|entry| entry.since.elapsed() < self.limits.pool_lifetime);
        pool.push(PooledConnection {
            authority: authority.to_owned(),
            since: Instant::now(),
            connection: Box::new(connection),
        });
        let is_same = |entry: &&PooledConnection| entry.authority == authority;
        if pool.len() > MAX_TOTAL {
            pool.remove(0);
        } else if pool.iter().filter(is_same).count() > MAX_PER_AUTHORITY
            && let Some(oldest) = pool.iter().position(|entry| is_same(&entry))
        {
            pool.remove(oldest);
        }
        drop(pool);
        if tokio::runtime::Handle::try_current().is_ok() {
            let pool = Arc::downgrade(&self.pool);
            task::spawn(close_idle(pool, self.limits.pool_lifetime));
        }
    }
}

/// Closes connections that have been idle for this time, even if there are no more requests.
async fn close_idle(pool: Weak<Mutex<Vec<PooledConnection>>>, quiet: Duration) {
    tokio::time::sleep(quiet).await;
    if let Some(pool) = pool.upgrade() {
        let mut pool = pool.lock().unwrap_or_else(PoisonError::into_inner);
        pool.retain(|entry| entry.since.elapsed() < quiet);
    }
}
