//! Links the program with packed relative relocations, where the C library of this machine can read them: the program is a
//! twentieth smaller, and a launch reads so much less.
//!
//! glibc can since 2.36, and a program that has them says so: an older one does not start it. A linker that does not know the
//! option ignores it.

#![expect(
    clippy::disallowed_methods,
    reason = "cargo passes variables to a build script"
)]

use std::env;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let variable = |name| env::var(name).unwrap_or_default();
    let is_glibc =
        variable("CARGO_CFG_TARGET_OS") == "linux" && variable("CARGO_CFG_TARGET_ENV") == "gnu";
    // For another machine the library of this one says nothing.
    if is_glibc && variable("HOST") == variable("TARGET") && glibc() >= Some((2, 36)) {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// Returns the version of glibc, as in `glibc 2.36`.
fn glibc() -> Option<(u32, u32)> {
    let said = Command::new("getconf")
        .arg("GNU_LIBC_VERSION")
        .output()
        .ok()?;
    let said = String::from_utf8(said.stdout).ok()?;
    let (major, minor) = said.trim().strip_prefix("glibc ")?.split_once('.')?;
    let minor = minor.split('.').next()?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
