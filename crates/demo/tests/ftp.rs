//! RFC 959 and its extensions.

use geomys_demo::{Demo, world};
use suppaftp::types::FileType;
use suppaftp::{FtpStream, Mode};

use super::demo;
use super::wire::Client;

/// A reply of one or more lines.
async fn reply(client: &mut Client) -> String {
    let first = client.text().await;
    let (code, more) = first.split_at(3);
    let mut whole = first.clone();
    if more.starts_with('-') {
        loop {
            let line = client.text().await;
            whole.push('\n');
            whole.push_str(&line);
            if line.starts_with(&format!("{code} ")) {
                break;
            }
        }
    }
    whole
}

async fn say(client: &mut Client, command: impl AsRef<[u8]>) -> String {
    client.send([command.as_ref(), b"\r\n"].concat()).await;
    reply(client).await
}

async fn login(demo: &Demo, name: &str, password: &str) -> (Client, String) {
    let mut client = Client::connect(demo.addresses.ftp).await;
    assert!(reply(&mut client).await.starts_with("220-"));
    assert!(
        say(&mut client, format!("USER {name}"))
            .await
            .starts_with("331 ")
    );
    let answer = say(&mut client, format!("PASS {password}")).await;
    (client, answer)
}

async fn anonymous(demo: &Demo) -> Client {
    let (client, answer) = login(demo, "anonymous", "me@underloam.example").await;
    assert!(
        answer.ends_with("\n230 Come in, it is dry down here"),
        "{answer}"
    );
    client
}

/// EPSV, a command, what came over the data connection, and 226.
async fn fetch(demo: &Demo, client: &mut Client, command: impl AsRef<[u8]>) -> Vec<u8> {
    let mut data = open(demo, client).await;
    let opening = say(client, command).await;
    assert!(opening.starts_with("150 "), "{opening}");
    let octets = data.rest().await;
    assert!(reply(client).await.starts_with("226 "));
    octets
}

async fn open(demo: &Demo, client: &mut Client) -> Client {
    let passive = say(client, "EPSV").await;
    let port = passive
        .strip_suffix("|)")
        .and_then(|text| text.rsplit('|').next())
        .expect("a port");
    let mut address = demo.addresses.ftp;
    address.set_port(port.parse().expect("a number"));
    Client::connect(address).await
}

#[tokio::test]
async fn list_has_unix_format() {
    let demo = demo().await;
    let mut client = anonymous(&demo).await;
    let listing = String::from_utf8(fetch(&demo, &mut client, "LIST").await).expect("UTF-8");
    assert!(
        listing.starts_with(
            "lrwxrwxrwx   1 ftp      ftp              6 Mar 14  1994 READ.ME -> README\r\n"
        ),
        "{listing}"
    );
    assert!(
        listing.contains("\r\ndrwxr-xr-x   2 ftp      ftp           4096 Dec 12  1994 pub\r\n")
    );
    assert!(!listing.contains(".message") && !listing.contains(" ada"));
    let all = fetch(&demo, &mut client, "LIST -a").await;
    assert!(String::from_utf8_lossy(&all).contains(" .message\r\n"));
    assert_eq!(
        fetch(&demo, &mut client, "NLST pub").await,
        b"INDEX\r\npictures\r\nsoftware\r\ntexts\r\n"
    );
    assert_eq!(fetch(&demo, &mut client, "LIST incoming").await, b"");
}

#[tokio::test]
async fn binary_file_is_sent_whole_or_from_an_offset() {
    let demo = demo().await;
    let mut client = anonymous(&demo).await;
    assert!(say(&mut client, "TYPE I").await.starts_with("200 "));
    assert_eq!(
        say(&mut client, "SIZE /pub/software/drum.img").await,
        format!("213 {}", world::DRUM_LENGTH)
    );
    let drum = world::drum();
    assert!(fetch(&demo, &mut client, "RETR /pub/software/drum.img").await == drum);
    let mut data = open(&demo, &mut client).await;
    assert!(say(&mut client, "REST 1000000").await.starts_with("350 "));
    assert!(
        say(&mut client, "RETR pub/software/drum.img")
            .await
            .starts_with("150 ")
    );
    assert!(data.rest().await == drum[1_000_000..]);
    assert!(reply(&mut client).await.starts_with("226 "));
}

#[tokio::test]
async fn ascii_type_sends_crlf_and_image_type_sends_octets() {
    let demo = demo().await;
    let mut client = anonymous(&demo).await;
    let ascii = fetch(&demo, &mut client, "RETR welcome.txt").await;
    assert!(ascii.starts_with(b"Welcome. You have found the file that says welcome.\r\n\r\n"));
    assert_eq!(
        say(&mut client, "SIZE welcome.txt").await,
        format!("213 {}", ascii.len())
    );
    say(&mut client, "TYPE I").await;
    let image = fetch(&demo, &mut client, "RETR READ.ME").await;
    assert!(!image.contains(&b'\r'));
    assert!(
        String::from_utf8_lossy(&image)
            .contains(&format!("<URL:gopher://{}/>", demo.addresses.gopher))
    );
}

#[tokio::test]
async fn names_of_any_octets_are_served() {
    let demo = demo().await;
    let mut client = anonymous(&demo).await;
    assert!(say(&mut client, "CWD names").await.starts_with("250 "));
    let names = fetch(&demo, &mut client, "NLST").await;
    let files = names
        .split(|&octet| octet == b'\n')
        .filter_map(|name| name.strip_suffix(b"\r"));
    for name in files.filter(|name| !name.ends_with(b"\"")) {
        let octets = fetch(&demo, &mut client, [b"RETR ", name].concat()).await;
        assert!(
            octets.starts_with(b"You fetched it"),
            "{}",
            String::from_utf8_lossy(name)
        );
    }
    assert!(names.windows(5).any(|name| name == b"caf\xe9 "));
    assert!(
        say(&mut client, "CWD he said \"dig\"")
            .await
            .starts_with("250 ")
    );
    assert_eq!(
        say(&mut client, "PWD").await,
        "257 \"/names/he said \"\"dig\"\"\" is where you are"
    );
}

#[tokio::test]
async fn symlinks_are_followed_and_a_dangling_one_fails() {
    let demo = demo().await;
    let mut client = anonymous(&demo).await;
    assert!(say(&mut client, "CWD latest").await.starts_with("250 "));
    let facts = String::from_utf8(fetch(&demo, &mut client, "MLSD").await).expect("UTF-8");
    assert!(facts.starts_with("type=cdir;"), "{facts}");
    assert!(facts.contains(&format!(
        "type=file;size={};modify=19941124071500;perm=r; drum.img\r\n",
        world::DRUM_LENGTH
    )));
    assert!(
        say(&mut client, "CWD /lost")
            .await
            .starts_with("550 /lost: ")
    );
    assert_eq!(say(&mut client, "MDTM /README").await, "213 19940314092600");
    assert!(
        say(&mut client, "MLST /pub")
            .await
            .contains("\n type=dir;modify=19941212180000;perm=el; /pub\n")
    );
}

#[tokio::test]
async fn big_directory_is_generated() {
    let demo = demo().await;
    let mut client = anonymous(&demo).await;
    let listing = fetch(&demo, &mut client, "LIST /big/3000").await;
    assert_eq!(listing.split(|&octet| octet == b'\n').count(), 3001);
    let sack = fetch(&demo, &mut client, "RETR /big/3000/entry-003000.txt").await;
    assert!(sack.starts_with(b"Sack 3000 of the long cellar"));
    assert!(
        say(&mut client, "SIZE /big/3000/entry-003001.txt")
            .await
            .starts_with("550 ")
    );
}

#[tokio::test]
async fn login_starts_in_a_private_directory() {
    let demo = demo().await;
    let (mut client, answer) = login(&demo, world::ACCOUNT, world::PASSWORD).await;
    assert!(answer.starts_with("230 "), "{answer}");
    assert_eq!(
        say(&mut client, "PWD").await,
        "257 \"/ada\" is where you are"
    );
    assert!(
        fetch(&demo, &mut client, "NLST")
            .await
            .starts_with(b"diary.txt\r\n")
    );
    assert!(
        fetch(&demo, &mut client, "NLST /")
            .await
            .starts_with(b"ada\r\n")
    );
    let (mut refused, answer) = login(&demo, world::ACCOUNT, "byron").await;
    assert_eq!(answer, "530 That is not the password");
    assert!(say(&mut refused, "LIST").await.starts_with("530 "));
}

#[tokio::test]
async fn refused_commands_have_their_codes() {
    let demo = demo().await;
    let mut client = anonymous(&demo).await;
    for (command, code) in [
        ("CWD ", "501"),
        ("XYZZY", "500"),
        ("PORT 127,0,0,1,4,5", "502"),
        ("EPRT |1|127.0.0.1|5|", "502"),
        ("STOR x", "550"),
        ("RETR nothing", "550"),
        ("RETR README", "425"),
        ("REST much", "501"),
        ("TYPE E", "504"),
        ("EPSV 2", "522"),
        ("EPSV ALL", "200"),
        ("PASV", "501"),
        ("QUIT", "221"),
    ] {
        let answer = say(&mut client, command).await;
        assert!(answer.starts_with(code), "{command}: {answer}");
    }
    let mut rude = Client::connect(demo.addresses.ftp).await;
    reply(&mut rude).await;
    rude.send(vec![b'a'; 20_000]).await;
    assert!(
        reply(&mut rude)
            .await
            .starts_with("500 That command is longer")
    );
}

#[tokio::test]
async fn abor_stops_transfer_and_session_continues() {
    let demo = demo().await;
    let mut client = anonymous(&demo).await;
    let mut data = open(&demo, &mut client).await;
    assert!(
        say(&mut client, "LIST /big/10000000")
            .await
            .starts_with("150 ")
    );
    data.octets(1000).await;
    client.send(b"\xff\xf4\xff\xf2ABOR\r\n").await;
    assert!(reply(&mut client).await.starts_with("426 "));
    assert!(reply(&mut client).await.starts_with("226 "));
    assert!(say(&mut client, "NOOP").await.starts_with("200 "));
}

#[tokio::test]
async fn pasv_reply_names_address_and_port() {
    let demo = demo().await;
    let mut client = anonymous(&demo).await;
    let answer = say(&mut client, "PASV").await;
    assert!(
        answer.starts_with("227 Entering Passive Mode (127,0,0,1,") && answer.ends_with(')'),
        "{answer}"
    );
}

/// suppaftp, which others wrote, browses the demo.
#[tokio::test(flavor = "multi_thread")]
async fn suppaftp_client_reads_the_demo() {
    let demo = Demo::start().await.unwrap();
    let authority = demo.addresses.ftp;
    let browsing = tokio::task::spawn_blocking(move || {
        let mut client = FtpStream::connect(authority).unwrap();
        client.set_mode(Mode::ExtendedPassive);
        client.login("anonymous", "me@underloam.example").unwrap();
        client.transfer_type(FileType::Binary).unwrap();
        assert!(!client.feat().unwrap().is_empty());
        let names = client.nlst(None).unwrap();
        assert!(names.contains(&"README".to_owned()), "{names:?}");
        let size = client.size("README").unwrap();
        let readme = client.retr_as_buffer("README").unwrap().into_inner();
        assert_eq!(readme.len(), size);
        client.resume_transfer(10).unwrap();
        let rest = client.retr_as_buffer("README").unwrap().into_inner();
        assert_eq!(rest, &readme[10..]);
        client.quit().unwrap();
    });
    browsing.await.unwrap();
}
