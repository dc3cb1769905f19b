//! Geomys: arguments, configuration, terminal, run, goodbye.

fn main() {}
