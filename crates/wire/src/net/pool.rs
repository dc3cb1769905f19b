//! A pool of idle connections between two loads, and of those that are read to the end of a reply that nobody wants any
//! more.
//!
//! To cancel is not to close: what is under way on a connection is read to its end, within [`MAX_DRAINED_BYTES`] and
//! [`MAX_DRAIN_TIME`], and dropped. A load that needs the connection waits for it, as a server may allow only one.

use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

use super::{Net, RequestNet, trace};
use crate::task;

/// The highest number of pooled connections per authority, and in total. The oldest are closed first.
const MAX_PER_AUTHORITY: usize = 4;
const MAX_TOTAL: usize = 32;

/// The most octets of a reply that are read when nobody wants it any more.
const MAX_DRAINED_BYTES: usize = 64 * 1024;

/// The time in which such a reply must end.
const MAX_DRAIN_TIME: Duration = Duration::from_secs(2);

/// The pooled connections, shared by all loads.
pub(super) type ConnectionPool = Arc<Mutex<PooledConnections>>;

/// The pooled connections.
#[derive(Default)]
pub(super) struct PooledConnections {
    /// The connections, oldest first.
    idle: Vec<PooledConnection>,
    /// The task that closes them. There is one while there are connections: one for each would add up to thousands
    /// where small files are fetched.
    closing: Option<JoinHandle<()>>,
}

impl PooledConnections {
    /// Closes the connections that have been idle for this time.
    fn close_expired(&mut self, lifetime: Duration) {
        self.idle.retain(|entry| entry.since.elapsed() < lifetime);
    }
}

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
        pool.close_expired(self.limits.pool_lifetime);
        let at = pool
            .idle
            .iter()
            .rposition(|entry| entry.connection.is::<C>() && entry.authority == authority)?;
        let connection = pool.idle.remove(at).connection.downcast().ok()?;
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
        let lifetime = self.limits.pool_lifetime;
        pool.close_expired(lifetime);
        pool.idle.push(PooledConnection {
            authority: authority.to_owned(),
            since: Instant::now(),
            connection: Box::new(connection),
        });
        let is_same = |entry: &&PooledConnection| entry.authority == authority;
        if pool.idle.len() > MAX_TOTAL {
            pool.idle.remove(0);
        } else if pool.idle.iter().filter(is_same).count() > MAX_PER_AUTHORITY
            && let Some(oldest) = pool.idle.iter().position(|entry| is_same(&entry))
        {
            pool.idle.remove(oldest);
        }
        // The task ends with its threads, too.
        let is_closing = pool
            .closing
            .as_ref()
            .is_some_and(|task| !task.is_finished());
        if !is_closing && tokio::runtime::Handle::try_current().is_ok() {
            let closing = close_idle(Arc::downgrade(&self.pool), lifetime);
            pool.closing = Some(task::spawn(closing));
        }
    }
}

/// Closes connections that have been idle for this time, even if there are no more requests, until there are none.
async fn close_idle(pool: Weak<Mutex<PooledConnections>>, lifetime: Duration) {
    let mut next = Some(lifetime);
    while let Some(time) = next {
        tokio::time::sleep(time).await;
        let Some(pool) = pool.upgrade() else { return };
        let mut pool = pool.lock().unwrap_or_else(PoisonError::into_inner);
        pool.close_expired(lifetime);
        let since = pool.idle.first().map(|oldest| oldest.since);
        next = since.map(|since| lifetime.saturating_sub(since.elapsed()));
        if next.is_none() {
            pool.closing = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn one_task_closes_all_idle_connections() {
        let net = Net::default();
        let lifetime = net.limits().pool_lifetime;
        let count = || {
            let pool = net.pool.lock().unwrap();
            let tasks = tokio::runtime::Handle::current().metrics();
            (pool.idle.len(), tasks.num_alive_tasks())
        };
        for _ in 0..100 {
            net.put_pooled("h.example:21", ());
        }
        assert_eq!(count(), (MAX_PER_AUTHORITY, 1));
        tokio::time::sleep(lifetime / 2).await;
        net.put_pooled("i.example:21", ());
        assert_eq!(count(), (MAX_PER_AUTHORITY + 1, 1));
        tokio::time::sleep(lifetime / 2 + Duration::from_millis(2)).await;
        assert_eq!(
            count(),
            (1, 1),
            "the later one is idle for half of its time"
        );
        tokio::time::sleep(lifetime).await;
        assert_eq!(count(), (0, 0));
        net.put_pooled("h.example:21", ());
        assert_eq!(count(), (1, 1));
    }
}
