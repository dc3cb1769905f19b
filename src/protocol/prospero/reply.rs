//! Replies of a Prospero server.
//!
//! ```text
//! LINK type target name host-type host name-type name version        ; type: L, U (a union) ...
//! ATTRIBUTE which precedence name [ "SEQUENCE" ] *value
//! NONE-FOUND / UNRESOLVED ... / FORWARDED ... / WARNING ... / SUCCESS / FAILURE ... / ERROR ... / VERSION-NOT-SUPPORTED ...
//! ```

use super::words::lines;

/// A whole reply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProsperoReply {
    /// The links of a directory.
    pub links: Vec<Link>,
    /// The attributes of an object.
    pub attributes: Vec<Attribute>,
    /// The reason why the request failed.
    pub refusal: Option<ProsperoRefusal>,
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
            b"ATTRIBUTE" => self.attributes.extend(attribute(rest)),
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
            b"WARNING" | b"UNRESOLVED" | b"FORWARDED" => self.remarks.push(words.join(&b' ')),
            b"NONE-FOUND" | b"SUCCESS" | b"VERSION" | b"MULTI-PACKET" => {}
            _ => return false,
        }
        true
    }
}

fn link(words: &[Vec<u8>]) -> Option<Link> {
    let word = |at: usize| words.get(at).cloned();
    let version = word(7).filter(|version| !version.is_empty() && version != b"0");
    Some(Link {
        target: word(1)?,
        name: word(2)?,
        host: word(4)?,
        object: word(6)?,
        version,
    })
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

    proptest::proptest! {
        #[test]
        fn any_octets_are_read(octets: Vec<u8>) {
            ProsperoReply::parse(&octets);
        }
    }
}
