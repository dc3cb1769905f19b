//! Loading from Prospero servers (RFC 1738, section 3.11).
//!
//! A directory is a menu of its links. An object is a menu too: of the ways to it that Geomys speaks, and of what is said of
//! it; nobody is asked for it before a person chooses one. What the server itself holds is shown as a text.
//!
//! Of the fields of a URL `OBJECT-VERSION` goes into the request; any other is compared with what is said of the object.

mod way;

use ring::rand::{SecureRandom, SystemRandom};

use self::way::{Way, ways};
use super::{Begin, Failure, FailureKind, Phase, Request, Sink, Stop};
use crate::document::Shape;
use crate::net::{Limits, Net, place};
use crate::protocol::prospero::{
    Answer, Link, Look, PORT, ProsperoError, Refusal, ask, list, look,
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
    let wanted = Wanted::of(&url);
    let (host, port) = (url.address.node(), url.address.port().unwrap_or(PORT));
    let server = Server {
        net,
        host,
        port,
        place: place(host, port),
    };
    // What may not be sent is found before anybody is asked.
    let version = wanted.version.as_deref();
    let listing = list(&wanted.name, version).map_err(Stop::from)?;
    let looking = look(Look::Attributes, &wanted.name, version).map_err(Stop::from)?;
    sink.phase(Phase::Connecting).await?;
    let socket = net.datagrams(host, port).await?;
    sink.phase(Phase::Waiting).await?;
    let answer = server.ask(&socket, &listing).await?;
    if !answer.links.is_empty() || answer.refusal.is_none() {
        return directory(&server, &wanted, &answer, sink).await;
    }
    let about = server.ask(&socket, &looking).await?;
    if about.attributes.is_empty() {
        let refusal = about.refusal.or(answer.refusal);
        return Err(refused(&server.place, &wanted, refusal.as_ref()).into());
    }
    let ways = ways(&about, host, &wanted.name);
    if ways.iter().any(|way| matches!(way, Way::Here)) {
        let contents = look(Look::Contents, &wanted.name, version).map_err(Stop::from)?;
        let contents = server.ask(&socket, &contents).await?;
        if let Some(text) = way::contents(&contents) {
            sink.begin(Begin {
                title: Some(shown(&wanted.name)),
                ..Begin::new(Shape::Text)
            })
            .await?;
            return sink.octets(text).await;
        }
    }
    object(request, &wanted, &about, &ways, sink).await
}

/// Asks whether an object is there: as a directory, and then for what is said of it.
pub(super) async fn is_there(net: &Net, url: &Prospero<'_>) -> Result<(), Stop> {
    let wanted = Wanted::of(url);
    let (host, port) = (url.address.node(), url.address.port().unwrap_or(PORT));
    let server = Server {
        net,
        host,
        port,
        place: place(host, port),
    };
    let version = wanted.version.as_deref();
    let listing = list(&wanted.name, version).map_err(Stop::from)?;
    let looking = look(Look::Attributes, &wanted.name, version).map_err(Stop::from)?;
    let socket = net.datagrams(host, port).await?;
    let answer = server.ask(&socket, &listing).await?;
    if !answer.links.is_empty() || answer.refusal.is_none() {
        return Ok(());
    }
    let about = server.ask(&socket, &looking).await?;
    if about.attributes.is_empty() {
        let refusal = about.refusal.or(answer.refusal);
        return Err(refused(&server.place, &wanted, refusal.as_ref()).into());
    }
    Ok(())
}

/// What a URL names.
struct Wanted {
    name: Vec<u8>,
    version: Option<Vec<u8>>,
    /// What else it says of the object: names and values.
    fields: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Wanted {
    fn of(url: &Prospero<'_>) -> Self {
        let mut wanted = Self {
            name: url.path.octets().into_owned(),
            version: None,
            fields: Vec::new(),
        };
        let octets = |part: Encoded<'_>| part.octets().into_owned();
        for (name, value) in url.fields() {
            let (name, value) = (octets(name), octets(value));
            if name.eq_ignore_ascii_case(VERSION) {
                wanted.version = Some(value);
            } else {
                wanted.fields.push((name, value));
            }
        }
        wanted
    }
}

/// Whom to ask.
struct Server<'a> {
    net: &'a Net,
    host: &'a str,
    port: u16,
    place: String,
}

impl Server<'_> {
    async fn ask(&self, socket: &tokio::net::UdpSocket, request: &[u8]) -> Result<Answer, Stop> {
        // Whoever is not asked must not guess it.
        let mut id = [0; 2];
        let filled = SystemRandom::new().fill(&mut id);
        filled.map_err(|_| Failure::new("this system has no randomness"))?;
        let id = u16::from_be_bytes(id);
        let limits: &Limits = self.net.limits();
        let asked = ask(socket, request, id, &self.place, limits).await;
        asked.map_err(|error| match error {
            ProsperoError::Net(error) => error.into(),
            ProsperoError::Odd(_) | ProsperoError::Refused(_) | ProsperoError::Long(_) => {
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
    server: &Server<'_>,
    wanted: &Wanted,
    answer: &Answer,
    sink: &mut Sink,
) -> Result<(), Stop> {
    let mut menu = Menu::default();
    for link in &answer.links {
        let kind = kind(link);
        match target(link, server) {
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
    sink.begin(Begin {
        title: Some(shown(&wanted.name)),
        ..Begin::new(Shape::Menu)
    })
    .await?;
    sink.octets(menu.0).await
}

/// Shows the ways to an object, and what is said of it.
async fn object(
    request: &Request,
    wanted: &Wanted,
    about: &Answer,
    ways: &[Way],
    sink: &mut Sink,
) -> Result<(), Stop> {
    let mut menu = Menu::default();
    let mut known = 0;
    for way in ways {
        match way {
            Way::Url(label, url) => {
                known += 1;
                menu.link(kind_of(url), label.as_bytes(), url);
            }
            Way::Unspoken(method) => {
                menu.say(&[b"By ".as_slice(), method, b", which Geomys does not speak"].concat());
            }
            Way::Here => {}
        }
    }
    if known == 0 {
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
    for (name, value) in &wanted.fields {
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
    sink.begin(Begin {
        title: Some(shown(&wanted.name)),
        url: Some(request.url.clone()),
        ..Begin::new(Shape::Menu)
    })
    .await?;
    sink.octets(menu.0).await
}

/// The type of a menu's row for what a link leads to.
fn kind(link: &Link) -> u8 {
    match link.target.as_slice() {
        b"FILE" | b"OBJECT" | b"SYMBOLIC" => b'0',
        target if target.starts_with(b"DIRECTORY") => b'1',
        _ => b'i',
    }
}

/// The type of a menu's row for a way to an object.
fn kind_of(url: &Url) -> u8 {
    match url.reading() {
        Parts::Gopher(gopher) => gopher.item_type(),
        Parts::Wais(wais) if wais.target == WaisTarget::Database => b'7',
        _ => b'0',
    }
}

/// Where a link leads. A host that is not named is the server's own.
fn target(link: &Link, server: &Server<'_>) -> Option<Url> {
    let (host, port) = way::host(&link.host)?;
    let (host, port) = if host.is_empty() {
        (server.host.to_owned(), Some(server.port))
    } else {
        (host, port)
    };
    let url = Url::prospero(&host, port, &link.object, link.version.as_deref());
    url.ok()
}

fn refused(place: &str, wanted: &Wanted, refusal: Option<&Refusal>) -> Failure {
    let name = shown(&wanted.name);
    let what = match refusal.map(|refusal| refusal.code.as_slice()) {
        Some(b"NOT-FOUND") => format!("{place} has no {name}"),
        Some(b"NOT-AUTHORIZED") => format!("{place} does not show {name} to you"),
        Some(_) => format!("{place} did not tell of {name}"),
        None => format!("{place} says nothing of {name}"),
    };
    let is_missing = refusal.is_some_and(|refusal| refusal.code == b"NOT-FOUND");
    Failure {
        kind: if is_missing {
            FailureKind::Missing
        } else {
            FailureKind::Permanent
        },
        said: refusal
            .iter()
            .map(|refusal| shown(&refusal.words))
            .collect(),
        ..Failure::new(what)
    }
}

fn shown(octets: &[u8]) -> Text {
    Text::new(octets, Charset::default())
}

/// Lines of a menu.
#[derive(Default)]
struct Menu(Vec<u8>);

impl Menu {
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
