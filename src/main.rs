//! Geomys, the binary.

fn main() {}
