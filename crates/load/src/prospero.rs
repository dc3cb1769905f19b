//! Loading from Prospero servers (RFC 1738, section 3.11).
//!
//! A directory is a menu of its links. An object is a menu of the supported access methods, and of its attributes; it
//! is loaded only after a person has chosen a method. Contents on the server itself are shown as a text if they are the
//! only way to the object. An object that the server forwards is loaded from its new place, like a redirect.
//!
//! Of the fields of a URL, `OBJECT-VERSION` is sent in the request; `ACCESS-METHOD=PROSPERO-CONTENTS` selects the
//! contents on the server; the others are compared with the attributes of the object.

mod access_method;

use std::sync::atomic::{AtomicU8, Ordering};

use geomys_wire::net::{RequestNet, authority};
use geomys_wire::protocol::prospero::{
    Forwarding, Link, ObjectPart, ProsperoError, ProsperoRefusal, ProsperoReply, ask, list,
    object_info,
};
use rfc1738::{Dialect, Encoded, FtpType, Parts, Prospero, Protocol, Url, WaisTarget};
use ring::rand::{SecureRandom, SystemRandom};

use self::access_method::{AccessMethod, access_methods};
use super::redirect::{Redirect, Redirects};
use super::words::MenuBuilder;
use super::words::text;
use super::{Failure, FailureKind, PageHead, Phase, Request, Sink, Stop};
use geomys_page::document::Shape;

/// The name of the field that goes into the request.
const VERSION: &[u8] = b"OBJECT-VERSION";

/// The field that selects one of the ways to an object, and the value for the contents on the server itself.
const METHOD: &[u8] = b"ACCESS-METHOD";
const CONTENTS: &[u8] = b"PROSPERO-CONTENTS";

/// Loads a `prospero:` URL.
pub(super) async fn load(net: &RequestNet, request: &Request, sink: &mut Sink) -> Result<(), Stop> {
    let mut redirects = Redirects::new(net, request);
    while let Some(to) = visit(&redirects.net, &redirects.here, &redirects.from, sink).await? {
        let redirect = Redirect {
            to,
            is_permanent: false,
            leaves: None,
        };
        redirects.follow(redirect, sink)?;
    }
    Ok(())
}

/// Shows the object of a URL; returns its new URL if it is forwarded.
async fn visit(
    net: &RequestNet,
    here: &Url,
    from: &[Url],
    sink: &mut Sink,
) -> Result<Option<Url>, Stop> {
    let Parts::Prospero(url) = here.base_parts() else {
        return Err(Failure::unsupported(here).into());
    };
    let target = ObjectTarget::of(&url);
    let (server, reply) = look_up(net, &url, &target, sink).await?;
    let page_head = |shape| PageHead {
        url: Some(here.clone()),
        from: from.to_vec(),
        ..PageHead::new(shape)
    };
    let about = match reply {
        ObjectReply::Forwarded(place) => {
            let url = server.url(&place.host, &place.object, place.version.as_deref());
            let unusable = || Failure::new("the server forwards to something that is not a URL");
            return Ok(Some(url.ok_or_else(unusable)?));
        }
        ObjectReply::Directory(answer) => {
            let menu = directory(&server, &answer);
            show(page_head(Shape::Menu), &target, menu, sink).await?;
            return Ok(None);
        }
        ObjectReply::Object(about) => about,
    };
    let access_methods = access_methods(&about.attributes, server.host, &target.name);
    let mut others = access_methods.iter();
    let is_wanted = target.wants_contents() || !others.any(|method| *method != AccessMethod::Here);
    if is_wanted && access_methods.contains(&AccessMethod::Here) {
        let contents = target.info(ObjectPart::Contents)?;
        let contents = server.ask(&contents).await?;
        if let Some(text) = access_method::contents(&contents) {
            show(page_head(Shape::Text), &target, text, sink).await?;
            return Ok(None);
        }
    }
    let menu = object(here, &target, &about, &access_methods);
    show(page_head(Shape::Menu), &target, menu, sink).await?;
    Ok(None)
}

/// The reply about an object.
enum ObjectReply {
    /// The links of a directory.
    Directory(ProsperoReply),
    /// The attributes of another object.
    Object(ProsperoReply),
    /// The new place of the object.
    Forwarded(Forwarding),
}

/// Connects to the server of a URL, and requests an object: as a directory, and then by its attributes.
async fn look_up<'a>(
    net: &'a RequestNet,
    url: &Prospero<'a>,
    target: &ObjectTarget,
    sink: &Sink,
) -> Result<(ProsperoServer<'a>, ObjectReply), Stop> {
    // The requests are built, and checked, before connecting.
    let listing = list(&target.name, target.version.as_deref()).map_err(Stop::from)?;
    let probing = target.info(ObjectPart::Attributes)?;
    let (host, port) = (url.address.node(), url.address.port());
    sink.phase(Phase::Connecting).await?;
    let server = ProsperoServer {
        net,
        host,
        port,
        authority: authority(host, port),
        socket: net.datagrams(host, port).await?,
        ids: RequestIds::random()?,
    };
    sink.phase(Phase::Waiting).await?;
    let answer = server.ask(&listing).await?;
    if answer.links.is_empty()
        && let Some(place) = answer.forwarded
    {
        return Ok((server, ObjectReply::Forwarded(place)));
    }
    if !answer.links.is_empty() || answer.refusal.is_none() {
        return Ok((server, ObjectReply::Directory(answer)));
    }
    let about = server.ask(&probing).await?;
    if let Some(place) = about.forwarded {
        return Ok((server, ObjectReply::Forwarded(place)));
    }
    if about.attributes.is_empty() {
        let refusal = about.refusal.or(answer.refusal);
        return Err(refused(&server.authority, target, refusal.as_ref()).into());
    }
    Ok((server, ObjectReply::Object(about)))
}

/// Shows a page about the target.
async fn show(
    page_head: PageHead,
    target: &ObjectTarget,
    octets: Vec<u8>,
    sink: &mut Sink,
) -> Result<(), Stop> {
    sink.begin(page_head.with_title(text(&target.name))).await?;
    sink.octets(octets).await
}

/// The target of a URL.
struct ObjectTarget {
    name: Vec<u8>,
    version: Option<Vec<u8>>,
    /// The other fields of the URL: names and values.
    fields: Vec<(Vec<u8>, Vec<u8>)>,
}

impl ObjectTarget {
    fn of(url: &Prospero<'_>) -> Self {
        let mut target = Self {
            name: url.path.octets().into_owned(),
            version: None,
            fields: Vec::new(),
        };
        let octets = |part: Encoded<'_>| part.octets().into_owned();
        for (name, value) in url.fields() {
            let (name, value) = (octets(name), octets(value));
            if name.eq_ignore_ascii_case(VERSION) {
                target.version = Some(value);
            } else {
                target.fields.push((name, value));
            }
        }
        target
    }

    /// Returns true if the URL names the contents on the server itself.
    fn wants_contents(&self) -> bool {
        let mut fields = self.fields.iter();
        fields.any(|(name, value)| name.eq_ignore_ascii_case(METHOD) && value == CONTENTS)
    }

    /// Returns the request for a part of the object.
    fn info(&self, part: ObjectPart) -> Result<Vec<u8>, Stop> {
        object_info(part, &self.name, self.version.as_deref()).map_err(Stop::from)
    }
}

/// The server of a request.
struct ProsperoServer<'a> {
    net: &'a RequestNet,
    host: &'a str,
    port: u16,
    authority: String,
    socket: tokio::net::UdpSocket,
    ids: RequestIds,
}

/// The connection ids of the requests on one socket. The first is random, as the port is, so that no other host can
/// guess both. The next ones differ, so that a late packet of one answer is never taken for a part of the next. The two
/// octets of an id are equal: dirsrv swaps them on a little-endian host where it answers the acknowledgement of a long
/// reply, and then finds no such exchange.
struct RequestIds(AtomicU8);

impl RequestIds {
    fn random() -> Result<Self, Failure> {
        let mut octet = [0];
        let filled = SystemRandom::new().fill(&mut octet);
        filled.map_err(|_| Failure::new("the system has no random bytes"))?;
        Ok(Self(AtomicU8::new(octet[0])))
    }

    /// Returns an id that is not 0, and that none of the last 254 requests had.
    fn next(&self) -> u16 {
        let step = |octet: u8| octet % u8::MAX + 1;
        let octet = self.0.update(Ordering::Relaxed, Ordering::Relaxed, step);
        u16::from_be_bytes([step(octet); 2])
    }
}

impl ProsperoServer<'_> {
    /// Returns the URL of an object. An empty host means the server itself.
    fn url(&self, host: &[u8], object: &[u8], version: Option<&[u8]>) -> Option<Url> {
        let (host, port) = access_method::host(host)?;
        let (host, port) = match host.as_str() {
            "" => (self.host, Some(self.port)),
            host => (host, port),
        };
        Url::prospero(host, port, object, version).ok()
    }

    async fn ask(&self, request: &[u8]) -> Result<ProsperoReply, Stop> {
        let id = self.ids.next();
        let limits = self.net.limits();
        let answered = ask(&self.socket, request, id, &self.authority, limits).await;
        answered.map_err(|error| match error {
            ProsperoError::Net(error) => error.into(),
            ProsperoError::Malformed(_) | ProsperoError::Refused(_) | ProsperoError::TooLong(_) => {
                Failure::new(error.to_string())
                    .with_advice("another protocol may use that port")
                    .into()
            }
        })
    }
}

/// Returns the menu of a directory.
fn directory(server: &ProsperoServer<'_>, answer: &ProsperoReply) -> Vec<u8> {
    let mut menu = MenuBuilder::default();
    for link in &answer.links {
        let kind = kind(link);
        let url = server.url(&link.host, &link.object, link.version.as_deref());
        match url.filter(|_| kind != b'i') {
            Some(url) => menu.link(kind, &link.name, &url),
            None => external(link, server, &mut menu),
        }
    }
    if answer.links.is_empty() {
        menu.say(b"Nothing is in this directory.");
    }
    for remark in &answer.remarks {
        menu.say(remark);
    }
    menu.0
}

/// Appends the rows of a link to something that is on no Prospero server: its access methods, or its URL.
fn external(link: &Link, server: &ProsperoServer<'_>, menu: &mut MenuBuilder) {
    let host = access_method::host(&link.host).map(|(host, _)| host);
    let host = host.filter(|host| !host.is_empty());
    let host = host.as_deref().unwrap_or(server.host);
    let mut urls: Vec<(Vec<u8>, Url)> = Vec::new();
    for method in access_methods(&link.attributes, host, &link.object) {
        if let AccessMethod::Url(label, url) = method {
            urls.push(([&*link.name, b" (", label.as_bytes(), b")"].concat(), url));
        }
    }
    if urls.is_empty() {
        let url = access_method::external(&link.object);
        urls.extend(url.map(|url| (link.name.clone(), url)));
    }
    for (label, url) in &urls {
        menu.link(kind_of(url), label, url);
    }
    if urls.is_empty() {
        menu.say(&[b"(", &*link.target, b") ", &*link.name].concat());
    }
}

/// Returns the menu of an object: its access methods, and its attributes.
fn object(
    here: &Url,
    target: &ObjectTarget,
    about: &ProsperoReply,
    access_methods: &[AccessMethod],
) -> Vec<u8> {
    let mut menu = MenuBuilder::default();
    for method in access_methods {
        match method {
            AccessMethod::Url(label, url) => menu.link(kind_of(url), label.as_bytes(), url),
            AccessMethod::Unspoken(method) => {
                menu.say(&[b"By ", &**method, b", which Geomys does not speak"].concat());
            }
            AccessMethod::Here => {
                let field = format!("{here};ACCESS-METHOD=PROSPERO-CONTENTS");
                if let Ok(url) = Dialect::Extended.parse(&field) {
                    menu.link(b'0', b"By PROSPERO-CONTENTS, from this server", &url);
                }
            }
        }
    }
    let is_supported = |method: &AccessMethod| !matches!(method, AccessMethod::Unspoken(_));
    if !access_methods.iter().any(is_supported) {
        menu.say(b"The server names no way to fetch it that Geomys supports.");
    }
    menu.say(b"");
    for attribute in &about.attributes {
        if attribute.name != b"ACCESS-METHOD" {
            let values = attribute.values.join(&b' ');
            menu.say(&[&*attribute.name, b": ", &values].concat());
        }
    }
    let fields = target.fields.iter();
    for (name, value) in fields.filter(|(name, _)| !name.eq_ignore_ascii_case(METHOD)) {
        let mut attributes = about.attributes.iter();
        let said = attributes.find(|attribute| attribute.name.eq_ignore_ascii_case(name));
        if said.is_none_or(|said| said.values.join(&b' ') != *value) {
            let field = [name.as_slice(), b"=", value].concat();
            menu.say(&[b"The address says ", &*field, b"; the server does not."].concat());
        }
    }
    menu.0
}

/// Returns the item type of the menu row for a link.
fn kind(link: &Link) -> u8 {
    match link.target.as_slice() {
        b"FILE" | b"OBJECT" | b"SYMBOLIC" => b'0',
        target if target.starts_with(b"DIRECTORY") => b'1',
        _ => b'i',
    }
}

/// Returns the item type of the menu row for an access method.
fn kind_of(url: &Url) -> u8 {
    match url.protocol() {
        Protocol::Gopher(gopher) | Protocol::Cso(gopher) => gopher.item_type(),
        Protocol::Ftp(ftp) => match ftp.kind {
            Some(FtpType::Ascii) => b'0',
            Some(FtpType::Directory) => b'1',
            Some(FtpType::Image) | None => b'9',
        },
        Protocol::Wais(wais) => match wais.target {
            WaisTarget::Database | WaisTarget::Search(_) => b'7',
            WaisTarget::Document { wtype, .. } | WaisTarget::Fields { wtype, .. } => {
                match wtype.octets().to_ascii_uppercase().as_slice() {
                    b"TEXT" => b'0',
                    b"HTML" => b'h',
                    b"GIF" => b'g',
                    _ => b'9',
                }
            }
        },
        Protocol::Telnet(_) => b'8',
        Protocol::Http(_) => b'h',
        Protocol::Prospero(_) => b'1',
        Protocol::Nntp(_)
        | Protocol::Gemini(_)
        | Protocol::Titan(_)
        | Protocol::Spartan(_)
        | Protocol::Nex(_)
        | Protocol::Finger(_)
        | Protocol::File(_)
        | Protocol::Mailto(_)
        | Protocol::Other(_) => b'0',
    }
}

fn refused(authority: &str, target: &ObjectTarget, refusal: Option<&ProsperoRefusal>) -> Failure {
    let name = text(&target.name);
    let sentence = match refusal.map(|refusal| refusal.code.as_slice()) {
        Some(b"NOT-FOUND") => format!("{authority} has no {name}"),
        Some(b"NOT-AUTHORIZED") => format!("{authority} denies access to {name}"),
        Some(_) => format!("{authority} gave no information about {name}"),
        None => format!("{authority} has no information about {name}"),
    };
    let failure = Failure::new(sentence).with_words(refusal.map(|refusal| text(&refusal.line)));
    match refusal {
        Some(refusal) if refusal.code == b"NOT-FOUND" => failure.with_kind(FailureKind::Missing),
        Some(_) | None => failure,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::atomic::AtomicU8;

    use super::RequestIds;

    #[test]
    fn consecutive_requests_have_different_ids_of_two_equal_octets() {
        for first in 0..=u8::MAX {
            let ids = RequestIds(AtomicU8::new(first));
            let ids: BTreeSet<u16> = (0..255).map(|_| ids.next()).collect();
            assert_eq!(ids.len(), 255);
            let has_equal_octets = |id: &u16| id >> 8 == id & 0xff && *id != 0;
            assert!(ids.iter().all(has_equal_octets));
        }
    }
}
