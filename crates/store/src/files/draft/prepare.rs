//! Initial drafts (RFC 5537, section 3.4).

use geomys_load::PostedAnswers;
use geomys_page::document::{
    Mailbox, ParentArticle, decoded_header, forward_subject, mailboxes, reply_subject,
};
use geomys_wire::protocol::octets;
use geomys_wire::text::{self, Charset, Text};
use rfc1738::{MailtoMessage, Url};

use super::check::COLUMNS;
use super::{Author, Draft, MEDIA_TYPE, UPLOAD_TO};
use crate::files::command::fill;

/// Maximum length of References, in octets: a line of an article holds 998.
const REFERENCES: usize = 900;

/// Creates a draft of a new article for a group.
pub fn new_article(group: &str, author: &Author) -> Draft {
    Draft {
        headers: headers(&[
            ("From", author.mailbox()),
            ("Newsgroups", group),
            ("Subject", ""),
        ]),
        body: "\n".to_owned(),
    }
}

/// Creates a follow-up in the groups that the article requests. For `poster`, see [`letter`].
pub fn follow_up(parent: &ParentArticle, author: &Author) -> Draft {
    let groups = parent.followup_to.as_deref().unwrap_or(&parent.newsgroups);
    let groups: String = groups.split_whitespace().collect();
    Draft {
        headers: headers(&[
            ("From", author.mailbox()),
            ("Newsgroups", &groups),
            ("Subject", &reply_subject(&parent.subject)),
            ("References", &references(parent)),
        ]),
        body: quoted(parent, author),
    }
}

/// Creates a reply by mail, to the addresses that the article requests.
pub fn letter(parent: &ParentArticle, author: &Author) -> Draft {
    let to = if parent.reply_to.is_empty() {
        let (name, address) = (parent.name.clone(), parent.address.clone());
        Mailbox { name, address }.to_string()
    } else {
        list(&parent.reply_to)
    };
    Draft {
        headers: headers(&[
            ("From", author.mailbox()),
            ("To", &to),
            ("Subject", &reply_subject(&parent.subject)),
            ("In-Reply-To", &parent.id),
            ("References", &references(parent)),
        ]),
        body: quoted(parent, author),
    }
}

/// Creates the draft of an upload; `None` if it holds a token, or is no text: a draft keeps no secret.
pub fn upload(url: &Url, posted: &PostedAnswers) -> Option<Draft> {
    let body = String::from_utf8(posted.octets.clone()).ok()?;
    let is_plain = !body.contains('\r') && posted.token.is_empty() && !url.has_secret();
    is_plain.then(|| Draft {
        headers: headers(&[(UPLOAD_TO, url.as_str()), (MEDIA_TYPE, &posted.media)]),
        body,
    })
}

/// Creates the letter of a mailto URL, without the headers that a URL may not set.
pub fn addressed(letter: &MailtoMessage, author: &Author) -> Draft {
    let text = |octets: &[u8]| Text::new(octets, Charset::default()).to_string();
    let mut all = vec![("From", author.mailbox().to_owned())];
    for name in ["To", "Cc", "Subject", "Keywords", "In-Reply-To"] {
        let mut headers = letter.headers.iter();
        let value = headers.find(|(header, _)| *header == name);
        let value = value.map(|(_, value)| value.as_slice()).unwrap_or_default();
        // An address may hold encoded words (RFC 6068, section 5), and a draft is encoded when it is sent.
        let is_encoded = memchr::memmem::find(value, b"=?").is_some();
        let value = match name {
            "To" | "Cc" if is_encoded => list(&mailboxes(value, Charset::default())),
            _ => decoded_header(value, Charset::default()).to_string(),
        };
        all.push((name, value));
    }
    let lines = octets::lines(&letter.body).map(|line| text(line) + "\n");
    Draft {
        headers: headers(&all),
        body: lines.collect(),
    }
}

/// The line above a forwarded article.
pub const FORWARDED: &str = "---------- Forwarded article ----------";

/// Creates a mail with the text of an article, to a reader whom the author names. Its files do not go with it.
pub fn forward(parent: &ParentArticle, author: &Author) -> Draft {
    let (name, address) = (parent.name.clone(), parent.address.clone());
    let sender = Mailbox { name, address }.to_string();
    let head = headers(&[
        ("From", sender.as_str()),
        ("Newsgroups", &parent.newsgroups),
        ("Date", &parent.date),
        ("Subject", &parent.subject),
        ("Message-ID", &parent.id),
    ]);
    let head = head.iter().map(|(name, value)| format!("{name}: {value}"));
    let lines = head
        .chain([String::new()])
        .chain(parent.body.iter().cloned());
    let text: String = lines.map(|line| line + "\n").collect();
    let mut headers = headers(&[
        ("From", author.mailbox()),
        ("Subject", &forward_subject(&parent.subject)),
    ]);
    headers.insert(1, ("To".to_owned(), String::new()));
    Draft {
        headers,
        body: format!("\n{FORWARDED}\n{text}"),
    }
}

/// Creates the control message that cancels an article (RFC 5537, section 5.3).
pub fn cancel(parent: &ParentArticle, author: &Author) -> Draft {
    let control = format!("cancel {}", parent.id);
    Draft {
        headers: headers(&[
            ("From", author.mailbox()),
            ("Newsgroups", &parent.newsgroups),
            ("Subject", &format!("cmsg {control}")),
            ("Control", &control),
        ]),
        body: "Cancelled by its author.\n".to_owned(),
    }
}

/// Creates an article that supersedes an article of the same author (RFC 5536, section 3.2.12).
pub fn supersede(parent: &ParentArticle, author: &Author) -> Draft {
    let body = parent.body.iter().map(|line| format!("{line}\n"));
    Draft {
        headers: headers(&[
            ("From", author.mailbox()),
            ("Newsgroups", &parent.newsgroups),
            (
                "Followup-To",
                parent.followup_to.as_deref().unwrap_or_default(),
            ),
            ("Subject", &parent.subject),
            ("References", &parent.references.join(" ")),
            ("Supersedes", &parent.id),
        ]),
        body: body.collect(),
    }
}

/// Returns the headers that have a value, and the subject.
fn headers<S: AsRef<str>>(all: &[(&str, S)]) -> Vec<(String, String)> {
    let all = all.iter().map(|(name, value)| (*name, value.as_ref()));
    let filled = all.filter(|(name, value)| !value.is_empty() || *name == "Subject");
    filled
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

/// Returns the References of a reply: the first one, and as many of the last ones as a line has room for.
fn references(parent: &ParentArticle) -> String {
    let is_own = !parent.id.is_empty();
    let all = parent.references.iter().chain(is_own.then_some(&parent.id));
    let all: Vec<&str> = all.map(String::as_str).collect();
    let Some((first, rest)) = all.split_first() else {
        return String::new();
    };
    let mut room = REFERENCES.saturating_sub(first.len());
    let last: Vec<&str> = rest
        .iter()
        .rev()
        .take_while(|id| match room.checked_sub(id.len() + 1) {
            Some(left) => {
                room = left;
                true
            }
            None => false,
        })
        .copied()
        .collect();
    let shortened = std::iter::once(*first).chain(last.into_iter().rev());
    shortened.collect::<Vec<_>>().join(" ")
}

/// Quotes the article below an attribution line.
fn quoted(parent: &ParentArticle, author: &Author) -> String {
    let mut text = attribution(parent, author);
    text.push('\n');
    for line in &parent.body {
        let line = line.trim_end();
        let content = line.trim_start_matches(['>', ' ']);
        let marks = line.strip_suffix(content).unwrap_or_default();
        let quote = if line.is_empty() || line.starts_with('>') {
            author.quote.trim_end()
        } else {
            &author.quote
        };
        let prefix = format!("{quote}{marks}");
        for part in wrapped(content, COLUMNS.saturating_sub(text::width(&prefix))) {
            text.push_str(&prefix);
            text.push_str(part);
            text.push('\n');
        }
    }
    text.push('\n');
    text
}

/// Splits a line between words into parts of at most `columns` columns. A longer word is a part by itself, and a short
/// line is one part.
fn wrapped(line: &str, columns: usize) -> Vec<&str> {
    let (mut parts, mut rest) = (Vec::new(), line);
    while let Some((fits, more)) = rest.split_at_checked(text::prefix(rest, columns))
        && !more.is_empty()
    {
        let before = if more.starts_with(' ') {
            Some(fits.len())
        } else {
            fits.rfind(' ')
        };
        let Some((part, after)) = before
            .or_else(|| rest.find(' '))
            .and_then(|end| rest.split_at_checked(end))
        else {
            break;
        };
        parts.push(part.trim_end());
        rest = after.trim_start();
    }
    parts.push(rest);
    parts
}

fn attribution(parent: &ParentArticle, author: &Author) -> String {
    let values = [
        ("name", parent.name.as_str()),
        ("date", parent.date.as_str()),
        ("group", parent.newsgroups.as_str()),
        ("subject", parent.subject.as_str()),
        ("id", parent.id.as_str()),
    ];
    fill(&author.attribution, &values)
}

/// Joins mailboxes with commas.
fn list(mailboxes: &[Mailbox]) -> String {
    let written: Vec<String> = mailboxes.iter().map(ToString::to_string).collect();
    written.join(", ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::files::draft::encode;

    fn author() -> Author {
        Author {
            from: Some("Ada <ada@example.org>".to_owned()),
            attribution: "{name} wrote on {date} {name}{odd}:".to_owned(),
            quote: "> ".to_owned(),
            ..Author::default()
        }
    }

    fn parent() -> ParentArticle {
        ParentArticle {
            name: "Marl, {date}".to_owned(),
            address: "marl@example.org".to_owned(),
            newsgroups: "a.b,a.c".to_owned(),
            subject: "Re: AW: Re: Re[2]: Is it? (was: Re: Was it?)".to_owned(),
            date: "1994-05-11".to_owned(),
            id: "<2@x>".to_owned(),
            references: vec!["<1@x>".to_owned()],
            body: ["It is.", "", "> Is it?", ">> Hm."]
                .map(str::to_owned)
                .to_vec(),
            ..ParentArticle::default()
        }
    }

    #[test]
    fn an_answer_quotes_and_refers() {
        let draft = follow_up(&parent(), &author());
        assert_eq!(
            draft.text(),
            "From: Ada <ada@example.org>\nNewsgroups: a.b,a.c\nSubject: Re: Is it?\nReferences: <1@x> <2@x>\n\n\
             Marl, {date} wrote on 1994-05-11 Marl, {date}{odd}:\n> It is.\n>\n>> Is it?\n>>> Hm.\n\n"
        );
        assert_eq!(Draft::parse(&draft.text()), Ok(draft));
    }

    #[test]
    fn long_quoted_line_wraps_between_words_with_its_marks() {
        let url = format!("http://h.example/{}", "x".repeat(80));
        let body = [
            format!("> {}", "some words ".repeat(14)),
            url.clone(),
            format!("see {url} there"),
            "   indented".to_owned(),
        ];
        let parent = ParentArticle {
            body: body.to_vec(),
            ..parent()
        };
        let draft = follow_up(&parent, &author());
        let lines: Vec<&str> = draft.body.lines().skip(1).collect();
        let row = format!(">> {}", "some words ".repeat(6));
        let second = format!(">> words {}", "some words ".repeat(5));
        let expected = [
            format!("{row}some"),
            format!("{second}some words"),
            ">> some words".to_owned(),
            format!("> {url}"),
            "> see".to_owned(),
            format!("> {url}"),
            "> there".to_owned(),
            ">    indented".to_owned(),
            String::new(),
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn a_letter_goes_to_whom_the_article_names() {
        let draft = letter(&parent(), &author());
        assert_eq!(
            draft.header("To"),
            Some("\"Marl, {date}\" <marl@example.org>")
        );
        assert_eq!(draft.header("In-Reply-To"), Some("<2@x>"));
        assert_eq!(draft.header("Newsgroups"), None);
        let elsewhere = ParentArticle {
            reply_to: mailboxes(
                b"list@example.org, =?utf-8?q?M=C3=BCller=2C_J=C3=B6rg?= <j@example.org>",
                Charset::default(),
            ),
            ..parent()
        };
        let draft = letter(&elsewhere, &author());
        let to = "list@example.org, \"Müller, Jörg\" <j@example.org>";
        assert_eq!(draft.header("To"), Some(to));
        // Sent, the name is encoded once.
        let sent = String::from_utf8(encode(&draft, None)).unwrap();
        let to = "To: list@example.org, =?utf-8?q?M=C3=BCller=2C_J=C3=B6rg?= <j@example.org>\r\n";
        assert!(
            sent.contains(&to.replace(", =?", ",\r\n =?")) || sent.contains(to),
            "{sent}"
        );
    }

    #[test]
    fn encoded_words_of_an_address_are_decoded_for_the_draft() {
        let url = "mailto:=%3Futf-8%3Fq%3FJ%3DC3%3DB6rg%3F%3D%20%3Cj@example.org%3E?subject=%3D%3Futf-8%3Fq%3Fcaf%3DC3%3DA9%3F%3D";
        let url = rfc1738::Dialect::Extended.parse(url).unwrap();
        let rfc1738::Parts::Mailto(mailto) = url.base_parts() else {
            panic!("{url:?}")
        };
        let draft = addressed(&mailto.letter(), &author());
        assert_eq!(draft.header("To"), Some("Jörg <j@example.org>"));
        assert_eq!(draft.header("Subject"), Some("café"));
    }

    #[test]
    fn followup_to_is_obeyed() {
        let elsewhere = ParentArticle {
            followup_to: Some("a.d, a.e".to_owned()),
            ..parent()
        };
        let draft = follow_up(&elsewhere, &author());
        assert_eq!(draft.header("Newsgroups"), Some("a.d,a.e"));
        assert_eq!(draft.groups(), [b"a.d".to_vec(), b"a.e".to_vec()]);
    }

    proptest! {
        #[test]
        fn references_keep_the_first_and_the_parent(ids in prop::collection::vec("<[a-z]{1,60}@x>", 1..60)) {
            let parent = ParentArticle { references: ids.clone(), ..parent() };
            let shortened = references(&parent);
            prop_assert!(shortened.len() <= REFERENCES);
            let shortened: Vec<&str> = shortened.split(' ').collect();
            prop_assert_eq!(shortened.first().copied(), ids.first().map(String::as_str));
            prop_assert_eq!(shortened.last().copied(), Some("<2@x>"));
            // The omitted references are one range after the first one.
            let all: Vec<&str> = ids.iter().map(String::as_str).chain(["<2@x>"]).collect();
            prop_assert!(all.ends_with(&shortened[1..]));
        }
    }
}
