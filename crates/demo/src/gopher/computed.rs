//! Pages that cannot or should not be files: very long, very slow, unlimited, broken. They are streamed as they are
//! computed.
//!
//! `/big/N` (a menu of N items), `/row/I` (their targets), `/slow/N` (a row every 50 ms), `/endless` (one line
//! without end), `/forever` (a menu without end), `/nodot` (a menu without its final dot), `/cut` (a menu that stops
//! in the middle of a row), `/silent` (no answer at all).

use std::io;
use std::time::Duration;

use tokio::net::tcp::OwnedWriteHalf;

use super::World;
use super::row::info;
use crate::wire::{PIECE, number, send};

/// The largest computed menu, in items.
const MAX_ITEMS: u64 = 100_000_000;
const PAUSE: Duration = Duration::from_millis(50);
/// The time for which `/silent` sends nothing.
const SILENCE: Duration = Duration::from_mins(5);

/// A computed page.
pub(super) enum Computed {
    Big(u64),
    Row(u64),
    Slow(u64),
    Endless,
    Forever,
    NoDot,
    Cut,
    Silent,
}

impl Computed {
    /// The computed page at `selector`, if there is one.
    pub(super) fn at(selector: &[u8]) -> Option<Self> {
        let count = |prefix: &[u8]| {
            number(selector.strip_prefix(prefix)?).filter(|&count| count <= MAX_ITEMS)
        };
        match selector {
            b"/endless" => Some(Self::Endless),
            b"/forever" => Some(Self::Forever),
            b"/nodot" => Some(Self::NoDot),
            b"/cut" => Some(Self::Cut),
            b"/silent" => Some(Self::Silent),
            _ => count(b"/big/")
                .map(Self::Big)
                .or_else(|| count(b"/row/").map(Self::Row))
                .or_else(|| count(b"/slow/").map(Self::Slow)),
        }
    }

    /// Computes and sends the page.
    pub(super) async fn send(self, world: &World, out: &mut OwnedWriteHalf) -> io::Result<()> {
        match self {
            Self::Big(count) => {
                items(world, count, out).await?;
                send(out, b".\r\n").await
            }
            Self::Row(number) => {
                let text = format!(
                    "This is room {number} of the long corridor.\r\nThe carpet is the same as in all the others.\r\n.\r\n"
                );
                send(out, text.as_bytes()).await
            }
            Self::Slow(count) => {
                for number in 1..=count {
                    send(out, &item(world, number)).await?;
                    tokio::time::sleep(PAUSE).await;
                }
                send(out, b".\r\n").await
            }
            Self::Endless => {
                let piece = vec![b'a'; PIECE];
                loop {
                    send(out, &piece).await?;
                }
            }
            Self::Forever => items(world, u64::MAX, out).await,
            Self::NoDot => {
                let note = info("This menu ends where the connection does: no dot follows.");
                let rows = [note, item(world, 1), item(world, 2)];
                send(out, &rows.concat()).await
            }
            Self::Cut => {
                let note = info("This menu stops in the middle of its third row.");
                let rows = [note, item(world, 1), b"0Room 2 of the long corr".to_vec()];
                send(out, &rows.concat()).await
            }
            Self::Silent => {
                tokio::time::sleep(SILENCE).await;
                Ok(())
            }
        }
    }
}

fn item(world: &World, number: u64) -> Vec<u8> {
    let (host, port) = (world.addresses.gopher.ip(), world.addresses.gopher.port());
    let row = format!("0Room {number} of the long corridor\t/row/{number}\t{host}\t{port}\r\n");
    row.into_bytes()
}

/// Sends rows 1 to `count` in pieces. No menu is ever completely in memory here.
async fn items(world: &World, count: u64, out: &mut OwnedWriteHalf) -> io::Result<()> {
    let here = format!(
        "\t{}\t{}\r\n",
        world.addresses.gopher.ip(),
        world.addresses.gopher.port()
    );
    let mut piece = Vec::with_capacity(PIECE + 128);
    for number in 1..=count {
        let digits = number.to_string();
        for part in [
            "0Room ",
            &digits,
            " of the long corridor\t/row/",
            &digits,
            &here,
        ] {
            piece.extend_from_slice(part.as_bytes());
        }
        if piece.len() >= PIECE {
            send(out, &piece).await?;
            piece.clear();
        }
    }
    send(out, &piece).await
}
