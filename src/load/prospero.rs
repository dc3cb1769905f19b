//! Loading from Prospero servers (RFC 1738, section 3.11).
//!
//! A directory is a menu of its links. An object is a menu of the supported access methods, and of its attributes; it
//! is loaded only after a person has chosen a method. Contents on the server itself are shown as a text.
//!
//! Of the fields of a URL, `OBJECT-VERSION` is sent in the request; the others are compared with the attributes of the
//! object.

mod access_method;

use ring::rand::{SecureRandom, SystemRandom};

use self::access_method::{AccessMethod, access_methods};
use super::menu_rows::MenuBuilder;
use super::words::text;
use super::{Failure, FailureKind, PageHead, Phase, Request, Sink, Stop};
use crate::document::Shape;
use crate::net::{Net, authority};
use crate::protocol::prospero::{
    Link, ObjectPart, PORT, ProsperoError, ProsperoRefusal, ProsperoReply, ask, list, object_info,
};
use crate::url::{Encoded, Parts, Prospero, Url, WaisTarget};

/// The name of the field that goes into the request.
const VERSION: &[u8] = b"OBJECT-VERSION";

/// Loads a `prospero:` URL.
pub(super) async fn load(
    net: &Net,
    request: &Request,
    url: Prospero<'_>,
    sink: &mut Sink,
) -> Result<(), Stop> {
    let target = ObjectTarget::of(&url);
    let (server, reply) = look_up(net, &url, &target, sink).await?;
    let about = match reply {
        ObjectReply::Directory(answer) => {
            let menu = directory(&server, &answer);
            return show(PageHead::new(Shape::Menu), &target, menu, sink).await;
        }
        ObjectReply::Object(about) => about,
    };
    let access_methods = access_methods(&about, server.host, &target.name);
    if access_methods.contains(&AccessMethod::Here) {
        let contents = target.info(ObjectPart::Contents)?;
        let contents = server.ask(&contents).await?;
        if let Some(text) = access_method::contents(&contents) {
            return show(PageHead::new(Shape::Text), &target, text, sink).await;
        }
    }
    let page_head = PageHead {
        url: Some(request.url.clone()),
        ..PageHead::new(Shape::Menu)
    };
    let menu = object(&target, &about, &access_methods);
    show(page_head, &target, menu, sink).await
}

/// Checks that an object exists: as a directory, and then by its attributes.
pub(super) async fn exists(net: &Net, url: &Prospero<'_>) -> Result<(), Stop> {
    let target = ObjectTarget::of(url);
    let found = look_up(net, url, &target, &Sink::discard()).await;
    found.map(drop)
}

/// The reply about an object.
enum ObjectReply {
    /// The links of a directory.
    Directory(ProsperoReply),
    /// The attributes of another object.
    Object(ProsperoReply),
}

/// Connects to the server of a URL, and requests an object: as a directory, and then by its attributes.
async fn look_up<'a>(
    net: &'a Net,
    url: &Prospero<'a>,
    target: &ObjectTarget,
    sink: &Sink,
) -> Result<(ProsperoServer<'a>, ObjectReply), Stop> {
    // The requests are built, and checked, before connecting.
    let listing = list(&target.name, target.version.as_deref()).map_err(Stop::from)?;
    let probing = target.info(ObjectPart::Attributes)?;
    let (host, port) = (url.address.node(), url.address.port().unwrap_or(PORT));
    sink.phase(Phase::Connecting).await?;
    let server = ProsperoServer {
        net,
        host,
        port,
        authority: authority(host, port),
        socket: net.datagrams(host, port).await?,
    };
    sink.phase(Phase::Waiting).await?;
    let answer = server.ask(&listing).await?;
    if !answer.links.is_empty() || answer.refusal.is_none() {
        return Ok((server, ObjectReply::Directory(answer)));
    }
    let about = server.ask(&probing).await?;
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

    /// Returns the request for a part of the object.
    fn info(&self, part: ObjectPart) -> Result<Vec<u8>, Stop> {
        object_info(part, &self.name, self.version.as_deref()).map_err(Stop::from)
    }
}

/// The server of a request.
struct ProsperoServer<'a> {
    net: &'a Net,
    host: &'a str,
    port: u16,
    authority: String,
    socket: tokio::net::UdpSocket,
}

impl ProsperoServer<'_> {
    async fn ask(&self, request: &[u8]) -> Result<ProsperoReply, Stop> {
        // The id is random, so that no other host can guess it.
        let mut id = [0; 2];
        let filled = SystemRandom::new().fill(&mut id);
        filled.map_err(|_| Failure::new("this system has no randomness"))?;
        let id = u16::from_be_bytes(id);
        let limits = self.net.limits();
        let answered = ask(&self.socket, request, id, &self.authority, limits).await;
        answered.map_err(|error| match error {
            ProsperoError::Net(error) => error.into(),
            ProsperoError::Malformed(_) | ProsperoError::Refused(_) | ProsperoError::TooLong(_) => {
                Failure::new(error.to_string())
                    .with_advice("another protocol may live on that port")
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
        match link_url(link, server) {
            Some(url) if kind != b'i' => menu.link(kind, &link.name, &url),
            Some(_) | None => menu.say(&[b"(", &*link.target, b") ", &*link.name].concat()),
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

/// Returns the menu of an object: its access methods, and its attributes.
fn object(
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
            AccessMethod::Here => {}
        }
    }
    let is_supported = |method: &AccessMethod| matches!(method, AccessMethod::Url(..));
    if !access_methods.iter().any(is_supported) {
        menu.say(b"The server tells of no way to it that can be gone from here.");
    }
    menu.say(b"");
    for attribute in &about.attributes {
        if attribute.name != b"ACCESS-METHOD" {
            let values = attribute.values.join(&b' ');
            menu.say(&[&*attribute.name, b": ", &values].concat());
        }
    }
    for (name, value) in &target.fields {
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
    match url.base_parts() {
        Parts::Gopher(gopher) => gopher.item_type(),
        Parts::Wais(wais) if wais.target == WaisTarget::Database => b'7',
        _ => b'0',
    }
}

/// Returns the URL of a link. An empty host means the server itself.
fn link_url(link: &Link, server: &ProsperoServer<'_>) -> Option<Url> {
    let (host, port) = access_method::host(&link.host)?;
    let (host, port) = match host.as_str() {
        "" => (server.host, Some(server.port)),
        host => (host, port),
    };
    Url::prospero(host, port, &link.object, link.version.as_deref()).ok()
}

fn refused(authority: &str, target: &ObjectTarget, refusal: Option<&ProsperoRefusal>) -> Failure {
    let name = text(&target.name);
    let sentence = match refusal.map(|refusal| refusal.code.as_slice()) {
        Some(b"NOT-FOUND") => format!("{authority} has no {name}"),
        Some(b"NOT-AUTHORIZED") => format!("{authority} does not show {name} to you"),
        Some(_) => format!("{authority} did not tell of {name}"),
        None => format!("{authority} says nothing of {name}"),
    };
    let failure = Failure::new(sentence).with_words(refusal.map(|refusal| text(&refusal.line)));
    match refusal {
        Some(refusal) if refusal.code == b"NOT-FOUND" => failure.with_kind(FailureKind::Missing),
        Some(_) | None => failure,
    }
}
