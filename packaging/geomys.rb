# Homebrew. packaging/source writes this file to target/source, with the checksum of the archive beside it.
class Geomys < Formula
  desc "Terminal browser for Gopher, FTP and Usenet news"
  version "0.2.0"
  url "file://#{__dir__}/geomys-#{version}.tar.gz"
  sha256 "@SHA256@"
  license any_of: ["MIT", "Apache-2.0"]

  depends_on "rust" => :build

  def install
    system "cargo", "install", "--profile", "dist", *std_cargo_args
    system "packaging/files", bin/"geomys"
    man1.install Dir["target/files/man/*.1"]
    man5.install Dir["target/files/man/*.5"]
    man7.install Dir["target/files/man/*.7"]
    bash_completion.install "target/files/geomys.bash" => "geomys"
    zsh_completion.install "target/files/_geomys"
    fish_completion.install "target/files/geomys.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/geomys --version")
    assert_match "\"valid\":true", shell_output("#{bin}/geomys url --json gopher://h.example/")
  end
end
