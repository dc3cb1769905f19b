//! A panic in the check of one link, which does not end the checks of the others.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;

use super::status::LinkStatus;

/// Returns the result of the check of one link. If it panics, `not_checked` gets the status of a link that was not checked.
pub(super) async fn catch_panic<T>(
    check: impl Future<Output = T>,
    not_checked: impl FnOnce(LinkStatus) -> T,
) -> T {
    let checked = AssertUnwindSafe(check).catch_unwind().await;
    checked.unwrap_or_else(|_| not_checked(LinkStatus::NotChecked("a bug in Geomys".to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn link_whose_check_panics_is_not_checked() {
        let checked = catch_panic(async { panic!("on purpose") }, |status| status).await;
        assert_eq!(
            checked,
            LinkStatus::NotChecked("a bug in Geomys".to_owned())
        );
        let checked = catch_panic(async { LinkStatus::Alive }, |status| status).await;
        assert_eq!(checked, LinkStatus::Alive);
    }
}
