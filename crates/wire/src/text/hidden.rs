//! Invisible characters: which of them are allowed, and where.
//!
//! The characters that Unicode calls default ignorable (`Default_Ignorable_Code_Point`), and the Hangul fillers, can
//! make two texts differ although they look alike. They are dropped, except where a script or an emoji needs them:
//!
//! ```text
//! ZWNJ, ZWJ           behind a letter of a script that joins letters (Arabic to Myanmar, Mongolian, Brahmi's kin)
//! ZWJ                 between two emoji
//! VS1 to VS16         one, behind what is visible: a sign, an emoji, a digit of a keycap
//! VS17 to VS256       one, behind an ideograph
//! FVS1 to FVS4, MVS   behind a letter of Mongolian
//! Hangul fillers      beside the conjoining letter that they complete
//! tags                in the flag of a region: U+1F3F4 1*tag U+E007F
//! ```

/// The highest number of tags in the flag of a region: `gbsct`, and longer ones.
const TAGS: usize = 6;

/// Returns true for a character that is invisible, or changes how others are shown, in every position.
pub(super) fn is_hidden(c: char) -> bool {
    is_ignorable(c) && !is_needed_somewhere(c) || matches!(c, '\u{fff9}'..='\u{fffb}')
}

/// Returns true if a text may hold this character between `before` and `after`.
pub(super) fn is_shown(c: char, before: Option<char>, after: Option<char>) -> bool {
    if !is_ignorable(c) {
        return !is_hidden(c);
    }
    let Some(before) = before else {
        return c == '\u{115f}' && after.is_some_and(is_vowel);
    };
    match c {
        '\u{200c}' => joins(before),
        '\u{200d}' => joins(before) || is_emoji(before) && after.is_some_and(is_joined),
        '\u{fe00}'..='\u{fe0f}' => {
            matches!(before, '0'..='9' | '#' | '*')
                || !before.is_ascii() && !before.is_whitespace() && !is_ignorable(before)
        }
        '\u{e0100}'..='\u{e01ef}' => is_ideograph(before),
        '\u{180b}'..='\u{180f}' => matches!(before, '\u{1820}'..='\u{18aa}'),
        '\u{115f}' => after.is_some_and(is_vowel),
        '\u{1160}' => matches!(before, '\u{1100}'..='\u{115e}'),
        _ => false,
    }
}

/// The tags of a flag after U+1F3F4, with the tag that ends them; `None` if the flag is incomplete.
pub(super) fn flag(after: &str) -> Option<&str> {
    let is_tag = |c: &char| matches!(c, '\u{e0030}'..='\u{e0039}' | '\u{e0061}'..='\u{e007a}');
    let tags = after.chars().take(TAGS).take_while(is_tag).count();
    let end = tags * '\u{e0061}'.len_utf8();
    let is_ended = after.get(end..)?.starts_with('\u{e007f}');
    let end = end + '\u{e007f}'.len_utf8();
    after.get(..end).filter(|_| tags > 0 && is_ended)
}

/// Returns true for default ignorable code points, which include the Hangul fillers.
pub(super) fn is_ignorable(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Returns true if some text needs this ignorable character.
fn is_needed_somewhere(c: char) -> bool {
    matches!(
        c,
        '\u{115f}' | '\u{1160}' | '\u{180b}'..='\u{180f}' | '\u{200c}' | '\u{200d}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{e0020}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}'
    )
}

/// Returns true for letters and marks of scripts in which neighbouring letters join, so that a joiner selects the
/// form.
fn joins(c: char) -> bool {
    matches!(
        c,
        '\u{620}'..='\u{109f}' | '\u{1700}'..='\u{17b3}' | '\u{17b6}'..='\u{180a}'
            | '\u{1810}'..='\u{18af}' | '\u{1a20}'..='\u{1aaf}' | '\u{1b00}'..='\u{1c4f}'
            | '\u{a840}'..='\u{a87f}' | '\u{a8e0}'..='\u{a8ff}' | '\u{a980}'..='\u{a9ff}'
            | '\u{aa60}'..='\u{aa7f}' | '\u{abc0}'..='\u{abff}' | '\u{fb50}'..='\u{fdff}'
            | '\u{fe70}'..='\u{fefc}' | '\u{10a00}'..='\u{10fff}' | '\u{11000}'..='\u{11fff}'
            | '\u{1e900}'..='\u{1e95f}'
    )
}

/// Returns true for emoji that others are joined to, and for characters that may follow one before the joiner.
fn is_emoji(c: char) -> bool {
    matches!(
        c,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{20e3}' | '\u{2122}' | '\u{2139}'
            | '\u{2194}'..='\u{21aa}' | '\u{231a}'..='\u{23ff}' | '\u{24c2}'
            | '\u{25aa}'..='\u{27bf}' | '\u{2934}'..='\u{2b55}' | '\u{3030}' | '\u{303d}'
            | '\u{3297}' | '\u{3299}' | '\u{fe0f}' | '\u{1f000}'..='\u{1faff}'
    )
}

fn is_ideograph(c: char) -> bool {
    matches!(
        c,
        '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}'
    )
}

/// Returns true for a standalone emoji that others are joined to.
fn is_joined(c: char) -> bool {
    is_emoji(c) && !matches!(c, '\u{fe0f}' | '\u{20e3}')
}

/// Returns true for a conjoining vowel of Hangul.
fn is_vowel(c: char) -> bool {
    matches!(c, '\u{1161}'..='\u{11a7}' | '\u{d7b0}'..='\u{d7c6}')
}
