//! A site of equal pages over HTTP and over Gopher, from threads of this process.

use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

/// The octets of text on a page.
const OCTETS: usize = 4000;

/// A running site: a first page with a link to each page, and pages that link to it and to their neighbours.
pub(crate) struct Site {
    pub(crate) web: SocketAddr,
    pub(crate) gopher: SocketAddr,
}

impl Site {
    /// Serves this number of pages for as long as the process lives.
    pub(crate) fn start(pages: usize) -> Self {
        let [web, gopher] = [(); 2].map(|()| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap());
        let site = Self {
            web: web.local_addr().unwrap(),
            gopher: gopher.local_addr().unwrap(),
        };
        let page: Arc<str> = "The mole digs on.\n".repeat(OCTETS / 18).into();
        let text = Arc::clone(&page);
        serve(web, move |stream| answer_web(stream, pages, &text));
        let address = site.gopher;
        serve(gopher, move |stream| {
            answer_gopher(stream, pages, &page, address)
        });
        site
    }
}

fn serve(
    listener: TcpListener,
    answer: impl Fn(&TcpStream) -> io::Result<()> + Clone + Send + 'static,
) {
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = answer.clone();
            // The client may close the connection early.
            thread::spawn(move || answer(&stream).ok());
        }
    });
}

/// Answers the requests of a connection until it ends.
fn answer_web(stream: &TcpStream, pages: usize, text: &str) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut lines = BufReader::new(stream).lines();
    while let Some(line) = lines.next() {
        let line = line?;
        while !lines.next().transpose()?.unwrap_or_default().is_empty() {}
        let mut words = line.split(' ');
        let is_head = words.next() == Some("HEAD");
        let path = words.next().unwrap_or_default();
        let page = html(path, pages, text);
        let (status, body) = page.map_or(("404 Not Found", String::new()), |page| ("200 OK", page));
        let length = body.len();
        let mut reply = format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {length}\r\n\r\n"
        );
        if !is_head {
            reply.push_str(&body);
        }
        (&*stream).write_all(reply.as_bytes())?;
    }
    Ok(())
}

fn html(path: &str, pages: usize, text: &str) -> Option<String> {
    let mut page = String::from("<html><title>A burrow</title>\n");
    if path == "/" {
        for number in 0..pages {
            writeln!(page, "<a href=\"{number}.html\">Burrow {number}</a><br>").unwrap();
        }
    } else {
        for neighbour in neighbours(path.strip_prefix('/')?.strip_suffix(".html")?, pages)? {
            writeln!(page, "<a href=\"{neighbour}.html\">Next</a>").unwrap();
        }
        write!(page, "<a href=\"/\">Home</a>\n<pre>\n{text}</pre>\n").unwrap();
    }
    page.push_str("</html>\n");
    Some(page)
}

/// The numbers of the pages to which this one links.
fn neighbours(number: &str, pages: usize) -> Option<[usize; 2]> {
    let number: usize = number.parse().ok().filter(|number| *number < pages)?;
    Some([(number + 1) % pages, (number + pages - 1) % pages])
}

/// Answers the selector of a connection: a menu for a directory, a text for a page.
fn answer_gopher(
    stream: &TcpStream,
    pages: usize,
    text: &str,
    address: SocketAddr,
) -> io::Result<()> {
    let mut selector = String::new();
    BufReader::new(stream).read_line(&mut selector)?;
    let mut reply = String::new();
    let (host, port) = (address.ip(), address.port());
    match selector.trim_end() {
        "" => {
            for number in 0..pages {
                write!(reply, "0Burrow {number}\t/{number}\t{host}\t{port}\r\n").unwrap();
            }
        }
        selector if neighbours(selector.trim_start_matches('/'), pages).is_some() => {
            reply.push_str(&text.replace('\n', "\r\n"));
        }
        _ => write!(reply, "3No such page\t\terror.host\t1\r\n").unwrap(),
    }
    reply.push_str(".\r\n");
    (&*stream).write_all(reply.as_bytes())
}
