//! The real terminal: taken, given back on every way out.

use std::io::{self, BufWriter, Stdout, Write, stdout};
use std::mem::ManuallyDrop;
use std::panic;
use std::pin::Pin;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::thread;
use std::time::Duration;

use crossterm::clipboard::CopyToClipboard;
use crossterm::cursor::Show;
use crossterm::event::{self, DisableBracketedPaste, EnableBracketedPaste, Event, EventStream};
use crossterm::execute;
use crossterm::style::ResetColor;
use crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use futures_util::{Stream, StreamExt};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use rustix::io::ioctl_fionbio;
use rustix::process::{Pid, Signal, kill_current_process_group, kill_process};
use rustix::termios::{QueueSelector, tcflush};
use tokio::process::{Child, Command};
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::timeout;

use crate::files::command::ended;
use crate::run::Console;

/// Octets of a frame that go out at once; standard output by itself would send a kibibyte at a time.
const FRAME: usize = 32 * 1024;

/// Keys that wait for the loop at most.
const KEYS: usize = 64;

/// How long a program that was told to end may take: an editor saves what was typed.
const END: Duration = Duration::from_secs(1);

/// The terminal while the browser has it; dropping it gives the terminal back.
pub(super) struct Screen {
    /// What is drawn on. It is not dropped: it would print that the cursor cannot be shown, and panic where standard error
    /// is the same closed terminal. Giving the terminal back shows the cursor.
    pub(super) terminal: ManuallyDrop<Terminal<CrosstermBackend<BufWriter<Stdout>>>>,
}

impl Screen {
    /// Takes the terminal. From here on a panic gives it back before it says anything.
    pub(super) fn take() -> io::Result<Self> {
        let main = thread::current().id();
        let say = panic::take_hook();
        panic::set_hook(Box::new(move |what| {
            // Only the loop's thread has the terminal: a task that panics ends alone, and the browser goes on.
            if thread::current().id() == main {
                let _ = give_back();
                say(what);
            }
        }));
        enter()?;
        let out = BufWriter::with_capacity(FRAME, stdout());
        Ok(Self {
            terminal: ManuallyDrop::new(Terminal::new(CrosstermBackend::new(out))?),
        })
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // There is nobody to tell when the terminal has gone.
        let _ = give_back();
    }
}

fn enter() -> io::Result<()> {
    enable_raw_mode()?;
    execute!(stdout(), EnterAlternateScreen, EnableBracketedPaste)
}

fn give_back() -> io::Result<()> {
    let modes = disable_raw_mode();
    leave(&mut stdout())?;
    modes
}

/// Goes back to the main screen, as it was.
pub(super) fn leave(out: &mut impl Write) -> io::Result<()> {
    execute!(
        out,
        ResetColor,
        DisableBracketedPaste,
        LeaveAlternateScreen,
        Show
    )
}

/// Keys as they are pressed. Whoever else is to read the terminal gets it whole: what reads it here is closed first,
/// and opened again when the loop asks for the next key.
#[derive(Clone, Default)]
pub(super) struct Keys(Arc<Mutex<Option<Reading>>>);

/// A task that reads keys. Where the terminal was closed, crossterm reads its end again and again and never returns: the
/// loop must not wait for that, as it has to save.
struct Reading {
    events: mpsc::Receiver<io::Result<Event>>,
    task: JoinHandle<()>,
}

impl Reading {
    fn start() -> Self {
        let (sender, events) = mpsc::channel(KEYS);
        let task = tokio::spawn(async move {
            let mut stream = EventStream::new();
            while let Some(event) = stream.next().await {
                if sender.send(event).await.is_err() {
                    break;
                }
            }
        });
        Self { events, task }
    }
}

impl Keys {
    fn reading(&self) -> MutexGuard<'_, Option<Reading>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn close(&self) {
        let reading = self.reading().take();
        if let Some(Reading { task, .. }) = reading {
            task.abort();
            // It ends at once, unless the terminal has gone.
            let _ = timeout(END, task).await;
        }
    }
}

impl Stream for Keys {
    type Item = io::Result<Event>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut reading = self.reading();
        let reading = reading.get_or_insert_with(Reading::start);
        reading.events.poll_recv(context)
    }
}

/// Takes back what the terminal still has to tell of keys that another program has read: crossterm would wait for them
/// in a read that does not end before the next key, or pass over that. Keys that nobody has read are dropped, as nobody
/// could see what they do.
fn settle() {
    let input = io::stdin();
    // What cannot be set here costs one key at the worst.
    let _ = ioctl_fionbio(&input, true);
    let _ = event::poll(Duration::ZERO);
    let _ = tcflush(&input, QueueSelector::IFlush);
    let _ = event::poll(Duration::ZERO);
    let _ = ioctl_fionbio(&input, false);
}

/// What the loop asks of a real terminal.
#[derive(Default)]
pub(super) struct Tty {
    /// What reads it.
    pub(super) keys: Keys,
    /// Another program has it: the signals of its keys are for that.
    pub(super) is_lent: Arc<AtomicBool>,
}

impl Console for Tty {
    fn copy(&mut self, text: &str) -> io::Result<()> {
        execute!(stdout(), CopyToClipboard::to_clipboard_from(text))
    }

    fn suspend(&mut self) -> io::Result<()> {
        give_back()?;
        // The whole job stops, as it does when the terminal itself hears Ctrl-Z: `sudo` or a script that runs us would
        // else wait, and the shell with it. The shell takes over here, and we go on from here when it says `fg`.
        kill_current_process_group(Signal::TSTP)?;
        enter()
    }

    async fn run(
        &mut self,
        arguments: &[String],
        terminate: impl Future<Output = ()> + Send,
    ) -> io::Result<Option<ExitStatus>> {
        let Some((program, arguments)) = arguments.split_first() else {
            return Err(io::Error::from(io::ErrorKind::NotFound));
        };
        self.keys.close().await;
        give_back()?;
        self.is_lent.store(true, Ordering::SeqCst);
        let status = run_in_terminal(program, arguments, terminate).await;
        self.is_lent.store(false, Ordering::SeqCst);
        if !matches!(status, Ok(None)) {
            settle();
            enter()?;
        }
        status
    }
}

/// Runs a program that has the terminal. Where `terminate` comes first, the program is told to end, and nothing is given.
async fn run_in_terminal(
    program: &str,
    arguments: &[String],
    terminate: impl Future<Output = ()> + Send,
) -> io::Result<Option<ExitStatus>> {
    tokio::pin!(terminate);
    let mut child = Command::new(program).args(arguments).spawn()?;
    let status = tokio::select! {
        status = child.wait() => status?,
        () = &mut terminate => {
            end(&mut child).await;
            return Ok(None);
        }
    };
    if !status.success() {
        // What it said last would be gone before it was read.
        let mut out = stdout();
        write!(
            out,
            "\n{}; Enter goes back to Geomys ",
            ended(program, status)
        )?;
        out.flush()?;
        let enter = spawn_blocking(|| io::stdin().read_line(&mut String::new()));
        tokio::select! {
            // What cannot be read is as good as Enter.
            _ = enter => {}
            () = &mut terminate => return Ok(None),
        }
    }
    Ok(Some(status))
}

/// Tells a program to end, and waits a while until it has.
async fn end(child: &mut Child) {
    let id = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
    // One that has ended hears nothing.
    let _ = id.map(|id| kill_process(id, Signal::TERM));
    let _ = timeout(END, child.wait()).await;
}
