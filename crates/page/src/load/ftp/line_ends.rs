//! Line ends of saved texts (RFC 959, section 3.1.1.1): lines end in CRLF on the wire, in LF in a file.

/// Converts line ends in a stream.
#[derive(Debug, Default)]
pub(super) struct LineEnds {
    /// True if the last octet was a CR, which may begin a line end.
    buffered: bool,
}

impl LineEnds {
    /// Converts octets of the wire to those of a file. A CR without an LF stays.
    pub(super) fn convert(&mut self, octets: &[u8]) -> Vec<u8> {
        let mut converted = Vec::with_capacity(octets.len() + 1);
        for &octet in octets {
            if self.buffered && octet != b'\n' {
                converted.push(b'\r');
            }
            self.buffered = octet == b'\r';
            if !self.buffered {
                converted.push(octet);
            }
        }
        converted
    }

    /// Returns the octets that are still buffered at the end.
    pub(super) fn rest(&mut self) -> Vec<u8> {
        if std::mem::take(&mut self.buffered) {
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
        fn every_end_is_converted_for_any_split(
            text in "(a|\r|\n|\r\n){0,20}",
            cut in 0..24_usize,
        ) {
            let (first, second) = text.as_bytes().split_at(cut.min(text.len()));
            let mut ends = LineEnds::default();
            let converted = [ends.convert(first), ends.convert(second), ends.rest()].concat();
            prop_assert_eq!(converted, text.replace("\r\n", "\n").into_bytes());
        }
    }
}
