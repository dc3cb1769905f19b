//! News: GROUP, STAT of an article, and the greeting where all groups are meant.

use super::Verdict;
use crate::load::Request;
use crate::load::Stop;
use crate::load::news::{is_there, is_there_by_number};
use crate::net::Net;
use crate::url::{News, Nntp};

/// A `news:` URL.
pub(super) async fn by_name(net: &Net, request: &Request, url: &News<'_>) -> Result<Verdict, Stop> {
    is_there(net, request, url).await?;
    Ok(Verdict::Alive)
}

/// An `nntp:` URL.
pub(super) async fn by_number(
    net: &Net,
    request: &Request,
    url: &Nntp<'_>,
) -> Result<Verdict, Stop> {
    is_there_by_number(net, request, url).await?;
    Ok(Verdict::Alive)
}
