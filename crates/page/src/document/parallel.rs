//! Work on several threads.

use std::ops::Range;
use std::{panic, thread};

/// Maximum number of threads.
const THREADS: usize = 4;

/// Returns the number of threads for work of this size, if less than `min` is not worth a thread of its own.
pub fn threads(size: usize, min: usize) -> usize {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    threads.min(THREADS).min(size / min + 1)
}

/// Returns the ranges of `0..count` for threads of their own, if less than `min` is not worth one.
pub fn ranges(count: usize, min: usize) -> impl Iterator<Item = Range<usize>> {
    let size = count.div_ceil(threads(count, min)).max(1);
    let starts = (0..count).step_by(size);
    starts.map(move |start| start..(start + size).min(count))
}

/// Maps each part on a thread of its own, the first one on the current thread. A panic in a thread is continued on the
/// current one: a result without that part would be wrong.
pub fn map<P: Send, T: Send>(
    parts: impl IntoIterator<Item = P>,
    work: impl Fn(P) -> T + Sync,
) -> Vec<T> {
    thread::scope(|scope| {
        let work = &work;
        let mut parts = parts.into_iter();
        let first = parts.next();
        let others: Vec<_> = parts.map(|part| scope.spawn(move || work(part))).collect();
        let first = first.map(work);
        let others = others.into_iter().map(|other| {
            let result = other.join();
            result.unwrap_or_else(|cause| panic::resume_unwind(cause))
        });
        first.into_iter().chain(others).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_parts() {
        assert_eq!(map(1..=3, |part| part * part), [1, 4, 9]);
    }

    #[test]
    fn panic_of_any_part_ends_the_whole_work() {
        for bad in 1..=3 {
            let result = panic::catch_unwind(|| map(1..=3, |part| assert_ne!(part, bad)));
            assert!(result.is_err(), "part {bad}");
        }
    }
}
