//! A pool of idle connections between two loads.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use super::{Net, RequestNet, trace};
use crate::task;

/// The highest number of pooled connections per authority, and in total. The oldest are closed first.
const MAX_PER_AUTHORITY: usize = 4;
const MAX_TOTAL: usize = 32;

/// The pooled connections, oldest first.
pub(super) type ConnectionPool = Arc<Mutex<Vec<PooledConnection>>>;

/// An idle connection.
pub(super) struct PooledConnection {
    authority: String,
    since: Instant,
    connection: Box<dyn Any + Send>,
}

impl RequestNet {
    /// Takes a connection of this type from the pool, if one was put there under this key and has not expired. The caller
    /// tries it, and connects to the host and port again if the other end has closed it.
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
    /// Puts a connection with no pending request into the pool, until it has been idle for too long. A connection must
    /// not be pooled after an error, a timeout or a cancellation: its replies would answer the wrong request.
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
