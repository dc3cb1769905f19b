//! Sixel graphics: bands of six rows of dots, one colour after the other, in at most 252 colours.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::scale::Rgb;

/// The number of levels of red, green and blue.
const LEVELS: [u8; 3] = [6, 7, 6];

/// The height of a band, in dots.
const BAND: usize = 6;

/// The thresholds of an ordered dither (Bayer), from 0 to 240.
const THRESHOLDS: [[u32; 4]; 4] = [
    [0, 128, 32, 160],
    [192, 64, 224, 96],
    [48, 176, 16, 144],
    [240, 112, 208, 80],
];

/// The shortest run that is written as a run.
const RUN: usize = 4;

/// Encodes dots, row by row, in rows of this width, which is not 0.
pub(super) fn encode(dots: &[Rgb], width: usize) -> String {
    let height = dots.len() / width;
    // Raster attributes: square dots, the width and the height. `1`: dots that are not set stay as they are.
    let mut sequence = format!("\x1bP0;1q\"1;1;{width};{height}");
    let colours: Vec<u8> = dots.chunks(width).enumerate().flat_map(dithered).collect();
    let mut is_used = [false; 256];
    for colour in &colours {
        if let Some(is_used) = is_used.get_mut(usize::from(*colour)) {
            *is_used = true;
        }
    }
    for (colour, _) in (0..=u8::MAX).zip(is_used).filter(|(_, is_used)| *is_used) {
        let [red, green, blue] = percents(colour);
        let _ = write!(sequence, "#{colour};2;{red};{green};{blue}");
    }
    for band in colours.chunks(BAND * width) {
        write_band(band, width, &mut sequence);
    }
    sequence.push_str("\x1b\\");
    sequence
}

/// Returns the colours of a row of dots.
fn dithered((row, dots): (usize, &[Rgb])) -> Vec<u8> {
    let thresholds = THRESHOLDS.get(row % 4).copied().unwrap_or_default();
    let thresholds = thresholds.iter().cycle();
    let colour = |(dot, threshold): (&Rgb, &u32)| {
        let parts = dot.iter().zip(LEVELS);
        parts.fold(0, |colour, (part, levels)| {
            let level = (u32::from(*part) * u32::from(levels - 1) + threshold) / 255;
            colour * levels + u8::try_from(level).unwrap_or_default()
        })
    };
    dots.iter().zip(thresholds).map(colour).collect()
}

/// The red, green and blue of a colour in percent.
fn percents(colour: u8) -> [u32; 3] {
    let [_, greens, blues] = LEVELS;
    let levels = [
        colour / blues / greens,
        colour / blues % greens,
        colour % blues,
    ];
    let mut percents = [0; 3];
    for ((percent, level), levels) in percents.iter_mut().zip(levels).zip(LEVELS) {
        *percent = u32::from(level) * 100 / u32::from(levels - 1);
    }
    percents
}

/// Writes a band: for each colour a sixel for each column, whose bits are the rows from the top.
fn write_band(band: &[u8], width: usize, sequence: &mut String) {
    let mut sixels: BTreeMap<u8, Vec<u8>> = BTreeMap::new();
    for (row, colours) in band.chunks(width).enumerate() {
        for (column, colour) in colours.iter().enumerate() {
            let columns = sixels.entry(*colour).or_insert_with(|| vec![0; width]);
            if let Some(sixel) = columns.get_mut(column) {
                *sixel |= 1 << row;
            }
        }
    }
    for (colour, columns) in sixels {
        let _ = write!(sequence, "#{colour}");
        for run in columns.chunk_by(|one, other| one == other) {
            let sixel = char::from(b'?' + run.first().copied().unwrap_or_default());
            if run.len() < RUN {
                sequence.extend(run.iter().map(|_| sixel));
            } else {
                let _ = write!(sequence, "!{}{sixel}", run.len());
            }
        }
        sequence.push('$');
    }
    sequence.push('-');
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Reads a sequence as a terminal does: the dots in percent, row by row.
    fn decoded(sequence: &str) -> Vec<Option<[u32; 3]>> {
        let body = sequence.strip_prefix("\x1bP0;1q").unwrap();
        let mut body = body.strip_suffix("\x1b\\").unwrap().chars().peekable();
        let numbers = |body: &mut std::iter::Peekable<std::str::Chars<'_>>| {
            let mut text = String::new();
            while let Some(next) = body.next_if(|next| next.is_ascii_digit() || *next == ';') {
                text.push(next);
            }
            let numbers = text.split(';').map(|number| number.parse().unwrap());
            numbers.collect::<Vec<u32>>()
        };
        let (mut palette, mut dots) = (BTreeMap::new(), Vec::new());
        let (mut width, mut colour, mut column, mut band) = (0, 0, 0, 0);
        let mut repeat = 1;
        while let Some(next) = body.next() {
            match next {
                '"' => {
                    let sizes = numbers(&mut body);
                    width = sizes[2] as usize;
                    dots = vec![None; width * sizes[3] as usize];
                }
                '#' => match numbers(&mut body).as_slice() {
                    [number] => colour = *number,
                    [number, 2, parts @ ..] => {
                        palette.insert(*number, [parts[0], parts[1], parts[2]]);
                    }
                    other => panic!("{other:?}"),
                },
                '!' => repeat = numbers(&mut body)[0] as usize,
                '$' => column = 0,
                '-' => (column, band) = (0, band + 1),
                sixel @ '?'..='~' => {
                    for bit in 0..BAND {
                        if (sixel as u32 - '?' as u32) & 1 << bit != 0 {
                            let start = (band * BAND + bit) * width + column;
                            dots[start..start + repeat].fill(Some(palette[&colour]));
                        }
                    }
                    column += repeat;
                    repeat = 1;
                }
                other => panic!("{other:?}"),
            }
        }
        dots
    }

    proptest! {
        #[test]
        fn all_dots_are_set_in_nearly_their_colours(
            width in 1_usize..20,
            dots in prop::collection::vec(any::<Rgb>(), 1..300),
        ) {
            let height = dots.len() / width;
            prop_assume!(height > 0);
            let dots = &dots[..width * height];
            let decoded = decoded(&encode(dots, width));
            prop_assert_eq!(decoded.len(), dots.len());
            for (dot, decoded) in dots.iter().zip(decoded) {
                for (part, percent) in dot.iter().zip(decoded.unwrap()) {
                    let expected = u32::from(*part) * 100 / 255;
                    prop_assert!(expected.abs_diff(percent) <= 21, "{dot:?} {decoded:?}");
                }
            }
        }
    }

    #[test]
    fn pure_colours_stay_pure_and_runs_are_short() {
        for (dot, percents) in [
            ([255, 0, 0], [100, 0, 0]),
            ([0, 255, 255], [0, 100, 100]),
            ([0, 0, 0], [0, 0, 0]),
            ([255, 255, 255], [100, 100, 100]),
        ] {
            let sequence = encode(&[dot; 700], 100);
            assert!(sequence.len() < 100, "{sequence:?}");
            assert!(decoded(&sequence).iter().all(|dot| *dot == Some(percents)));
        }
    }
}
