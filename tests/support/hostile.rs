//! Pages that a hostile server could send, in every page shape, and a browser that shows them.
//!
//! The test of the cost of a key and the bench `hostile` use the same pages.

#[path = "hostile/pages.rs"]
mod pages;
#[path = "hostile/special.rs"]
mod special;

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use geomys::config::{self, Environment, UserPaths};
use geomys::ui;
use geomys_app::{App, Effect, Message};
use geomys_load::{Failure, FormKind, LoadId, PageHead, Part, Question, ServerForm, Stop};
use geomys_page::document::{Remark, Shape};
use geomys_store::bookmarks::Bookmarks;
use geomys_wire::text::Text;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Cell;

pub use self::pages::{filled, fillers};
pub use self::special::special;

/// A page and the end of its load.
pub struct HostilePage {
    /// The description of its content: `menu: tabs in names`.
    pub name: String,
    /// The URL under which it is opened.
    pub url: String,
    /// The shape of its octets.
    pub shape: Shape,
    /// Its octets.
    pub octets: Vec<u8>,
    /// The server's remarks above a listing.
    pub remark: Option<Vec<u8>>,
    /// The end of its load.
    pub end: End,
}

/// The end of a page's load.
pub enum End {
    /// Complete.
    Whole,
    /// A failure with these words of the server.
    Failed(Vec<Text>),
    /// A question with this form.
    Form(Vec<Vec<u8>>),
}

/// A browser that shows one hostile page.
pub struct Victim {
    app: App,
    terminal: Terminal<TestBackend>,
    theme: ui::Theme,
    effects: Vec<Effect>,
}

impl Victim {
    /// A browser with a screen of these columns and lines that has loaded this page.
    pub fn new(page: HostilePage, size: (u16, u16)) -> Self {
        let places = UserPaths::new(Some("/nonexistent".into())).unwrap();
        let config = config::read(&places, &Environment::default());
        let bookmarks = Bookmarks::parse(b"");
        let mut app = App::new(config.keymap, config.settings, bookmarks, size);
        let effects = app.start(&[page.url]);
        let terminal = Terminal::new(TestBackend::new(size.0, size.1)).unwrap();
        let mut victim = Self {
            app,
            terminal,
            theme: config.theme,
            effects,
        };
        let load = victim.effects.iter().find_map(|effect| match effect {
            Effect::Load(load, _) => Some(*load),
            _ => None,
        });
        let load: LoadId = load.expect("the URL of a page is loaded");
        let part = |part| Message::Load(load, part);
        let end = match page.end {
            End::Whole => {
                victim.update(part(Part::Head(PageHead::new(page.shape))));
                if let Some(octets) = page.remark {
                    let title = Text::of("welcome");
                    victim.update(part(Part::Remark(Remark { title, octets })));
                }
                victim.update(part(Part::Octets(page.octets)));
                Ok(geomys_wire::net::TransferEnd::Confirmed)
            }
            End::Failed(said) => Err(Stop::Failed(Failure {
                said: said.into(),
                ..Failure::new("no")
            })),
            End::Form(lines) => Err(Stop::Needs(Question::Form(ServerForm {
                title: None,
                lines,
                hints: Vec::new(),
                text: String::new(),
                kind: FormKind::Item,
            }))),
        };
        victim.update(part(Part::End(end)));
        victim.settle();
        victim
    }

    /// Presses one key, and draws; does not wait for background work.
    pub fn press(&mut self, key: &str) {
        self.update(Message::Key(event(key)));
        self.draw();
    }

    /// Resizes the terminal, and draws.
    pub fn resize(&mut self, columns: u16, lines: u16) {
        self.terminal.backend_mut().resize(columns, lines);
        self.update(Message::Resize(columns, lines));
        self.draw();
    }

    /// Draws.
    pub fn draw(&mut self) {
        let (app, theme) = (&self.app, &self.theme);
        self.terminal
            .draw(|frame| drop(ui::draw(app, theme, frame)))
            .unwrap();
    }

    /// Runs the pending background work.
    pub fn settle(&mut self) {
        while let Some(effect) = self.effects.pop() {
            let message = match effect {
                Effect::Work(id, work) => Message::Worked(id, work.carry_out()),
                _ => continue,
            };
            self.update(message);
        }
    }

    /// The lines of the screen.
    pub fn screen(&self) -> String {
        let buffer = self.terminal.backend().buffer();
        let width = usize::from(buffer.area.width);
        let lines = buffer.content.chunks(width);
        let line = |cells: &[Cell]| cells.iter().map(Cell::symbol).collect();
        lines.map(line).collect::<Vec<String>>().join("\n")
    }

    fn update(&mut self, message: Message) {
        self.effects
            .extend(self.app.update(message, Duration::ZERO));
    }
}

/// The event of a key.
fn event(key: &str) -> KeyEvent {
    let code = match key {
        "Space" => KeyCode::Char(' '),
        "Esc" => KeyCode::Esc,
        "Enter" => KeyCode::Enter,
        letter => KeyCode::Char(letter.chars().next().unwrap()),
    };
    KeyEvent::new(code, KeyModifiers::NONE)
}

/// The keys that are pressed on every page, in this order; `\` shows the source.
pub const KEYS: [&str; 34] = [
    "j", "k", "Space", "Space", "b", "J", "J", "K", "f", "Esc", "w", "j", "Space", "J", ">", "G",
    "k", "K", "b", "g", "g", "w", "/", "x", "Enter", "n", "N", "i", "h", "y", "A", "Esc", "\\",
    "\\",
];
