//! A reader of compressed WARC files, independent of the writer.

use std::collections::HashSet;
use std::fs;
use std::io::Read;
use std::path::Path;

use flate2::bufread::GzDecoder;
use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};

/// A record.
#[derive(Debug)]
pub struct WarcRecord {
    /// The fields of its head, in their order.
    pub fields: Vec<(String, String)>,
    /// Its block.
    pub block: Vec<u8>,
    /// The offset behind its member.
    pub end: usize,
}

impl WarcRecord {
    /// The value of a field.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.all(name).first().copied()
    }

    /// The values of a field that may stand more than once.
    pub fn all(&self, name: &str) -> Vec<&str> {
        let fields = self.fields.iter().filter(|(field, _)| field == name);
        fields.map(|(_, value)| value.as_str()).collect()
    }

    /// The type of the record.
    pub fn kind(&self) -> &str {
        self.field("WARC-Type").expect("a type")
    }

    /// The URL of the record.
    pub fn target(&self) -> &str {
        self.field("WARC-Target-URI").expect("a URL")
    }

    /// The block as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.block).into_owned()
    }
}

/// The records of a file, each of which is a member that ends where the next begins; their digests, ids and references
/// are right.
pub fn read(path: &Path) -> Vec<WarcRecord> {
    let octets = fs::read(path).unwrap();
    let (mut records, mut at) = (Vec::new(), 0);
    while at < octets.len() {
        let mut decoder = GzDecoder::new(&octets[at..]);
        let mut member = Vec::new();
        decoder.read_to_end(&mut member).expect("a whole member");
        at = octets.len() - decoder.into_inner().len();
        records.push(parse(&member, at));
    }
    let mut ids = HashSet::new();
    for record in &records {
        let block = digest(&SHA1_FOR_LEGACY_USE_ONLY, &record.block);
        let written = record.field("WARC-Block-Digest").expect("a digest");
        assert_eq!(sha1(written), block.as_ref(), "{record:?}");
        for name in ["WARC-Concurrent-To", "WARC-Warcinfo-ID"] {
            for reference in record.all(name) {
                assert!(ids.contains(reference), "{name} {record:?}");
            }
        }
        let id = record.field("WARC-Record-ID").expect("an id");
        assert!(id.starts_with("<urn:uuid:") && id.len() == 47, "{id}");
        assert!(ids.insert(id.to_owned()), "{id} twice");
    }
    records
}

fn parse(member: &[u8], end: usize) -> WarcRecord {
    let head = member
        .windows(4)
        .position(|four| four == b"\r\n\r\n")
        .unwrap();
    let text = std::str::from_utf8(&member[..head]).unwrap();
    let mut lines = text.split("\r\n");
    assert_eq!(lines.next(), Some("WARC/1.1"));
    let fields = lines.map(|line| line.split_once(": ").expect("a field"));
    let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let mut record = WarcRecord {
        fields: fields.collect(),
        block: Vec::new(),
        end,
    };
    let length: usize = record.field("Content-Length").unwrap().parse().unwrap();
    let block = &member[head + 4..];
    assert_eq!(&block[length..], b"\r\n\r\n", "{record:?}");
    block[..length].clone_into(&mut record.block);
    record
}

/// The octets of a digest in base32.
pub fn sha1(written: &str) -> Vec<u8> {
    let digits = written.strip_prefix("sha1:").expect("SHA-1");
    let digits = digits.bytes().map(|digit| match digit {
        b'A'..=b'Z' => digit - b'A',
        b'2'..=b'7' => digit - b'2' + 26,
        _ => panic!("{written}"),
    });
    let bits: Vec<u8> = digits
        .flat_map(|five| (0..5).rev().map(move |at| five >> at & 1))
        .collect();
    let octets = bits.chunks_exact(8);
    octets
        .map(|eight| eight.iter().fold(0, |sum, bit| sum << 1 | bit))
        .collect()
}
