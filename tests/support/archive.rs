//! A small FTP server with a tree of its own, which can be told to break off in the middle.

use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// What stands at a path.
pub(crate) enum Node {
    File(Vec<u8>),
    /// The lines of LIST.
    Directory(Vec<u8>),
    /// To this path.
    Link(&'static str),
}

/// How the server is.
#[derive(Default)]
pub(crate) struct Ways {
    /// After so many octets the first, the second, … transfer of a file ends with its connection.
    pub(crate) cuts: Vec<usize>,
    /// REST is not known.
    pub(crate) no_restart: bool,
    /// REST is answered with yes, and all of the file is sent.
    pub(crate) ignores_restart: bool,
    /// SIZE is not known.
    pub(crate) no_size: bool,
    /// What SIZE says, whatever the file has.
    pub(crate) announced: Option<usize>,
    /// What NLST sends, of every directory.
    pub(crate) names: Option<&'static str>,
    /// What MDTM says.
    pub(crate) modified: Option<&'static str>,
}

pub(crate) struct Archive {
    address: SocketAddr,
    tree: Arc<Tree>,
    _serving: JoinSet<()>,
}

struct Tree {
    nodes: Mutex<HashMap<&'static str, Node>>,
    ways: Mutex<Ways>,
    /// Every command that was heard.
    heard: Mutex<Vec<String>>,
}

impl Archive {
    pub(crate) async fn start(
        nodes: impl IntoIterator<Item = (&'static str, Node)>,
        ways: Ways,
    ) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let tree = Arc::new(Tree {
            nodes: Mutex::new(nodes.into_iter().collect()),
            ways: Mutex::new(ways),
            heard: Mutex::new(Vec::new()),
        });
        let mut serving = JoinSet::new();
        let serve = Arc::clone(&tree);
        serving.spawn(async move {
            let mut visits = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let tree = Arc::clone(&serve);
                visits.spawn(async move {
                    // However a visit ends, it has ended.
                    let _ = visit(stream, &tree).await;
                });
            }
        });
        Self {
            address,
            tree,
            _serving: serving,
        }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("ftp://{}{path}", self.address)
    }

    /// Puts a file in the place of what is there.
    pub(crate) fn put(&self, path: &'static str, octets: &[u8]) {
        let node = Node::File(octets.to_vec());
        self.tree.nodes.lock().unwrap().insert(path, node);
    }

    /// MDTM says this from now on.
    pub(crate) fn change(&self, modified: &'static str) {
        self.tree.ways.lock().unwrap().modified = Some(modified);
    }

    /// Cuts nothing off any more.
    pub(crate) fn mend(&self) {
        self.tree.ways.lock().unwrap().cuts.clear();
    }

    /// How many commands began so.
    pub(crate) fn heard(&self, words: &str) -> usize {
        let heard = self.tree.heard.lock().unwrap();
        heard.iter().filter(|line| line.starts_with(words)).count()
    }
}

impl Tree {
    /// The path that this one leads to, its links followed.
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

    fn directory(&self, path: &str) -> Option<Vec<u8>> {
        match self.nodes.lock().unwrap().get(path) {
            Some(Node::Directory(lines)) => Some(lines.clone()),
            Some(Node::File(_) | Node::Link(_)) | None => None,
        }
    }
}

async fn visit(stream: TcpStream, tree: &Tree) -> std::io::Result<()> {
    let mut control = BufReader::new(stream);
    control.write_all(b"220 Hello\r\n").await?;
    let (mut place, mut offset, mut passive) = ("/".to_owned(), 0, None);
    loop {
        let mut line = Vec::new();
        if control.read_until(b'\n', &mut line).await? == 0 {
            return Ok(());
        }
        // Names past ASCII are known by what they look like here.
        let line = String::from_utf8_lossy(&line).trim_end().to_owned();
        tree.heard.lock().unwrap().push(line.clone());
        let (verb, argument) = line.split_once(' ').unwrap_or((&line, ""));
        let path = tree.real(&place, argument);
        let start = std::mem::take(&mut offset);
        let (no_restart, ignores_restart, no_size, announced, names) = {
            let ways = tree.ways.lock().unwrap();
            let Ways {
                no_restart,
                ignores_restart,
                no_size,
                announced,
                names,
                ..
            } = *ways;
            (no_restart, ignores_restart, no_size, announced, names)
        };
        let reply = match verb {
            "USER" => "331 Password?".to_owned(),
            "PASS" => "230 In".to_owned(),
            "FEAT" => "211-These\r\n MDTM\r\n REST STREAM\r\n SIZE\r\n211 End".to_owned(),
            "TYPE" => "200 Yes".to_owned(),
            "PWD" => format!("257 \"{place}\""),
            "CWD" if tree.directory(&path).is_some() => {
                place = path;
                "250 There".to_owned()
            }
            "SIZE" if !no_size => match tree.file(&path) {
                Some(octets) => format!("213 {}", announced.unwrap_or(octets.len())),
                None => "550 No such file".to_owned(),
            },
            "MDTM" => match tree.ways.lock().unwrap().modified {
                Some(modified) => format!("213 {modified}"),
                None => "500 What?".to_owned(),
            },
            "REST" if !no_restart => {
                offset = if ignores_restart {
                    0
                } else {
                    argument.parse().unwrap()
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
                let (mut data, _) = data.accept().await?;
                let cut = {
                    let cuts = &mut tree.ways.lock().unwrap().cuts;
                    (verb == "RETR" && !cuts.is_empty()).then(|| cuts.remove(0))
                };
                let sent = &octets[start.min(octets.len())..];
                let end = cut.unwrap_or(usize::MAX).min(sent.len());
                data.write_all(&sent[..end]).await?;
                data.shutdown().await?;
                if cut.is_some() {
                    return Ok(());
                }
                "226 All".to_owned()
            }
            _ => "500 What?".to_owned(),
        };
        control.write_all(format!("{reply}\r\n").as_bytes()).await?;
    }
}
