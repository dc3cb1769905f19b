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
use super::{Failure, FailureKind, PageHead, Phase, Request, Sink, Stop};
use crate::document::Shape;
use crate::net::{Limits, Net, authority};
use crate::protocol::prospero::{
    Link, ObjectPart, PORT, ProsperoError, ProsperoRefusal, ProsperoReply, ask, list, object_info,
};
use crate::text::{Charset, Text};
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
    let (host, port) = (url.address.node(), url.address.port().unwrap_or(PORT));
    let server = ProsperoServer {
        net,
        host,
        port,
        authority: authority(host, port),
    };
    // The requests are built, and checked, before connecting.
    let version = target.version.as_deref();
    let listing = list(&target.name, version).map_err(Stop::from)?;
    let probing = object_info(ObjectPart::Attributes, &target.name, version).map_err(Stop::from)?;
    sink.phase(Phase::Connecting).await?;
    let socket = net.datagrams(host, port).await?;
    sink.phase(Phase::Waiting).await?;
    let answer = server.ask(&socket, &listing).await?;
    if !answer.links.is_empty() || answer.refusal.is_none() {
        return directory(&server, &target, &answer, sink).await;
    }
    let about = server.ask(&socket, &probing).await?;
    if about.attributes.is_empty() {
        let refusal = about.refusal.or(answer.refusal);
        return Err(refused(&server.authority, &target, refusal.as_ref()).into());
    }
    let access_methods = access_methods(&about, host, &target.name);
    if access_methods
        .iter()
        .any(|method| matches!(method, AccessMethod::Here))
    {
        let contents =
            object_info(ObjectPart::Contents, &target.name, version).map_err(Stop::from)?;
        let contents = server.ask(&socket, &contents).await?;
        if let Some(text) = access_method::contents(&contents) {
            sink.begin(PageHead {
                title: Some(shown(&target.name)),
                ..PageHead::new(Shape::Text)
            })
            .await?;
            return sink.octets(text).await;
        }
    }
    object(request, &target, &about, &access_methods, sink).await
}

/// Checks that an object exists: as a directory, and then by its attributes.
pub(super) async fn exists(net: &Net, url: &Prospero<'_>) -> Result<(), Stop> {
    let target = ObjectTarget::of(url);
    let (host, port) = (url.address.node(), url.address.port().unwrap_or(PORT));
    let server = ProsperoServer {
        net,
        host,
        port,
        authority: authority(host, port),
    };
    let version = target.version.as_deref();
    let listing = list(&target.name, version).map_err(Stop::from)?;
    let probing = object_info(ObjectPart::Attributes, &target.name, version).map_err(Stop::from)?;
    let socket = net.datagrams(host, port).await?;
    let answer = server.ask(&socket, &listing).await?;
    if !answer.links.is_empty() || answer.refusal.is_none() {
        return Ok(());
    }
    let about = server.ask(&socket, &probing).await?;
    if about.attributes.is_empty() {
        let refusal = about.refusal.or(answer.refusal);
        return Err(refused(&server.authority, &target, refusal.as_ref()).into());
    }
    Ok(())
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
}

/// The server of a request.
struct ProsperoServer<'a> {
    net: &'a Net,
    host: &'a str,
    port: u16,
    authority: String,
}

impl ProsperoServer<'_> {
    async fn ask(
        &self,
        socket: &tokio::net::UdpSocket,
        request: &[u8],
    ) -> Result<ProsperoReply, Stop> {
        // The id is random, so that no other host can guess it.
        let mut id = [0; 2];
        let filled = SystemRandom::new().fill(&mut id);
        filled.map_err(|_| Failure::new("this system has no randomness"))?;
        let id = u16::from_be_bytes(id);
        let limits: &Limits = self.net.limits();
        let answered = ask(socket, request, id, &self.authority, limits).await;
        answered.map_err(|error| match error {
            ProsperoError::Net(error) => error.into(),
            ProsperoError::Malformed(_) | ProsperoError::Refused(_) | ProsperoError::TooLong(_) => {
                Stop::Failed(Failure {
                    advice: Some("another protocol may live on that port"),
                    ..Failure::new(error.to_string())
                })
            }
        })
    }
}

/// Shows a directory.
async fn directory(
    server: &ProsperoServer<'_>,
    target: &ObjectTarget,
    answer: &ProsperoReply,
    sink: &mut Sink,
) -> Result<(), Stop> {
    let mut menu = MenuBuilder::default();
    for link in &answer.links {
        let kind = kind(link);
        match link_url(link, server) {
            Some(url) if kind != b'i' => menu.link(kind, &link.name, &url),
            Some(_) | None => {
                let target = [b"(", link.target.as_slice(), b") "].concat();
                menu.say(&[&target, link.name.as_slice()].concat());
            }
        }
    }
    if answer.links.is_empty() {
        menu.say(b"Nothing is in this directory.");
    }
    for remark in &answer.remarks {
        menu.say(remark);
    }
    sink.begin(PageHead {
        title: Some(shown(&target.name)),
        ..PageHead::new(Shape::Menu)
    })
    .await?;
    sink.octets(menu.0).await
}

/// Shows the access methods of an object, and its attributes.
async fn object(
    request: &Request,
    target: &ObjectTarget,
    about: &ProsperoReply,
    access_methods: &[AccessMethod],
    sink: &mut Sink,
) -> Result<(), Stop> {
    let mut menu = MenuBuilder::default();
    let mut supported = 0;
    for method in access_methods {
        match method {
            AccessMethod::Url(label, url) => {
                supported += 1;
                menu.link(kind_of(url), label.as_bytes(), url);
            }
            AccessMethod::Unspoken(method) => {
                menu.say(&[b"By ".as_slice(), method, b", which Geomys does not speak"].concat());
            }
            AccessMethod::Here => {}
        }
    }
    if supported == 0 {
        menu.say(b"The server tells of no way to it that can be gone from here.");
    }
    menu.say(b"");
    for attribute in &about.attributes {
        if attribute.name == b"ACCESS-METHOD" {
            continue;
        }
        let values = attribute.values.join(&b' ');
        menu.say(&[&attribute.name, b": ".as_slice(), &values].concat());
    }
    for (name, value) in &target.fields {
        let said = about
            .attributes
            .iter()
            .find(|attribute| attribute.name.eq_ignore_ascii_case(name));
        let is_other = said.is_none_or(|said| said.values.join(&b' ') != *value);
        if is_other {
            let words = [
                b"The address says ",
                name.as_slice(),
                b"=",
                value,
                b"; the server does not.",
            ];
            menu.say(&words.concat());
        }
    }
    sink.begin(PageHead {
        title: Some(shown(&target.name)),
        url: Some(request.url.clone()),
        ..PageHead::new(Shape::Menu)
    })
    .await?;
    sink.octets(menu.0).await
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
    let (host, port) = if host.is_empty() {
        (server.host.to_owned(), Some(server.port))
    } else {
        (host, port)
    };
    let url = Url::prospero(&host, port, &link.object, link.version.as_deref());
    url.ok()
}

fn refused(authority: &str, target: &ObjectTarget, refusal: Option<&ProsperoRefusal>) -> Failure {
    let name = shown(&target.name);
    let what = match refusal.map(|refusal| refusal.code.as_slice()) {
        Some(b"NOT-FOUND") => format!("{authority} has no {name}"),
        Some(b"NOT-AUTHORIZED") => format!("{authority} does not show {name} to you"),
        Some(_) => format!("{authority} did not tell of {name}"),
        None => format!("{authority} says nothing of {name}"),
    };
    let is_missing = refusal.is_some_and(|refusal| refusal.code == b"NOT-FOUND");
    Failure {
        kind: if is_missing {
            FailureKind::Missing
        } else {
            FailureKind::Permanent
        },
        said: refusal.iter().map(|refusal| shown(&refusal.line)).collect(),
        ..Failure::new(what)
    }
}

fn shown(octets: &[u8]) -> Text {
    Text::new(octets, Charset::default())
}

/// The lines of a menu.
#[derive(Default)]
struct MenuBuilder(Vec<u8>);

impl MenuBuilder {
    fn link(&mut self, kind: u8, label: &[u8], url: &Url) {
        self.0.push(kind);
        self.text(label);
        self.0.extend_from_slice(b"\tURL:");
        self.0.extend_from_slice(url.as_str().as_bytes());
        self.0.extend_from_slice(b"\t\t0\r\n");
    }

    fn say(&mut self, line: &[u8]) {
        self.0.push(b'i');
        self.text(line);
        self.0.extend_from_slice(b"\t\t\t0\r\n");
    }

    fn text(&mut self, octets: &[u8]) {
        let blank = |&octet: &u8| if octet < b' ' { b' ' } else { octet };
        self.0.extend(octets.iter().map(blank));
    }
}
