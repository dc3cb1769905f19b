//! `geomys man`: the manual pages, from the command line's own descriptions and the topics of the manual, whose
//! Markdown becomes roff for man(7); and `geomys completions`, the completion scripts for shells.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::{fs, io};

use clap::{Args, Command};
use clap_complete::{Shell, generate};
use clap_mangen::Man;

use super::argument::Suggested;
use super::error::{COMMANDS, CliError, Output};
use crate::config::{Environment, UserPaths, read};
use geomys_app::keymap::Keymap;
use geomys_app::manual::{ManualBlock, ManualSpan, TOPICS, Topic};

#[derive(Debug, Args)]
pub(super) struct ManualPages {
    /// Page to print, as `bookmarks` or `config`
    #[arg(
        value_name = "TOPIC",
        conflicts_with = "out",
        hide_possible_values = true
    )]
    #[arg(value_parser = Suggested::new(any_topic, topics_and_commands))]
    topic: Option<String>,

    /// Print a topic of the manual as text: `geomys help TOPIC`
    #[arg(long, requires = "topic")]
    text: bool,

    /// Write all pages as files into DIR
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl ManualPages {
    pub(super) fn run(&self, command: &mut Command) -> Result<(), CliError> {
        if let Some(topic) = self.topic_as_text()? {
            let mut out = Output::new();
            out.write_all(topic.text(&default_keymap()).as_bytes())?;
            return Ok(out.end()?);
        }
        let pages = pages(command)?;
        if let Some(directory) = &self.out {
            return write_all(&pages, directory);
        }
        let name = self.topic.as_deref().unwrap_or("geomys");
        let is_named = |page: &&ManPage| page.name == name || page.topic() == Some(name);
        let Some(page) = pages.iter().rev().find(is_named) else {
            let names: Vec<&str> = pages.iter().filter_map(ManPage::topic).collect();
            return Err(CliError::Usage(format!(
                "no manual page {name}; there are {}",
                names.join(", ")
            )));
        };
        let mut out = Output::new();
        out.write_all(&page.roff)?;
        Ok(out.end()?)
    }
}

impl ManualPages {
    fn topic_as_text(&self) -> Result<Option<Topic>, CliError> {
        let Some(name) = self.topic.as_deref().filter(|_| self.text) else {
            return Ok(None);
        };
        let topic = Topic::named(name);
        topic.map(Some).ok_or_else(|| {
            let names: Vec<&str> = TOPICS.iter().map(|topic| topic.name).collect();
            let names = names.join(", ");
            CliError::Usage(format!("no topic {name} in the manual; there are {names}"))
        })
    }
}

/// Accepts any name: an unknown one is told with the names that there are.
fn any_topic(name: &str) -> Result<String, String> {
    if name.is_empty() {
        return Err("expected the name of a page".to_owned());
    }
    Ok(name.to_owned())
}

/// The names of pages that a shell completes.
fn topics_and_commands() -> Vec<&'static str> {
    let topics = TOPICS.iter().map(|topic| topic.name);
    let mut names: Vec<&str> = topics.chain(COMMANDS).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// A manual page.
struct ManPage {
    /// The name: `geomys`, or `geomys-` and a command or topic.
    name: String,
    section: char,
    roff: Vec<u8>,
}

impl ManPage {
    fn topic(&self) -> Option<&str> {
        self.name.strip_prefix("geomys-")
    }
}

/// Returns all manual pages: one for each command, and one for each topic that is no command.
fn pages(command: &mut Command) -> Result<Vec<ManPage>, CliError> {
    let keymap = default_keymap();
    let mut command = without_help(std::mem::take(command));
    command.build();
    let mut pages = Vec::new();
    command_pages(&command, &keymap, &mut pages)?;
    for topic in TOPICS {
        let name = format!("geomys-{}", topic.name);
        // A command and a topic of one name are one page, unless the topic describes files.
        let section = section(*topic);
        if section == '7' && pages.iter().any(|page| page.name == name) {
            continue;
        }
        let mut roff = Vec::new();
        let title = name.to_uppercase();
        writeln!(roff, ".TH {title} {section} \"\" \"geomys {VERSION}\"")?;
        writeln!(roff, ".SH NAME\n{} \\- {}", escape(&name), topic.subject)?;
        write(&topic.blocks(&keymap), &mut roff)?;
        see_first(&mut roff)?;
        pages.push(ManPage {
            name,
            section,
            roff,
        });
    }
    let mut references = Vec::new();
    see_topics(&pages, &mut references)?;
    if let Some(first) = pages.first_mut() {
        first.roff.extend(references);
    }
    Ok(pages)
}

/// Removes the subcommands named `help`, which need no pages.
fn without_help(command: Command) -> Command {
    command
        .disable_help_subcommand(true)
        .mut_subcommands(without_help)
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The section of the manual: 5 for topics about files, 7 for others.
fn section(topic: Topic) -> char {
    match topic.name {
        "config" | "keys" => '5',
        _ => '7',
    }
}

/// Adds the page of a command, and those of its subcommands.
fn command_pages(
    command: &Command,
    keymap: &Keymap,
    pages: &mut Vec<ManPage>,
) -> Result<(), CliError> {
    let name = command
        .get_display_name()
        .unwrap_or(command.get_name())
        .to_owned();
    let mut roff = Vec::new();
    Man::new(command.clone()).render(&mut roff)?;
    let topic = name.strip_prefix("geomys-").and_then(Topic::named);
    if let Some(topic) = topic.filter(|topic| section(*topic) == '7') {
        write(&topic.blocks(keymap), &mut roff)?;
    }
    if name == "geomys" {
        let exit = "0 when done, 1 when the request failed, 2 when the command line is wrong.";
        writeln!(roff, ".SH EXIT STATUS\n{exit}")?;
        writeln!(roff, ".SH FILES\nSee geomys\\-config(5).")?;
    } else {
        see_first(&mut roff)?;
    }
    pages.push(ManPage {
        name,
        section: '1',
        roff,
    });
    let shown = command
        .get_subcommands()
        .filter(|command| !command.is_hide_set());
    shown
        .into_iter()
        .try_for_each(|command| command_pages(command, keymap, pages))
}

/// Appends the reference of a page to the first one.
fn see_first(out: &mut Vec<u8>) -> io::Result<()> {
    writeln!(out, ".SH SEE ALSO\n.BR geomys (1)")
}

/// Appends the references of the first page to the topics.
fn see_topics(pages: &[ManPage], out: &mut Vec<u8>) -> io::Result<()> {
    let topics = TOPICS.iter().filter_map(|topic| {
        let mut of_topic = pages.iter().filter(|page| page.topic() == Some(topic.name));
        of_topic.next_back()
    });
    let references: Vec<String> = topics
        .map(|page| format!(".BR {} ({})", escape(&page.name), page.section))
        .collect();
    writeln!(out, ".SH SEE ALSO\n{}", references.join(",\n"))
}

/// Writes each page as `NAME.SECTION`.
fn write_all(pages: &[ManPage], directory: &Path) -> Result<(), CliError> {
    let failed = |path: &Path, error: io::Error| {
        CliError::new(format!("cannot write {}: {error}", path.display()))
    };
    fs::create_dir_all(directory).map_err(|error| failed(directory, error))?;
    for page in pages {
        let path = directory.join(format!("{}.{}", page.name, page.section));
        fs::write(&path, &page.roff).map_err(|error| failed(&path, error))?;
    }
    Ok(())
}

/// The keymap without the user's files.
fn default_keymap() -> Keymap {
    let nowhere = UserPaths::new(Some(PathBuf::from("/nonexistent")));
    let config = nowhere.map(|paths| read(&paths, &Environment::default()));
    config.map(|config| config.keymap).unwrap_or_default()
}

/// Writes blocks, except the title of the text: the page has its own. Text below the title is the description.
fn write(blocks: &[ManualBlock], out: &mut impl Write) -> io::Result<()> {
    let mut blocks = blocks.iter().peekable();
    while let Some(block) = blocks.next() {
        match block {
            ManualBlock::Heading { level: 1, .. } => {
                if !matches!(blocks.peek(), None | Some(ManualBlock::Heading { .. })) {
                    writeln!(out, ".SH DESCRIPTION")?;
                }
            }
            ManualBlock::Heading { level: 2, text } => writeln!(out, ".SH {}", heading(text))?,
            ManualBlock::Heading { text, .. } => writeln!(out, ".SS {}", heading(text))?,
            ManualBlock::Paragraph(spans) => writeln!(out, ".PP\n{}", line(spans))?,
            ManualBlock::Item(spans) => writeln!(out, ".IP \\(bu 2\n{}", line(spans))?,
            ManualBlock::Code(lines) => {
                writeln!(out, ".PP\n.RS 4\n.nf")?;
                for line in lines {
                    writeln!(out, "{}", escape(line))?;
                }
                writeln!(out, ".fi\n.RE")?;
            }
        }
    }
    Ok(())
}

/// The text of a heading as one argument of a macro.
fn heading(text: &str) -> String {
    format!("\"{}\"", escape(text).replace('"', "\\(dq"))
}

fn line(spans: &[ManualSpan]) -> String {
    let parts = spans.iter().map(|span| match span {
        ManualSpan::Plain(text) => escape_inside(text),
        ManualSpan::Code(text) | ManualSpan::Bold(text) => {
            format!("\\fB{}\\fR", escape_inside(text))
        }
    });
    let line: String = parts.collect();
    protect(line)
}

/// Escapes a line of text.
fn escape(text: &str) -> String {
    protect(escape_inside(text))
}

/// Prevents a line from being a request of roff.
fn protect(line: String) -> String {
    if line.starts_with(['.', '\'']) {
        return format!("\\&{line}");
    }
    line
}

fn escape_inside(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\\' => escaped.push_str("\\(rs"),
            '-' => escaped.push_str("\\-"),
            '\'' => escaped.push_str("\\(aq"),
            '`' => escaped.push_str("\\(ga"),
            '^' => escaped.push_str("\\(ha"),
            '~' => escaped.push_str("\\(ti"),
            _ => escaped.push(character),
        }
    }
    escaped
}

#[derive(Debug, Args)]
pub(super) struct Completions {
    /// Shell to print the script for
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

impl Completions {
    pub(super) fn run(&self, command: &mut Command) -> Result<(), CliError> {
        // Generated into memory: the generator panics when its output is closed.
        let mut script = Vec::new();
        generate(self.shell, command, "geomys", &mut script);
        let mut out = Output::new();
        std::io::Write::write_all(&mut out, &script)?;
        Ok(out.end()?)
    }
}

#[cfg(test)]
mod tests {
    use geomys_app::keymap::Keymap;
    use geomys_app::manual::{ManualBlock, TOPICS, parse};

    fn roff(text: &str) -> String {
        let mut out = Vec::new();
        super::write(&parse(text), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn text_at_the_start_of_a_line_is_no_request() {
        assert_eq!(roff(".so /etc/passwd\n"), ".PP\n\\&.so /etc/passwd\n");
        let code = roff("```\n.x 'a' \\n\n```\n");
        assert_eq!(
            code,
            ".PP\n.RS 4\n.nf\n\\&.x \\(aqa\\(aq \\(rsn\n.fi\n.RE\n"
        );
    }

    #[test]
    fn every_line_of_code_is_a_line_of_the_page() {
        for topic in TOPICS {
            let blocks = topic.blocks(&Keymap::default());
            let mut out = Vec::new();
            super::write(&blocks, &mut out).unwrap();
            let page = String::from_utf8(out).unwrap();
            for block in &blocks {
                let ManualBlock::Code(lines) = block else {
                    continue;
                };
                let lines: Vec<String> = lines.iter().map(|line| super::escape(line)).collect();
                let code = format!(".nf\n{}\n.fi\n", lines.join("\n"));
                assert!(page.contains(&code), "{}: {code}", topic.name);
            }
        }
    }

    #[test]
    fn headings_items_and_code_have_their_macros() {
        assert_eq!(
            roff("# T\n## A \"b\"\n- `-x`: y~\n"),
            ".SH \"A \\(dqb\\(dq\"\n.IP \\(bu 2\n\\fB\\-x\\fR: y\\(ti\n"
        );
    }
}
