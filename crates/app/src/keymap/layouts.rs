//! Keyboard layouts without Latin letters: the Latin key at the position of a letter.

/// The letters of a layout, and the characters of a US keyboard at their positions, in the same order.
type Layout = (&'static str, &'static str);

/// Russian with the letters of Ukrainian and Belarusian; Greek; Hebrew, whose shifted keys are Latin.
const LAYOUTS: [Layout; 3] = [
    (
        "йцукенгшщзхъфывапролджэячсмитьбюёіїєґўЙЦУКЕНГШЩЗХЪФЫВАПРОЛДЖЭЯЧСМИТЬБЮЁІЇЄҐЎ№",
        "qwertyuiop[]asdfghjkl;'zxcvbnm,.`s]'\\oQWERTYUIOP{}ASDFGHJKL:\"ZXCVBNM<>~S}\"|O#",
    ),
    (
        "ςερτυθιοπασδφγηξκλζχψωβνμΕΡΤΥΘΙΟΠΑΣΔΦΓΗΞΚΛΖΧΨΩΒΝΜ",
        "wertyuiopasdfghjklzxcvbnmERTYUIOPASDFGHJKLZXCVBNM",
    ),
    ("קראטוןםפשדגכעיחלךףזסבהנמצתץ", "ertyuiopasdfghjkl;zxcvbnm,."),
];

/// The Latin character at the position of a letter; `None` for a character that no layout has.
pub(super) fn latin(letter: char) -> Option<char> {
    let mut layouts = LAYOUTS.iter();
    layouts.find_map(|(letters, latin)| {
        let mut pairs = letters.chars().zip(latin.chars());
        pairs.find(|(of, _)| *of == letter).map(|(_, latin)| latin)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_are_as_long_as_their_positions() {
        for (letters, positions) in LAYOUTS {
            assert_eq!(
                letters.chars().count(),
                positions.chars().count(),
                "{letters}"
            );
            assert!(positions.is_ascii());
        }
    }

    #[test]
    fn letters_are_at_their_positions() {
        for (letter, position) in [
            ('о', 'j'),
            ('л', 'k'),
            ('Ж', ':'),
            ('ю', '.'),
            ('ξ', 'j'),
            ('Θ', 'U'),
            ('ח', 'j'),
        ] {
            assert_eq!(latin(letter), Some(position), "{letter}");
        }
        assert_eq!(latin('j'), None);
        assert_eq!(latin('é'), None);
    }
}
