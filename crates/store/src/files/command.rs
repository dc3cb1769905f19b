//! Commands of other programs: argument vectors with placeholders, never a shell command line.
//!
//! ```text
//! argument = *( octet / "{" name "}" )
//! ```
//!
//! A filled-in value stays within one argument whatever it holds, never turns an argument into an option, and is fully
//! visible to the user who confirms the command.

use std::process::ExitStatus;

use geomys_wire::text::is_harmful;

/// Program and its arguments, with placeholders: names in braces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandTemplate(Vec<String>);

impl CommandTemplate {
    /// Creates a template of these arguments, the program first; `None` without a program.
    pub fn new(arguments: Vec<String>) -> Option<Self> {
        let program = arguments.first()?;
        (!program.is_empty() && !program.contains('{')).then_some(Self(arguments))
    }

    /// Returns the program.
    pub fn program(&self) -> &str {
        self.0.first().map_or("", String::as_str)
    }

    /// Returns the arguments with the placeholders replaced by `values`.
    ///
    /// # Errors
    /// A sentence: a value would become an option, or contains invisible characters.
    pub fn fill(&self, values: &[(&str, &str)]) -> Result<Vec<String>, String> {
        let filled = self.0.iter().map(|argument| {
            let has_invisible = values.iter().any(|(name, value)| {
                argument.contains(&format!("{{{name}}}")) && value.contains(is_harmful)
            });
            if has_invisible {
                let program = self.program();
                return Err(format!(
                    "not run: the arguments of {program} would contain invisible characters"
                ));
            }
            let filled = fill(argument, values);
            if filled.starts_with('-') && !argument.starts_with('-') {
                let program = self.program();
                return Err(format!(
                    "not run: {program} would read {filled} as an option"
                ));
            }
            Ok(filled)
        });
        filled.collect()
    }
}

/// Replaces `{name}` by that value in a text; values are not expanded again, and other braces stay.
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

/// Formats arguments for the screen, with quotes where the end of an argument would be unclear.
pub fn quoted(arguments: &[String]) -> String {
    let quoted = arguments.iter().map(|argument| {
        let plain = |c: char| c.is_alphanumeric() || "-_./:@%+=,?&#;*~[]".contains(c);
        if !argument.is_empty() && argument.chars().all(plain) {
            argument.clone()
        } else {
            // Quotation marks inside an argument are escaped.
            let inside = argument.replace('“', "\\u{201c}").replace('”', "\\u{201d}");
            format!("“{inside}”")
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}

/// Returns a sentence about the exit status of a program.
pub fn exit_sentence(program: &str, status: ExitStatus) -> String {
    match status.code() {
        Some(0) => format!("“{program}” exited"),
        Some(code) => format!("“{program}” exited with status {code}"),
        None => format!("“{program}” was killed by a signal"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn template(arguments: &[&str]) -> CommandTemplate {
        CommandTemplate::new(arguments.iter().map(|&one| one.to_owned()).collect()).unwrap()
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
        for invisible in [
            "a\u{1b}[2J",
            "a\nb",
            "a\0",
            "\u{202e}a",
            "a\u{9b}",
            "a\u{2066}",
        ] {
            let refused = telnet.fill(&[("host", invisible), ("port", "1")]);
            assert!(refused.unwrap_err().contains("invisible characters"));
            // An unused value does no harm.
            let values = [("host", "h"), ("port", "1"), ("user", invisible)];
            assert!(telnet.fill(&values).is_ok());
        }
        assert_eq!(CommandTemplate::new(Vec::new()), None);
        assert_eq!(CommandTemplate::new(vec!["{host}".to_owned()]), None);
    }

    #[test]
    fn what_is_shown_tells_arguments_apart() {
        let arguments = ["telnet", "a b", "", "x:1"].map(str::to_owned);
        assert_eq!(quoted(&arguments), "telnet “a b” “” x:1");
        let arguments = ["see", "a” “b"].map(str::to_owned);
        assert_eq!(quoted(&arguments), "see “a\\u{201d} \\u{201c}b”");
    }
}
