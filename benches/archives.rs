//! Archives on this machine beside tar and unzip, in one run: `cargo bench --bench archives`.
//!
//! 20,000 members of 2 kB: listed, unpacked, and one of them printed.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    clippy::indexing_slicing,
    dead_code,
    reason = "a bench prints, rounds, may stop at the first thing that is not as it should be, and shares files"
)]

#[path = "figures.rs"]
mod figures;

use std::fs;
use std::path::Path;
use std::process::Command;

use self::figures::{beside, header};

const RUNS: usize = 5;

/// The members, and the directories in which they are.
const MEMBERS: usize = 20_000;
const DIRECTORIES: usize = 200;

/// The member that is printed.
const MEMBER: &str = "town/199/19999.txt";

/// How an archive is made from the directory `town`, listed, unpacked into `{}`, and a member of it printed.
struct Format {
    name: &'static str,
    make: &'static str,
    list: &'static str,
    unpack: &'static str,
    print: &'static str,
}

const FORMATS: [Format; 3] = [
    Format {
        name: "town.tar",
        make: "tar -cf town.tar town",
        list: "tar -tvf town.tar",
        unpack: "tar -xf town.tar -C {}",
        print: "tar -xOf town.tar",
    },
    Format {
        name: "town.tar.gz",
        make: "tar -czf town.tar.gz town",
        list: "tar -tvzf town.tar.gz",
        unpack: "tar -xzf town.tar.gz -C {}",
        print: "tar -xzOf town.tar.gz",
    },
    Format {
        name: "town.zip",
        make: "python3 -m zipfile -c town.zip town",
        list: "unzip -l town.zip",
        unpack: "unzip -q town.zip -d {}",
        print: "unzip -p town.zip",
    },
];

fn main() {
    let directory = tempfile::tempdir().unwrap();
    let home = directory.path();
    for number in 0..MEMBERS {
        let file = home.join(format!(
            "town/{}/{number}.txt",
            number * DIRECTORIES / MEMBERS
        ));
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        let text = format!("Burrow {number} of the garden\n");
        fs::write(file, text.repeat(2000 / text.len())).unwrap();
    }
    header();
    for format in FORMATS {
        let status = command(format.make, home).status().unwrap();
        assert!(status.success(), "{}: {status}", format.make);
        measure(&format, home);
    }
}

fn measure(format: &Format, home: &Path) {
    let archive = home.join(format.name).display().to_string();
    let geomys = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_geomys"));
        command
            .arg("--config")
            .arg(home.join("profile"))
            .args(arguments);
        command
    };
    let program = format.list.split(' ').next().unwrap_or_default();
    let compare =
        |what: &str, ours: &dyn Fn(usize) -> Command, theirs: &dyn Fn(usize) -> Command| {
            beside(
                &format!("{}, {what}", format.name),
                RUNS,
                ours,
                (program, theirs),
                None,
            );
        };
    let fresh = |program: &str, run: usize| {
        let directory = home.join(format!("{}-{program}-{run}", format.name));
        fs::create_dir(&directory).unwrap();
        directory.display().to_string()
    };
    let what = format!("a list of {MEMBERS} members");
    compare(&what, &|_| geomys(&["dump", &archive]), &|_| {
        command(format.list, home)
    });
    compare(
        "unpacked",
        &|run| geomys(&["mirror", &archive, &fresh("geomys", run)]),
        &|run| command(&format.unpack.replace("{}", &fresh(program, run)), home),
    );
    let member = format!("file://{archive}#{MEMBER}");
    let theirs = format!("{} {MEMBER}", format.print);
    compare(
        "the last member",
        &|_| geomys(&["get", &member, "-o", "-"]),
        &|_| command(&theirs, home),
    );
}

/// A command with its arguments behind blanks, run in a directory.
fn command(line: &str, directory: &Path) -> Command {
    let mut words = line.split(' ');
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words).current_dir(directory);
    command
}
