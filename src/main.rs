//! The `geomys` program: the only module that reads the environment and the arguments.

use std::env;
use std::path::Path;
use std::process::ExitCode;

use geomys::cli::{RawArguments, parse, run};
use geomys::config::{Environment, local_hosts};
use geomys_wire::net::{Route, WebProxies};

fn main() -> ExitCode {
    let words = RawArguments::new(env::args_os());
    let environment = environment();
    match parse(&words, &environment) {
        Ok(arguments) => run(arguments, environment),
        Err(status) => status,
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the only function that may do this"
)]
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
            .map(|proxy| Route::from_setting(&proxy)),
        web: WebProxies::from_env(
            // A header of a request could set the upper-case variable if a server runs this program.
            filled("http_proxy").as_deref(),
            filled("https_proxy")
                .or_else(|| filled("HTTPS_PROXY"))
                .as_deref(),
            filled("no_proxy").or_else(|| filled("NO_PROXY")).as_deref(),
        ),
        no_color: filled("NO_COLOR").is_some(),
        term: filled("TERM"),
        colorterm: filled("COLORTERM"),
        locale: filled("LC_ALL")
            .or_else(|| filled("LC_CTYPE"))
            .or_else(|| filled("LANG")),
        local_hosts: local_hosts(Path::new("/etc/hosts")),
    }
}
