//! Decompression of `.Z` files: LZW as the Unix program compress writes it.
//!
//! ```text
//! file  = %x1F.9D flags *code       ; flags: the most bits of a code, and %x80 for a code that clears the table
//! code  = 9*16 bits, the lowest first
//! ```
//!
//! Codes come in groups of eight of one width: where the width changes, the rest of the group is padding. No crate
//! reads this padding.

use std::io::{self, Read};

/// The least bits of a code.
const MIN_BITS: u32 = 9;

/// The most bits of a code.
const MAX_BITS: u32 = 16;

/// The code that clears the table, where the flags say so.
const CLEAR: usize = 256;

/// A decoder for `.Z`.
pub(super) struct LzwReader<R> {
    reader: R,
    state: Option<Table>,
    /// Decoded octets in reverse order.
    decoded: Vec<u8>,
}

/// The table of a decoder and its position.
struct Table {
    max_bits: u32,
    has_clear: bool,
    bits: u32,
    /// The octets of the current group of eight codes, and the position in it, in bits.
    group: Vec<u8>,
    at: usize,
    /// The code before each code, and its last octet.
    prefixes: Vec<u16>,
    octets: Vec<u8>,
    previous: Option<usize>,
    /// The first octet of the previous code.
    first: u8,
}

impl<R: Read> LzwReader<R> {
    pub(super) fn new(reader: R) -> Self {
        Self {
            reader,
            state: None,
            decoded: Vec::new(),
        }
    }

    /// Decodes the next code. Returns false at the end.
    fn decode(&mut self) -> io::Result<bool> {
        let mut table = match self.state.take() {
            Some(table) => table,
            None => Table::begin(&mut self.reader)?,
        };
        let code = table.next_code(&mut self.reader)?;
        let has_more = match code {
            Some(CLEAR) if table.has_clear => {
                table.clear();
                true
            }
            Some(code) => {
                table.expand(code, &mut self.decoded)?;
                true
            }
            None => false,
        };
        self.state = Some(table);
        Ok(has_more)
    }
}

impl<R: Read> Read for LzwReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.decoded.is_empty() {
            if !self.decode()? {
                return Ok(0);
            }
        }
        let mut count = 0;
        for (slot, octet) in buffer
            .iter_mut()
            .zip(std::iter::from_fn(|| self.decoded.pop()))
        {
            *slot = octet;
            count += 1;
        }
        Ok(count)
    }
}

fn malformed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a code is not in the table")
}

impl Table {
    fn begin(reader: &mut impl Read) -> io::Result<Self> {
        let mut header = [0; 3];
        reader.read_exact(&mut header)?;
        let [_, _, flags] = header;
        let max_bits = u32::from(flags & 0x1f);
        if !(MIN_BITS..=MAX_BITS).contains(&max_bits) {
            let sentence = format!("codes of {max_bits} bits");
            return Err(io::Error::new(io::ErrorKind::InvalidData, sentence));
        }
        let mut table = Self {
            max_bits,
            has_clear: flags & 0x80 != 0,
            bits: MIN_BITS,
            group: Vec::new(),
            at: 0,
            prefixes: Vec::new(),
            octets: Vec::new(),
            previous: None,
            first: 0,
        };
        table.clear();
        Ok(table)
    }

    /// The number of codes in the table.
    fn len(&self) -> usize {
        self.prefixes.len()
    }

    fn clear(&mut self) {
        let count = if self.has_clear { CLEAR + 1 } else { CLEAR };
        self.prefixes = vec![0; count];
        self.octets = (0..count).map(|octet| octet.to_le_bytes()[0]).collect();
        self.previous = None;
        self.bits = MIN_BITS;
        self.group.clear();
        self.at = 0;
    }

    /// Reads the next code; None at the end.
    fn next_code(&mut self, reader: &mut impl Read) -> io::Result<Option<usize>> {
        let is_full = self.len() == 1 << self.bits;
        if is_full && self.bits < self.max_bits {
            self.bits += 1;
            self.group.clear();
            self.at = 0;
        }
        let width = self.bits as usize;
        if self.at + width > self.group.len() * 8 {
            self.group.clear();
            self.at = 0;
            // Eight codes have as many octets as one has bits.
            reader
                .by_ref()
                .take(u64::from(self.bits))
                .read_to_end(&mut self.group)?;
            if self.group.len() * 8 < width {
                return Ok(None);
            }
        }
        let octets = self.group.iter().skip(self.at / 8).take(4).rev();
        let word = octets.fold(0_u32, |word, octet| word << 8 | u32::from(*octet));
        self.at += width;
        let code = (word >> ((self.at - width) % 8)) & ((1 << self.bits) - 1);
        Ok(Some(code as usize))
    }

    /// Appends the octets of a code in reverse order, and adds a code to the table.
    fn expand(&mut self, code: usize, reversed: &mut Vec<u8>) -> io::Result<()> {
        let mut at = code;
        if code >= self.len() {
            // The code that is being added: the previous one, and its first octet again.
            at = self
                .previous
                .filter(|_| code == self.len())
                .ok_or_else(malformed)?;
            reversed.push(self.first);
        }
        while at >= CLEAR {
            let (octet, prefix) = self
                .octets
                .get(at)
                .zip(self.prefixes.get(at))
                .ok_or_else(malformed)?;
            reversed.push(*octet);
            at = usize::from(*prefix);
        }
        self.first = u8::try_from(at).map_err(|_| malformed())?;
        reversed.push(self.first);
        if let Some(previous) = self.previous
            && self.len() < 1 << self.max_bits
        {
            self.prefixes
                .push(u16::try_from(previous).map_err(|_| malformed())?);
            self.octets.push(self.first);
        }
        self.previous = Some(code);
        Ok(())
    }
}
