//! A small FTP server with its own tree, which can interrupt transfers.

use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

/// A connection, with or without TLS.
trait Wire: AsyncRead + AsyncWrite + Unpin + Send {}
impl<W: AsyncRead + AsyncWrite + Unpin + Send> Wire for W {}

/// A node of the server's tree.
pub enum Node {
    /// A file with these octets.
    File(Vec<u8>),
    /// A directory, with its lines of LIST.
    Directory(Vec<u8>),
    /// A symlink to this path.
    Link(&'static str),
}

/// The answer to REST.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RestartSupport {
    #[default]
    /// RFC 3659, section 5.
    Supported,
    /// REST is refused as unknown.
    Refused,
    /// REST is accepted, and the whole file is sent anyway.
    Ignored,
}

/// The answer to SIZE.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SizeSupport {
    #[default]
    /// RFC 3659, section 4.
    Supported,
    /// SIZE is refused as unknown.
    Refused,
    /// SIZE is refused after the replies of `sizes`.
    RefusedLater,
}

/// The faults and features of the server.
#[derive(Default)]
pub struct ServerBehavior {
    /// The octets after which the first, the second, … transfer of a file is interrupted.
    pub cuts: Vec<usize>,
    /// Such a transfer stalls, and its connections stay open.
    pub stalls: bool,
    /// The answer to REST.
    pub restart: RestartSupport,
    /// The answer to SIZE.
    pub size: SizeSupport,
    /// The reply to SIZE, instead of the real size.
    pub announced: Option<usize>,
    /// The first replies to SIZE, instead of the real size; later ones tell `announced` or the real size.
    pub sizes: Vec<usize>,
    /// TLS after AUTH, by this acceptor, for data too.
    pub tls: Option<TlsAcceptor>,
    /// Data over TLS ends without `close_notify`.
    pub no_close_notify: bool,
    /// The reply to NLST, for every directory.
    pub names: Option<&'static str>,
    /// The reply to MDTM.
    pub modified: Option<&'static str>,
    /// The highest number of connections at once; further ones are refused with 421.
    pub connections: Option<usize>,
}

/// A running FTP server with a tree of files.
pub struct Archive {
    address: SocketAddr,
    tree: Arc<Tree>,
    _serving: JoinSet<()>,
}

struct Tree {
    nodes: Mutex<HashMap<&'static str, Node>>,
    behavior: Mutex<ServerBehavior>,
    /// Every received command.
    commands: Mutex<Vec<String>>,
    /// The number of connections now, and of refused ones.
    connections: Mutex<(usize, usize)>,
}

/// Test octets that never repeat the previous one.
pub fn test_octets(length: usize) -> Vec<u8> {
    let octet = |at: usize| u8::try_from((at * 7 + at / 256) % 256).unwrap();
    (0..length).map(octet).collect()
}

/// A line of LIST.
pub fn line(kind: &str, size: usize, name: &[u8]) -> Vec<u8> {
    let mut line = format!("{kind} 1 ftp ftp {size} Mar 14 1994 ").into_bytes();
    line.extend_from_slice(name);
    line.extend_from_slice(b"\r\n");
    line
}

impl Archive {
    /// Serves `a` of this size, `sub/b` and `sub/c`.
    pub async fn of_a_tree(size: usize) -> Self {
        let listing = [
            line("-rw-r--r--", size, b"a"),
            line("drwxr-xr-x", 0, b"sub"),
        ]
        .concat();
        let sub = [line("-rw-r--r--", 3, b"b"), line("-rw-r--r--", 3, b"c")].concat();
        let nodes = [
            ("/pub", Node::Directory(listing)),
            ("/pub/a", Node::File(test_octets(size))),
            ("/pub/sub", Node::Directory(sub)),
            ("/pub/sub/b", Node::File(test_octets(3))),
            ("/pub/sub/c", Node::File(test_octets(3))),
        ];
        let behavior = ServerBehavior {
            modified: Some("20261120184501"),
            ..ServerBehavior::default()
        };
        Self::start(nodes, behavior).await
    }

    /// Serves one file, `/a`.
    pub async fn of_one_file(behavior: ServerBehavior) -> Self {
        Self::start([("/a", Node::File(test_octets(50_000)))], behavior).await
    }

    /// Serves `nodes`, each a path and what is there.
    pub async fn start(
        nodes: impl IntoIterator<Item = (&'static str, Node)>,
        behavior: ServerBehavior,
    ) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let tree = Arc::new(Tree {
            nodes: Mutex::new(nodes.into_iter().collect()),
            behavior: Mutex::new(behavior),
            commands: Mutex::new(Vec::new()),
            connections: Mutex::default(),
        });
        let mut serving = JoinSet::new();
        let serve = Arc::clone(&tree);
        serving.spawn(async move {
            let mut visits = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let tree = Arc::clone(&serve);
                visits.spawn(async move {
                    if tree.admits() {
                        // The result of a connection is ignored.
                        let _ = visit(stream, &tree).await;
                        tree.connections.lock().unwrap().0 -= 1;
                    } else {
                        let mut stream = stream;
                        let _ = stream.write_all(b"421 Too many connections\r\n").await;
                    }
                });
            }
        });
        Self {
            address,
            tree,
            _serving: serving,
        }
    }

    /// The URL of a path.
    pub fn url(&self, path: &str) -> String {
        format!("ftp://{}{path}", self.address)
    }

    /// The URL over TLS.
    pub fn tls_url(&self, path: &str) -> String {
        format!("ftps://{}{path}", self.address)
    }

    /// Replaces the node at a path by a file.
    pub fn put(&self, path: &'static str, octets: &[u8]) {
        let node = Node::File(octets.to_vec());
        self.tree.nodes.lock().unwrap().insert(path, node);
    }

    /// Replaces the lines of a directory.
    pub fn put_directory(&self, path: &'static str, lines: &[u8]) {
        let node = Node::Directory(lines.to_vec());
        self.tree.nodes.lock().unwrap().insert(path, node);
    }

    /// Sets the reply to MDTM.
    pub fn change(&self, modified: &'static str) {
        self.tree.behavior.lock().unwrap().modified = Some(modified);
    }

    /// Stops interrupting transfers.
    pub fn disable_cuts(&self) {
        self.tree.behavior.lock().unwrap().cuts.clear();
    }

    /// The number of connections that were refused.
    pub fn refused(&self) -> usize {
        self.tree.connections.lock().unwrap().1
    }

    /// The number of received commands that begin with `words`.
    pub fn command_count(&self, words: &str) -> usize {
        let commands = self.tree.commands.lock().unwrap();
        commands
            .iter()
            .filter(|line| line.starts_with(words))
            .count()
    }
}

impl Tree {
    /// Counts a connection, or a refused one.
    fn admits(&self) -> bool {
        let most = self.behavior.lock().unwrap().connections;
        let mut connections = self.connections.lock().unwrap();
        let is_admitted = most.is_none_or(|most| connections.0 < most);
        if is_admitted {
            connections.0 += 1;
        } else {
            connections.1 += 1;
        }
        is_admitted
    }

    /// The path after following symlinks.
    fn real(&self, from: &str, path: &str) -> String {
        let nodes = self.nodes.lock().unwrap();
        let mut real: Vec<String> = Vec::new();
        let whole = if path.starts_with('/') {
            path.to_owned()
        } else {
            format!("{from}/{path}")
        };
        for name in whole
            .split('/')
            .filter(|name| !name.is_empty() && *name != ".")
        {
            real.push(name.to_owned());
            if let Some(Node::Link(to)) = nodes.get(format!("/{}", real.join("/")).as_str()) {
                real = to
                    .split('/')
                    .filter(|name| !name.is_empty())
                    .map(str::to_owned)
                    .collect();
            }
        }
        format!("/{}", real.join("/"))
    }

    fn file(&self, path: &str) -> Option<Vec<u8>> {
        match self.nodes.lock().unwrap().get(path) {
            Some(Node::File(octets)) => Some(octets.clone()),
            Some(Node::Directory(_) | Node::Link(_)) | None => None,
        }
    }

    fn knows_size(&self) -> bool {
        self.behavior.lock().unwrap().size != SizeSupport::Refused
    }

    fn size_reply(&self, path: &str) -> String {
        let Some(octets) = self.file(path) else {
            return "550 No such file".to_owned();
        };
        let mut behavior = self.behavior.lock().unwrap();
        let sizes = &mut behavior.sizes;
        let first = (!sizes.is_empty()).then(|| sizes.remove(0));
        if first.is_none() && behavior.size == SizeSupport::RefusedLater {
            return "502 No".to_owned();
        }
        let size = first.or(behavior.announced).unwrap_or(octets.len());
        format!("213 {size}")
    }

    fn directory(&self, path: &str) -> Option<Vec<u8>> {
        match self.nodes.lock().unwrap().get(path) {
            Some(Node::Directory(lines)) => Some(lines.clone()),
            Some(Node::File(_) | Node::Link(_)) | None => None,
        }
    }
}

async fn visit(stream: TcpStream, tree: &Tree) -> std::io::Result<()> {
    let mut control: BufReader<Box<dyn Wire>> = BufReader::new(Box::new(stream));
    let mut is_tls = false;
    control.write_all(b"220 Hello\r\n").await?;
    let (mut place, mut offset, mut passive) = ("/".to_owned(), 0, None);
    loop {
        let mut line = Vec::new();
        if control.read_until(b'\n', &mut line).await? == 0 {
            return Ok(());
        }
        // Non-ASCII names are looked up by their lossy text.
        let line = String::from_utf8_lossy(&line).trim_end().to_owned();
        tree.commands.lock().unwrap().push(line.clone());
        let (verb, argument) = line.split_once(' ').unwrap_or((&line, ""));
        let path = tree.real(&place, argument);
        let start = std::mem::take(&mut offset);
        let tls = tree.behavior.lock().unwrap().tls.clone();
        let (restart, names) = {
            let behavior = tree.behavior.lock().unwrap();
            (behavior.restart, behavior.names)
        };
        let reply = match verb {
            "USER" => "331 Password?".to_owned(),
            "PASS" => "230 In".to_owned(),
            "FEAT" => "211-These\r\n MDTM\r\n REST STREAM\r\n SIZE\r\n211 End".to_owned(),
            "TYPE" => "200 Yes".to_owned(),
            "AUTH" if tls.is_some() => {
                control.write_all(b"234 Go on\r\n").await?;
                let acceptor = tls.as_ref().unwrap();
                let stream = acceptor.accept(control.into_inner()).await?;
                control = BufReader::new(Box::new(stream));
                is_tls = true;
                continue;
            }
            "PBSZ" | "PROT" if is_tls => "200 Yes".to_owned(),
            "PWD" => format!("257 \"{place}\""),
            "CWD" if tree.directory(&path).is_some() => {
                place = path;
                "250 There".to_owned()
            }
            "SIZE" if tree.knows_size() => tree.size_reply(&path),
            "MDTM" => match tree.behavior.lock().unwrap().modified {
                Some(modified) => format!("213 {modified}"),
                None => "500 What?".to_owned(),
            },
            "REST" if restart != RestartSupport::Refused => {
                offset = match restart {
                    RestartSupport::Ignored => 0,
                    RestartSupport::Supported | RestartSupport::Refused => {
                        argument.parse().unwrap()
                    }
                };
                "350 From there".to_owned()
            }
            "EPSV" => {
                let data = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
                let port = data.local_addr()?.port();
                passive = Some(data);
                format!("229 Extended (|||{port}|)")
            }
            "LIST" | "NLST" | "RETR" => {
                let octets = match verb {
                    "LIST" => tree.directory(&place),
                    "NLST" => names.map(|names| names.as_bytes().to_vec()),
                    _ => tree.file(&path),
                };
                let (Some(octets), Some(data)) = (octets, passive.take()) else {
                    control.write_all(b"550 No such file\r\n").await?;
                    continue;
                };
                control.write_all(b"150 Here it comes\r\n").await?;
                let (data, _) = data.accept().await?;
                let cut = {
                    let cuts = &mut tree.behavior.lock().unwrap().cuts;
                    (verb == "RETR" && !cuts.is_empty()).then(|| cuts.remove(0))
                };
                let sent = &octets[start.min(octets.len())..];
                let end = cut.unwrap_or(usize::MAX).min(sent.len());
                let acceptor = tls.as_ref().filter(|_| is_tls);
                let sent = send(data, acceptor, tree, (&sent[..end], cut.is_some())).await;
                match sent {
                    _ if cut.is_some() => return Ok(()),
                    Ok(()) => "226 All".to_owned(),
                    Err(_) => "426 Failure writing network stream".to_owned(),
                }
            }
            _ => "500 What?".to_owned(),
        };
        control.write_all(format!("{reply}\r\n").as_bytes()).await?;
    }
}

/// Sends the octets of a transfer, and closes its connection; a transfer that is cut may stall instead.
async fn send(
    mut data: TcpStream,
    acceptor: Option<&TlsAcceptor>,
    tree: &Tree,
    (octets, is_cut): (&[u8], bool),
) -> std::io::Result<()> {
    let (stalls, no_close_notify) = {
        let behavior = tree.behavior.lock().unwrap();
        (behavior.stalls, behavior.no_close_notify)
    };
    if let Some(acceptor) = acceptor {
        let mut data = acceptor.accept(data).await?;
        data.write_all(octets).await?;
        data.flush().await?;
        if no_close_notify {
            return data.get_mut().0.shutdown().await;
        }
        return data.shutdown().await;
    }
    data.write_all(octets).await?;
    if is_cut && stalls {
        std::future::pending::<()>().await;
    }
    data.shutdown().await
}
