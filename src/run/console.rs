//! The operations of a real terminal besides drawing cells.

use std::io;
use std::process::ExitStatus;

use ratatui::layout::Position;

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

    /// Writes the escape sequence of a picture at a cell; the cursor stays where it is. Drawing reports the error of a closed
    /// terminal.
    fn write_pixels(&mut self, _position: Option<Position>, _sequence: &str) {}

    /// Begins a frame, or ends it: until then the terminal shows the frame before, so that its cursor does not flicker.
    fn set_frame(&mut self, _is_begun: bool) {}

    /// Restores the terminal, stops the process, and sets the terminal up again when the shell continues the process.
    fn suspend(&mut self) -> io::Result<()>;

    /// Sets the terminal up again after a stop from outside, in which the shell has had it.
    fn resume(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Runs a program in the terminal until it ends: the program, then its arguments. If `terminate` completes first, the
    /// program is terminated, and the result is `None`.
    fn run(
        &mut self,
        arguments: &[String],
        terminate: impl Future<Output = ()> + Send,
    ) -> impl Future<Output = io::Result<Option<ExitStatus>>> + Send;
}
