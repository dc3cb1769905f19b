//! A small news server: groups of articles, numbered from 1. It takes posts.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::sync::watch::{self, Sender};

/// A group: its name and its articles, each a head and a body with LF as line end.
pub type Group = (&'static str, Vec<String>);

/// A running server.
pub struct NewsServer {
    /// The address on which the server listens.
    pub address: SocketAddr,
    groups: Arc<Mutex<Vec<Group>>>,
    commands: Sender<Vec<String>>,
    posts: Arc<Posts>,
    connections: Arc<Connections>,
    windows: Arc<Windows>,
}

/// What is done with the next posts.
#[derive(Default)]
struct Posts {
    /// The number of posts that get no answer: the connection is closed when they are stored.
    lost: AtomicUsize,
    /// The number of posts that are refused for now.
    refused: AtomicUsize,
}

/// Counts one down. Returns false if none was left.
fn take_one(count: &AtomicUsize) -> bool {
    let left = |left: usize| left.checked_sub(1);
    count
        .fetch_update(Ordering::SeqCst, Ordering::SeqCst, left)
        .is_ok()
}

/// The windows in which a server is asked for articles.
#[derive(Default)]
struct Windows {
    /// The number of commands for articles that must be under way before they are answered; 0 for no such limit.
    least: AtomicUsize,
    /// Those that were answered.
    answered: AtomicUsize,
    /// The number of the article in whose middle the connection is lost, once; 0 for none.
    lost_in: AtomicUsize,
    /// True if the second half of an article waits for [`NewsServer::send_rest`].
    is_halved: AtomicBool,
    rest: Notify,
}

/// The connections of a server.
struct Connections {
    /// The most connections at a time; others are refused (502).
    most: AtomicUsize,
    /// Those that are open.
    open: AtomicUsize,
    /// Those that were opened or refused.
    all: AtomicUsize,
}

impl NewsServer {
    /// Serves these groups until the test ends.
    pub async fn start(groups: Vec<Group>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let groups = Arc::new(Mutex::new(groups));
        let (commands, _) = watch::channel(Vec::new());
        let server = Self {
            address,
            groups,
            commands,
            posts: Arc::default(),
            connections: Arc::new(Connections {
                most: AtomicUsize::new(usize::MAX),
                open: AtomicUsize::new(0),
                all: AtomicUsize::new(0),
            }),
            windows: Arc::default(),
        };
        let connections = Arc::clone(&server.connections);
        let windows = Arc::clone(&server.windows);
        let (groups, commands) = (Arc::clone(&server.groups), server.commands.clone());
        let posts = Arc::clone(&server.posts);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (groups, commands) = (Arc::clone(&groups), commands.clone());
                let (posts, connections) = (Arc::clone(&posts), Arc::clone(&connections));
                let windows = Arc::clone(&windows);
                connections.all.fetch_add(1, Ordering::SeqCst);
                let open = connections.open.fetch_add(1, Ordering::SeqCst);
                let is_refused = open >= connections.most.load(Ordering::SeqCst);
                tokio::spawn(async move {
                    let served = if is_refused {
                        refuse(stream).await
                    } else {
                        serve(stream, groups, commands, (posts, windows)).await
                    };
                    connections.open.fetch_sub(1, Ordering::SeqCst);
                    served
                });
            }
        });
        server
    }

    /// Returns the commands of this kind that the server has received, in order.
    pub fn received(&self, command: &str) -> Vec<String> {
        let commands = self.commands.borrow();
        commands.iter().filter(of_kind(command)).cloned().collect()
    }

    /// Waits until the server has received this number of commands of this kind.
    pub async fn wait_for(&self, command: &str, count: usize) {
        let is_enough = |all: &Vec<String>| all.iter().filter(of_kind(command)).count() >= count;
        // The server sends for as long as it lives.
        let _ = self.commands.subscribe().wait_for(is_enough).await;
    }

    /// Stores the next posts without an answer: their connections are closed.
    pub fn lose_answers(&self, count: usize) {
        self.posts.lost.store(count, Ordering::SeqCst);
    }

    /// Refuses the next posts for now.
    pub fn refuse_posts(&self, count: usize) {
        self.posts.refused.store(count, Ordering::SeqCst);
    }

    /// Refuses connections while this number is open.
    pub fn allow_connections(&self, most: usize) {
        self.connections.most.store(most, Ordering::SeqCst);
    }

    /// Answers commands for articles only when so many are under way, or the oldest or the newest one is asked for.
    pub fn hold_articles(&self, least: usize) {
        self.windows.least.store(least, Ordering::SeqCst);
    }

    /// Loses the connection in the middle of an article, once.
    pub fn lose_connection_in(&self, number: usize) {
        self.windows.lost_in.store(number, Ordering::SeqCst);
    }

    /// Sends the second half of each article when it is told to.
    pub fn halve_articles(&self) {
        self.windows.is_halved.store(true, Ordering::SeqCst);
    }

    /// Sends the second half of the article under way, or of the next one.
    pub fn send_rest(&self) {
        self.windows.rest.notify_one();
    }

    /// Returns the number of windows of articles that were answered.
    pub fn windows(&self) -> usize {
        self.windows.answered.load(Ordering::SeqCst)
    }

    /// Returns the number of connections that were opened or refused.
    pub fn connections(&self) -> usize {
        self.connections.all.load(Ordering::SeqCst)
    }

    /// Returns the articles of a group.
    pub fn articles(&self, name: &str) -> Vec<String> {
        let groups = self.groups.lock().unwrap();
        let group = groups.iter().find(|(group, _)| *group == name);
        group.unwrap().1.clone()
    }

    /// Adds an article to a group.
    pub fn add(&self, name: &str, article: &str) {
        let mut groups = self.groups.lock().unwrap();
        let group = groups.iter_mut().find(|(group, _)| *group == name);
        group.unwrap().1.push(article.to_owned());
    }
}

fn of_kind(command: &str) -> impl Fn(&&String) -> bool {
    move |line| line.split(' ').next() == Some(command)
}

async fn refuse(mut stream: TcpStream) -> std::io::Result<()> {
    stream.write_all(b"502 Too many connections\r\n").await
}

async fn serve(
    stream: TcpStream,
    groups: Arc<Mutex<Vec<Group>>>,
    commands: Sender<Vec<String>>,
    (posts, windows): (Arc<Posts>, Arc<Windows>),
) -> std::io::Result<()> {
    let (reader, mut writer) = stream.into_split();
    let mut lines = BufReader::new(reader).lines();
    writer.write_all(b"200 ready\r\n").await?;
    let mut current = String::new();
    let mut held = Vec::new();
    while let Some(line) = lines.next_line().await? {
        commands.send_modify(|commands| commands.push(line.clone()));
        if line == "POST" {
            writer.write_all(b"340 send it\r\n").await?;
            let mut article = String::new();
            loop {
                // A part of an article is not stored.
                let Some(line) = lines.next_line().await? else {
                    return Ok(());
                };
                if line == "." {
                    break;
                }
                let line = line.strip_prefix('.').unwrap_or(&line);
                article.push_str(line);
                article.push('\n');
            }
            if take_one(&posts.refused) {
                writer.write_all(b"441 Too many posts\r\n").await?;
                continue;
            }
            let reply = store(article, &mut groups.lock().unwrap());
            if take_one(&posts.lost) {
                return Ok(());
            }
            writer.write_all(reply).await?;
            continue;
        }
        let mut reply = reply(&line, &mut current, &groups.lock().unwrap());
        if line.starts_with("ARTICLE") && windows.is_halved.load(Ordering::SeqCst) {
            let (first, rest) = reply.split_at(reply.len() / 2);
            writer.write_all(first.as_bytes()).await?;
            windows.rest.notified().await;
            writer.write_all(rest.as_bytes()).await?;
            continue;
        }
        let least = windows.least.load(Ordering::SeqCst);
        let number = line.strip_prefix("ARTICLE ");
        let Some(number) = number.filter(|_| least > 0) else {
            writer.write_all(reply.as_bytes()).await?;
            continue;
        };
        let is_lost = number.parse() == Ok(windows.lost_in.load(Ordering::SeqCst));
        if is_lost {
            reply.truncate(reply.len() / 2);
            windows.lost_in.store(0, Ordering::SeqCst);
        }
        held.push(reply);
        let count = {
            let groups = groups.lock().unwrap();
            let group = groups.iter().find(|(name, _)| *name == current);
            group.map_or(0, |(_, articles)| articles.len())
        };
        let is_end = number.parse() == Ok(1) || number.parse() == Ok(count);
        if held.len() >= least || is_end || is_lost {
            writer.write_all(held.concat().as_bytes()).await?;
            held.clear();
            windows.answered.fetch_add(1, Ordering::SeqCst);
        }
        if is_lost {
            return Ok(());
        }
    }
    Ok(())
}

/// Stores a posted article in its first group.
fn store(article: String, groups: &mut [Group]) -> &'static [u8] {
    let id = header(&article, "Message-ID").to_owned();
    let mut all = groups.iter().flat_map(|(_, articles)| articles);
    if all.any(|article| header(article, "Message-ID") == id) {
        return b"441 435 Duplicate\r\n";
    }
    let name = header(&article, "Newsgroups").to_owned();
    match groups.iter_mut().find(|(group, _)| *group == name) {
        Some((_, articles)) => {
            articles.push(article);
            b"240 it is here\r\n"
        }
        None => b"441 no such group here\r\n",
    }
}

/// The reply to a command, and the group that it selects.
fn reply(line: &str, current: &mut String, groups: &[Group]) -> String {
    let mut words = line.split(' ');
    let command = words.next().unwrap_or_default().to_ascii_uppercase();
    let argument = words.next().unwrap_or_default();
    let articles = |name: &str| {
        let group = groups.iter().find(|(group, _)| *group == name);
        group.map(|(_, articles)| articles)
    };
    match command.as_str() {
        "CAPABILITIES" => "101 list\r\nVERSION 2\r\nREADER\r\nOVER MSGID\r\n.\r\n".to_owned(),
        "GROUP" => match articles(argument) {
            Some(articles) => {
                argument.clone_into(current);
                let count = articles.len();
                format!("211 {count} 1 {count} {argument}\r\n")
            }
            None => "411 no such group\r\n".to_owned(),
        },
        "OVER" => {
            let range = argument.split_once('-').unwrap_or((argument, argument));
            let first: usize = range.0.parse().unwrap();
            let last: usize = range.1.parse().unwrap();
            let numbered = (1..).zip(articles(current).unwrap());
            let shown = numbered.filter(|(number, _)| (first..=last).contains(number));
            let lines = shown.map(|(number, article)| overview(number, article));
            format!("224 overview\r\n{}.\r\n", lines.collect::<String>())
        }
        "ARTICLE" if argument.starts_with('<') => {
            let all = groups.iter().flat_map(|(_, articles)| articles);
            let mut found = all.filter(|article| header(article, "Message-ID") == argument);
            match found.next() {
                Some(article) => format!("220 0 {argument}\r\n{}", block(article)),
                None => "430 no such article\r\n".to_owned(),
            }
        }
        "STAT" => {
            let mut all = groups.iter().flat_map(|(_, articles)| articles);
            if all.any(|article| header(article, "Message-ID") == argument) {
                format!("223 0 {argument}\r\n")
            } else {
                "430 no such article\r\n".to_owned()
            }
        }
        "ARTICLE" => {
            let number: usize = argument.parse().unwrap();
            match articles(current).and_then(|articles| articles.get(number - 1)) {
                Some(article) => {
                    let id = header(article, "Message-ID");
                    format!("220 {number} {id}\r\n{}", block(article))
                }
                None => "423 no such number\r\n".to_owned(),
            }
        }
        "LIST" if argument.eq_ignore_ascii_case("ACTIVE") || argument.is_empty() => {
            let lines = groups
                .iter()
                .map(|(name, articles)| format!("{name} {} 1 y\r\n", articles.len()));
            format!("215 list\r\n{}.\r\n", lines.collect::<String>())
        }
        "QUIT" => "205 bye\r\n".to_owned(),
        _ => "500 unknown\r\n".to_owned(),
    }
}

fn header<'a>(article: &'a str, name: &str) -> &'a str {
    let mut lines = article.lines().take_while(|line| !line.is_empty());
    let value = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    value.unwrap_or_default()
}

fn overview(number: usize, article: &str) -> String {
    let fields = ["Subject", "From", "Date", "Message-ID", "References"];
    let fields: Vec<&str> = fields.iter().map(|name| header(article, name)).collect();
    let lines = article.lines().count();
    let xref = match header(article, "Xref") {
        "" => String::new(),
        xref => format!("\tXref: {xref}"),
    };
    format!(
        "{number}\t{}\t{}\t{lines}{xref}\r\n",
        fields.join("\t"),
        article.len()
    )
}

/// An article as a block of lines (RFC 3977, section 3.1.1).
fn block(article: &str) -> String {
    let lines = article.lines().map(|line| {
        let dot = if line.starts_with('.') { "." } else { "" };
        format!("{dot}{line}\r\n")
    });
    lines.collect::<String>() + ".\r\n"
}
