//! The `.molly` of a capsule: the media types that a suffix does not tell molly-brown, and the redirects.
//!
//! ```toml
//! [MimeOverrides]
//! "/docs/page$" = "text/gemini; lang=de"
//! [TempRedirects]
//! "^/old$" = "/new"
//! ```
//!
//! molly-brown compares the expressions for types with the path of the file on its disk, those for redirects with the
//! path of the request, both in no order. The target of a redirect has `$$` for `$`.

use std::fmt::Write;
use std::path::Path;

/// A redirect from a path to another one of the capsule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CapsuleRedirect {
    pub(super) is_permanent: bool,
    pub(super) from: String,
    pub(super) to: String,
}

/// Returns the `.molly` of a capsule at this path, with the media types of its files and its redirects, which are
/// sorted.
pub(super) fn molly(
    root: &Path,
    types: &[(&Path, &str)],
    files: &[&Path],
    redirects: &[CapsuleRedirect],
) -> String {
    let mut molly = String::from("[MimeOverrides]\n");
    let root = root.to_string_lossy();
    for (file, media_type) in types {
        if is_known(file, media_type) {
            continue;
        }
        // The expression for a file fits the files of the same path in deeper directories too.
        let is_end_of_another = files
            .iter()
            .any(|other| other != file && other.ends_with(file));
        let beginning = if is_end_of_another {
            format!("^{}", expression(root.trim_end_matches('/')))
        } else {
            String::new()
        };
        let path = expression(&file.to_string_lossy());
        let key = quoted(&format!("{beginning}/{path}$"));
        let value = quoted(&media_type.replace(';', "; "));
        // Writing to a string does not fail.
        let _ = writeln!(molly, "{key} = {value}");
    }
    for (table, is_permanent) in [("TempRedirects", false), ("PermRedirects", true)] {
        let _ = writeln!(molly, "[{table}]");
        let own = redirects.iter();
        for redirect in own.filter(|redirect| redirect.is_permanent == is_permanent) {
            let from = quoted(&format!("^{}$", expression(&redirect.from)));
            let to = quoted(&redirect.to.replace('$', "$$"));
            let _ = writeln!(molly, "{from} = {to}");
        }
    }
    molly
}

/// Returns true if molly-brown tells the media type of a file by its suffix.
fn is_known(file: &Path, media_type: &str) -> bool {
    let suffix = file.extension().and_then(|suffix| suffix.to_str());
    let known = match suffix.unwrap_or_default() {
        "gmi" => "text/gemini",
        "txt" => "text/plain",
        "html" => "text/html",
        "css" => "text/css",
        "png" => "image/png",
        "gif" => "image/gif",
        "jpg" | "jpeg" => "image/jpeg",
        "webp" => "image/webp",
        "pdf" => "application/pdf",
        _ => return false,
    };
    let media_type = media_type.to_ascii_lowercase();
    media_type
        .strip_suffix(";charset=utf-8")
        .unwrap_or(&media_type)
        == known
}

/// Returns the regular expression for a text.
fn expression(text: &str) -> String {
    let mut expression = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_ascii_punctuation() && character != '/' {
            expression.push('\\');
        }
        expression.push(character);
    }
    expression
}

/// Returns a text as a string of TOML.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            character if character.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(character));
            }
            character => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_that_a_suffix_does_not_tell_are_written() {
        let files = [
            "a.gmi", "b.gmi", "c", "d/c", "e.txt", "f.txt", "g.GMI", "h\".x",
        ];
        let files: Vec<&Path> = files.iter().map(Path::new).collect();
        let types = [
            "text/gemini",
            "text/gemini;lang=de",
            "text/gemini",
            "image/png",
            "text/plain",
            "text/plain;charset=koi8-r",
            "text/gemini;charset=utf-8",
            "text/html",
        ];
        let types: Vec<_> = files.iter().copied().zip(types).collect();
        let redirect = |is_permanent, from: &str| CapsuleRedirect {
            is_permanent,
            from: from.to_owned(),
            to: "/new\u{7}$1".to_owned(),
        };
        let redirects = [redirect(false, "/a"), redirect(true, "/b")];
        let written = molly(Path::new("/srv/c.d"), &types, &files, &redirects);
        let expected = r#"[MimeOverrides]
"/b\\.gmi$" = "text/gemini; lang=de"
"^/srv/c\\.d/c$" = "text/gemini"
"/d/c$" = "image/png"
"/f\\.txt$" = "text/plain; charset=koi8-r"
"/g\\.GMI$" = "text/gemini; charset=utf-8"
"/h\\\"\\.x$" = "text/html"
[TempRedirects]
"^/a$" = "/new\u0007$$1"
[PermRedirects]
"^/b$" = "/new\u0007$$1"
"#;
        assert_eq!(written, expected);
    }
}
