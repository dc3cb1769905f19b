//! Replies of a Prospero server, and the words of their lines.
//!
//! ```text
//! LINK type target name host-type host name-type name version        ; type: L, U (a union) ...
//! ATTRIBUTE which precedence name [ "SEQUENCE" ] *value              ; which: LINK (the last one), OBJECT ...
//! FORWARDED host-type host name-type name [ version ]
//! NONE-FOUND / UNRESOLVED ... / WARNING ... / SUCCESS / FAILURE ... / ERROR ... / VERSION-NOT-SUPPORTED ...
//! line = word *( SP word ) LF
//! word = 1*( octet / quoted )          ; a quoted part may begin in the middle
//! quoted = "'" *( octet / "''" ) "'"   ; may contain blanks and LF; '' alone is empty, '' within is a quote
//! ```

/// A whole reply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProsperoReply {
    /// The links of a directory.
    pub links: Vec<Link>,
    /// The attributes of an object.
    pub attributes: Vec<Attribute>,
    /// The reason why the request failed.
    pub refusal: Option<ProsperoRefusal>,
    /// The new place of the object.
    pub forwarded: Option<Forwarding>,
    /// Other lines: warnings, names that were not resolved.
    pub remarks: Vec<Vec<u8>>,
}

/// A link to an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// The type of the target: DIRECTORY, FILE, DIRECTORY+FILE, OBJECT, EXTERNAL ...
    pub target: Vec<u8>,
    /// The name of the link.
    pub name: Vec<u8>,
    /// The host of the object, optionally with its port in parentheses.
    pub host: Vec<u8>,
    /// The name of the object on that host.
    pub object: Vec<u8>,
    /// The version of the object; `None` for any version.
    pub version: Option<Vec<u8>>,
    /// The attributes of the link.
    pub attributes: Vec<Attribute>,
}

/// The new place of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forwarding {
    /// The host, optionally with its port in parentheses.
    pub host: Vec<u8>,
    /// The name of the object on that host.
    pub object: Vec<u8>,
    /// The version of the object; `None` for any version.
    pub version: Option<Vec<u8>>,
}

/// An attribute of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attribute {
    /// The name.
    pub name: Vec<u8>,
    /// The values.
    pub values: Vec<Vec<u8>>,
}

/// The reason why a request failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProsperoRefusal {
    /// The code: `NOT-FOUND`, `NOT-AUTHORIZED`, `NOT-A-DIRECTORY`, or the text in its position.
    pub code: Vec<u8>,
    /// The whole line of the server.
    pub line: Vec<u8>,
}

impl ProsperoReply {
    /// Parses a reply; `None` if no line is valid.
    pub fn parse(text: &[u8]) -> Option<Self> {
        let mut answer = Self::default();
        let mut is_valid = false;
        for line in lines(text) {
            is_valid |= answer.add_line(&line);
        }
        is_valid.then_some(answer)
    }

    /// Adds a line; returns true if it is valid.
    fn add_line(&mut self, words: &[Vec<u8>]) -> bool {
        let Some((keyword, rest)) = words.split_first() else {
            return false;
        };
        match keyword.as_slice() {
            b"LINK" => self.links.extend(link(rest)),
            b"ATTRIBUTE" => {
                let of_link = rest.first().is_some_and(|which| which == b"LINK");
                let attributes = match self.links.last_mut().filter(|_| of_link) {
                    Some(link) => &mut link.attributes,
                    None => &mut self.attributes,
                };
                attributes.extend(attribute(rest));
            }
            b"FORWARDED" => match forwarding(rest) {
                Some(forwarding) => self.forwarded = Some(forwarding),
                None => self.remarks.push(words.join(&b' ')),
            },
            b"FAILURE" | b"ERROR" | b"VERSION-NOT-SUPPORTED" => {
                let code = match keyword.as_slice() {
                    b"FAILURE" => rest.first().cloned().unwrap_or_default(),
                    _ => keyword.clone(),
                };
                self.refusal = Some(ProsperoRefusal {
                    code,
                    line: words.join(&b' '),
                });
            }
            b"WARNING" | b"UNRESOLVED" => self.remarks.push(words.join(&b' ')),
            b"NONE-FOUND" | b"SUCCESS" | b"VERSION" | b"MULTI-PACKET" => {}
            _ => return false,
        }
        true
    }
}

fn link(words: &[Vec<u8>]) -> Option<Link> {
    let word = |at: usize| words.get(at).cloned();
    Some(Link {
        target: word(1)?,
        name: word(2)?,
        host: word(4)?,
        object: word(6)?,
        version: version(words.get(7)),
        attributes: Vec::new(),
    })
}

fn forwarding(words: &[Vec<u8>]) -> Option<Forwarding> {
    Some(Forwarding {
        host: words.get(1)?.clone(),
        object: words.get(3)?.clone(),
        version: version(words.get(4)),
    })
}

/// Returns a version; 0 means any.
fn version(word: Option<&Vec<u8>>) -> Option<Vec<u8>> {
    let version = word.filter(|version| !version.is_empty() && *version != b"0");
    version.cloned()
}

fn attribute(words: &[Vec<u8>]) -> Option<Attribute> {
    let (name, values) = words.get(2..)?.split_first()?;
    let values = match values {
        [first, rest @ ..] if first == b"SEQUENCE" => rest,
        values => values,
    };
    Some(Attribute {
        name: name.clone(),
        values: values.to_vec(),
    })
}

/// Returns a word to send, quoted if necessary.
pub(super) fn word(octets: &[u8]) -> Vec<u8> {
    let plain = |octet: &u8| !matches!(octet, 0..=b' ' | b'\'' | 0x7F);
    if !octets.is_empty() && octets.iter().all(plain) {
        return octets.to_vec();
    }
    let quotes: Vec<&[u8]> = octets.split(|&octet| octet == b'\'').collect();
    [
        b"'".as_slice(),
        quotes.join(b"''".as_slice()).as_slice(),
        b"'",
    ]
    .concat()
}

/// Splits a reply into lines, and lines into words. An unclosed quote extends to the end.
pub(super) fn lines(text: &[u8]) -> Vec<Vec<Vec<u8>>> {
    let mut lines = Vec::new();
    let mut words: Vec<Vec<u8>> = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut rest = text.iter().copied().peekable();
    let mut quoted = false;
    while let Some(octet) = rest.next() {
        match (octet, quoted) {
            (b'\'', true) if rest.peek() == Some(&b'\'') => {
                rest.next();
                word.get_or_insert_default().push(b'\'');
            }
            (b'\'', _) => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            (b' ' | b'\t', false) => words.extend(word.take()),
            (b'\n', false) => {
                words.extend(word.take());
                lines.push(std::mem::take(&mut words));
            }
            (b'\r' | 0, false) => {}
            (octet, _) => word.get_or_insert_default().push(octet),
        }
    }
    words.extend(word.take());
    if !words.is_empty() {
        lines.push(words);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_attributes_and_refusals_are_told_apart() {
        let text = b"LINK  L DIRECTORY dir1 INTERNET-D HOST(41525) ASCII '/a path' 0\n\
            LINK L FILE file INTERNET-D h ASCII /f 3\n\
            ATTRIBUTE OBJECT INTRINSIC SIZE SEQUENCE 15' bytes'\nWARNING be careful\nSUCCESS\n";
        let answer = ProsperoReply::parse(text).unwrap();
        let [first, second] = answer.links.as_slice() else {
            panic!("{:?}", answer.links);
        };
        assert_eq!(
            (first.host.as_slice(), first.object.as_slice()),
            (b"HOST(41525)".as_slice(), b"/a path".as_slice())
        );
        assert_eq!(
            (first.version.clone(), second.version.clone()),
            (None, Some(b"3".to_vec()))
        );
        assert_eq!(answer.attributes[0].name, b"SIZE");
        assert_eq!(answer.attributes[0].values, [b"15 bytes".to_vec()]);
        assert_eq!(answer.remarks, [b"WARNING be careful".to_vec()]);
        let failure = ProsperoReply::parse(b"FAILURE NOT-FOUND nothing here\n")
            .unwrap()
            .refusal
            .unwrap();
        assert_eq!(failure.code, b"NOT-FOUND");
        assert_eq!(failure.line, b"FAILURE NOT-FOUND nothing here");
        assert_eq!(ProsperoReply::parse(b"HTTP/1.0 400\n"), None);
        assert_eq!(ProsperoReply::parse(b""), None);
    }

    #[test]
    fn attributes_of_links_and_new_places_are_told_apart() {
        let text = b"LINK L EXTERNAL e INTERNET-D h ASCII x 0\nATTRIBUTE LINK FIELD ACCESS-METHOD AFTP\n\
            ATTRIBUTE OBJECT INTRINSIC SIZE 3\nFORWARDED INTERNET-D new.example(1) ASCII /y 2\nFORWARDED x\n";
        let answer = ProsperoReply::parse(text).unwrap();
        assert_eq!(answer.links[0].attributes[0].name, b"ACCESS-METHOD");
        assert_eq!(answer.attributes[0].name, b"SIZE");
        let forwarding = answer.forwarded.unwrap();
        assert_eq!(
            (forwarding.host.as_slice(), forwarding.object.as_slice()),
            (b"new.example(1)".as_slice(), b"/y".as_slice())
        );
        assert_eq!(forwarding.version, Some(b"2".to_vec()));
        assert_eq!(answer.remarks, [b"FORWARDED x".to_vec()]);
    }

    proptest::proptest! {
        #[test]
        fn any_octets_are_read(octets: Vec<u8>) {
            ProsperoReply::parse(&octets);
        }
    }

    #[test]
    fn quotes_may_begin_anywhere() {
        let read = |text: &str| {
            let lines = lines(text.as_bytes());
            let words = |words: &Vec<Vec<u8>>| {
                words
                    .iter()
                    .map(|word| String::from_utf8_lossy(word).into_owned())
                    .collect::<Vec<_>>()
            };
            lines.iter().map(words).collect::<Vec<_>>()
        };
        assert_eq!(
            read("SIZE SEQUENCE 15' bytes'\n"),
            [["SIZE", "SEQUENCE", "15 bytes"]]
        );
        assert_eq!(read("AFTP'/pub/README'"), [["AFTP/pub/README"]]);
        assert_eq!(read("a '' b"), [["a", "", "b"]]);
        assert_eq!(read("'it''s' x\ny\n"), [vec!["it's", "x"], vec!["y"]]);
        assert_eq!(
            read("DATA 'one\ntwo\n'\nSUCCESS\n"),
            [vec!["DATA", "one\ntwo\n"], vec!["SUCCESS"]]
        );
        assert_eq!(read("'no end x\n"), [["no end x\n"]]);
    }

    proptest::proptest! {
        #[test]
        fn what_is_quoted_is_read(words: Vec<Vec<u8>>) {
            let words: Vec<Vec<u8>> = words
                .into_iter()
                .map(|word| word.into_iter().filter(|octet| !matches!(octet, b'\r' | 0)).collect())
                .collect();
            let line: Vec<Vec<u8>> = words.iter().map(|octets| word(octets)).collect();
            let read = lines(&line.join(&b' '));
            proptest::prop_assert_eq!(read.into_iter().flatten().collect::<Vec<_>>(), words);
        }
    }
}
