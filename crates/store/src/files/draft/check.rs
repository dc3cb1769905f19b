//! Faults of a draft, and remarks for its author, before it is sent (RFC 5537, section 3.4).

use geomys_load::{PostingGroup, PostingStatus};
use geomys_wire::text;

use super::{DeliveryMethod, Draft, UPLOAD_TO, encode};

/// Maximum line length of an article, in octets without the line end (RFC 5536, section 2.1).
const LINE: usize = 998;

/// Line width that every reader can show without wrapping, in columns.
pub(super) const COLUMNS: usize = 78;

/// Number of lines that a signature has at most, by custom.
const SIGNATURE_LINES: usize = 4;

/// Issue of a draft.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DraftIssue {
    /// Fault: the draft cannot be sent.
    Fault(String),
    /// Remark: the draft can be sent, but its author should know this.
    Remark(String),
}

/// Groups of the draft that the server has.
#[derive(Clone, Copy, Debug)]
pub enum ServerGroups<'a> {
    /// The groups have not been requested from the server yet.
    Unknown,
    /// The server has these groups.
    Listed(&'a [PostingGroup]),
}

/// Returns all issues of `draft`, the faults first.
pub fn check(
    draft: &Draft,
    delivery: DeliveryMethod,
    server_groups: ServerGroups<'_>,
) -> Vec<DraftIssue> {
    let mut issues = Issues::default();
    match delivery {
        DeliveryMethod::Post => {
            issues.check_headers(draft, &["From", "Newsgroups", "Subject"]);
            issues.check_replaced(draft);
            issues.check_groups(draft, server_groups);
            issues.check_body(&draft.body);
        }
        DeliveryMethod::Mail => {
            issues.check_headers(draft, &["To", "Subject"]);
            issues.check_body(&draft.body);
        }
        DeliveryMethod::Upload => issues.check_upload(draft),
    }
    let faults = issues.faults.into_iter().map(DraftIssue::Fault);
    let remarks = issues.remarks.into_iter().map(DraftIssue::Remark);
    faults.chain(remarks).collect()
}

/// Sentences of the issues found so far.
#[derive(Default)]
struct Issues {
    faults: Vec<String>,
    remarks: Vec<String>,
}

impl Issues {
    fn fault(&mut self, sentence: impl Into<String>) {
        self.faults.push(sentence.into());
    }

    fn remark(&mut self, sentence: impl Into<String>) {
        self.remarks.push(sentence.into());
    }

    fn check_upload(&mut self, draft: &Draft) {
        if draft.upload_url().is_none() {
            self.fault(format!("{UPLOAD_TO} is not a titan or spartan URL"));
        }
        if draft.body.trim().is_empty() {
            self.fault("the text is empty");
        }
    }

    fn check_headers(&mut self, draft: &Draft, required: &[&str]) {
        let missing = required.iter().filter(|name| draft.header(name).is_none());
        self.faults
            .extend(missing.map(|name| format!("{name} is empty")));
        if let Some(from) = draft.header("From")
            && !is_mailbox(from)
        {
            self.fault("From must be “Name <address>”");
        }
        for (at, (name, value)) in draft.headers.iter().enumerate() {
            let mut before = draft.headers.iter().take(at);
            if before.any(|(earlier, _)| earlier.eq_ignore_ascii_case(name)) {
                self.fault(format!("{name} occurs twice"));
            }
            match name.to_ascii_lowercase().as_str() {
                // Set by the author.
                "from" | "newsgroups" | "subject" | "followup-to" | "references"
                | "in-reply-to" | "reply-to" | "organization" | "keywords" | "summary"
                | "distribution" | "expires" | "supersedes" | "control" | "approved"
                | "archive" | "to" | "cc" | "bcc" | "mail-copies-to" | "message-id" | "date"
                | "cancel-lock" | "cancel-key" => {}
                // Set by the server or by Geomys.
                "path"
                | "xref"
                | "lines"
                | "injection-info"
                | "injection-date"
                | "nntp-posting-host"
                | "nntp-posting-date"
                | "mime-version"
                | "content-type"
                | "content-transfer-encoding" => {
                    self.fault(format!("authors cannot set {name}"));
                }
                other if other.starts_with("x-") => {}
                _ => self.remark(format!("unknown header {name}")),
            }
            if name.eq_ignore_ascii_case("Control")
                && !value
                    .trim_start()
                    .to_ascii_lowercase()
                    .starts_with("cancel ")
            {
                self.remark(format!("Control is a command to all servers: {value}"));
            }
            // A control character could begin another line.
            if value.chars().any(char::is_control) {
                self.fault(format!("{name} contains a control character"));
            }
        }
        if let Some(id) = draft.header("Message-ID")
            && geomys_wire::protocol::nntp::message_id(id.as_bytes()).is_err()
        {
            self.fault("Message-ID is malformed");
        }
        let head = Draft {
            body: String::new(),
            ..draft.clone()
        };
        let encoded = encode(&head, None);
        let mut lines = encoded.split(|&octet| octet == b'\n');
        if lines.any(|line| line.len() > LINE + 1) {
            self.fault(format!("a header is longer than {LINE} bytes"));
        }
        if !encoded.is_ascii() {
            self.fault("an address, or the name of a group, is not ASCII");
        }
    }

    /// Remarks whether servers can verify the author of what cancels or supersedes an article.
    fn check_replaced(&mut self, draft: &Draft) {
        let control = draft.header("Control").unwrap_or_default();
        let is_cancel = control.to_ascii_lowercase().starts_with("cancel ");
        if !is_cancel && draft.header("Supersedes").is_none() {
            return;
        }
        self.remark(match draft.header("Cancel-Key") {
            Some(_) => "servers may ignore it",
            None => "the article has no Cancel-Lock of yours, so most servers ignore it",
        });
    }

    fn check_groups(&mut self, draft: &Draft, server_groups: ServerGroups<'_>) {
        let groups = draft.groups();
        for group in &groups {
            let is_sign = |octet: &u8| octet.is_ascii_alphanumeric() || b"+-_.".contains(octet);
            if !group.iter().all(is_sign) {
                let shown = text::Text::new(group, text::Charset::default());
                self.fault(format!("“{shown}” is not a group name"));
            }
        }
        let ServerGroups::Listed(listed) = server_groups else {
            return;
        };
        let is_any = groups
            .iter()
            .any(|group| listed.iter().any(|one| one.name == *group));
        for group in &groups {
            let shown = text::Text::new(group, text::Charset::default());
            match listed.iter().find(|one| one.name == *group) {
                None if is_any => self.remark(format!("the server has no group {shown}")),
                None => self.fault(format!("the server has no group {shown}")),
                Some(one) => match one.posting {
                    PostingStatus::Open => {}
                    PostingStatus::Moderated => self.remark(format!(
                        "{shown} is moderated: the article appears after approval"
                    )),
                    PostingStatus::Closed => {
                        self.fault(format!("{shown} does not allow posting there"));
                    }
                },
            }
        }
        if groups.len() > 1 && draft.header("Followup-To").is_none() {
            let count = groups.len();
            self.remark(format!(
                "it goes to {count} groups, and so do replies: set Followup-To to one"
            ));
        }
    }

    fn check_body(&mut self, body: &str) {
        let lines: Vec<&str> = body.lines().take_while(|line| *line != "-- ").collect();
        let is_quoted = |line: &&str| line.trim_start().starts_with('>');
        // The line above a quotation is the attribution.
        let first = lines.iter().position(|line| !line.trim().is_empty());
        let attribution = first.filter(|at| lines.get(at + 1).is_some_and(is_quoted));
        let mut own = lines.iter().enumerate().filter(|(at, line)| {
            !line.trim().is_empty() && !is_quoted(line) && Some(*at) != attribution
        });
        if first.is_none() {
            self.fault("the text is empty");
        } else if own.next().is_none() {
            self.fault("the text is only quotation");
        }
        if body.chars().any(|c| c.is_control() && !"\n\t".contains(c)) {
            self.fault("the text contains a control character");
        }
        if body.lines().any(|line| line.len() > LINE) {
            self.fault(format!("a line of the text is longer than {LINE} bytes"));
        }
        let signature = body.lines().skip_while(|line| *line != "-- ").skip(1);
        let signature = signature.collect::<Vec<_>>().join("\n");
        let count = signature.trim_end().lines().count();
        if count > SIGNATURE_LINES {
            self.remark(format!(
                "the signature has {count} lines, not {SIGNATURE_LINES} at most"
            ));
        }
        let is_long = |line: &&&str| !is_quoted(line) && text::width(line) > COLUMNS;
        match lines.iter().filter(is_long).count() {
            0 => {}
            1 => self.remark(format!("a line is longer than {COLUMNS} columns")),
            long => self.remark(format!("{long} lines are longer than {COLUMNS} columns")),
        }
    }
}

/// Returns true if a text is one `Name <address>` or one address, as `From` requires.
pub fn is_mailbox(from: &str) -> bool {
    let address = from.rsplit_once('<').map_or(from, |(_, address)| address);
    let address = address.strip_suffix('>').unwrap_or(address);
    let is_sign =
        |c: char| c.is_ascii_graphic() && !matches!(c, '<' | '>' | ',' | '(' | ')' | '"' | ';');
    address.split_once('@').is_some_and(|(local, host)| {
        !local.is_empty() && !host.is_empty() && address.chars().all(is_sign)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn issues_of(head: &str, body: &str, server_groups: ServerGroups<'_>) -> Vec<String> {
        let draft = Draft::parse(&format!("{head}\n{body}")).unwrap();
        let issues = check(&draft, DeliveryMethod::Post, server_groups).into_iter();
        issues
            .map(|issue| match issue {
                DraftIssue::Fault(fault) => format!("fault: {fault}"),
                DraftIssue::Remark(remark) => remark,
            })
            .collect()
    }

    const HEAD: &str = "From: Ada <ada@example.org>\nNewsgroups: a.b\nSubject: x\n";

    #[test]
    fn a_good_one_is_good() {
        assert_eq!(issues_of(HEAD, "Yes.\n", ServerGroups::Unknown), [""; 0]);
        let body = "Ada wrote:\n> Is it?\n\nYes.\n-- \nAda\n";
        assert_eq!(issues_of(HEAD, body, ServerGroups::Unknown), [""; 0]);
    }

    #[test]
    fn heads_are_looked_at() {
        for (head, fault) in [
            (
                "Newsgroups: a.b\nSubject: x\n".to_owned(),
                "fault: From is empty",
            ),
            (
                HEAD.replace("ada@example.org", "ada"),
                "fault: From must be “Name <address>”",
            ),
            (
                HEAD.replace("Subject: x", "Subject:"),
                "fault: Subject is empty",
            ),
            (
                HEAD.replace("a.b", "a b"),
                "fault: “a b” is not a group name",
            ),
            (
                HEAD.replace("a.b", "a.*"),
                "fault: “a.*” is not a group name",
            ),
            (format!("{HEAD}Subject: y\n"), "fault: Subject occurs twice"),
            (
                format!("{HEAD}Path: me\n"),
                "fault: authors cannot set Path",
            ),
            (format!("{HEAD}Sumary: y\n"), "unknown header Sumary"),
            (
                format!("{HEAD}Control: newgroup a.c\n"),
                "Control is a command to all servers: newgroup a.c",
            ),
            (
                format!("{HEAD}Control: cancel <1@x>\n"),
                "the article has no Cancel-Lock of yours, so most servers ignore it",
            ),
            (
                format!("{HEAD}Supersedes: <1@x>\nCancel-Key: sha256:a\n"),
                "servers may ignore it",
            ),
            (
                HEAD.replace("Subject: x", "Subject: x\ry"),
                "fault: Subject contains a control character",
            ),
            (
                format!("{HEAD}X-Long: {}\n", "x".repeat(999)),
                "fault: a header is longer than 998 bytes",
            ),
            (
                format!("{HEAD}Message-ID: <a b@c>\n"),
                "fault: Message-ID is malformed",
            ),
            (
                HEAD.replace("ada@example.org", "ad\u{e4}@example.org"),
                "fault: From must be “Name <address>”",
            ),
        ] {
            let found = issues_of(&head, "Yes.\n", ServerGroups::Unknown);
            assert!(
                found.iter().any(|one| one == fault),
                "{head}: {found:?}, not {fault}"
            );
        }
        let odd = Draft::parse("From: a@b\nno header\n\nx\n");
        assert!(odd.unwrap_err().starts_with("line 2 is not a header"));
    }

    #[test]
    fn bodies_are_looked_at() {
        for (body, expected) in [
            ("\n \n", "fault: the text is empty"),
            ("-- \nAda\n", "fault: the text is empty"),
            (
                "Ada wrote:\n> Is it?\n>\n> Is it?\n\n-- \nAda\n",
                "fault: the text is only quotation",
            ),
            ("> Is it?\n", "fault: the text is only quotation"),
            (
                "a\u{1b}[2J\n",
                "fault: the text contains a control character",
            ),
            ("a\rb\n", "fault: the text contains a control character"),
            (
                &"x".repeat(999),
                "fault: a line of the text is longer than 998 bytes",
            ),
            (&"x".repeat(79), "a line is longer than 78 columns"),
            (
                &format!("Yes.\n-- \n{}\n", "Ada\n".repeat(9)),
                "the signature has 9 lines, not 4 at most",
            ),
        ] {
            let found = issues_of(HEAD, body, ServerGroups::Unknown);
            assert_eq!(found.first().map(String::as_str), Some(expected), "{body}");
        }
    }

    #[test]
    fn groups_are_those_of_the_server() {
        let listed = |name: &str, posting| PostingGroup {
            name: name.as_bytes().to_vec(),
            posting,
        };
        let shut = [
            listed("a.b", PostingStatus::Closed),
            listed("a.c", PostingStatus::Moderated),
        ];
        let two = HEAD.replace("a.b", "a.b,a.c,a.d");
        assert_eq!(
            issues_of(&two, "Yes.\n", ServerGroups::Listed(&shut)),
            [
                "fault: a.b does not allow posting there",
                "a.c is moderated: the article appears after approval",
                "the server has no group a.d",
                "it goes to 3 groups, and so do replies: set Followup-To to one",
            ]
        );
        assert_eq!(
            issues_of(HEAD, "Yes.\n", ServerGroups::Listed(&[])),
            ["fault: the server has no group a.b"]
        );
        let open = [listed("a.b", PostingStatus::Open)];
        assert_eq!(
            issues_of(HEAD, "Yes.\n", ServerGroups::Listed(&open)),
            [""; 0]
        );
    }
}
