//! Work on several threads.

use std::ops::Range;
use std::thread;

/// Maximum number of threads.
const THREADS: usize = 4;

/// Returns the number of threads for work of this size, if less than `min` is not worth a thread of its own.
pub(crate) fn threads(size: usize, min: usize) -> usize {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    threads.min(THREADS).min(size / min + 1)
}

/// Returns the ranges of `0..count` for threads of their own, if less than `min` is not worth one.
pub(crate) fn ranges(count: usize, min: usize) -> impl Iterator<Item = Range<usize>> {
    let size = count.div_ceil(threads(count, min)).max(1);
    let starts = (0..count).step_by(size);
    starts.map(move |start| start..(start + size).min(count))
}

/// Maps each part on a thread of its own, the first one on the current thread. A panic of a thread would be a bug; its part
/// has no result then.
pub(crate) fn map<P: Send, T: Send>(
    parts: impl IntoIterator<Item = P>,
    work: impl Fn(P) -> T + Sync,
) -> Vec<T> {
    thread::scope(|scope| {
        let work = &work;
        let mut parts = parts.into_iter();
        let first = parts.next();
        let others: Vec<_> = parts.map(|part| scope.spawn(move || work(part))).collect();
        let first = first.map(work);
        let others = others.into_iter().filter_map(|other| other.join().ok());
        first.into_iter().chain(others).collect()
    })
}
