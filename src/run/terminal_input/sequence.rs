//! The sequences of the input, and what is known of one that is not complete.

/// A part of the input.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Sequence {
    /// ESC alone.
    Escape,
    /// A character, which may be one of C0; `has_alt` if ESC came before it.
    Letter { letter: char, has_alt: bool },
    /// A control sequence: its parameters and intermediates, and its final character; `has_alt` if ESC came before it.
    Csi {
        body: String,
        last: char,
        has_alt: bool,
    },
    /// A character of G3, with the parameters that some terminals put before it.
    Ss3 {
        body: String,
        last: char,
        has_alt: bool,
    },
    /// A function key of the Linux console.
    Console(char),
    /// A report of the mouse as X10 sends it.
    Mouse([u8; 3]),
    /// A control string: the letter of its introducer after ESC, and its text.
    Text { introducer: char, text: String },
    /// Pasted text, or a part of it.
    Paste(Vec<u8>),
}

/// What came before the character after ESC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Lead {
    pub(super) form: Form,
    /// True if ESC is the first octet of a read.
    pub(super) begins_read: bool,
    /// True if ESC is the last octet of a read: a key of its own, unless an introducer follows.
    pub(super) ends_read: bool,
    /// True if another ESC came just before.
    pub(super) follows_esc: bool,
}

/// The form of an introducer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Form {
    /// ESC and a letter, as keys are sent too.
    #[default]
    Escape,
    /// A character of C1, which no key sends.
    C1,
}

/// What the next character belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum State {
    #[default]
    Ground,
    Escape(Lead),
    Csi(Lead),
    Ss3(Lead),
    /// After `CSI [`.
    Console,
    /// After `CSI M`.
    Mouse,
    /// In a control string with this introducer; `escape` if its last character is ESC.
    Text {
        lead: Lead,
        introducer: char,
        escape: Option<Lead>,
    },
    Paste,
}
