//! A vsftpd on loopback, if it is installed and root runs the bench.

use std::fs::{self, File};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The size of the large file, and of the small ones, in octets.
const LARGE: u64 = 1 << 30;
const SMALL: &[u8] = &[b'm'; 1300];

/// The time limit for the start.
const DEADLINE: Duration = Duration::from_secs(10);

/// A vsftpd on loopback, with a directory of its own.
pub(crate) struct Vsftpd {
    child: Child,
    port: u16,
}

impl Vsftpd {
    /// Serves `large`, and this number of small files below `many/`, from a directory below the one that is given.
    pub(crate) fn start(directory: &Path, files: usize) -> Option<Self> {
        let program = PathBuf::from("/usr/sbin/vsftpd");
        let root = directory.join("vsftpd");
        let many = root.join("many");
        fs::create_dir_all(&many).unwrap();
        let id = Command::new("id").arg("-u").output().ok()?;
        if !program.is_file() || id.stdout.trim_ascii() != b"0" {
            return None;
        }
        for number in 0..files {
            fs::write(many.join(format!("entry-{number:06}.txt")), SMALL).unwrap();
        }
        File::create(root.join("large"))
            .unwrap()
            .set_len(LARGE)
            .unwrap();
        let empty = directory.join("empty");
        fs::create_dir(&empty).unwrap();
        // The directories must be readable for the server.
        for directory in [directory, &root, &many] {
            let mut mode = fs::metadata(directory).unwrap().permissions();
            std::os::unix::fs::PermissionsExt::set_mode(&mut mode, 0o755);
            fs::set_permissions(directory, mode).unwrap();
        }
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        let conf = directory.join("vsftpd.conf");
        let text = format!(
            "listen=YES\nlisten_address=127.0.0.1\nlisten_port={port}\nbackground=NO\nanonymous_enable=YES\n\
             local_enable=NO\nanon_root={}\nsecure_chroot_dir={}\nseccomp_sandbox=NO\nxferlog_enable=NO\n",
            root.display(),
            empty.display()
        );
        fs::write(&conf, text).unwrap();
        let child = Command::new(program)
            .arg(&conf)
            .stdin(Stdio::null())
            .spawn()
            .ok()?;
        let server = Self { child, port };
        let started = Instant::now();
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
            assert!(started.elapsed() < DEADLINE, "vsftpd does not answer");
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(server)
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("ftp://127.0.0.1:{}/{path}", self.port)
    }
}

impl Drop for Vsftpd {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
