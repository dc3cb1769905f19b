//! The theme: a style for every role, a glyph for every mark.

use ratatui::style::{Color, Modifier, Style};

use crate::app::bookmarks::check::LinkMark;
use crate::document::{Fold, Kind};
use crate::text::{self, Colour, SgrStyle};

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
        Mark "mark",
        MarkAway "mark-away",
        Heading "heading",
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
        Hint "hint",
        Folder "folder",
        Tag "tag",
        Fault "fault",
        Notice "notice",
        Prompt "prompt",
        Input "input",
        Field "field",
        Key "key",
        Menu "menu",
        Up "up",
        TextFile "text-file",
        Search "search",
        Binary "binary",
        Image "image",
        Sound "sound",
        Movie "movie",
        Document "document",
        Web "web",
        Session "session",
        PhoneBook "phone-book",
        Mail "mail",
        Calendar "calendar",
        Mirror "mirror",
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
        Ellipsis "ellipsis",
        Open "open",
        Closed "closed",
        Bookmark "bookmark",
        Answer "answer",
        Fault "fault",
        Plain "plain",
        Menu "menu",
        Up "up",
        TextFile "text-file",
        Search "search",
        Binary "binary",
        Image "image",
        Sound "sound",
        Movie "movie",
        Document "document",
        Web "web",
        Session "session",
        PhoneBook "phone-book",
        Mail "mail",
        Calendar "calendar",
        Mirror "mirror",
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
#[derive(Clone, Debug, Default)]
pub struct Theme {
    /// True if only ASCII is certain to be displayed correctly.
    pub is_ascii: bool,
    /// True if colours are disabled for everything.
    pub is_colourless: bool,
    styles: Vec<(Role, Style)>,
    glyphs: Vec<(Glyph, String)>,
}

impl Theme {
    /// The style of a role.
    pub fn style(&self, role: Role) -> Style {
        self.styles
            .iter()
            .find(|(of, _)| *of == role)
            .map_or(Style::new(), |(_, style)| *style)
    }

    /// The glyph; a space if the theme has none.
    pub fn glyph(&self, glyph: Glyph) -> &str {
        self.glyphs
            .iter()
            .find(|(of, _)| *of == glyph)
            .map_or(" ", |(_, text)| text)
    }

    /// Sets a style.
    pub fn set_style(&mut self, role: Role, style: Style) {
        self.styles.retain(|(of, _)| *of != role);
        self.styles.push((role, style));
    }

    /// Sets a glyph.
    pub fn set_glyph(&mut self, glyph: Glyph, text: &str) {
        self.glyphs.retain(|(of, _)| *of != glyph);
        self.glyphs.push((glyph, text.to_owned()));
    }

    /// The same theme without colours (`NO_COLOR`). Styles that only differ by background become reversed.
    #[must_use]
    pub fn without_colours(mut self) -> Self {
        for (_, style) in &mut self.styles {
            let lit = style.bg.is_some();
            *style = Style {
                fg: None,
                bg: None,
                ..*style
            };
            if lit {
                *style = style.add_modifier(Modifier::REVERSED);
            }
        }
        self.is_colourless = true;
        self
    }

    /// The style for the SGR style of remote text. Without colours only its attributes are used.
    pub fn sgr_style(&self, sgr_style: SgrStyle) -> Style {
        let colour = |colour: Colour| match colour {
            Colour::Indexed(index) => Color::Indexed(index),
            Colour::Rgb(red, green, blue) => Color::Rgb(red, green, blue),
        };
        let mut style = Style::new();
        if !self.is_colourless {
            style.fg = sgr_style.foreground.map(colour);
            style.bg = sgr_style.background.map(colour);
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

    /// The role for a kind of row.
    pub fn role(kind: Kind) -> Role {
        match kind {
            Kind::Plain => Role::Text,
            Kind::Menu => Role::Menu,
            Kind::Up => Role::Up,
            Kind::Text => Role::TextFile,
            Kind::Search => Role::Search,
            Kind::Binary => Role::Binary,
            Kind::Image => Role::Image,
            Kind::Sound => Role::Sound,
            Kind::Movie => Role::Movie,
            Kind::Document => Role::Document,
            Kind::Web => Role::Web,
            Kind::Session => Role::Session,
            Kind::PhoneBook => Role::PhoneBook,
            Kind::Mail => Role::Mail,
            Kind::Calendar => Role::Calendar,
            Kind::Mirror => Role::Mirror,
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
            Kind::Heading => Role::Heading,
            Kind::Header | Kind::Remark(_) => Role::Header,
            Kind::Quote(depth) => match depth % 3 {
                1 => Role::Quote1,
                2 => Role::Quote2,
                _ => Role::Quote3,
            },
            Kind::Signature => Role::Signature,
            Kind::Malformed => Role::Odd,
        }
    }

    /// The glyph for a kind of row.
    pub fn mark(kind: Kind) -> Glyph {
        match kind {
            Kind::Plain
            | Kind::Heading
            | Kind::Header
            | Kind::Quote(_)
            | Kind::Signature
            | Kind::Malformed => Glyph::Plain,
            Kind::Menu => Glyph::Menu,
            Kind::Up => Glyph::Up,
            Kind::Remark(Fold::Closed) => Glyph::Closed,
            Kind::Remark(Fold::Open) => Glyph::Open,
            Kind::Text => Glyph::TextFile,
            Kind::Search => Glyph::Search,
            Kind::Binary => Glyph::Binary,
            Kind::Image => Glyph::Image,
            Kind::Sound => Glyph::Sound,
            Kind::Movie => Glyph::Movie,
            Kind::Document => Glyph::Document,
            Kind::Web => Glyph::Web,
            Kind::Session => Glyph::Session,
            Kind::PhoneBook => Glyph::PhoneBook,
            Kind::Mail => Glyph::Mail,
            Kind::Calendar => Glyph::Calendar,
            Kind::Mirror => Glyph::Mirror,
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

/// Parses a style as theme.toml writes it: `light-blue bold on-black`.
pub fn parse_style(written: &str) -> Option<Style> {
    let mut style = Style::new();
    for word in written.split_whitespace() {
        style = match word {
            "bold" => style.add_modifier(Modifier::BOLD),
            "dim" => style.add_modifier(Modifier::DIM),
            "italic" => style.add_modifier(Modifier::ITALIC),
            "underlined" => style.add_modifier(Modifier::UNDERLINED),
            "reversed" => style.add_modifier(Modifier::REVERSED),
            colour => match colour.strip_prefix("on-") {
                Some(colour) => style.bg(colour.parse::<Color>().ok()?),
                None => style.fg(colour.parse::<Color>().ok()?),
            },
        };
    }
    Some(style)
}
