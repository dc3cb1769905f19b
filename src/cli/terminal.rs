//! The real terminal: set up at the start and restored at every exit; its keys, as a stream for the browser and one
//! after the other for the questions of a command.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::collections::VecDeque;
use std::io::{BufWriter, IsTerminal, Stdout, Write, stderr, stdin, stdout};
use std::mem::ManuallyDrop;
use std::os::fd::{AsFd, OwnedFd};
use std::panic::PanicHookInfo;
use std::pin::Pin;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use std::{io, panic, thread};

use crossterm::clipboard::CopyToClipboard;
use crossterm::cursor::{Hide, MoveTo, RestorePosition, SavePosition, Show};
use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste, Event};
use crossterm::execute;
use crossterm::style::{Print, ResetColor};
use crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode, window_size,
};
use futures_util::stream::BoxStream;
use futures_util::{Stream, StreamExt, stream};
use geomys_store::files::command::exit_sentence;
use geomys_wire::task;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Position;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::io::{read, retry_on_intr};
use rustix::process::{Pid, Signal, kill_process};
use rustix::termios::{QueueSelector, tcflush, ttyname};
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;
use tokio::process::{Child, Command};
use tokio::time::timeout;

use super::signals::{check_shell, has_terminal, stop_job};
use crate::run::Console;
use crate::run::terminal_input::{Input, InputDecoder, TerminalInput};

/// The buffer for a frame, in octets; standard output alone would write a kibibyte at a time.
const FRAME: usize = 32 * 1024;

/// Reports of buttons, of the wheel, and of movement while a button is pressed, in the SGR encoding ("`XTerm` Control
/// Sequences", "Mouse Tracking").
const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1002h\x1b[?1006h";

/// The end of these reports.
const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1002l\x1b[?1000l";

/// Stores the title of the window (XTPUSHTITLE), as it was before.
const TITLE_PUSH: &str = "\x1b[22;2t";

/// Restores the title of the window (XTPOPTITLE).
const TITLE_POP: &str = "\x1b[23;2t";

/// Alt sends ESC before the key, which a stock xterm does not do (`eightBitInput`): metaSendsEscape and altSendsEscape,
/// whose values are stored before (XTSAVE).
const ALT_PUSH: &str = "\x1b[?1036;1039s\x1b[?1036;1039h";

/// Restores both (XTRESTORE).
const ALT_POP: &str = "\x1b[?1036;1039r";

/// The time for a program to end after SIGTERM: an editor saves its text.
const END_DEADLINE: Duration = Duration::from_secs(1);

/// The terminal while the browser uses it; dropping it restores the terminal.
pub(super) struct TerminalScreen {
    /// The terminal to draw on. It is not dropped: on a closed terminal its drop would report that the cursor cannot be
    /// shown, and panic if standard error is closed too. Restoring the terminal shows the cursor.
    pub(super) terminal: ManuallyDrop<Terminal<CrosstermBackend<BufWriter<Stdout>>>>,
}

impl TerminalScreen {
    /// Sets up the terminal. From here on a panic restores it before it prints one sentence, and a backtrace for those
    /// who have asked for one (`RUST_BACKTRACE`).
    pub(super) fn open(has_mouse: bool) -> io::Result<Self> {
        let main = thread::current().id();
        panic::set_hook(Box::new(move |info| {
            // Only the thread of the loop owns the terminal: the panic of a task ends that task alone.
            if thread::current().id() == main {
                let _ = restore();
                // Standard error may be closed.
                let _ = writeln!(stderr(), "geomys: {}", panic_sentence(info));
                let backtrace = Backtrace::capture();
                if backtrace.status() == BacktraceStatus::Captured {
                    let _ = writeln!(stderr(), "{backtrace}");
                }
            }
        }));
        enter(has_mouse)?;
        let out = BufWriter::with_capacity(FRAME, stdout());
        Ok(Self {
            terminal: ManuallyDrop::new(Terminal::new(CrosstermBackend::new(out))?),
        })
    }
}

/// Returns the sentence about a panic: what a report needs.
fn panic_sentence(info: &PanicHookInfo<'_>) -> String {
    let words = info.payload_as_str().unwrap_or("no message");
    let place = info.location().map(|place| format!(" ({place})"));
    let place = place.unwrap_or_default();
    format!("stopped by a bug in Geomys, please report it: {words}{place}")
}

impl Drop for TerminalScreen {
    fn drop(&mut self) {
        // Errors of a closed terminal are ignored.
        let _ = restore();
    }
}

fn enter(has_mouse: bool) -> io::Result<()> {
    enable_raw_mode()?;
    let mouse = if has_mouse { MOUSE_ON } else { "" };
    execute!(
        stdout(),
        EnterAlternateScreen,
        EnableBracketedPaste,
        Print(mouse),
        Print(ALT_PUSH),
        Print(TITLE_PUSH)
    )
}

/// Restores the modes and the main screen of the terminal.
pub(super) fn restore() -> io::Result<()> {
    let modes = disable_raw_mode();
    leave()?;
    modes
}

/// Returns to the main screen.
fn leave() -> io::Result<()> {
    execute!(
        stdout(),
        ResetColor,
        Print(MOUSE_OFF),
        Print(ALT_POP),
        Print(TITLE_POP),
        DisableBracketedPaste,
        LeaveAlternateScreen,
        Show
    )
}

/// The console of the loop on a real terminal.
#[derive(Default)]
pub(super) struct Tty {
    /// The keys of the terminal.
    pub(super) keys: KeyStream,
    /// True while another program uses the terminal: then signals of keys are for that program.
    pub(super) is_lent: Arc<AtomicBool>,
    /// True if the mouse is used.
    pub(super) has_mouse: bool,
    /// The title of the window.
    pub(super) title: String,
}

impl Tty {
    /// Enters the alternate screen again.
    fn enter(&self) -> io::Result<()> {
        enter(self.has_mouse)?;
        self.write_title()
    }

    /// Sets the title of the window (OSC 2).
    fn write_title(&self) -> io::Result<()> {
        execute!(stdout(), Print(format!("\x1b]2;{}\x1b\\", self.title)))
    }
}

impl Console for Tty {
    fn copy(&mut self, text: &str) -> io::Result<()> {
        execute!(stdout(), CopyToClipboard::to_clipboard_from(text))
    }

    fn ask_background(&mut self) -> io::Result<bool> {
        let mut out = stdout();
        out.write_all(b"\x1b]11;?\x1b\\")?;
        out.flush()?;
        Ok(true)
    }

    fn ask_graphics(&mut self) -> io::Result<()> {
        let mut out = stdout();
        // A picture of one dot that is only checked, and then XTVERSION.
        out.write_all(b"\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[>q")?;
        out.flush()
    }

    fn cell(&self) -> Option<(u16, u16)> {
        let size = window_size().ok()?;
        let width = size.width.checked_div(size.columns)?;
        Some((width, size.height.checked_div(size.rows)?))
    }

    fn write_raw(&mut self, position: Option<Position>, sequence: &str) {
        let mut out = stdout();
        let _ = match position {
            Some(Position { x, y }) => execute!(
                out,
                SavePosition,
                MoveTo(x, y),
                Print(sequence),
                RestorePosition
            ),
            None => execute!(out, Print(sequence)),
        };
    }

    fn use_mouse(&mut self, is_used: bool) {
        self.has_mouse = is_used;
        let modes = if is_used { MOUSE_ON } else { MOUSE_OFF };
        let _ = execute!(stdout(), Print(modes));
    }

    fn set_title(&mut self, title: &str) {
        if self.title != title {
            title.clone_into(&mut self.title);
            let _ = self.write_title();
        }
    }

    fn set_frame(&mut self, is_begun: bool) {
        // Drawing reports the error of a closed terminal.
        let _ = if is_begun {
            execute!(stdout(), BeginSynchronizedUpdate, Hide)
        } else {
            execute!(stdout(), EndSynchronizedUpdate)
        };
    }

    fn suspend(&mut self) -> io::Result<()> {
        check_shell()?;
        if has_terminal() {
            restore()?;
        } else {
            // The shell has the terminal already: to set its modes would stop this process here, and again after `fg`.
            leave()?;
        }
        // After `fg` in the shell, execution continues here.
        stop_job()?;
        self.resume()
    }

    fn resume(&mut self) -> io::Result<()> {
        // The shell has changed the modes, which crossterm takes for those that it has set.
        disable_raw_mode()?;
        self.enter()
    }

    async fn run(
        &mut self,
        arguments: &[String],
        terminate: impl Future<Output = ()> + Send,
    ) -> io::Result<Option<ExitStatus>> {
        let Some((program, arguments)) = arguments.split_first() else {
            return Err(io::Error::from(io::ErrorKind::NotFound));
        };
        self.keys.close();
        restore()?;
        self.is_lent.store(true, Ordering::SeqCst);
        let status = run_in_terminal(program, arguments, terminate).await;
        self.is_lent.store(false, Ordering::SeqCst);
        if !matches!(status, Ok(None)) {
            // Unread keys are dropped, as the user could not see their effect. A failure costs one key at most.
            let _ = tcflush(io::stdin(), QueueSelector::IFlush);
            self.enter()?;
        }
        status
    }
}

/// Runs a program in the terminal. If `terminate` completes first, the program is ended, and the result is `None`.
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
            terminate_child(&mut child).await;
            return Ok(None);
        }
    };
    if !status.success() {
        // The last output of the program would disappear before it is read.
        let mut out = stdout();
        write!(
            out,
            "\n{}; press Enter to return to Geomys ",
            exit_sentence(program, status)
        )?;
        out.flush()?;
        let enter = task::blocking(|| io::stdin().read_line(&mut String::new()));
        tokio::select! {
            // A read error counts as Enter.
            _ = enter => {}
            () = &mut terminate => return Ok(None),
        }
    }
    Ok(Some(status))
}

/// Sends SIGTERM to a program, and waits a limited time for its end.
async fn terminate_child(child: &mut Child) {
    let id = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
    // A program that has ended gets no signal.
    let _ = id.map(|id| kill_process(id, Signal::TERM));
    let _ = timeout(END_DEADLINE, child.wait()).await;
}

/// The maximum size of one read, in bytes.
const MAX_READ_BYTES: usize = 4096;

/// A stream of the terminal's input. Before another program reads the terminal, the stream is closed; it opens again
/// when the loop reads the next key. It ends with an error, also where the terminal is closed.
#[derive(Clone, Default)]
pub(super) struct KeyStream(Arc<Mutex<Option<BoxStream<'static, io::Result<Input>>>>>);

impl KeyStream {
    fn reading(&self) -> MutexGuard<'_, Option<BoxStream<'static, io::Result<Input>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Closes the stream.
    pub(super) fn close(&self) {
        *self.reading() = None;
    }
}

impl Stream for KeyStream {
    type Item = io::Result<Input>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.reading()
            .get_or_insert_with(|| inputs().boxed())
            .poll_next_unpin(context)
    }
}

/// Returns the input of the terminal.
fn inputs() -> impl Stream<Item = io::Result<Input>> {
    stream::unfold(TerminalInput::new(Box::pin(reads())), |mut input| async {
        Some((input.next().await?, input))
    })
}

/// Returns the reads of the terminal, the last of which is an error.
fn reads() -> impl Stream<Item = io::Result<Vec<u8>>> {
    // What tokio has for pipes reads a terminal as well, and needs no unsafe code.
    let terminal = open_terminal().and_then(Receiver::from_owned_fd_unchecked);
    stream::unfold(Some(terminal), |terminal| async {
        let mut octets = vec![0; MAX_READ_BYTES];
        let (read, terminal) = match terminal? {
            Ok(mut terminal) => (terminal.read(&mut octets).await, Some(Ok(terminal))),
            Err(error) => (Err(error), None),
        };
        match read.and_then(some) {
            Ok(count) => {
                octets.truncate(count);
                Some((Ok(octets), terminal))
            }
            Err(error) => Some((Err(error), None)),
        }
    })
}

/// Opens the terminal for reads that do not block. Its own open file description leaves other programs theirs as it is.
fn open_terminal() -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let input = stdin();
    if !input.is_terminal() {
        return Ok(open("/dev/tty", flags, Mode::empty())?);
    }
    let named = ttyname(&input, Vec::new()).and_then(|name| open(name, flags, Mode::empty()));
    match named.or_else(|_| open("/dev/tty", flags, Mode::empty())) {
        Ok(terminal) => Ok(terminal),
        // After `su` it may belong to another user, who has it open. It is read only when there is something to read.
        Err(_) => input.as_fd().try_clone_to_owned(),
    }
}

/// Returns the number of octets of a read; none is the end of a closed terminal, and an error.
fn some(count: usize) -> io::Result<usize> {
    if count == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(count)
}

/// Waits until there is something to read, without an end if `time` is `None`. Returns false if the time is over.
fn is_readable(terminal: impl AsFd, time: Option<Duration>) -> io::Result<bool> {
    let time = time.and_then(|time| Timespec::try_from(time).ok());
    let mut waiting = [PollFd::new(&terminal, PollFlags::IN)];
    Ok(retry_on_intr(|| poll(&mut waiting, time.as_ref()))? > 0)
}

/// The keys for a question of a command. Only the octets of the answer are read: the next question reads the next ones.
#[derive(Default)]
pub(super) struct PromptKeys {
    decoder: InputDecoder,
    ready: VecDeque<Input>,
}

impl PromptKeys {
    /// Waits for the next event. Answers of the terminal are dropped: a command asks it nothing.
    pub(super) fn next(&mut self) -> io::Result<Event> {
        let terminal = stdin();
        loop {
            match self.ready.pop_front() {
                Some(Input::Event(event)) => return Ok(event),
                Some(_) => {}
                None if is_readable(&terminal, self.decoder.wait())? => self.read(&terminal)?,
                None => self.ready.extend(self.decoder.expire()),
            }
        }
    }

    fn read(&mut self, terminal: impl AsFd) -> io::Result<()> {
        let mut octet = [0];
        some(retry_on_intr(|| read(&terminal, &mut octet[..]))?)?;
        self.ready
            .extend(if is_readable(&terminal, Some(Duration::ZERO))? {
                self.decoder.read_part(&octet)
            } else {
                self.decoder.read(&octet)
            });
        Ok(())
    }
}
