//! Rendering of a picture, with its escape sequence for a terminal with graphics: pixels instead of half-blocks.
//!
//! - Kitty: "Terminal graphics protocol" of kitty, with the pixels in the escape sequence, compressed by zlib.
//! - iTerm2: "Inline Images Protocol" (OSC 1337) of iTerm2, with a PNG file in the escape sequence.
//! - Sixel: DEC STD 070, chapter 10.

use std::fmt::Write as _;
use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::scale::{RenderRequest, RenderedPicture};
use super::{Picture, scale, sixel};

/// The maximum length of the data in one escape sequence of kitty, in octets.
const CHUNK: usize = 4096;

/// Renders the shown part of a picture. Slow: call it on a blocking task.
pub fn render(picture: &Picture, request: &RenderRequest) -> RenderedPicture {
    let mut rendered = scale::render(picture, request);
    let graphics = request.graphics;
    let sequence = graphics.and_then(|graphics| encode(graphics.protocol, &rendered));
    rendered.sequence = sequence.map(Into::into);
    rendered
}

/// Returns the escape sequence of a picture; `None` if it has no dots.
fn encode(protocol: Protocol, rendered: &RenderedPicture) -> Option<String> {
    let width = rendered.width;
    let height = rendered.dots.len().checked_div(width)?;
    match protocol {
        Protocol::Kitty => kitty(rendered.dots.as_flattened(), width, height),
        Protocol::Iterm2 => iterm2(rendered.dots.as_flattened(), width, height),
        Protocol::Sixel => Some(sixel::encode(&rendered.dots, width)),
    }
}

fn kitty(octets: &[u8], width: usize, height: usize) -> Option<String> {
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
    zlib.write_all(octets).ok()?;
    let data = STANDARD.encode(zlib.finish().ok()?);
    let mut sequence = String::with_capacity(data.len() + data.len() / 64 + 64);
    let mut keys = format!("a=T,f=24,o=z,s={width},v={height},C=1,q=2,");
    let mut rest = data.as_str();
    while !rest.is_empty() {
        let (chunk, after) = rest.split_at(rest.len().min(CHUNK));
        let more = u8::from(!after.is_empty());
        write!(sequence, "\x1b_G{keys}m={more};{chunk}\x1b\\").ok()?;
        keys.clear();
        keys.push_str("q=2,");
        rest = after;
    }
    Some(sequence)
}

#[cfg(feature = "images")]
fn iterm2(octets: &[u8], width: usize, height: usize) -> Option<String> {
    let mut png = Vec::new();
    let (across, down) = (u32::try_from(width).ok()?, u32::try_from(height).ok()?);
    let mut encoder = png::Encoder::new(&mut png, across, down);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header().ok()?.write_image_data(octets).ok()?;
    let size = png.len();
    let data = STANDARD.encode(png);
    Some(format!(
        "\x1b]1337;File=inline=1;size={size};width={width}px;height={height}px;\
         preserveAspectRatio=0;doNotMoveCursor=1:{data}\x07"
    ))
}

#[cfg(not(feature = "images"))]
fn iterm2(_: &[u8], _: usize, _: usize) -> Option<String> {
    None
}

#[cfg(all(test, feature = "images"))]
mod tests {
    use std::io::Read;

    use flate2::read::ZlibDecoder;

    use super::*;

    fn rendered(width: usize, height: usize) -> RenderedPicture {
        let dot = |at: usize| [at.wrapping_mul(97), at.wrapping_mul(31), at / width];
        let dots = (0..width * height).map(|at| dot(at).map(|part| part.to_le_bytes()[0]));
        RenderedPicture {
            width,
            dots: dots.collect(),
            ..RenderedPicture::default()
        }
    }

    #[test]
    fn kitty_sends_all_dots_in_chunks() {
        let picture = rendered(300, 200);
        let sequence = encode(Protocol::Kitty, &picture).unwrap();
        let chunks: Vec<&str> = sequence.split_terminator("\x1b\\").collect();
        assert!(chunks.len() > 1);
        let mut data = String::new();
        for (number, chunk) in chunks.iter().enumerate() {
            let (keys, chunk) = chunk
                .strip_prefix("\x1b_G")
                .unwrap()
                .split_once(';')
                .unwrap();
            let is_last = number + 1 == chunks.len();
            let more = if is_last { "m=0" } else { "m=1" };
            assert!(keys.ends_with(more) && keys.contains("q=2"), "{keys}");
            assert_eq!(keys.contains("a=T,f=24,o=z,s=300,v=200"), number == 0);
            assert!(chunk.len() <= CHUNK && (is_last || chunk.len() % 4 == 0));
            data.push_str(chunk);
        }
        let mut octets = Vec::new();
        let packed = STANDARD.decode(data).unwrap();
        ZlibDecoder::new(packed.as_slice())
            .read_to_end(&mut octets)
            .unwrap();
        assert_eq!(octets, picture.dots.as_flattened());
    }

    #[test]
    fn iterm2_sends_a_png_of_its_size_in_pixels() {
        let picture = rendered(30, 20);
        let sequence = encode(Protocol::Iterm2, &picture).unwrap();
        let (head, data) = sequence.split_once(':').unwrap();
        assert!(head.starts_with("\x1b]1337;File=inline=1;"), "{head}");
        assert!(head.contains(";width=30px;height=20px;"), "{head}");
        let png = STANDARD.decode(data.strip_suffix('\x07').unwrap()).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(png))
            .read_info()
            .unwrap();
        let mut octets = vec![0; reader.output_buffer_size().unwrap()];
        let frame = reader.next_frame(&mut octets).unwrap();
        assert_eq!((frame.width, frame.height), (30, 20));
        assert_eq!(octets, picture.dots.as_flattened());
    }

    #[test]
    fn picture_without_dots_has_no_sequence() {
        for protocol in [Protocol::Kitty, Protocol::Iterm2, Protocol::Sixel] {
            assert_eq!(encode(protocol, &RenderedPicture::default()), None);
        }
    }
}

/// The size of a cell where the terminal does not tell it, in pixels: width and height.
const USUAL_CELL: (u16, u16) = (10, 20);

/// A graphics protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// The protocol of kitty.
    Kitty,
    /// The protocol of iTerm2.
    Iterm2,
    /// Sixel.
    Sixel,
}

/// The graphics of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Graphics {
    /// The protocol.
    pub protocol: Protocol,
    /// The width and height of a cell in pixels.
    pub cell: (u16, u16),
}

impl Graphics {
    /// Returns the graphics of a terminal with this protocol and this size of a cell in pixels. Returns `None` if the
    /// protocol needs a size that is unknown.
    pub fn new(protocol: Protocol, cell: Option<(u16, u16)>) -> Option<Self> {
        let usual = (protocol != Protocol::Sixel).then_some(USUAL_CELL);
        let cell = cell.filter(|(width, height)| *width > 0 && *height > 0);
        let cell = cell.or(usual)?;
        Some(Self { protocol, cell })
    }
}

impl Protocol {
    /// Returns the protocol of a terminal that answers XTVERSION with this name.
    pub fn of_terminal(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let is = |names: &[&str]| names.iter().any(|known| name.starts_with(known));
        if is(&["kitty", "ghostty", "konsole"]) {
            Some(Self::Kitty)
        } else if is(&["iterm2", "wezterm"]) {
            Some(Self::Iterm2)
        } else if is(&["foot", "mlterm", "contour"]) {
            Some(Self::Sixel)
        } else {
            None
        }
    }

    /// The sequence that removes all pictures from the screen; `None` if only text written over them does.
    pub fn removal(self) -> Option<&'static str> {
        (self == Self::Kitty).then_some("\x1b_Ga=d,d=A,q=2\x1b\\")
    }
}
