//! News checks: GROUP, STAT of an article, and the greeting for a list of all groups.

use super::LinkStatus;
use crate::load::Request;
use crate::load::Stop;
use crate::load::news::{exists, exists_by_number};
use crate::net::Net;
use crate::url::{News, Nntp};

/// Checks a `news:` URL.
pub(super) async fn by_name(
    net: &Net,
    request: &Request,
    url: &News<'_>,
) -> Result<LinkStatus, Stop> {
    exists(net, request, url).await?;
    Ok(LinkStatus::Alive)
}

/// Checks an `nntp:` URL.
pub(super) async fn by_number(
    net: &Net,
    request: &Request,
    url: &Nntp<'_>,
) -> Result<LinkStatus, Stop> {
    exists_by_number(net, request, url).await?;
    Ok(LinkStatus::Alive)
}
