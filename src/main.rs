//! The program `geomys`.
fn main() {}
