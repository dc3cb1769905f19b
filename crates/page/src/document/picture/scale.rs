//! The part of a picture that is on the screen, scaled to dots.
//!
//! A dot is a half of a cell with half-blocks, and a pixel of the screen with graphics. A picture that is larger than
//! its area is reduced to fit, and a small one is enlarged by a whole factor; each step of zoom then enlarges it by
//! half.

use std::sync::Arc;

use super::encode::Graphics;
use super::{Picture, Pixels};

/// Red, green and blue.
pub type Rgb = [u8; 3];

/// The colour behind transparent pixels, as paper is in web browsers.
const PAPER: u32 = 255;

/// The maximum number of steps of zoom; fewer if the dots of a pixel are large before.
const STEPS: u8 = 16;

/// The maximum number of dots for the side of a pixel.
const MAX_DOTS_PER_PIXEL: f64 = 16.0;

/// The share of its area that a small picture takes at least, in the direction that leaves less room.
const SMALL_SHARE: f64 = 1.0 / 3.0;

/// The zoom of a picture, and the part of it that is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PicturePart {
    /// The steps of zoom; 0 shows the whole picture.
    pub zoom: u8,
    /// The middle of the shown part, as shares of the width and the height.
    pub middle: (f64, f64),
}

impl Default for PicturePart {
    fn default() -> Self {
        Self {
            zoom: 0,
            middle: (0.5, 0.5),
        }
    }
}

/// The part of a picture to render, and the room for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RenderRequest {
    /// The area in dots: width and height.
    pub area: (usize, usize),
    /// The zoom, and the part that is shown.
    pub view: PicturePart,
    /// The graphics of the terminal; `None` if a dot is a half-block.
    pub graphics: Option<Graphics>,
}

/// The part of a picture that is on the screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RenderedPicture {
    /// The number of dots in a row.
    pub width: usize,
    /// The dots, row by row.
    pub dots: Vec<Rgb>,
    /// The dots for the side of a pixel of the file, in percent.
    pub percent: u32,
    /// The escape sequence that shows the dots as pixels at the cursor; `None` without graphics.
    pub sequence: Option<Arc<str>>,
}

/// The scale of a picture, and the shown part of the scaled picture in dots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// The dots for the side of a stored pixel.
    scale: f64,
    /// The number of columns and rows of dots.
    pub size: (usize, usize),
    /// The first column and row of the scaled picture.
    pub start: (f64, f64),
    /// The width and height of the whole scaled picture.
    pub whole: (f64, f64),
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "numbers of dots are far below 2^52, and never negative"
)]
impl Window {
    /// Computes the shown part of a picture.
    pub fn new(pixels: &Pixels, request: &RenderRequest) -> Self {
        let (width, height) = (pixels.width.max(1) as f64, pixels.height.max(1) as f64);
        let (across, down) = request.area;
        let room = (across as f64 / width).min(down as f64 / height);
        // Whole factors keep the pixels of a small picture sharp; a third of the area is enough to see it.
        let fit = if room < 1.0 {
            room
        } else {
            (room * SMALL_SHARE).ceil()
        };
        let scale =
            (fit * 1.5_f64.powi(i32::from(request.view.zoom))).min(MAX_DOTS_PER_PIXEL.max(fit));
        let whole = ((width * scale).max(1.0), (height * scale).max(1.0));
        let size = (
            (whole.0.round() as usize).clamp(1, across.max(1)),
            (whole.1.round() as usize).clamp(1, down.max(1)),
        );
        let start = |middle: f64, whole: f64, shown: usize| {
            let shown = shown as f64;
            (middle * whole - shown / 2.0).clamp(0.0, (whole - shown).max(0.0))
        };
        Self {
            scale,
            size,
            start: (
                start(request.view.middle.0, whole.0, size.0),
                start(request.view.middle.1, whole.1, size.1),
            ),
            whole,
        }
    }

    /// Returns true if another step of zoom would enlarge the picture.
    pub fn can_zoom(&self, view: PicturePart) -> bool {
        view.zoom < STEPS && self.scale < MAX_DOTS_PER_PIXEL
    }

    /// Returns the view moved by these shares of the shown part.
    pub fn moved(&self, view: PicturePart, right: f64, down: f64) -> PicturePart {
        let middle = |start: f64, size: usize, whole: f64, by: f64| {
            let size = size as f64;
            let start = (start + by * size).clamp(0.0, (whole - size).max(0.0));
            ((start + size / 2.0) / whole).clamp(0.0, 1.0)
        };
        PicturePart {
            middle: (
                middle(self.start.0, self.size.0, self.whole.0, right),
                middle(self.start.1, self.size.1, self.whole.1, down),
            ),
            ..view
        }
    }

    /// The range of stored pixels under a dot, in one direction; never empty.
    fn pixels(&self, start: f64, dot: usize, count: usize) -> std::ops::Range<usize> {
        let first = ((start + dot as f64) / self.scale) as usize;
        let end = ((start + dot as f64 + 1.0) / self.scale).ceil() as usize;
        let first = first.min(count.saturating_sub(1));
        // An enlarged pixel has no part of its neighbours.
        let end = if self.scale >= 1.0 { first + 1 } else { end };
        first..end.clamp(first + 1, count.max(first + 1))
    }
}

impl RenderedPicture {
    /// Returns the memory of the dots and their sequence, in octets.
    pub fn memory(&self) -> usize {
        let sequence = self.sequence.as_ref().map_or(0, |sequence| sequence.len());
        size_of_val(self.dots.as_slice()) + sequence
    }
}

impl RenderRequest {
    /// Returns a request for an area of this many columns and rows of the terminal.
    pub fn new(cells: (u16, u16), view: PicturePart, graphics: Option<Graphics>) -> Self {
        let mut request = Self {
            area: (0, 0),
            view,
            graphics,
        };
        let (width, height) = request.cell();
        request.area = (usize::from(cells.0) * width, usize::from(cells.1) * height);
        request
    }

    /// The dots of a cell: width and height.
    pub fn cell(&self) -> (usize, usize) {
        self.graphics.map_or((1, 2), |graphics| {
            let (width, height) = graphics.cell;
            (width.into(), height.into())
        })
    }
}

/// Renders the dots of the shown part of a picture.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "a percentage of at most a few thousand"
)]
pub(super) fn render(picture: &Picture, request: &RenderRequest) -> RenderedPicture {
    let pixels = &picture.pixels;
    let window = Window::new(pixels, request);
    let (width, height) = window.size;
    let mut dots = Vec::with_capacity(width * height);
    for row in 0..height {
        let rows = window.pixels(window.start.1, row, pixels.height);
        for column in 0..width {
            let columns = window.pixels(window.start.0, column, pixels.width);
            dots.push(average(pixels, columns, rows.clone()));
        }
    }
    let reduced = pixels.width as f64 / f64::from(picture.size.0.max(1));
    RenderedPicture {
        width,
        dots,
        percent: (window.scale * reduced * 100.0).round() as u32,
        sequence: None,
    }
}

/// The average colour of some pixels on paper.
fn average(pixels: &Pixels, columns: std::ops::Range<usize>, rows: std::ops::Range<usize>) -> Rgb {
    let (mut sums, mut count) = ([0_u64; 3], 0_u64);
    for row in rows {
        let start = row * pixels.width;
        let shown = pixels.rgba.get(start + columns.start..start + columns.end);
        for [red, green, blue, opacity] in shown.unwrap_or_default() {
            let opacity = u32::from(*opacity);
            for (sum, part) in sums.iter_mut().zip([red, green, blue]) {
                *sum += u64::from((u32::from(*part) * opacity + PAPER * (255 - opacity)) / 255);
            }
            count += 1;
        }
    }
    sums.map(|sum| u8::try_from(sum / count.max(1)).unwrap_or(u8::MAX))
}
