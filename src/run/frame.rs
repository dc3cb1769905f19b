//! Frames on the terminal, the pixels of pictures over them, and what else the loop asks of a real terminal.
//!
//! The terminal is asked for its graphics when the first picture is on the screen. The pixels of a picture are written
//! after the frame in which it appears. When a picture goes, moves, or something is drawn over it, the pixels of all
//! are removed first.

use std::io;
use std::process::ExitStatus;

use geomys_page::document::picture::{Graphics, Protocol};
use ratatui::Terminal;
use ratatui::backend::Backend;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::Browser;
use crate::ui;
use crate::ui::{Drawn, Hyperlink, PlacedPicture, Theme};
use geomys_app::settings::GraphicsPolicy;
use geomys_app::tabs::message::TabsMessage;
use geomys_app::tabs::tab::Tab;
use geomys_app::{App, Message};

/// The pixels on the terminal.
#[derive(Debug, Default)]
pub(super) struct Pixels {
    shown: Vec<PlacedPicture>,
    /// The hyperlinks of the last frame.
    links: Vec<Hyperlink>,
    policy: Option<GraphicsPolicy>,
    /// True if the terminal was resized since the last frame.
    is_resized: bool,
}

impl Pixels {
    /// Draws a frame, and then the pixels of its pictures.
    pub(super) fn draw<B: Backend>(
        &mut self,
        terminal: &mut Terminal<B>,
        console: &mut impl Console,
        (app, theme): (&App, &Theme),
    ) -> Result<Drawn, B::Error> {
        if std::mem::take(&mut self.is_resized) {
            // The terminal may have its size of the last frame again, and has moved or cut its cells meanwhile.
            redraw(terminal)?;
        }
        let mut drawn = Drawn::default();
        let frame = terminal.draw(|frame| drawn = ui::draw(app, theme, frame))?;
        if !self.links.is_empty() || !drawn.links.is_empty() {
            let cells = frame.buffer.clone();
            self.write_links(terminal.backend_mut(), console, &cells, &drawn.links)?;
        }
        if self.shown == drawn.pictures {
            return Ok(drawn);
        }
        let removal = |picture: &PlacedPicture| picture.protocol.removal();
        match self.shown.first().map(removal) {
            Some(Some(removal)) => console.write_raw(None, removal),
            // Only text over them removes these pixels.
            Some(None) => {
                redraw(terminal)?;
                terminal.draw(|frame| drawn = ui::draw(app, theme, frame))?;
            }
            None => {}
        }
        for picture in &drawn.pictures {
            console.write_raw(Some(picture.position), &picture.sequence);
        }
        self.shown.clone_from(&drawn.pictures);
        Ok(drawn)
    }

    /// Writes the cells of the hyperlinks again, each within its link (OSC 8): a frame has no place for them. Those of
    /// the frame before come first, without one.
    fn write_links<B: Backend>(
        &mut self,
        backend: &mut B,
        console: &mut impl Console,
        cells: &Buffer,
        links: &[Hyperlink],
    ) -> Result<(), B::Error> {
        let mut before = std::mem::replace(&mut self.links, links.to_vec());
        before.retain(|link| !links.contains(link));
        let area = |link: &Hyperlink| link.area.intersection(cells.area).positions();
        let cell = |at: Position| Some((at.x, at.y, cells.cell(at)?));
        // The cursor keeps its position.
        console.write_raw(None, "\x1b7");
        backend.draw(before.iter().flat_map(area).filter_map(cell))?;
        backend.flush()?;
        for link in links {
            console.write_raw(None, &format!("\x1b]8;;{}\x1b\\", link.url));
            backend.draw(area(link).filter_map(cell))?;
            backend.flush()?;
            console.write_raw(None, "\x1b]8;;\x1b\\");
        }
        console.write_raw(None, "\x1b8");
        Ok(())
    }

    /// Forgets the pixels, as the terminal was cleared.
    pub(super) fn forget(&mut self) {
        self.shown.clear();
    }

    /// Returns true if the terminal was asked for its graphics, and the answer is to be used.
    pub(super) fn is_asked(&self) -> bool {
        self.policy == Some(GraphicsPolicy::Ask)
    }

    /// Returns the graphics to use from now on, if a picture is on the screen and the settings have not been followed
    /// yet.
    pub(super) fn new_policy(&mut self, app: &App) -> Option<GraphicsPolicy> {
        let policy = Some(app.cx.settings.pictures.graphics);
        if self.policy == policy || !app.tabs.tab().is_some_and(Tab::shows_picture) {
            return None;
        }
        self.policy = policy;
        policy
    }
}

impl Browser {
    /// Asks the terminal for its graphics, or takes those of the settings, when the first picture is on the screen.
    pub(super) fn follow_graphics_policy<C: Console>(&mut self, console: &mut C, theme: &Theme) {
        if theme.is_colourless() || theme.is_ascii {
            return;
        }
        match self.pixels.new_policy(&self.app) {
            Some(GraphicsPolicy::Ask) => {
                // A terminal that cannot be written to is found by the next frame.
                let _ = console.ask_graphics();
            }
            Some(GraphicsPolicy::Fixed(protocol)) => {
                self.update(graphics(Some(protocol), console));
            }
            Some(GraphicsPolicy::HalfBlocks) => self.update(graphics(None, console)),
            None => {}
        }
    }

    /// Forgets what depends on the size of the terminal.
    pub(super) fn resized(&mut self, console: &impl Console) {
        self.pixels.forget();
        self.pixels.is_resized = true;
        let protocol = self.app.cx.graphics.map(|graphics| graphics.protocol);
        if protocol.is_some() {
            self.update(graphics(protocol, console));
        }
    }
}

/// Returns the message that the terminal has this graphics protocol.
pub(super) fn graphics(protocol: Option<Protocol>, console: &impl Console) -> Message {
    let graphics = protocol.and_then(|protocol| Graphics::new(protocol, console.cell()));
    Message::Tabs(TabsMessage::Graphics(graphics))
}

/// Sends every cell again. `Terminal::clear` would query the cursor position, and the answer would arrive as input.
pub(super) fn redraw<B: Backend>(terminal: &mut Terminal<B>) -> Result<(), B::Error> {
    let size = terminal.size()?;
    terminal.resize(Rect::from((Position::ORIGIN, size)))
}

/// The operations of a real terminal.
pub trait Console {
    /// Puts text on the clipboard.
    fn copy(&mut self, text: &str) -> io::Result<()>;

    /// Asks the terminal for its background colour. Returns false if it was not asked.
    fn ask_background(&mut self) -> io::Result<bool> {
        Ok(false)
    }

    /// Asks the terminal for its graphics, and then for its name.
    fn ask_graphics(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Returns the width and height of a cell in pixels, if the terminal tells them.
    fn cell(&self) -> Option<(u16, u16)> {
        None
    }

    /// Uses the mouse, or leaves it to the terminal.
    fn use_mouse(&mut self, _is_used: bool) {}

    /// Sets the title of the window.
    fn set_title(&mut self, _title: &str) {}

    /// Writes an escape sequence, such as that of a picture; at a cell, if one is given, and the cursor stays where it
    /// is. Drawing reports the error of a closed terminal.
    fn write_raw(&mut self, _position: Option<Position>, _sequence: &str) {}

    /// Begins a frame, or ends it: until then the terminal shows the frame before, so that its cursor does not flicker.
    fn set_frame(&mut self, _is_begun: bool) {}

    /// Restores the terminal, stops the process, and sets the terminal up again when the shell continues the process.
    fn suspend(&mut self) -> io::Result<()>;

    /// Sets the terminal up again after a stop from outside, in which the shell has had it.
    fn resume(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Runs a program in the terminal until it ends: the program, then its arguments. If `terminate` completes first,
    /// the program is terminated, and the result is `None`.
    fn run(
        &mut self,
        arguments: &[String],
        terminate: impl Future<Output = ()> + Send,
    ) -> impl Future<Output = io::Result<Option<ExitStatus>>> + Send;
}
