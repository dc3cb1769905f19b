//! Text as it is kept here (RFC 959, section 3.1.1.1): over the wire its lines end in CRLF, in a file in LF.

/// Turns line ends while octets go by.
#[derive(Debug, Default)]
pub(super) struct LineEnds {
    /// A CR that came last: it may be the beginning of an end.
    held: bool,
}

impl LineEnds {
    /// What these octets are in a file. A CR without its LF stays.
    pub(super) fn turn(&mut self, octets: &[u8]) -> Vec<u8> {
        let mut turned = Vec::with_capacity(octets.len() + 1);
        for &octet in octets {
            if self.held && octet != b'\n' {
                turned.push(b'\r');
            }
            self.held = octet == b'\r';
            if !self.held {
                turned.push(octet);
            }
        }
        turned
    }

    /// What was held back, when nothing more comes.
    pub(super) fn rest(&mut self) -> Vec<u8> {
        if std::mem::take(&mut self.held) {
            b"\r".to_vec()
        } else {
            Vec::new()
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_end_is_turned_however_it_comes(
            text in "(a|\r|\n|\r\n){0,20}",
            cut in 0..24_usize,
        ) {
            let (first, second) = text.as_bytes().split_at(cut.min(text.len()));
            let mut ends = LineEnds::default();
            let turned = [ends.turn(first), ends.turn(second), ends.rest()].concat();
            prop_assert_eq!(turned, text.replace("\r\n", "\n").into_bytes());
        }
    }
}
