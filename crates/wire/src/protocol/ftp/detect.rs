//! Detection of implicit TLS, for an `ftps:` URL on a port other than 990.
//!
//! The first connection waits for a greeting. After a silence a second one begins TLS at once while the first still
//! waits: servers that look up names greet late. The connection on which the server greets first is taken, and its kind
//! is remembered.

use std::time::Duration;

use futures_util::future::{Either, select};
use tokio::time::timeout;

use super::FtpError;
use super::control::{Control, FtpHost, FtpTlsMode};
use crate::net::{Quirk, RequestNet};

/// The longest wait for a greeting before a second connection begins TLS at once.
const MAX_SILENCE: Duration = Duration::from_secs(3);

impl Control {
    /// Connects, waits for the greeting, and begins TLS before it or after it.
    pub(super) async fn detect_tls(net: &RequestNet, host: &FtpHost) -> Result<Self, FtpError> {
        let with = |tls_mode| FtpHost {
            tls_mode,
            ..host.clone()
        };
        let [explicit, implicit] = [FtpTlsMode::Explicit, FtpTlsMode::Implicit].map(with);
        let begin_tls = async || {
            let control = Self::connect(net, &implicit).await?;
            control.greeted(net, &implicit).await
        };
        let (authority, quirks) = (host.authority(), net.quirks());
        if quirks.contains(&authority, Quirk::ImplicitTls) {
            return begin_tls().await;
        }
        let first = Self::connect(net, &explicit).await?;
        let mut first = Box::pin(first.greeted(net, &explicit));
        let silence = net.limits().silence.min(MAX_SILENCE);
        let greeted = match timeout(silence, &mut first).await {
            Ok(greeted) => greeted?,
            Err(_) if quirks.contains(&authority, Quirk::GreetsBeforeTls) => first.await?,
            Err(_) => match race(first, begin_tls()).await {
                Ok(greeted) => greeted,
                Err(answer) => {
                    if is_answer(&answer) {
                        quirks.insert(&authority, Quirk::ImplicitTls);
                    }
                    return answer;
                }
            },
        };
        quirks.insert(&authority, Quirk::GreetsBeforeTls);
        greeted.upgrade_to_tls(net, &explicit).await
    }
}

/// Waits for the greeting on two connections. Returns the first one if it has greeted, else the answer of the second
/// one, or the error of the first if both failed. The other connection is closed then.
async fn race(
    first: impl Future<Output = Result<Control, FtpError>>,
    second: impl Future<Output = Result<Control, FtpError>>,
) -> Result<Control, Result<Control, FtpError>> {
    tokio::pin!(first, second);
    match select(first, second).await {
        Either::Left((Ok(greeted), _)) => Ok(greeted),
        Either::Left((Err(error), second)) => {
            let answer = second.await;
            Err(if is_answer(&answer) {
                answer
            } else {
                Err(error)
            })
        }
        Either::Right((answer, _)) if is_answer(&answer) => Err(answer),
        Either::Right((_, first)) => first.await.map_err(Err),
    }
}

/// Returns true if the server has greeted, or sent its certificate.
fn is_answer(answer: &Result<Control, FtpError>) -> bool {
    matches!(answer, Ok(_) | Err(FtpError::Certificate(_)))
}
