//! The real loop on a screen in memory: keys in, screen out.

use std::io;
use std::net::SocketAddr;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use crossterm::event::{
    Event, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use futures_util::stream::BoxStream;
use futures_util::{StreamExt, stream};
use geomys::config::{self, Environment, UserPaths};
use geomys::run::terminal_input::Input;
use geomys::run::{Console, Launch, RunContext, RunOutcome, run};
use geomys::ui::{STOP_HINT, UNLOCK_HINT};
use geomys_app::App;
use geomys_demo::Demo;
use geomys_load::NewsHost;
use geomys_wire::net::{Limits, Net};
use ratatui::Terminal;
use ratatui::backend::{Backend, ClearType, TestBackend, WindowSize};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Position, Rect, Size};
use ratatui::style::{Modifier, Style};
use tempfile::TempDir;
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::task::JoinHandle;

/// The timeout of a test for something that should appear: long, as the machine may be busy.
pub const PATIENCE: Duration = Duration::from_mins(1);

/// The name of the editor script in a profile.
pub const EDITOR: &str = "editor.sh";

/// A running browser.
pub struct Session {
    pub profile: TempDir,
    pub copied: Arc<Mutex<Vec<String>>>,
    /// The programs that were run in the terminal, with their arguments.
    pub ran: Arc<Mutex<Vec<Vec<String>>>>,
    shared: Shared,
    keys: mpsc::UnboundedSender<Event>,
    /// The number of events that were sent.
    sent: AtomicU64,
    ended: Option<JoinHandle<RunOutcome>>,
    terminate: Option<oneshot::Sender<()>>,
}

/// A browser that has ended.
pub struct Ended {
    /// The profile, for the next start.
    pub profile: TempDir,
    pub app: App,
    /// The errors of the last writes.
    pub unsaved: Vec<String>,
}

/// A browser to be started: by default on the home page of a new profile, with 80 columns and 24 lines.
pub struct Browser {
    profile: TempDir,
    addresses: Vec<String>,
    size: (u16, u16),
    news: Option<SocketAddr>,
    net: Option<Net>,
    shows_bookmarks: bool,
    restores: bool,
    has_tour: bool,
}

impl Browser {
    pub fn new() -> Self {
        Self::in_profile(tempfile::tempdir().unwrap())
    }

    pub fn in_profile(profile: TempDir) -> Self {
        Self {
            profile,
            addresses: Vec::new(),
            size: (80, 24),
            news: None,
            net: None,
            shows_bookmarks: false,
            restores: false,
            has_tour: false,
        }
    }

    /// Takes the bookmarks and the news server of the demo.
    pub fn demo(self, demo: &Demo) -> Self {
        self.file("bookmarks.txt", demo.bookmarks())
            .news(demo.addresses.news)
    }

    /// Opens an address in a tab.
    pub fn open(self, address: impl Into<String>) -> Self {
        self.open_all([address])
    }

    /// Opens addresses, each in a tab.
    pub fn open_all(mut self, addresses: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.addresses.extend(addresses.into_iter().map(Into::into));
        self
    }

    /// Writes a file of the profile.
    pub fn file(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        std::fs::write(self.profile.path().join(name), content).unwrap();
        self
    }

    pub fn settings(self, settings: impl AsRef<[u8]>) -> Self {
        self.file("settings.toml", settings)
    }

    pub fn bookmarks(self, bookmarks: impl AsRef<[u8]>) -> Self {
        self.file("bookmarks.txt", bookmarks)
    }

    /// Sets the columns and lines of the screen.
    pub fn size(mut self, size: (u16, u16)) -> Self {
        self.size = size;
        self
    }

    /// Reads news from this server, without TLS.
    pub fn news(mut self, server: SocketAddr) -> Self {
        self.news = Some(server);
        self
    }

    pub fn limits(self, limits: Limits) -> Self {
        self.net(Net::new(limits))
    }

    /// Takes this network, without the files of the profile for it.
    pub fn net(mut self, net: Net) -> Self {
        self.net = Some(net);
        self
    }

    /// Gives the bookmarks the focus: a drawer on a screen of fewer than 106 columns, else the list beside the page.
    pub fn with_bookmarks(mut self) -> Self {
        self.shows_bookmarks = true;
        self
    }

    /// Begins the tour of the demo.
    pub fn with_tour(mut self) -> Self {
        self.has_tour = true;
        self
    }

    /// Starts with the session of the last run, as the settings say.
    pub fn restoring(mut self) -> Self {
        self.restores = true;
        self
    }

    pub fn start(self) -> Session {
        let paths = Arc::new(UserPaths::new(Some(self.profile.path().to_owned())).unwrap());
        if !self.restores && paths.session().exists() {
            std::fs::remove_file(paths.session()).unwrap();
        }
        let environment = Environment {
            home: Some(self.profile.path().to_owned()),
            editor: Some(format!("sh {}", self.profile.path().join(EDITOR).display())),
            ..Environment::default()
        };
        let read = {
            let paths = Arc::clone(&paths);
            move || config::read(&paths, &environment)
        };
        let mut config = read();
        assert_eq!(config.errors, []);
        let settings = &mut config.settings;
        if let Some(news) = self.news {
            settings.news_server = Some(NewsHost::plain(news.ip().to_string(), news.port()));
        }
        // The Message-IDs on the screen tell the articles apart.
        Arc::make_mut(&mut settings.news).unfolds_headers = true;
        // Few tries, and no time between them.
        settings.transfers.retries.max_attempts = 6;
        settings.transfers.retries.max_delay = Duration::from_millis(1);
        let net = self.net.unwrap_or_else(|| config.net(&paths));
        let cache = Arc::new(config.cache(&paths));
        let context = RunContext {
            paths,
            config,
            reread: Some(Box::new(read)),
            net,
            cache,
            threads: 0,
        };
        let mut launch = Launch::new(context, &self.addresses, self.size);
        launch.app = launch.app.accepting_keys_at_once();
        if self.has_tour {
            launch.app.start_tour();
        }
        let session = Session::run(self.profile, launch, self.size);
        if self.shows_bookmarks {
            session.press(if self.size.0 < 106 { "B" } else { "Tab" });
        }
        session
    }
}

impl Session {
    /// Starts the browser on the bookmarks of the demo.
    pub fn demo(demo: &Demo, columns: u16, lines: u16) -> Self {
        Browser::new()
            .demo(demo)
            .size((columns, lines))
            .with_bookmarks()
            .start()
    }

    fn run(profile: TempDir, launch: Launch, size: (u16, u16)) -> Self {
        let shared = Shared::new(size);
        let mut terminal = Terminal::new(shared.clone()).unwrap();
        let (keys, receiver) = mpsc::unbounded_channel();
        let (terminate, terminated) = oneshot::channel::<()>();
        let copied = Arc::new(Mutex::new(Vec::new()));
        let ran = Arc::new(Mutex::new(Vec::new()));
        let mut console = Recorder {
            copied: Arc::clone(&copied),
            ran: Arc::clone(&ran),
        };
        let shown = shared.clone();
        let ended = tokio::spawn(async move {
            let end = async {
                // Dropping a session aborts its task.
                match terminated.await {
                    Ok(()) => {}
                    Err(_) => std::future::pending::<()>().await,
                }
            };
            let events = events(receiver, shown);
            let running = run(&mut terminal, events, &mut console, launch, end);
            let (ending, drawn) = Box::pin(running).await;
            drawn.unwrap();
            ending
        });
        Self {
            profile,
            copied,
            ran,
            shared,
            keys,
            sent: AtomicU64::new(0),
            ended: Some(ended),
            terminate: Some(terminate),
        }
    }

    /// Sends an event of the terminal. Whatever looks at the screen from here on waits for a frame behind it.
    fn send(&self, event: Event) {
        self.sent.fetch_add(1, Ordering::SeqCst);
        self.keys.send(event).unwrap();
    }

    /// Presses keys, written as in keys.toml with blanks between; `"text"` is typed letter by letter.
    pub fn press(&self, keys: &str) {
        for key in keys.split_whitespace() {
            self.send(Event::Key(event(key)));
        }
    }

    /// Waits for a question with this button, and chooses it.
    pub async fn choose(&self, button: &str) {
        self.wait_until(button, |screen| tabs_to(screen, button).is_some())
            .await;
        let screen = self.screen();
        self.press(&keys_to(&screen, tabs_to(&screen, button).unwrap()));
    }

    /// Types a text.
    pub fn type_in(&self, text: &str) {
        for letter in text.chars() {
            let key = KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE);
            self.send(Event::Key(key));
        }
    }

    /// Pastes a text.
    pub fn paste(&self, text: &str) {
        self.send(Event::Paste(text.to_owned()));
    }

    /// Sends an event of the mouse at a column and a line, from 0.
    pub fn mouse(&self, kind: MouseEventKind, (column, row): (u16, u16)) {
        let modifiers = KeyModifiers::NONE;
        let event = MouseEvent {
            kind,
            column,
            row,
            modifiers,
        };
        self.send(Event::Mouse(event));
    }

    /// Clicks on the first cell of these words on the screen.
    pub fn click(&self, words: &str) {
        let at = self.position_of(words);
        self.press_and_release(at, at);
    }

    /// Presses the left button of the mouse over a cell, and releases it over another one or the same.
    pub fn press_and_release(&self, pressed: (u16, u16), released: (u16, u16)) {
        self.mouse(MouseEventKind::Down(MouseButton::Left), pressed);
        if released != pressed {
            self.mouse(MouseEventKind::Drag(MouseButton::Left), released);
        }
        self.mouse(MouseEventKind::Up(MouseButton::Left), released);
    }

    /// The position of the terminal's cursor, if it is visible.
    pub fn cursor(&self) -> Option<(u16, u16)> {
        self.frame().cursor
    }

    /// Resizes the terminal.
    pub fn resize(&self, columns: u16, lines: u16) {
        self.send(Event::Resize(columns, lines));
    }

    /// Waits until the screen contains `text` and no load is running: a page shows its first rows before it is
    /// complete. Text that was only typed into a prompt, or is suggested for it, is not waited for: it is there before
    /// the page is.
    pub async fn wait(&self, text: &str) {
        self.wait_for(text, |frame| {
            let screen = frame.text();
            screen.contains(text) && !is_loading(&screen) && frame.page_text().contains(text)
        })
        .await;
    }

    /// Waits until a prompt has `text` in its line of input or below it.
    pub async fn wait_in_prompt(&self, text: &str) {
        self.wait_for(text, |frame| {
            let below = frame.text_of(frame.answer().unwrap_or_default());
            below.contains(text)
        })
        .await;
    }

    /// Waits until no load is running.
    pub async fn settle(&self) {
        self.wait_until("the end of the load", |screen| !is_loading(screen))
            .await;
    }

    /// Waits until the screen no longer contains `text`.
    pub async fn wait_until_absent(&self, text: &str) {
        self.wait_until(text, |screen| !screen.contains(text)).await;
    }

    /// Waits until the screen satisfies `fits`.
    pub async fn wait_until(&self, what: &str, fits: impl Fn(&str) -> bool) {
        self.screen_when(what, fits).await;
    }

    /// Waits until the screen satisfies `fits`, and returns it as text, with loopback ports normalized.
    pub async fn screen_when(&self, what: &str, fits: impl Fn(&str) -> bool) -> String {
        let frame = self.wait_for(what, |frame| fits(&frame.text())).await;
        frame.text()
    }

    /// Waits until a frame behind all that was sent satisfies `fits`, and returns it.
    async fn wait_for(&self, what: &str, fits: impl Fn(&Frame) -> bool) -> Frame {
        let sent = self.sent.load(Ordering::SeqCst);
        let waiting = async {
            loop {
                let drawn = self.shared.drawn.notified();
                let frame = self.shared.last().clone();
                if frame.is_behind(sent) && fits(&frame) {
                    return frame;
                }
                drawn.await;
            }
        };
        if let Ok(frame) = tokio::time::timeout(PATIENCE, waiting).await {
            return frame;
        }
        let frame = self.shared.last().clone();
        let (screen, page) = (frame.text(), frame.page_text());
        let place = match (screen.contains(what), page.contains(what)) {
            (true, false) => ", which stands in a prompt only,",
            _ => "",
        };
        let handled = frame.shown.unwrap_or_default();
        panic!(
            "waited for “{what}”{place} in vain; {handled} of {sent} events are on the screen, which is\n{screen}"
        );
    }

    /// The last frame, once it shows all that was sent.
    fn frame(&self) -> Frame {
        let sent = self.sent.load(Ordering::SeqCst);
        let deadline = Instant::now() + PATIENCE;
        let mut frame = self.shared.last();
        while !frame.is_behind(sent) && !self.ended.as_ref().is_none_or(JoinHandle::is_finished) {
            assert!(
                Instant::now() < deadline,
                "no frame behind event {sent}; the screen is\n{}",
                frame.text()
            );
            // The end of the browser tells nobody.
            let wait = Duration::from_millis(20);
            (frame, _) = self.shared.drawn_sync.wait_timeout(frame, wait).unwrap();
        }
        frame.clone()
    }

    /// The screen as text, with loopback ports normalized.
    pub fn screen(&self) -> String {
        self.frame().text()
    }

    /// The rows between the first and the last one: the page without its title, the status line and the hints.
    pub fn page(&self) -> String {
        let screen = self.screen();
        let rows: Vec<&str> = screen.lines().collect();
        let rows = rows.get(1..rows.len() - 1).unwrap();
        format!("{}\n", rows.join("\n").trim_end())
    }

    /// The box of a question or a form; where there is none, the panel at the bottom, from its rule on.
    pub fn dialog(&self) -> String {
        let screen = self.screen();
        let column = |line: &str, corner| line.chars().position(|cell| cell == corner);
        let ends = |line: &str| Some((column(line, '┌')?, column(line, '┐')?));
        let Some((left, right)) = screen.lines().find_map(ends) else {
            let panel = screen.lines().skip_while(|line| !line.starts_with("──"));
            return panel.map(|line| [line, "\n"].concat()).collect();
        };
        let rows = screen.lines().skip_while(|line| ends(line).is_none());
        let is_last = |line: &&str| line.chars().nth(left) == Some('└');
        let inside = rows.clone().take_while(|line| !is_last(line));
        let row = |line: &str| -> String { line.chars().take(right + 1).skip(left).collect() };
        let lines = inside.chain(rows.clone().find(is_last));
        lines.map(|line| row(line) + "\n").collect()
    }

    /// Runs a command by its name.
    pub async fn run_command(&self, command: &str) {
        self.press(":");
        self.wait("Down choose").await;
        self.type_in(command);
        self.wait(&format!("▌ {command}")).await;
        self.press("Enter");
        self.wait_until_absent("Down choose").await;
    }

    /// The style of the first cell of these words on the screen.
    pub fn style_of(&self, words: &str) -> Style {
        let frame = self.frame();
        frame.buffer[frame.position_of(words)].style()
    }

    /// The column and the line of the first cell of these words on the screen.
    pub fn position_of(&self, words: &str) -> (u16, u16) {
        self.frame().position_of(words)
    }

    /// The cells of the screen that are not blank.
    pub fn cells(&self) -> Vec<Cell> {
        let cells = self.grid().into_iter();
        let is_blank = |cell: &Cell| {
            cell.symbol().trim().is_empty() && !cell.modifier.contains(Modifier::REVERSED)
        };
        cells.filter(|cell| !is_blank(cell)).collect()
    }

    /// All cells of the screen, row by row.
    pub fn grid(&self) -> Vec<Cell> {
        self.frame().buffer.content
    }

    /// Ends the browser from outside, as SIGTERM does.
    pub async fn terminate(mut self) -> Ended {
        self.terminate.take().unwrap().send(()).unwrap();
        self.end().await
    }

    /// Waits until the browser has ended after a key and has written its files, as the program does before it exits.
    pub async fn end(mut self) -> Ended {
        let task = self.ended.take().unwrap();
        let ending = async {
            let outcome = task.await.unwrap();
            (outcome.app, outcome.saving.await.unwrap())
        };
        let ended = tokio::time::timeout(PATIENCE, ending).await;
        let (app, unsaved) = ended.unwrap_or_else(|_| {
            let screen = self.shared.last().text();
            panic!("the browser did not end; the screen is\n{screen}")
        });
        let empty = tempfile::tempdir().unwrap();
        Ended {
            profile: std::mem::replace(&mut self.profile, empty),
            app,
            unsaved,
        }
    }

    /// The content of the bookmark file.
    pub fn bookmarks(&self) -> String {
        std::fs::read_to_string(self.profile.path().join("bookmarks.txt")).unwrap()
    }

    /// The directory of the profile.
    pub fn path(&self) -> &Path {
        self.profile.path()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Some(ended) = &self.ended {
            ended.abort();
        }
    }
}

/// Returns true if the screen shows that a page is loading.
pub fn is_loading(screen: &str) -> bool {
    screen.contains(&format!("Esc {STOP_HINT}  "))
}

/// The keys that choose a button of the question on a screen, which may have to be unlocked first.
pub fn keys_to(screen: &str, tabs: usize) -> String {
    let unlocks = usize::from(screen.contains(UNLOCK_HINT));
    format!("{} Enter", "Tab ".repeat(unlocks + tabs))
}

/// The number of Tab presses from the first button of the question on a screen to this one.
pub fn tabs_to(screen: &str, button: &str) -> Option<usize> {
    let lines = screen.lines();
    let lines = lines.filter_map(|line| Some(line.rsplit_once(" ]")?.0));
    let buttons = lines.filter(|line| line.contains("[ "));
    let mut buttons = buttons.flat_map(|line| line.split("[ ").skip(1));
    buttons.position(|label| label.split(" ]").next() == Some(button))
}

/// Replaces loopback ports, which have five digits here, by `PORT.` for a snapshot.
fn same_ports(text: &str) -> String {
    let lines = text.lines().map(|line| match line.split_once("port  ") {
        Some((before, port)) => format!("{before}port :{}\n", port.trim_start()),
        None => format!("{line}\n"),
    });
    let text = &lines.collect::<String>();
    let mut same = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find(':') {
        let (before, from) = rest.split_at(at + 1);
        same.push_str(before);
        let digits = from.chars().take_while(char::is_ascii_digit).count();
        // A fingerprint may begin with five digits, too.
        if digits == 5 && !before.ends_with("sha256:") {
            same.push_str("PORT.");
            rest = &from[5..];
        } else {
            rest = from;
        }
    }
    same.push_str(rest);
    same
}

/// The input of the loop: each event is counted when the loop takes it, so that the next frame shows what it has done.
fn events(
    receiver: mpsc::UnboundedReceiver<Event>,
    shared: Shared,
) -> BoxStream<'static, io::Result<Input>> {
    stream::unfold((receiver, shared), |(mut receiver, shared)| async {
        let event = receiver.recv().await?;
        if let Event::Resize(columns, lines) = event {
            shared.backend.lock().unwrap().resize(columns, lines);
        }
        shared.taken.fetch_add(1, Ordering::SeqCst);
        Some((Ok(Input::Event(event)), (receiver, shared)))
    })
    .boxed()
}

/// The event of a key as keys.toml writes it.
pub(crate) fn event(written: &str) -> KeyEvent {
    let (mut modifiers, mut name) = (KeyModifiers::NONE, written);
    while let Some((modifier, rest)) = name.split_once('-').filter(|_| name != "Shift-Tab") {
        modifiers |= match modifier {
            "Ctrl" => KeyModifiers::CONTROL,
            "Alt" => KeyModifiers::ALT,
            "Shift" => KeyModifiers::SHIFT,
            _ => break,
        };
        name = rest;
    }
    let code = match name {
        "Enter" => KeyCode::Enter,
        "Esc" => KeyCode::Esc,
        "Tab" => KeyCode::Tab,
        "Shift-Tab" => KeyCode::BackTab,
        "Space" => KeyCode::Char(' '),
        "Backspace" => KeyCode::Backspace,
        "Delete" => KeyCode::Delete,
        "Down" => KeyCode::Down,
        "Up" => KeyCode::Up,
        "Left" => KeyCode::Left,
        "Right" => KeyCode::Right,
        "PgDn" => KeyCode::PageDown,
        "PgUp" => KeyCode::PageUp,
        "Home" => KeyCode::Home,
        "End" => KeyCode::End,
        "F1" => KeyCode::F(1),
        "F5" => KeyCode::F(5),
        letter => {
            let mut letters = letter.chars();
            let letter = letters.next().unwrap();
            assert_eq!(letters.next(), None, "“{written}” is no key");
            KeyCode::Char(if modifiers == KeyModifiers::CONTROL {
                letter.to_ascii_lowercase()
            } else {
                letter
            })
        }
    };
    KeyEvent::new(code, modifiers)
}

/// A clipboard that records the copied text.
struct Recorder {
    copied: Arc<Mutex<Vec<String>>>,
    ran: Arc<Mutex<Vec<Vec<String>>>>,
}

impl Console for Recorder {
    fn copy(&mut self, text: &str) -> io::Result<()> {
        self.copied.lock().unwrap().push(text.to_owned());
        Ok(())
    }

    fn suspend(&mut self) -> io::Result<()> {
        Ok(())
    }

    async fn run(
        &mut self,
        arguments: &[String],
        _terminate: impl Future<Output = ()> + Send,
    ) -> io::Result<Option<ExitStatus>> {
        if arguments[0] == "missing" {
            return Err(io::Error::from(io::ErrorKind::NotFound));
        }
        if arguments
            .get(1)
            .is_some_and(|script| script.ends_with(EDITOR))
        {
            return std::process::Command::new(&arguments[0])
                .args(&arguments[1..])
                .status()
                .map(Some);
        }
        self.ran.lock().unwrap().push(arguments.to_vec());
        Ok(Some(ExitStatus::from_raw(0)))
    }
}

/// What one frame shows.
#[derive(Clone)]
struct Frame {
    buffer: Buffer,
    /// The position of the terminal's cursor, if it is visible.
    cursor: Option<(u16, u16)>,
    /// The number of events that the loop had taken before it drew the frame; `None` before the first frame.
    shown: Option<u64>,
}

impl Frame {
    fn is_behind(&self, sent: u64) -> bool {
        self.shown.is_some_and(|shown| shown >= sent)
    }

    /// The screen as text, with loopback ports normalized.
    fn text(&self) -> String {
        self.text_without(Rect::ZERO)
    }

    /// The screen without the typed text of a prompt, and without the suggestions for it.
    fn page_text(&self) -> String {
        let mut typed = self.answer().unwrap_or_default();
        if !self.text().contains("Down choose") {
            typed.height = typed.height.min(1);
        }
        self.text_without(typed)
    }

    /// The text of some cells.
    fn text_of(&self, cells: Rect) -> String {
        let row = |y| (cells.left()..cells.right()).map(move |x| self.symbol(x, y));
        let rows = (cells.top()..cells.bottom()).map(|y| row(y).collect::<String>() + "\n");
        same_ports(&rows.collect::<String>())
    }

    fn text_without(&self, hidden: Rect) -> String {
        let area = self.buffer.area;
        let mut text = String::new();
        for y in 0..area.height {
            let mut line = String::new();
            let mut skip = 0;
            for x in 0..area.width {
                let symbol = if hidden.contains(Position::new(x, y)) {
                    " "
                } else {
                    self.symbol(x, y)
                };
                if skip == 0 {
                    line.push_str(symbol);
                    skip = geomys_wire::text::width(symbol).max(1);
                }
                skip -= 1;
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        same_ports(&text)
    }

    fn symbol(&self, x: u16, y: u16) -> &str {
        self.buffer[(x, y)].symbol()
    }

    /// The cells of the typed text of a prompt and of what is below it, without the keys in the last row of its box.
    fn answer(&self) -> Option<Rect> {
        let area = self.buffer.area;
        let find = |y, corner| (0..area.width).find(|x| self.symbol(*x, y) == corner);
        let ends = |y| Some((y, find(y, "┌")?, find(y, "┐")?));
        let (top, left, right) = (0..area.height).find_map(ends)?;
        let bottom = (top..area.height).find(|y| self.symbol(left, *y) == "└")?;
        let is_input = |y: &u16| {
            [" ", ">", " "]
                .iter()
                .zip(left + 1..)
                .all(|(sign, x)| self.symbol(x, *y) == *sign)
        };
        let first = (top + 1..bottom).find(is_input)?;
        let rows = bottom.saturating_sub(first + 1);
        Some(Rect::new(left + 1, first, right - left - 1, rows))
    }

    fn position_of(&self, words: &str) -> (u16, u16) {
        let area = self.buffer.area;
        for y in 0..area.height {
            let cells: Vec<&str> = (0..area.width).map(|x| self.symbol(x, y)).collect();
            if let Some(at) = cells.concat().find(words) {
                let mut before = 0;
                let x = cells.iter().position(|cell| {
                    before += cell.len();
                    before > at
                });
                return (u16::try_from(x.unwrap()).unwrap(), y);
            }
        }
        panic!("“{words}” is not on the screen:\n{}", self.text());
    }
}

/// A screen in memory that the test can look at while the loop draws on it.
#[derive(Clone)]
struct Shared {
    backend: Arc<Mutex<TestBackend>>,
    /// The number of events that the loop has taken.
    taken: Arc<AtomicU64>,
    /// The last frame.
    frame: Arc<Mutex<Frame>>,
    drawn: Arc<Notify>,
    drawn_sync: Arc<Condvar>,
}

impl Shared {
    fn new((columns, lines): (u16, u16)) -> Self {
        let backend = TestBackend::new(columns, lines);
        let frame = Frame {
            buffer: backend.buffer().clone(),
            cursor: None,
            shown: None,
        };
        Self {
            backend: Arc::new(Mutex::new(backend)),
            taken: Arc::default(),
            frame: Arc::new(Mutex::new(frame)),
            drawn: Arc::default(),
            drawn_sync: Arc::default(),
        }
    }

    fn last(&self) -> MutexGuard<'_, Frame> {
        self.frame.lock().unwrap()
    }
}

impl Backend for Shared {
    type Error = <TestBackend as Backend>::Error;

    fn draw<'a, I>(&mut self, content: I) -> Result<(), Self::Error>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        self.backend.lock().unwrap().draw(content)
    }

    fn hide_cursor(&mut self) -> Result<(), Self::Error> {
        self.backend.lock().unwrap().hide_cursor()
    }

    fn show_cursor(&mut self) -> Result<(), Self::Error> {
        self.backend.lock().unwrap().show_cursor()
    }

    fn get_cursor_position(&mut self) -> Result<Position, Self::Error> {
        self.backend.lock().unwrap().get_cursor_position()
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> Result<(), Self::Error> {
        self.backend.lock().unwrap().set_cursor_position(position)
    }

    fn clear(&mut self) -> Result<(), Self::Error> {
        self.backend.lock().unwrap().clear()
    }

    fn clear_region(&mut self, region: ClearType) -> Result<(), Self::Error> {
        self.backend.lock().unwrap().clear_region(region)
    }

    fn size(&self) -> Result<Size, Self::Error> {
        self.backend.lock().unwrap().size()
    }

    fn window_size(&mut self) -> Result<WindowSize, Self::Error> {
        self.backend.lock().unwrap().window_size()
    }

    fn flush(&mut self) -> Result<(), Self::Error> {
        let mut backend = self.backend.lock().unwrap();
        backend.flush()?;
        let position = backend.cursor_position();
        *self.last() = Frame {
            buffer: backend.buffer().clone(),
            cursor: backend.cursor_visible().then_some((position.x, position.y)),
            shown: Some(self.taken.load(Ordering::SeqCst)),
        };
        drop(backend);
        self.drawn.notify_waiters();
        self.drawn_sync.notify_all();
        Ok(())
    }
}
