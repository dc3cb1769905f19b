//! Files in texts: uuencoded ones with words around them, and those of shar, whose archives are programs of the shell.
//!
//! ```text
//! shar    = *( line / file )
//! file    = command marker LF *( [ prefix ] line LF ) marker LF    ; command has `<< marker`, and `> name` or a decoder
//! command = "cat" / "sed" "s/^" prefix "//" / "gres" "^" prefix    ; among other words
//! ```

use std::io::{Cursor, Read};

use super::compress::Compression;
use super::error::UnpackError;
use super::member::{Member, MemberKind, segments};
use super::peek::{Packing, PeekReader};
use super::visit::{FaultReader, Step, Visit};
use super::walk::{Point, Unpacker};
use super::{MAX_DEPTH, MAX_STORED_BYTES};
use crate::document::{Attachment, uu_files, uu_start};

impl Unpacker<'_> {
    /// Opens the files in a text: one that is uuencoded as what it contains, several and those of shar as members.
    pub(super) fn in_text<R: Read>(
        &mut self,
        packing: Packing,
        mut source: PeekReader<R>,
        point: Point<'_>,
    ) -> Result<(), UnpackError> {
        let mut text = Vec::new();
        let mut start = source.by_ref().take(MAX_STORED_BYTES);
        let read = start.read_to_end(&mut text);
        let is_whole = start.limit() > 0;
        let files = match packing {
            _ if !is_whole => Vec::new(),
            Packing::Shar => shar_files(&text),
            _ => uu_files(&text),
        };
        let is_archive = files.len() > 1 || packing == Packing::Shar && !files.is_empty();
        if is_archive && point.depth < MAX_DEPTH {
            return self.search(point, true, |visitor| {
                visit(files, visitor)?;
                Ok(read.map(drop)?)
            });
        }
        let uuencoded = uu_start(&text).filter(|_| packing != Packing::Shar);
        let rest = text.split_off(uuencoded.unwrap_or_default());
        let fault = FaultReader(read.err().map(|error| error.to_string()));
        let mut rest = Cursor::new(rest).chain(fault).chain(source);
        match uuencoded {
            Some(_) => self.decompressed(Compression::Uuencode, &mut rest, point),
            None if point.path.is_empty() || point.depth == 0 && !self.is_raw => {
                self.file(PeekReader::new(rest), point)
            }
            None => Err(UnpackError::Missing),
        }
    }
}

/// Visits files.
pub(super) fn visit(files: Vec<Attachment>, visitor: &mut dyn Visit) -> Result<(), UnpackError> {
    for file in files {
        let member = Member {
            path: segments(&file.name),
            kind: MemberKind::File,
            size: Some(file.octets.len() as u64),
            modified: None,
            sparse: None,
        };
        let step = match visitor.member(&member)? {
            Step::Content => {
                let mut content = Cursor::new(file.octets).chain(FaultReader(file.fault));
                visitor.content(&member, &mut content)?
            }
            step => step,
        };
        if step == Step::Stop {
            break;
        }
    }
    Ok(())
}

/// Returns the files of an archive of shar.
pub(super) fn shar_files(text: &[u8]) -> Vec<Attachment> {
    let mut files: Vec<Attachment> = Vec::new();
    let mut lines = text.split_inclusive(|&octet| octet == b'\n');
    while let Some(line) = lines.next() {
        let Some(command) = Command::parse(line) else {
            continue;
        };
        let mut octets = Vec::new();
        let mut fault = Some("its end is missing".to_owned());
        for line in lines.by_ref() {
            if line.trim_ascii_end() == command.marker {
                fault = None;
                break;
            }
            octets.extend_from_slice(line.strip_prefix(&*command.prefix).unwrap_or(line));
        }
        if command.is_encoded {
            files.extend(uu_files(&octets));
        } else if let Some(name) = command.name {
            files.push(Attachment {
                name,
                kind: "shar".to_owned(),
                octets,
                fault,
            });
        }
    }
    files
}

/// A command whose input are the lines behind it.
#[derive(Debug, Default, PartialEq, Eq)]
struct Command {
    marker: Vec<u8>,
    name: Option<Vec<u8>>,
    /// The beginning that each line may have.
    prefix: Vec<u8>,
    is_encoded: bool,
}

impl Command {
    fn parse(line: &[u8]) -> Option<Self> {
        memchr::memmem::find(line, b"<<")?;
        let words = words(line);
        let mut command = Self::default();
        let mut is_known = false;
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match word {
                Word::Operator(b"<<" | b"<<-") => command.marker = words.next()?.text()?.to_vec(),
                Word::Operator(b">" | b">>") => {
                    let name = words.next()?.text()?;
                    // A name that is made by the shell is not known.
                    let is_plain = !name.iter().any(|octet| b"$`".contains(octet));
                    command.name = is_plain.then(|| name.to_vec());
                }
                Word::Operator(_) => {}
                Word::Text(text) => match text.as_slice() {
                    b"cat" | b"sed" | b"gres" => is_known = true,
                    b"uudecode" => (is_known, command.is_encoded) = (true, true),
                    text => {
                        let script = text.strip_prefix(b"s/");
                        let script = script.and_then(|script| script.strip_suffix(b"//"));
                        if let Some(prefix) = script.unwrap_or(text).strip_prefix(b"^") {
                            command.prefix = prefix.to_vec();
                        }
                    }
                },
            }
        }
        (is_known && !command.marker.is_empty()).then_some(command)
    }
}

/// A word of a command, without its quotes, or an operator.
#[derive(Debug, PartialEq, Eq)]
enum Word<'a> {
    Text(Vec<u8>),
    Operator(&'a [u8]),
}

impl Word<'_> {
    fn text(&self) -> Option<&[u8]> {
        match self {
            Self::Text(text) => Some(text),
            Self::Operator(_) => None,
        }
    }
}

/// Splits a line as the shell does.
fn words(line: &[u8]) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut rest = line.trim_ascii();
    while let Some(&first) = rest.first() {
        if b"<>|;&()".contains(&first) {
            let operators = [b"<<-".as_slice(), b"<<", b">>"];
            let operator = operators
                .into_iter()
                .find(|operator| rest.starts_with(operator));
            let (operator, behind) = rest.split_at(operator.map_or(1, <[u8]>::len));
            words.push(Word::Operator(operator));
            rest = behind.trim_ascii_start();
            continue;
        }
        let mut text = Vec::new();
        let mut quote = None;
        let mut octets = rest.iter().enumerate();
        let mut end = rest.len();
        while let Some((at, &octet)) = octets.next() {
            match (octet, quote) {
                (b'\\', None) => text.extend(octets.next().map(|(_, octet)| octet)),
                (b'\'' | b'"', None) => quote = Some(octet),
                (octet, Some(mark)) if octet == mark => quote = None,
                (octet, None) if octet.is_ascii_whitespace() || b"<>|;&()".contains(&octet) => {
                    end = at;
                    break;
                }
                (octet, _) => text.push(octet),
            }
        }
        words.push(Word::Text(text));
        rest = rest.get(end..).unwrap_or_default().trim_ascii_start();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn commands_of_many_programs_are_known() {
        for (line, name, prefix) in [
            ("sed 's/^X//' > 'a b' << 'SHAR_EOF'", "a b", "X"),
            ("sed 's/^X//' << 'SHAR_EOF' > 'a b' &&", "a b", "X"),
            (
                "if true; then sed \"s/^X//\" >a\\ b <<'SHAR_EOF'",
                "a b",
                "X",
            ),
            ("cat << \\SHAR_EOF > 'a b'", "a b", ""),
            ("sed -e 's/^> //' >\"a b\" <<SHAR_EOF", "a b", "> "),
            ("gres '^X' '' > 'a b' << 'SHAR_EOF'", "a b", "X"),
        ] {
            let command = Command::parse(line.as_bytes()).unwrap();
            assert_eq!(command.name.unwrap(), name.as_bytes(), "{line}");
            assert_eq!(command.prefix, prefix.as_bytes(), "{line}");
            assert_eq!(command.marker, b"SHAR_EOF", "{line}");
        }
        for line in ["echo x << y", "cat > a", "cat <<", "sed 's/^X//' > << a"] {
            assert_eq!(Command::parse(line.as_bytes()), None, "{line}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "([catsed<>'\\\\^X/ \n]|cat > a << b\n){0,80}") {
            shar_files(text.as_bytes());
        }

        #[test]
        fn files_are_as_they_were(names in proptest::collection::btree_set("[a-z]{1,8}", 1..4), lines in proptest::collection::vec("[ -~]{0,20}", 0..5)) {
            let text = lines.iter().map(|line| format!("{line}\n")).collect::<Vec<_>>().concat();
            let packed = lines.iter().map(|line| format!("X{line}\n")).collect::<Vec<_>>().concat();
            let file = |name| format!("sed 's/^X//' > '{name}' << 'END_OF_{name}'\n{packed}END_OF_{name}\n");
            let files = names.iter().map(file).collect::<Vec<_>>().concat();
            let shar = format!("#! /bin/sh\n# This is a shell archive.\n{files}");
            let files = shar_files(shar.as_bytes());
            prop_assert_eq!(files.len(), names.len());
            for (file, name) in files.iter().zip(&names) {
                prop_assert_eq!(file.name.as_slice(), name.as_bytes());
                prop_assert_eq!(file.octets.as_slice(), text.as_bytes());
                prop_assert_eq!(&file.fault, &None);
            }
        }
    }
}
