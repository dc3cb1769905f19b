//! `geomys get` of a news group, a range of it, or a thread: its articles as a mailbox.

use std::fs::Permissions;
use std::io::{BufWriter, IntoInnerError, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use geomys_load::{FailureKind, Part, Purpose, Request, Stop, announce_articles};
use geomys_page::archive::mbox_message;
use geomys_page::document::{ArticleNumbers, Document};
use geomys_wire::net::Net;
use geomys_wire::text;
use rfc1738::{Dialect, GroupPart, Parts, Range, Url};
use tempfile::Builder;

use crate::cli::context::{CliContext, fetch_over};
use crate::cli::error::{CliError, Output, clean};
use crate::cli::locale::stderr;

/// The most octets of the overview of a group.
const MAX_OVERVIEW_BYTES: usize = 512 * 1024 * 1024;

/// The articles that a command line selects.
pub(super) enum ArticleSelection {
    /// All of the group or range at this URL.
    All(Url),
    /// Those of the thread of an article, in the group at this URL.
    Thread(Url, u64),
}

impl ArticleSelection {
    /// Returns the articles of a URL; `None` for one that is no group of news.
    pub(super) fn of(url: &Url, is_thread: bool) -> Result<Option<Self>, CliError> {
        let number = match url.base_parts() {
            Parts::Nntp(nntp) => nntp.number,
            Parts::News(news) => match news.part {
                GroupPart::Articles(_, Range::One(number)) => Some(number),
                GroupPart::Group(_) | GroupPart::Articles(..) => None,
                GroupPart::All | GroupPart::Groups(_) | GroupPart::Article(_) => {
                    return no_thread(is_thread);
                }
            },
            _ => return no_thread(is_thread),
        };
        let Some(number) = number else {
            return no_thread(is_thread).map(|_: Option<Self>| Some(Self::All(url.clone())));
        };
        let group = url.as_str().rsplit_once('/').map(|(group, _)| group);
        let group = group.and_then(|group| Dialect::Extended.parse(group).ok());
        let number = number.parse().ok();
        Ok(match (group, number) {
            (Some(group), Some(number)) if is_thread => Some(Self::Thread(group, number)),
            _ => None,
        })
    }
}

/// Returns nothing, or the error that a URL names no article of a group.
fn no_thread<T>(is_thread: bool) -> Result<Option<T>, CliError> {
    if is_thread {
        let message = "--thread takes an article by its number, as nntp://host/group/7";
        return Err(CliError::Usage(message.to_owned()));
    }
    Ok(None)
}

/// Returns the path of a mailbox with this name, or with a number if it is taken.
pub(super) fn free_path(path: &Path) -> PathBuf {
    let stem = path.file_name().unwrap_or_default().to_string_lossy();
    let numbered = (2..).map(|number| path.with_file_name(format!("{stem} ({number}).mbox")));
    let first = path.with_file_name(format!("{stem}.mbox"));
    let mut paths = std::iter::once(first.clone()).chain(numbered);
    paths.find(|path| !path.exists()).unwrap_or(first)
}

/// Saves the articles as a mailbox. Those that the server has no more are counted.
pub(super) async fn save(
    context: &CliContext,
    net: &Arc<Net>,
    request: Request,
    selection: ArticleSelection,
    path: &Path,
) -> Result<(), CliError> {
    let articles = requests(context, net, request, selection).await?;
    // The path that the user names may be a link.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let directory = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    let part = Builder::new()
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(directory.unwrap_or(Path::new(".")))?;
    let mut file = BufWriter::new(part);
    let (saved, missing) = write(context, net, articles, &mut file).await?;
    let part = file.into_inner().map_err(IntoInnerError::into_error)?;
    part.persist(&path).map_err(|error| error.error)?;
    let shown = path.display().to_string();
    let without = match missing {
        0 => String::new(),
        missing => format!("; {} are not there any more", text::count(missing)),
    };
    let count = text::count(saved);
    writeln!(stderr(), "{}: {count} articles{without}", clean(&shown))?;
    Ok(())
}

/// Writes the articles as a mailbox to standard output, each as soon as it has arrived.
pub(super) async fn print(
    context: &CliContext,
    net: &Arc<Net>,
    request: Request,
    selection: ArticleSelection,
) -> Result<(), CliError> {
    let articles = requests(context, net, request, selection).await?;
    let mut out = Output::of_octets();
    let written = write(context, net, articles, &mut out).await;
    out.end()?;
    let (_, missing) = written?;
    if missing > 0 {
        let count = text::count(missing);
        writeln!(stderr(), "geomys: {count} articles are not there any more")?;
    }
    Ok(())
}

/// Returns the requests for the articles, by their numbers.
async fn requests(
    context: &CliContext,
    net: &Arc<Net>,
    request: Request,
    selection: ArticleSelection,
) -> Result<Vec<Request>, CliError> {
    let url = match &selection {
        ArticleSelection::All(url) | ArticleSelection::Thread(url, _) => url.clone(),
    };
    let request = Request {
        purpose: Purpose::Show,
        ..request
    };
    let group = overview(
        context,
        net,
        Request {
            url: url.clone(),
            ..request.clone()
        },
    )
    .await?;
    let mut numbers: Vec<u64> = match selection {
        ArticleSelection::All(_) => (0..group.count())
            .filter_map(|row| Some(group.article(row)?.number))
            .collect(),
        ArticleSelection::Thread(_, number) => {
            let article = group.numbered_article(number);
            let article = article.ok_or_else(|| CliError::new("the group has no such article"))?;
            numbers_of(&group.thread_numbers(article.line))
        }
    };
    if numbers.is_empty() {
        return Err(CliError::new(format!(
            "{}: no articles",
            url.masked_answers()
        )));
    }
    numbers.sort_unstable();
    let articles = numbers.into_iter().filter_map(|number| {
        let article = group.numbered_article(number)?;
        Some(Request {
            url: group.article_link(article.line)?.target.ok()?,
            ..request.clone()
        })
    });
    let mut articles: Vec<Request> = articles.collect();
    announce_articles(articles.iter_mut());
    Ok(articles)
}

/// Writes the messages of a mailbox. Returns how many there are, and how many the server has no more.
async fn write(
    context: &CliContext,
    net: &Arc<Net>,
    articles: Vec<Request>,
    out: &mut impl Write,
) -> Result<(usize, usize), CliError> {
    let (mut written, mut missing) = (0_usize, 0_usize);
    for article in articles {
        let mut octets = Vec::new();
        let fetched = fetch_over(net, context, article, |part| {
            if let Part::Octets(more) = part {
                octets.extend(more);
            }
            Ok(())
        })
        .await?;
        match fetched {
            Ok(_) => {
                out.write_all(&mbox_message(&octets))?;
                written += 1;
            }
            Err(Stop::Failed(failure)) if failure.kind == FailureKind::Missing => missing += 1,
            Err(stop) => return Err(stop.into()),
        }
    }
    Ok((written, missing))
}

/// Fetches the overview of a group.
async fn overview(
    context: &CliContext,
    net: &Arc<Net>,
    request: Request,
) -> Result<Document, CliError> {
    let (url, charset) = (request.url.clone(), context.config.settings.charset);
    let mut group = None;
    fetch_over(net, context, request, |part| {
        match part {
            Part::Head(head) => {
                group = Some(Document::new(head.url_of(&url), head.shape, charset));
            }
            Part::Octets(octets) => {
                if let Some(group) = &mut group {
                    if group.raw().len() > MAX_OVERVIEW_BYTES {
                        return Err(CliError::new("the group is too large: name a range of it"));
                    }
                    group.append(&octets);
                }
            }
            _ => {}
        }
        Ok(())
    })
    .await??;
    let group = group.ok_or_else(|| CliError::new("the server sent no group"))?;
    Ok(group.finished())
}

fn numbers_of(numbers: &ArticleNumbers) -> Vec<u64> {
    numbers
        .ranges()
        .flat_map(|(first, last)| first..=last)
        .collect()
}
