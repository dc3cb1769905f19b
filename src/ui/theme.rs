//! The theme: a style for every role, a glyph for every mark.

pub mod colours;
pub mod depth;

use geomys_page::document::picture::Rgb;
use geomys_page::document::{Fold, Kind};
use geomys_wire::text::{self, Colour, SgrStyle};
use ratatui::style::{Color, Modifier, Style};

use self::colours::{Background, Colours, StyleRule};
use self::depth::ColourDepth;
use geomys_app::bookmarks::check::LinkMark;
use geomys_app::theme::ThemeName;

macro_rules! names {
    ($(#[$about:meta])* $name:ident { $( $variant:ident $word:literal, )* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $( #[doc = concat!("`", $word, "` in theme.toml")] $variant, )*
        }

        impl $name {
            /// All values.
            pub const ALL: &'static [Self] = &[ $( Self::$variant, )* ];

            /// The name in theme.toml.
            pub fn name(self) -> &'static str {
                match self { $( Self::$variant => $word, )* }
            }
        }
    };
}

names! {
    /// The purpose of a style.
    Role {
        Text "text",
        Dim "dim",
        Rule "rule",
        Cursor "cursor",
        CursorAway "cursor-away",
        Mark "mark",
        MarkAway "mark-away",
        Focus "focus",
        Heading "heading",
        Heading1 "heading-1",
        Heading2 "heading-2",
        Heading3 "heading-3",
        Tab "tab",
        TabShown "tab-shown",
        Scheme "scheme",
        Host "host",
        Path "path",
        State "state",
        Number "number",
        Link "link",
        LinkChosen "link-chosen",
        Match "match",
        MatchCurrent "match-current",
        Hint "hint",
        Folder "folder",
        Tag "tag",
        Fault "fault",
        Notice "notice",
        Prompt "prompt",
        Input "input",
        Field "field",
        Key "key",
        Directory "directory",
        Packed "packed",
        Menu "menu",
        Up "up",
        TextFile "text-file",
        Search "search",
        Binary "binary",
        Archive "archive",
        Image "image",
        Sound "sound",
        Movie "movie",
        Document "document",
        Web "web",
        Session "session",
        PhoneBook "phone-book",
        Mail "mail",
        Calendar "calendar",
        Alternate "mirror",
        Error "error",
        Unknown "unknown",
        Symlink "symlink",
        Group "group",
        Subscribed "subscribed",
        SubscribedUnread "subscribed-unread",
        Article "article",
        Unread "unread",
        Read "read",
        Marked "marked",
        Hidden "hidden",
        Visited "visited",
        Cached "cached",
        Header "header",
        Quote1 "quote-1",
        Quote2 "quote-2",
        Quote3 "quote-3",
        Signature "signature",
        Odd "odd",
        Dead "dead",
        Moved "moved",
        Refused "refused",
        Unreachable "unreachable",
        New "new",
    }
}

names! {
    /// The purpose of a glyph. Every glyph is one column wide.
    Glyph {
        Cursor "cursor",
        Rule "rule",
        Line "line",
        Thick "thick",
        Thumb "thumb",
        Ellipsis "ellipsis",
        Open "open",
        Closed "closed",
        Remark "remark",
        Bookmark "bookmark",
        Answer "answer",
        Branch "branch",
        Trunk "trunk",
        Sorted "sorted",
        SortedReverse "sorted-reverse",
        Fault "fault",
        Plain "plain",
        Menu "menu",
        Up "up",
        TextFile "text-file",
        Search "search",
        Binary "binary",
        Archive "archive",
        Image "image",
        Sound "sound",
        Movie "movie",
        Document "document",
        Web "web",
        Session "session",
        PhoneBook "phone-book",
        Mail "mail",
        Calendar "calendar",
        Alternate "mirror",
        Error "error",
        Unknown "unknown",
        Symlink "symlink",
        Group "group",
        Subscribed "subscribed",
        SubscribedUnread "subscribed-unread",
        Article "article",
        Unread "unread",
        Read "read",
        Marked "marked",
        Hidden "hidden",
        Cached "cached",
        Queued "queued",
        Done "done",
        Left "left",
        Dead "dead",
        Moved "moved",
        Refused "refused",
        Unreachable "unreachable",
        New "new",
    }
}

/// Styles and glyphs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Theme {
    /// True if only ASCII is certain to be displayed correctly.
    pub is_ascii: bool,
    /// The colours that the terminal can show.
    depth: ColourDepth,
    colours: Colours,
    /// The rules of all roles, by the number of the role; none before the first is set.
    rules: Vec<StyleRule>,
    glyphs: Vec<(Glyph, String)>,
}

impl Theme {
    /// The style of a role.
    pub fn style(&self, role: Role) -> Style {
        if let (Role::Cursor, Some((_, _, row))) = (role, self.colours.ground()) {
            return self.depth.fit(row);
        }
        let rule = self.rules.get(role as usize);
        let style = rule.map_or_else(Style::new, |rule| self.colours.style(rule));
        self.depth.fit(style)
    }

    /// The colours of text and background, where the theme sets both.
    pub(super) fn ground(&self) -> Option<(Color, Color)> {
        let (ink, ground, _) = self.colours.ground()?;
        Some((self.depth.nearest(ink), self.depth.nearest(ground)))
    }

    /// The glyph; a space if the theme has none.
    pub fn glyph(&self, glyph: Glyph) -> &str {
        self.glyphs
            .iter()
            .find(|(of, _)| *of == glyph)
            .map_or(" ", |(_, text)| text)
    }

    /// Sets the rule for a role.
    pub fn set_rule(&mut self, role: Role, rule: StyleRule) {
        self.rules.resize(Role::ALL.len(), StyleRule::default());
        if let Some(slot) = self.rules.get_mut(role as usize) {
            *slot = rule;
        }
    }

    /// Sets a glyph.
    pub fn set_glyph(&mut self, glyph: Glyph, text: &str) {
        self.glyphs.retain(|(of, _)| *of != glyph);
        self.glyphs.push((glyph, text.to_owned()));
    }

    /// Sets the colours that the terminal can show.
    pub fn set_depth(&mut self, depth: ColourDepth) {
        self.depth = depth;
        self.colours.has_sixteen = depth == ColourDepth::Sixteen;
        self.colours.are_disabled |= depth == ColourDepth::Mono;
    }

    /// Sets the named theme that the colours are taken from.
    pub fn set_name(&mut self, name: ThemeName) {
        self.colours.theme = name;
    }

    /// Sets the background of the terminal.
    pub fn set_background(&mut self, background: Background) {
        self.colours.background = Some(background);
    }

    /// Returns the background of the terminal, as far as it is known.
    pub fn background(&self) -> Option<Background> {
        self.colours.background
    }

    /// Keeps the background that `other` knows, unless this theme sets one.
    pub fn keep_background(&mut self, other: &Self) {
        self.colours.background = self.colours.background.or(other.colours.background);
    }

    /// True if the background matters, and is unknown. The Linux console, which is used in ASCII, does not know the
    /// question.
    pub fn needs_background(&self) -> bool {
        !self.is_colourless() && !self.is_ascii && self.colours.background.is_none()
    }

    /// Removes all colours (`NO_COLOR`). Styles that only differ by background become reversed.
    pub fn disable_colours(&mut self) {
        self.colours.are_disabled = true;
    }

    /// True if text has attributes only.
    pub fn is_colourless(&self) -> bool {
        self.colours.is_mono()
    }

    /// The style for the SGR style of remote text. Without colours only its attributes are used.
    pub fn sgr_style(&self, sgr_style: SgrStyle) -> Style {
        let colour = |colour: Colour| match colour {
            Colour::Indexed(index) => Color::Indexed(index),
            Colour::Rgb(red, green, blue) => Color::Rgb(red, green, blue),
        };
        let mut style = Style::new();
        if !self.is_colourless() {
            style.fg = sgr_style.foreground.map(colour);
            style.bg = sgr_style.background.map(colour);
            style = self.depth.fit(style);
        }
        let marks = text::TextAttribute::ALL
            .into_iter()
            .filter(|mark| sgr_style.has(*mark));
        marks.fold(style, |style, mark| {
            style.add_modifier(match mark {
                text::TextAttribute::Bold => Modifier::BOLD,
                text::TextAttribute::Dim => Modifier::DIM,
                text::TextAttribute::Italic => Modifier::ITALIC,
                text::TextAttribute::Underlined => Modifier::UNDERLINED,
                text::TextAttribute::Reversed => Modifier::REVERSED,
            })
        })
    }

    /// The colour of a dot of a picture.
    pub(super) fn dot(&self, dot: Rgb) -> Color {
        let [red, green, blue] = dot;
        self.depth.nearest(Color::Rgb(red, green, blue))
    }

    /// The role for the glyph of a kind of row.
    pub fn glyph_role(kind: Kind) -> Role {
        match kind {
            Kind::Plain | Kind::Preformatted => Role::Text,
            Kind::Menu => Role::Menu,
            Kind::Up => Role::Up,
            Kind::Text => Role::TextFile,
            Kind::Search => Role::Search,
            Kind::Binary => Role::Binary,
            Kind::Archive => Role::Archive,
            Kind::Image => Role::Image,
            Kind::Sound => Role::Sound,
            Kind::Movie => Role::Movie,
            Kind::Document => Role::Document,
            Kind::Web => Role::Web,
            Kind::Session => Role::Session,
            Kind::PhoneBook => Role::PhoneBook,
            Kind::Mail => Role::Mail,
            Kind::Calendar => Role::Calendar,
            Kind::Alternate => Role::Alternate,
            Kind::Error => Role::Error,
            Kind::Unknown => Role::Unknown,
            Kind::Symlink => Role::Symlink,
            Kind::Group => Role::Group,
            Kind::Subscribed => Role::Subscribed,
            Kind::SubscribedUnread => Role::SubscribedUnread,
            Kind::Article => Role::Article,
            Kind::Unread => Role::Unread,
            Kind::Read => Role::Read,
            Kind::Marked => Role::Marked,
            Kind::Hidden => Role::Hidden,
            Kind::Heading(0) => Role::Heading,
            Kind::Heading(1) => Role::Heading1,
            Kind::Heading(2) => Role::Heading2,
            Kind::Heading(_) => Role::Heading3,
            Kind::Header => Role::Header,
            Kind::Remark(_) => Role::Dim,
            Kind::Quote(depth) => match depth % 3 {
                1 => Role::Quote1,
                2 => Role::Quote2,
                _ => Role::Quote3,
            },
            Kind::Signature => Role::Signature,
            Kind::Malformed => Role::Odd,
        }
    }

    /// The role for the text of a kind of row: kinds are told by their glyphs, and text that matters has the default
    /// colour.
    pub fn text_role(kind: Kind) -> Role {
        match Self::glyph_role(kind) {
            role @ (Role::Text
            | Role::Dim
            | Role::Unread
            | Role::Read
            | Role::Marked
            | Role::Hidden
            | Role::Heading
            | Role::Heading1
            | Role::Heading2
            | Role::Heading3
            | Role::Header
            | Role::Quote1
            | Role::Quote2
            | Role::Quote3
            | Role::Signature
            | Role::Odd) => role,
            Role::SubscribedUnread => Role::Unread,
            _ => Role::Text,
        }
    }

    /// The glyph for a kind of row.
    pub fn mark(kind: Kind) -> Glyph {
        match kind {
            Kind::Plain
            | Kind::Preformatted
            | Kind::Heading(_)
            | Kind::Header
            | Kind::Quote(_)
            | Kind::Signature
            | Kind::Malformed => Glyph::Plain,
            Kind::Menu => Glyph::Menu,
            Kind::Up => Glyph::Up,
            // A row with the glyph of a fold looks like a directory.
            Kind::Remark(Fold::Closed) => Glyph::Remark,
            Kind::Remark(Fold::Open) => Glyph::Open,
            Kind::Text => Glyph::TextFile,
            Kind::Search => Glyph::Search,
            Kind::Binary => Glyph::Binary,
            Kind::Archive => Glyph::Archive,
            Kind::Image => Glyph::Image,
            Kind::Sound => Glyph::Sound,
            Kind::Movie => Glyph::Movie,
            Kind::Document => Glyph::Document,
            Kind::Web => Glyph::Web,
            Kind::Session => Glyph::Session,
            Kind::PhoneBook => Glyph::PhoneBook,
            Kind::Mail => Glyph::Mail,
            Kind::Calendar => Glyph::Calendar,
            Kind::Alternate => Glyph::Alternate,
            Kind::Error => Glyph::Error,
            Kind::Unknown => Glyph::Unknown,
            Kind::Symlink => Glyph::Symlink,
            Kind::Group => Glyph::Group,
            Kind::Subscribed => Glyph::Subscribed,
            Kind::SubscribedUnread => Glyph::SubscribedUnread,
            Kind::Article => Glyph::Article,
            Kind::Unread => Glyph::Unread,
            Kind::Read => Glyph::Read,
            Kind::Marked => Glyph::Marked,
            Kind::Hidden => Glyph::Hidden,
        }
    }
}

impl Theme {
    /// The glyph and the role for the link mark of a bookmark.
    pub fn check(mark: LinkMark) -> (Glyph, Role) {
        match mark {
            LinkMark::Moved => (Glyph::Moved, Role::Moved),
            LinkMark::Dead => (Glyph::Dead, Role::Dead),
            LinkMark::Refused => (Glyph::Refused, Role::Refused),
            LinkMark::Unreachable => (Glyph::Unreachable, Role::Unreachable),
            LinkMark::New => (Glyph::New, Role::New),
        }
    }
}
