//! Tasks, and work that blocks, on the threads that tokio has for it.
//!
//! All work is boxed, so that tokio's code for a task is compiled once, not for each kind of work.

use std::any::Any;
use std::future::pending;
use std::panic::resume_unwind;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::runtime::{Builder, Runtime};
use tokio::task::{JoinHandle, spawn_blocking};

/// Starts a task.
pub fn spawn(work: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
    spawn_boxed(work.boxed())
}

fn spawn_boxed(work: BoxFuture<'static, ()>) -> JoinHandle<()> {
    tokio::spawn(work)
}

/// Threads for tasks. Before they start, and where the system gives none, tasks run where they are spawned. Dropping
/// this ends the threads, and waits for none of them.
#[derive(Default)]
pub struct Workers(Option<Runtime>);

impl Workers {
    /// Starts this number of threads; none leaves the tasks where they are spawned.
    pub fn start(&mut self, threads: usize) {
        if threads > 0 {
            let mut builder = Builder::new_multi_thread();
            self.0 = builder.worker_threads(threads).enable_all().build().ok();
        }
    }

    /// Starts a task.
    pub fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
        let _entered = self.0.as_ref().map(Runtime::enter);
        spawn(work)
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// A result of any type.
type AnyResult = Box<dyn Any + Send>;

/// Starts blocking work, and waits for its result. Work that has begun is completed even if nobody waits for it any
/// more.
///
/// # Panics
/// A panic of the work continues in the task that waits for it.
pub fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> impl Future<Output = T> + Send {
    let task = start(Box::new(move || Box::new(work())));
    async move {
        match finish(task).await.downcast() {
            Ok(result) => *result,
            // Never, as the work has made a `T`.
            Err(other) => resume_unwind(other),
        }
    }
}

fn start(work: Box<dyn FnOnce() -> AnyResult + Send>) -> JoinHandle<AnyResult> {
    spawn_blocking(work)
}

async fn finish(task: JoinHandle<AnyResult>) -> AnyResult {
    match task.await {
        Ok(result) => result,
        Err(error) => match error.try_into_panic() {
            Ok(cause) => resume_unwind(cause),
            // The runtime is shutting down, and drops the task that waits.
            Err(_) => pending().await,
        },
    }
}

#[cfg(test)]
mod tests {
    use std::panic::AssertUnwindSafe;

    use super::*;

    #[tokio::test]
    async fn result_is_that_of_the_work() {
        assert_eq!(blocking(|| "done".to_owned()).await, "done");
        blocking(|| ()).await;
    }

    #[tokio::test]
    async fn panic_continues_in_the_task_that_waits() {
        let waiting = blocking(|| -> u8 { panic!("on purpose") });
        let caught = AssertUnwindSafe(waiting).catch_unwind().await;
        let cause = caught.unwrap_err();
        assert_eq!(cause.downcast_ref::<&str>(), Some(&"on purpose"));
    }

    #[tokio::test]
    async fn work_starts_before_its_result_is_awaited() {
        let (sender, receiver) = std::sync::mpsc::channel();
        let dropped = blocking(move || sender.send(()));
        drop(dropped);
        assert_eq!(blocking(move || receiver.recv()).await, Ok(()));
    }
}
