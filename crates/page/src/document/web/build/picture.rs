//! Pictures in a page: those that say something are links to their files, decoration is a bullet, a rule or a space.
//!
//! Pages of the 1990s draw bullets, rules and spaces by pictures. They are known by the size that the markup states, or
//! by their names; no picture is fetched for it.

use super::link::name_in_path;
use super::{INDENT, LayoutBuilder, OpenElement};
use crate::document::row::Kind;
use crate::document::web::line::Line;
use crate::document::web::tag::{StartTag, reference};

/// The largest width and height of a bullet, in pixels.
const MAX_BULLET_PIXELS: usize = 20;

/// The smallest width of a rule without a name, in pixels, and the largest heights without a name and with one.
const MIN_RULE_PIXELS: usize = 100;
const MAX_RULE_PIXELS: (usize, usize) = (8, 20);

/// The pixels of one column of space.
const PIXELS_PER_COLUMN: usize = 10;

/// The words in the names of pictures that are bullets, rules and spaces, and the colours before them.
const BULLETS: [&str; 6] = ["ball", "bullet", "dot", "arrow", "diamond", "blob"];
const COLOURS: [&str; 12] = [
    "red", "green", "blue", "yellow", "orange", "purple", "pink", "white", "black", "gray", "grey",
    "gold",
];
const RULES: [&str; 6] = ["line", "rule", "bar", "divider", "hr", "separator"];
const SPACES: [&str; 8] = [
    "spacer",
    "space",
    "blank",
    "clear",
    "pixel",
    "shim",
    "transparent",
    "trans",
];

/// What a picture without words decorates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decoration {
    Bullet,
    Rule,
    /// A space of this many columns.
    Space(usize),
}

impl LayoutBuilder {
    pub(super) fn image(&mut self, element: &StartTag<'_>) {
        let alt = element.value("alt").map(str::trim).unwrap_or_default();
        let source = element.value("src").map(reference);
        let source = source.filter(|source| !source.starts_with("data:"));
        let decoration = Decoration::of(element, source.as_deref().unwrap_or_default());
        let says_nothing = alt.is_empty() || SPACES.contains(&alt.to_ascii_lowercase().as_str());
        let decoration = decoration.filter(|_| says_nothing);
        let is_space = matches!(decoration, Some(Decoration::Space(_)));
        if decoration.is_some() || element.value("alt").is_some_and(|_| alt.is_empty()) {
            let name = source.as_deref().map(name_in_path);
            if let Some(link) = self.link.as_mut().filter(|_| !is_space) {
                link.picture = link.picture.take().or(name);
            }
            self.hidden_file(source);
            if let Some(decoration) = decoration {
                self.decorate(decoration);
            }
            return;
        }
        let name = match alt {
            "" => name_in_path(source.as_deref().unwrap_or_default()),
            alt => alt.to_owned(),
        };
        match (&self.link, source) {
            (Some(_), source) => {
                self.word(&format!("[{name}]"));
                self.hidden_file(source);
            }
            (None, None) => self.word(&format!("[{name}]")),
            (None, Some(source)) => self.link(&format!("[image: {name}]"), source),
        }
    }

    fn decorate(&mut self, decoration: Decoration) {
        let is_at_start = self.line.is_none() && self.link.is_none();
        match decoration {
            Decoration::Bullet if is_at_start && !self.is_at_item() => self.word("• "),
            Decoration::Rule if is_at_start => {
                self.flush();
                self.add(Line::new(Kind::Plain, "-".repeat(40)));
            }
            Decoration::Space(columns) if is_at_start => self.indent_by(columns),
            Decoration::Bullet | Decoration::Rule | Decoration::Space(_) => {}
        }
    }

    /// Indents what follows: the lines of the row, at the start of a cell, else the rest of the line.
    fn indent_by(&mut self, columns: usize) {
        match self.open.last_mut() {
            Some(OpenElement::Cell(cell)) if cell.blocks.is_empty() => cell.indent += columns,
            _ => (0..columns).for_each(|_| self.put(' ')),
        }
    }
}

impl Decoration {
    /// Returns what a picture decorates by its size and its name; nothing if it may be more than that.
    fn of(element: &StartTag<'_>, source: &str) -> Option<Self> {
        let pixels = |name| {
            let value = element.value(name)?.trim();
            value.trim_end_matches("px").parse::<usize>().ok()
        };
        let (width, height) = (pixels("width"), pixels("height"));
        let name = name_in_path(source).to_ascii_lowercase();
        let stem = name.split('.').next().unwrap_or_default();
        let is_named = |words: &[&str]| {
            let mut parts = stem.split(|c: char| !c.is_ascii_alphabetic());
            parts.any(|part| {
                // `redball` is a ball, and a football is none.
                let colour = COLOURS.iter().find_map(|colour| part.strip_prefix(colour));
                let part = colour.unwrap_or(part);
                words.contains(&part) || words.contains(&part.trim_end_matches('s'))
            })
        };
        let space = Self::Space((width.unwrap_or(0) / PIXELS_PER_COLUMN).min(INDENT));
        let is_within = |size: Option<usize>, limit| size.is_none_or(|size| size <= limit);
        let is_dot = |size| matches!(size, Some(0 | 1));
        match (width, height) {
            (width, height) if is_dot(width) || is_dot(height) => Some(space),
            _ if is_named(&SPACES) => Some(space),
            (Some(width), Some(height))
                if width >= MIN_RULE_PIXELS && height <= MAX_RULE_PIXELS.0 =>
            {
                Some(Self::Rule)
            }
            (width, height)
                if is_within(width, MAX_BULLET_PIXELS) && is_within(height, MAX_BULLET_PIXELS) =>
            {
                let is_sized = width.is_some() && height.is_some();
                if is_named(&BULLETS) || is_sized {
                    return Some(Self::Bullet);
                }
                is_named(&RULES).then_some(Self::Rule)
            }
            (_, height) if is_named(&RULES) && is_within(height, MAX_RULE_PIXELS.1) => {
                Some(Self::Rule)
            }
            _ => None,
        }
    }
}
