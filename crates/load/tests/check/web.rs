//! Web checks: verdicts by status, and redirects.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, LazyLock, Mutex};

use geomys_demo::Demo;
use geomys_load::check::{FetchContent, check, run_job};
use geomys_load::{Reason, Request};
use geomys_testing::loading::as_user;
use geomys_testing::tls::{Authority, Identity};
use geomys_testing::web;
use geomys_wire::net::{Limits, Net};
use geomys_wire::protocol::http::{self, Method};
use rfc1738::{Dialect, Parts};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use super::{check_url, line, short, verdict_text};

/// A small HTTP server: the request lines it received, and a reply by method and path.
struct Web {
    address: SocketAddr,
    received: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl Web {
    async fn start(answer: fn(&str, SocketAddr) -> String) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let received = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&received);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let log = Arc::clone(&log);
                tokio::spawn(async move { visit(stream, address, answer, &log).await });
            }
        });
        Self {
            address,
            received,
            task,
        }
    }

    /// The received request lines, without their constant parts; empties the list.
    fn take_requests(&self) -> Vec<String> {
        let mut received = self.received.lock().unwrap();
        std::mem::take(&mut *received)
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn visit<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    address: SocketAddr,
    answer: fn(&str, SocketAddr) -> String,
    log: &Mutex<Vec<String>>,
) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(octet) => head.push(octet),
            Err(_) => return,
        }
    }
    let head = String::from_utf8(head).unwrap();
    let first = head.lines().next().unwrap();
    let first = first
        .strip_suffix(" HTTP/1.1")
        .expect("a request of HTTP/1.1");
    let range = head.lines().find(|line| line.starts_with("range: "));
    let range = range.map_or(String::new(), |range| format!(" {range}"));
    log.lock().unwrap().push(format!("{first}{range}"));
    assert!(head.contains(&format!("host: {address}\r\n")), "{head}");
    assert!(head.contains("user-agent: geomys/"), "{head}");
    // The client may already have closed.
    let _ = stream.write_all(answer(first, address).as_bytes()).await;
    let _ = stream.shutdown().await;
}

/// An address on which nothing listens.
static CLOSED: LazyLock<SocketAddr> = LazyLock::new(|| {
    let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
    listener.unwrap().local_addr().unwrap()
});

fn answer(request: &str, address: SocketAddr) -> String {
    let (method, path) = request.split_once(' ').unwrap();
    let to = |status: &str, to: &str| format!("HTTP/1.1 {status}\r\nLocation: {to}\r\n\r\n");
    let plain = |status: &str| format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n");
    match path {
        "/silent-head" if method == "HEAD" => String::new(),
        "/mad-head" if method == "HEAD" => "220 mail\r\n".to_owned(),
        "/" | "/there" | "/a?b=c" | "/silent-head" | "/mad-head" => plain("200 OK"),
        "/no-head-no-file" if method == "HEAD" => plain("501 Not Implemented"),
        "/missing" | "/no-head-no-file" => plain("404 Not Found"),
        "/gone" => plain("410 Long gone"),
        "/secret" => plain("401 Unauthorized"),
        "/forbidden" => plain("403 Forbidden"),
        "/proxy" => plain("407 Proxy Authentication Required"),
        "/broken" => plain("500 Internal Server Error"),
        "/too-many" => plain("429 Too Many Requests"),
        "/self" => to("301 Moved Permanently", "/self"),
        "/moved-to-broken" => to("301 Moved Permanently", "/broken"),
        "/moved-to-secret" => to("301 Moved Permanently", "/secret"),
        "/moved-to-https" => to("301 Moved Permanently", &format!("https://{}/", *CLOSED)),
        "/no-head" if method == "HEAD" => plain("405 Method Not Allowed"),
        "/no-head" => "HTTP/1.1 206 Partial Content\r\nContent-Length: 1\r\n\r\nx".to_owned(),
        "/moved" => to("301 Moved Permanently", "/there"),
        "/moved-twice" => to("308 Permanent Redirect", &format!("http://{address}/moved")),
        "/moved-away" => to("301 Moved Permanently", &format!("gopher://{}/", *CLOSED)),
        "/moved-to-nothing" => to("301 Moved Permanently", "/missing"),
        "/moved-nowhere" => plain("301 Moved Permanently"),
        "/moved-for-now" => to("302 Found", "there#part"),
        "/see-other" => to("303 See Other", "/moved"),
        "/moved-then-for-now" => to("301 Moved Permanently", "/moved-for-now"),
        "/round" => to("307 Temporary Redirect", "/round"),
        "/trap" => to("302 Found", "http://127.0.0.1:25/"),
        "/garbled" => "220 mail.example ESMTP\r\n".to_owned(),
        "/closed" => String::new(),
        "/long" => format!("HTTP/1.1 200 OK\r\nX: {}\r\n\r\n", "x".repeat(200_000)),
        path => panic!("unexpected request for {path}"),
    }
}

#[tokio::test]
async fn http_status_decides_the_verdict() {
    let web = Web::start(answer).await;
    for (path, expected) in [
        ("", "alive"),
        ("/there", "alive"),
        ("/a?b=c", "alive"),
        ("/missing", "dead: 404 Not Found"),
        ("/gone", "dead: 410 Long gone"),
        ("/secret", "refused: 401 Unauthorized"),
        ("/forbidden", "refused: 403 Forbidden"),
        ("/proxy", "refused: 407 Proxy Authentication Required"),
        (
            "/broken",
            "unreachable: it answered 500 Internal Server Error: the server has a problem",
        ),
        (
            "/too-many",
            "unreachable: it answered 429 Too Many Requests: the server limits the number of requests",
        ),
        (
            "/self",
            "unreachable: redirect loop back to http://127.0.0.1:PORT/self",
        ),
        (
            "/moved-to-broken",
            "unreachable: moved to http://127.0.0.1:PORT/broken; there: it answered 500 Internal Server Error: the server has a problem",
        ),
        (
            "/moved-to-secret",
            "moved: now http://127.0.0.1:PORT/secret",
        ),
        ("/no-head", "alive"),
        ("/no-head-no-file", "dead: 404 Not Found"),
        ("/moved", "moved: now http://127.0.0.1:PORT/there"),
        ("/moved-twice", "moved: now http://127.0.0.1:PORT/there"),
        (
            "/moved-away",
            "unreachable: moved to gopher://127.0.0.1:PORT/; there: 127.0.0.1:PORT refused the connection: nothing listens on that port",
        ),
        (
            "/moved-to-nothing",
            "dead: moved to http://127.0.0.1:PORT/missing; there: 404 Not Found",
        ),
        (
            "/moved-nowhere",
            "refused: 127.0.0.1:PORT answered 301 Moved Permanently without a target",
        ),
        ("/moved-for-now", "alive"),
        ("/see-other", "alive"),
        (
            "/moved-then-for-now",
            "moved: now http://127.0.0.1:PORT/moved-for-now",
        ),
        (
            "/round",
            "unreachable: redirect loop back to http://127.0.0.1:PORT/round",
        ),
        (
            "/moved-to-https",
            "unreachable: moved to https://127.0.0.1:PORT/; there: 127.0.0.1:PORT refused the connection: nothing listens on that port",
        ),
        (
            "/trap",
            "refused: redirect to http://127.0.0.1:25/: the port belongs to another service",
        ),
        (
            "/closed",
            "unreachable: 127.0.0.1:PORT closed the connection before it answered",
        ),
    ] {
        let verdict = verdict_text(&format!("http://{}{path}", web.address)).await;
        assert_eq!(verdict, expected, "{path}");
    }
    for path in ["/garbled", "/long"] {
        let verdict = verdict_text(&format!("http://{}{path}", web.address)).await;
        assert!(
            verdict.starts_with("unreachable: 127.0.0.1:PORT did not answer as an HTTP server"),
            "{path}: {verdict}"
        );
    }
}

#[tokio::test]
async fn check_sends_head_then_get_of_one_octet() {
    let web = Web::start(answer).await;
    verdict_text(&format!("http://{}/no-head", web.address)).await;
    assert_eq!(
        web.take_requests(),
        ["HEAD /no-head", "GET /no-head range: bytes=0-0"]
    );
    verdict_text(&format!("http://{}", web.address)).await;
    assert_eq!(web.take_requests(), ["HEAD /"]);
    for path in ["/silent-head", "/mad-head"] {
        let verdict = verdict_text(&format!("http://{}{path}", web.address)).await;
        assert_eq!(verdict, "alive", "{path}");
        let get = format!("GET {path} range: bytes=0-0");
        assert_eq!(web.take_requests(), [format!("HEAD {path}"), get]);
    }
}

#[tokio::test]
async fn head_is_not_believed_where_get_finds_the_page() {
    fn answer(request: &str, _: SocketAddr) -> String {
        let (method, path) = request.split_once(' ').unwrap();
        let status = if method == "HEAD" {
            path.trim_start_matches('/')
        } else {
            "200"
        };
        format!("HTTP/1.1 {status} Any\r\nContent-Length: 0\r\n\r\n")
    }
    let web = Web::start(answer).await;
    for status in [400, 401, 403, 404, 405, 406, 410, 418, 451, 500, 501, 502] {
        let verdict = verdict_text(&format!("http://{}/{status}", web.address)).await;
        assert_eq!(verdict, "alive", "{status}");
        let requests = [
            format!("HEAD /{status}"),
            format!("GET /{status} range: bytes=0-0"),
        ];
        assert_eq!(web.take_requests(), requests);
    }
    // A server that asks for patience gets no second request at once.
    for status in [408, 425, 429, 503] {
        let verdict = verdict_text(&format!("http://{}/{status}", web.address)).await;
        assert!(
            verdict.starts_with("unreachable: it answered "),
            "{verdict}"
        );
        assert_eq!(web.take_requests(), [format!("HEAD /{status}")]);
    }
}

#[tokio::test]
async fn short_pause_that_a_server_wants_is_waited_for_once() {
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let web = web::Web::start(move |request| {
        let number = asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let pause = match request.path() {
            "/429" => "1",
            "/503" => "Thu, 26 Nov 2020 10:00:00 GMT",
            "/always" => "0",
            "/long" => "31",
            "/later" => "Thu, 26 Nov 2099 10:00:00 GMT",
            _ => "soon",
        };
        let is_first = number.is_multiple_of(2);
        let status = match request.path() {
            "/503" if is_first => "503 Service Unavailable",
            "/429" | "/503" if !is_first => "200 OK",
            _ => "429 Too Many Requests",
        };
        format!("HTTP/1.1 {status}\r\nRetry-After: {pause}\r\nContent-Length: 0\r\n\r\n")
    })
    .await;
    for (path, verdict, requests) in [
        ("/429", "alive", 2),
        ("/503", "alive", 2),
        ("/always", "unreachable", 2),
        ("/long", "unreachable", 1),
        ("/later", "unreachable", 1),
        ("/garbled", "unreachable", 1),
    ] {
        let said = verdict_text(&web.url(path)).await;
        assert!(said.starts_with(verdict), "{path}: {said}");
        assert_eq!(web.take_requests().len(), requests, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn move_is_accepted_only_to_an_address_that_was_checked() {
    let demo = Demo::start().await.unwrap();
    let gopher = demo.addresses.gopher;
    let web = web::Web::start(|request| {
        let to = request.path().trim_start_matches('/');
        format!("HTTP/1.1 301 Moved Permanently\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n")
    })
    .await;
    for (to, expected) in [
        (
            format!("gopher://{gopher}/"),
            format!("moved: now gopher://{gopher}/"),
        ),
        (
            format!("gopher://{gopher}/1/nowhere"),
            format!("dead: moved to gopher://{gopher}/1/nowhere; there: "),
        ),
        (
            format!("ftp://{}/pub/none", demo.addresses.ftp),
            format!(
                "dead: moved to ftp://{}/pub/none; there: ",
                demo.addresses.ftp
            ),
        ),
        (
            format!("finger://{}/", *CLOSED),
            format!("unreachable: moved to finger://{}/; there: ", *CLOSED),
        ),
    ] {
        let said = check_url(&web.url(&format!("/{to}"))).await;
        let said = format!("{}: {}", said.verdict.name(), said.verdict.words());
        assert!(said.starts_with(&expected), "{to}: {said}");
    }
    for to in [
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        "data:text/html,x",
        "mailto:ada@example.org",
        "file:///etc/passwd",
        "titan://h.example/x",
        "about:blank",
        "vbscript:x",
        "unknown://h.example/",
        "gopher://127.0.0.1:25/",
    ] {
        let said = verdict_text(&web.url(&format!("/{to}"))).await;
        let expected = "refused: moved to an address that is not accepted: ";
        assert!(said.starts_with(expected), "{to}: {said}");
    }
}

#[tokio::test]
async fn new_address_has_the_fragment_of_the_server_only() {
    let web = Web::start(answer).await;
    for part in ["", "#sec"] {
        let url = format!("http://{}/moved{part}", web.address);
        assert_eq!(
            verdict_text(&url).await,
            "moved: now http://127.0.0.1:PORT/there"
        );
    }
}

#[tokio::test]
async fn unverified_certificate_is_refused() {
    let identity = Identity::self_signed("127.0.0.1");
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let acceptor = identity.acceptor();
    let serving = tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            // The connection ends during the handshake.
            assert!(acceptor.accept(stream).await.is_err());
        }
    });
    let verdict = verdict_text(&format!("https://{address}/")).await;
    serving.abort();
    assert!(
        verdict.starts_with("refused: ") && verdict.contains("not verified"),
        "{verdict}"
    );
}

#[tokio::test]
async fn redirect_from_https_to_http_is_refused() {
    let authority = Authority::new();
    let identity = Identity::by(&authority, "127.0.0.1");
    let plain = web::Web::start(|_| "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nplain").await;
    let to = plain.url("/");
    let sealed = web::Web::start_tls(&identity, move |request| match request.path() {
        "/out" => format!("HTTP/1.1 301 Moved Permanently\r\nLocation: {to}\r\n\r\n"),
        "/out-for-now" => format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\n\r\n"),
        "/further" => "HTTP/1.1 301 Moved Permanently\r\nLocation: /out\r\n\r\n".to_owned(),
        "/within" => "HTTP/1.1 301 Moved Permanently\r\nLocation: /\r\n\r\n".to_owned(),
        _ => "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsealed".to_owned(),
    })
    .await;
    let net = Net::new(short()).with_root_certificate(authority.certificate());
    let request = |path: &str| {
        let url = format!("https://{}{path}", sealed.address);
        Request::show(Dialect::Extended.parse(&url).unwrap(), Reason::Typed)
    };
    let why = "refused: redirect to http://127.0.0.1:PORT/: from https to plain http, which can be read and changed on the way";
    for path in ["/out", "/out-for-now", "/further"] {
        let checked = check(&net, &request(path)).await;
        assert_eq!(line(&checked.verdict), why, "{path}");
        let fetched = run_job(FetchContent, &net, &request(path)).await;
        assert_eq!(line(&fetched.unwrap_err()), why, "{path}");
    }
    assert!(plain.take_requests().is_empty());
    let checked = check(&net, &request("/within")).await;
    assert_eq!(line(&checked.verdict), "moved: now https://127.0.0.1:PORT/");
    assert!(
        run_job(FetchContent, &net, &request("/within"))
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn body_is_read_in_chunks_and_truncation_is_an_error() {
    fn answer(request: &str, _: SocketAddr) -> String {
        match request {
            "GET /chunked" => {
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
            }
            "GET /closed" => "HTTP/1.0 200 OK\r\n\r\nto the end",
            _ => "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nnot all",
        }
        .to_owned()
    }
    let web = Web::start(answer).await;
    let net = Net::new(Limits::default());
    for (path, expected) in [
        ("chunked", "abcde"),
        ("closed", "to the end"),
        ("short", "not all!"),
    ] {
        let url = Dialect::Extended
            .parse(&format!("http://{}/{path}", web.address))
            .unwrap();
        let Parts::Http(parts) = url.base_parts() else {
            unreachable!()
        };
        let server_address = web.address.to_string();
        let stream: TcpStream = as_user(&net)
            .connect("127.0.0.1", web.address.port())
            .await
            .unwrap();
        let request = http::Request::new(Method::Get, &parts);
        let exchanged = http::exchange(stream, &server_address, net.limits(), &request).await;
        let (head, mut body) = exchanged.unwrap();
        assert_eq!((head.status, head.status_text()), (200, b"200 OK".to_vec()));
        let mut all = String::new();
        loop {
            match body.next().await {
                Ok(Some(octets)) => all.push_str(std::str::from_utf8(&octets).unwrap()),
                Ok(None) => break,
                Err(error) => {
                    let error = error.to_string();
                    assert!(error.contains("in the middle of the reply"), "{error}");
                    all.push('!');
                    break;
                }
            }
        }
        assert_eq!(all, expected, "{path}");
    }
}
