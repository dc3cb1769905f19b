//! The screen as a picture in a file.

use std::fs::{OpenOptions, create_dir_all};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use ratatui::Terminal;
use ratatui::backend::TestBackend;

use crate::ui;
use crate::ui::Theme;
use crate::ui::svg::{Frame, Palette, svg};
use geomys_app::{App, CardEnd};

/// Draws the screen of the app as SVG.
pub(super) fn draw(app: &App, theme: &Theme) -> String {
    let (columns, lines) = app.size;
    let Ok(mut terminal) = Terminal::new(TestBackend::new(columns, lines));
    let Ok(frame) = terminal.draw(|frame| {
        ui::draw(app, theme, frame);
    });
    let cells = frame.buffer.content.clone();
    let frame = Frame {
        cells,
        seconds: 0.0,
    };
    svg(
        &[frame],
        usize::from(columns),
        Palette::of(theme.background()),
    )
}

/// Writes the picture; over a file that is there only with `replaces`.
pub(super) fn write(path: PathBuf, picture: &str, replaces: bool) -> CardEnd {
    match try_write(&path, picture, replaces) {
        Ok(()) => CardEnd::Written(path),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => CardEnd::Taken(path),
        Err(error) => CardEnd::Failed(format!("the screen was not saved: {error}")),
    }
}

fn try_write(path: &Path, picture: &str, replaces: bool) -> std::io::Result<()> {
    if let Some(directory) = path.parent() {
        create_dir_all(directory)?;
    }
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(!replaces)
        .create(replaces)
        .truncate(replaces)
        .open(path)?;
    file.write_all(picture.as_bytes())
}
