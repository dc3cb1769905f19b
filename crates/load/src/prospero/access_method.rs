//! The access methods of an object, from its ACCESS-METHOD attributes.
//!
//! ```text
//! value = method host-type host name-type name *extra      ; what is empty is that of the link
//! host  = name [ "(" port ")" ]
//! ```

use geomys_wire::protocol::prospero::{Attribute, ProsperoReply};
use rfc1738::{Dialect, FtpType, Scheme, Url};

/// An access method of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AccessMethod {
    /// A supported method: its label and the URL.
    Url(String, Url),
    /// The contents are on the Prospero server itself.
    Here,
    /// A method that Geomys does not support.
    Unspoken(Vec<u8>),
}

/// Returns the access methods of the object `name` of `host`, which has these attributes.
pub(super) fn access_methods(
    attributes: &[Attribute],
    host: &str,
    name: &[u8],
) -> Vec<AccessMethod> {
    let methods = attributes.iter();
    let methods = methods.filter(|attribute| attribute.name == b"ACCESS-METHOD");
    let methods = methods.filter_map(|attribute| access_method(&attribute.values, host, name));
    methods.collect()
}

fn access_method(values: &[Vec<u8>], host: &str, name: &[u8]) -> Option<AccessMethod> {
    let method = values.first()?;
    let word = |at: usize| values.get(at).filter(|word| !word.is_empty());
    let (there, port) = match word(2) {
        Some(named) => self::host(named)?,
        None => (host.to_owned(), None),
    };
    let name = word(4).map_or(name, Vec::as_slice);
    let extra = word(5);
    let url = match method.as_slice() {
        b"AFTP" => {
            let kind = match extra.map(Vec::as_slice) {
                Some(b"TEXT" | b"ASCII") => FtpType::Ascii,
                Some(_) | None => FtpType::Image,
            };
            ftp(&there, port, name, kind)
        }
        b"FTP" => ftp(&there, port, name, FtpType::Image),
        b"GOPHER" => {
            let gtype = extra.and_then(|extra| extra.first());
            let gtype = gtype.or(name.first()).copied().unwrap_or(b'1');
            Url::gopher(&there, port.unwrap_or(70), gtype, name).ok()
        }
        b"WAIS" => wais(&there, port, name, extra.map_or(b"TEXT", Vec::as_slice)),
        b"TELNET" => Url::on_server("telnet", &there, port, "").ok(),
        b"LOCAL" => local(&there, name),
        b"PROSPERO-CONTENTS" => return Some(AccessMethod::Here),
        _ => None,
    };
    let label = String::from_utf8_lossy(method).into_owned();
    Some(match url {
        Some(url) => AccessMethod::Url(format!("By {label}"), url),
        None => AccessMethod::Unspoken(method.clone()),
    })
}

/// Returns the URL of a path on an FTP server: a leading slash means its root (RFC 1738, section 3.2.2).
fn ftp(host: &str, port: Option<u16>, name: &[u8], kind: FtpType) -> Option<Url> {
    let mut url = Url::on_server("ftp", host, port, "").ok()?;
    let rooted = name.starts_with(b"/");
    let mut segments = name
        .split(|&octet| octet == b'/')
        .filter(|name| !name.is_empty());
    if rooted && let Some(first) = segments.next() {
        // The slash is part of the first segment, encoded.
        url = url.child(&[b"/", first].concat(), None).ok()?;
    }
    for segment in segments {
        url = url.child(segment, None).ok()?;
    }
    url.with_type(kind).ok()
}

/// Returns the URL of a file of a host.
fn local(host: &str, name: &[u8]) -> Option<Url> {
    let mut url = Url::on_server("file", host, None, "").ok()?;
    let segments = name.split(|&octet| octet == b'/');
    for segment in segments.filter(|name| !name.is_empty()) {
        url = url.child(segment, None).ok()?;
    }
    Some(url)
}

/// Returns the URL that an external link has instead of a name on a Prospero server.
pub(super) fn external(object: &[u8]) -> Option<Url> {
    let url = Dialect::ExtendedByBase.parse(object.trim_ascii()).ok()?;
    let is_known = url.scheme() != Scheme::Other || url.extension_scheme().is_some();
    is_known.then_some(url)
}

/// Returns the URL of a database, or of a document of this type in it: `database`, `database/id`.
fn wais(host: &str, port: Option<u16>, name: &[u8], wtype: &[u8]) -> Option<Url> {
    let name = name.strip_prefix(b"/").unwrap_or(name);
    let mut parts = name.splitn(2, |&octet| octet == b'/');
    let database = rfc1738::encoded(parts.next()?);
    let url = Url::on_server("wais", host, port, &database).ok()?;
    match parts.next() {
        Some(id) => {
            let [wtype, id] = [wtype, id].map(rfc1738::encoded);
            url.wais_document(&wtype, &id).ok()
        }
        None => Some(url),
    }
}

/// Parses a host and its optional port; None if the name is not a text, or the port is not a number.
pub(super) fn host(named: &[u8]) -> Option<(String, Option<u16>)> {
    let text = std::str::from_utf8(named).ok()?;
    match text.split_once('(') {
        None => Some((text.to_owned(), None)),
        Some((host, port)) => {
            let port = port.strip_suffix(')')?.parse().ok()?;
            Some((host.to_owned(), Some(port)))
        }
    }
}

/// Returns the contents of an object that the server itself has.
pub(super) fn contents(answer: &ProsperoReply) -> Option<Vec<u8>> {
    let mut attributes = answer.attributes.iter();
    let contents = attributes.find(|attribute| attribute.name == b"CONTENTS")?;
    let (kind, data) = contents.values.split_first()?;
    (kind == b"DATA").then(|| data.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn method_of(line: &str) -> String {
        let answer = format!("ATTRIBUTE OBJECT INTRINSIC ACCESS-METHOD SEQUENCE {line}\nSUCCESS\n");
        let answer = ProsperoReply::parse(answer.as_bytes()).unwrap();
        match access_methods(&answer.attributes, "p.example", b"/pub/README").as_slice() {
            [AccessMethod::Url(_, url)] => url.to_string(),
            [AccessMethod::Here] => "here".to_owned(),
            [AccessMethod::Unspoken(method)] => format!("unspoken {}", method.escape_ascii()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn methods_are_addresses() {
        for (line, url) in [
            (
                "AFTP INTERNET-D f.example ASCII /pub/a' b' BINARY",
                "ftp://f.example/%2Fpub/a%20b;type=i",
            ),
            (
                "AFTP '' '' '' '' TEXT",
                "ftp://p.example/%2Fpub/README;type=a",
            ),
            (
                "FTP INTERNET-D f.example(2121) ASCII pub/x",
                "ftp://f.example:2121/pub/x;type=i",
            ),
            (
                "GOPHER INTERNET-D g.example(7070) ASCII 0/about '' 0",
                "gopher://g.example:7070/00/about",
            ),
            (
                "GOPHER INTERNET-D g.example ASCII 1/dir",
                "gopher://g.example/11/dir",
            ),
            (
                "WAIS INTERNET-D w.example ASCII soil",
                "wais://w.example/soil",
            ),
            ("PROSPERO-CONTENTS '' '' '' ''", "here"),
            ("NFS INTERNET-D n.example ASCII /x", "unspoken NFS"),
            ("LOCAL '' '' '' ''", "file://p.example/pub/README"),
            (
                "LOCAL INTERNET-D l.example ASCII '/a b/c'",
                "file://l.example/a%20b/c",
            ),
            (
                "TELNET INTERNET-D t.example(2323) ASCII 'log in as guest'",
                "telnet://t.example:2323/",
            ),
            (
                "WAIS INTERNET-D w.example ASCII soil/7 GIF",
                "wais://w.example/soil/GIF/7",
            ),
        ] {
            assert_eq!(method_of(line), url, "{line}");
        }
        assert_eq!(host(b"h(x)"), None);
        assert_eq!(external(b"http://h/~a").map(|url| url.to_string()), None);
        assert_eq!(external(b"x-mine:y"), None);
        assert!(external(b" gopher://h/1/a ").is_some());
    }
}
