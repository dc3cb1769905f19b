//! Geomys: the environment and the arguments are read here, and nowhere else.

use std::env;
use std::process::ExitCode;

use clap::Parser;
use geomys::cli::{Arguments, run};
use geomys::config::Environment;
use geomys::net::Route;

fn main() -> ExitCode {
    run(Arguments::parse(), environment())
}

#[allow(clippy::disallowed_methods)] // This is the one place.
fn environment() -> Environment {
    let filled = |name| env::var(name).ok().filter(|value| !value.is_empty());
    Environment {
        home: env::home_dir(),
        directory: env::current_dir().ok(),
        nntpserver: filled("NNTPSERVER"),
        netrc: filled("NETRC").map(Into::into),
        mailcaps: filled("MAILCAPS"),
        editor: filled("VISUAL").or_else(|| filled("EDITOR")),
        route: filled("ALL_PROXY")
            .or_else(|| filled("all_proxy"))
            .map(|proxy| Route::by(&proxy)),
        no_color: filled("NO_COLOR").is_some(),
        term: filled("TERM"),
        locale: filled("LC_ALL")
            .or_else(|| filled("LC_CTYPE"))
            .or_else(|| filled("LANG")),
    }
}
