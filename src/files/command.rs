//! Commands of other programs: argument vectors with places to fill, never a shell's line.
//!
//! ```text
//! argument = *( octet / "{" name "}" )
//! ```
//!
//! What is filled in stands in one argument whatever it holds, never makes an option of one that was none, and shows
//! whole to whoever is asked whether it may be run.

use std::process::ExitStatus;

use crate::text::is_harmful;

/// A program and its arguments, with names in braces where something is to be filled in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template(Vec<String>);

impl Template {
    /// A template of these arguments, the program first; without a program it is none.
    pub fn new(arguments: Vec<String>) -> Option<Self> {
        let program = arguments.first()?;
        (!program.is_empty() && !program.contains('{')).then_some(Self(arguments))
    }

    /// The program.
    pub fn program(&self) -> &str {
        self.0.first().map_or("", String::as_str)
    }

    /// The arguments with `values` in the places of their names.
    ///
    /// # Errors
    /// A sentence: a value would be taken for an option, or holds what nobody sees who is asked about it.
    pub fn fill(&self, values: &[(&str, &str)]) -> Result<Vec<String>, String> {
        let filled = self.0.iter().map(|argument| {
            let unseen = values.iter().any(|(name, value)| {
                argument.contains(&format!("{{{name}}}")) && value.contains(is_harmful)
            });
            if unseen {
                let program = self.program();
                return Err(format!(
                    "{program} would be given signs that cannot be seen, so it is not run"
                ));
            }
            let filled = fill(argument, values);
            if filled.starts_with('-') && !argument.starts_with('-') {
                let program = self.program();
                return Err(format!("{program} would take {filled} for an option"));
            }
            Ok(filled)
        });
        filled.collect()
    }
}

/// A text with `{name}` replaced by that value; what is filled in is not looked into again, and other braces stay.
pub(super) fn fill(argument: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::new();
    let mut rest = argument;
    while let Some((before, from)) = rest.split_once('{') {
        filled.push_str(before);
        let named = values.iter().find_map(|(name, value)| {
            let after = from.strip_prefix(name)?.strip_prefix('}')?;
            Some((value, after))
        });
        match named {
            Some((value, after)) => {
                filled.push_str(value);
                rest = after;
            }
            None => {
                filled.push('{');
                rest = from;
            }
        }
    }
    filled.push_str(rest);
    filled
}

/// Arguments as a person reads them: quoted where one would else not see where it ends.
pub fn shown(arguments: &[String]) -> String {
    let shown = arguments.iter().map(|argument| {
        let plain = |c: char| c.is_alphanumeric() || "-_./:@%+=,?&#;*~[]".contains(c);
        if !argument.is_empty() && argument.chars().all(plain) {
            argument.clone()
        } else {
            // What ends a quotation is told apart from what stands in it.
            let inside = argument.replace('“', "\\u{201c}").replace('”', "\\u{201d}");
            format!("“{inside}”")
        }
    });
    shown.collect::<Vec<_>>().join(" ")
}

/// How a program ended, as a sentence.
pub fn ended(program: &str, status: ExitStatus) -> String {
    match status.code() {
        Some(0) => format!("{program} has ended"),
        Some(code) => format!("{program} ended with status {code}"),
        None => format!("{program} was ended by a signal"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn template(arguments: &[&str]) -> Template {
        Template::new(arguments.iter().map(|&one| one.to_owned()).collect()).unwrap()
    }

    #[test]
    fn values_stay_in_their_arguments() {
        let telnet = template(&["telnet", "{host}", "{port}", "-x{host}:{port}", "{other}"]);
        assert_eq!(
            telnet
                .fill(&[("host", "a b;{port}"), ("port", "23")])
                .unwrap(),
            ["telnet", "a b;{port}", "23", "-xa b;{port}:23", "{other}"]
        );
        assert!(telnet.fill(&[("host", "-oProxy"), ("port", "1")]).is_err());
        for unseen in [
            "a\u{1b}[2J",
            "a\nb",
            "a\0",
            "\u{202e}a",
            "a\u{9b}",
            "a\u{2066}",
        ] {
            let refused = telnet.fill(&[("host", unseen), ("port", "1")]);
            assert!(refused.unwrap_err().contains("cannot be seen"));
            // What goes nowhere harms nobody.
            let values = [("host", "h"), ("port", "1"), ("user", unseen)];
            assert!(telnet.fill(&values).is_ok());
        }
        assert_eq!(Template::new(Vec::new()), None);
        assert_eq!(Template::new(vec!["{host}".to_owned()]), None);
    }

    #[test]
    fn what_is_shown_tells_arguments_apart() {
        let arguments = ["telnet", "a b", "", "x:1"].map(str::to_owned);
        assert_eq!(shown(&arguments), "telnet “a b” “” x:1");
        let arguments = ["see", "a” “b"].map(str::to_owned);
        assert_eq!(shown(&arguments), "see “a\\u{201d} \\u{201c}b”");
    }
}
