//! What a server answers.
//!
//! ```text
//! LINK type target name host-type host name-type name version        ; type: L, U (a union) ...
//! ATTRIBUTE which precedence name [ "SEQUENCE" ] *value
//! NONE-FOUND / UNRESOLVED ... / FORWARDED ... / WARNING ... / SUCCESS / FAILURE ... / ERROR ... / VERSION-NOT-SUPPORTED ...
//! ```

use super::words::lines;

/// An answer, whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// What a directory holds.
    pub links: Vec<Link>,
    /// What is said of an object.
    pub attributes: Vec<Attribute>,
    /// Why it is not more.
    pub refusal: Option<Refusal>,
    /// What else is said: warnings, names that were not resolved.
    pub remarks: Vec<Vec<u8>>,
}

/// A link to an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// What it leads to: DIRECTORY, FILE, DIRECTORY+FILE, OBJECT, EXTERNAL ...
    pub target: Vec<u8>,
    /// What it is called here.
    pub name: Vec<u8>,
    /// The host that has it, with its port in parentheses, perhaps.
    pub host: Vec<u8>,
    /// What it is called there.
    pub object: Vec<u8>,
    /// Which version of it; nothing for whichever there is.
    pub version: Option<Vec<u8>>,
}

/// Something that is said of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attribute {
    /// Its name.
    pub name: Vec<u8>,
    /// Its values.
    pub values: Vec<Vec<u8>>,
}

/// Why a request was not answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// `NOT-FOUND`, `NOT-AUTHORIZED`, `NOT-A-DIRECTORY` and the like, or what stands in the place of one.
    pub code: Vec<u8>,
    /// The server's line.
    pub words: Vec<u8>,
}

impl Answer {
    /// Reads an answer; nothing where no line of it is one.
    pub fn parse(text: &[u8]) -> Option<Self> {
        let mut answer = Self::default();
        let mut is_one = false;
        for line in lines(text) {
            let Some((keyword, rest)) = line.split_first() else {
                continue;
            };
            is_one |= answer.line(keyword, rest);
        }
        is_one.then_some(answer)
    }

    /// Takes a line; whether it is one of this protocol.
    fn line(&mut self, keyword: &[u8], rest: &[Vec<u8>]) -> bool {
        match keyword {
            b"LINK" => self.links.extend(link(rest)),
            b"ATTRIBUTE" => self.attributes.extend(attribute(rest)),
            b"FAILURE" | b"ERROR" | b"VERSION-NOT-SUPPORTED" => {
                self.refusal = Some(Refusal {
                    code: match keyword {
                        b"FAILURE" => rest.first().cloned().unwrap_or_default(),
                        _ => keyword.to_vec(),
                    },
                    words: [vec![keyword.to_vec()], rest.to_vec()].concat().join(&b' '),
                });
            }
            b"WARNING" | b"UNRESOLVED" | b"FORWARDED" => {
                let words = [vec![keyword.to_vec()], rest.to_vec()].concat();
                self.remarks.push(words.join(&b' '));
            }
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
    let name = words.get(2)?.clone();
    let values = words.get(3..).unwrap_or_default();
    let is_sequence = values.first().is_some_and(|word| word == b"SEQUENCE");
    let values = values.get(usize::from(is_sequence)..).unwrap_or_default();
    Some(Attribute {
        name,
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
        let answer = Answer::parse(text).unwrap();
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
        let failure = Answer::parse(b"FAILURE NOT-FOUND nothing here\n")
            .unwrap()
            .refusal
            .unwrap();
        assert_eq!(failure.code, b"NOT-FOUND");
        assert_eq!(failure.words, b"FAILURE NOT-FOUND nothing here");
        assert_eq!(Answer::parse(b"HTTP/1.0 400\n"), None);
        assert_eq!(Answer::parse(b""), None);
    }

    proptest::proptest! {
        #[test]
        fn any_octets_are_read(octets: Vec<u8>) {
            Answer::parse(&octets);
        }
    }
}
