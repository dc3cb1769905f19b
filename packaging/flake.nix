{
  description = "Terminal browser for Gopher, FTP and Usenet news";

  inputs.nixpkgs.url = "nixpkgs";

  # Used from the root of the source: nix build ./packaging
  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      forAll = nixpkgs.lib.genAttrs systems;
      manifest = (builtins.fromTOML (builtins.readFile ../Cargo.toml)).package;
    in
    {
      packages = forAll (system:
        let pkgs = nixpkgs.legacyPackages.${system}; in
        {
          default = pkgs.rustPlatform.buildRustPackage {
            buildType = "dist";
            pname = manifest.name;
            version = manifest.version;
            src = ../.;
            cargoLock.lockFile = ../Cargo.lock;
            nativeBuildInputs = [ pkgs.installShellFiles ];
            # The tests of sessions need a terminal and free ports, which the sandbox does not have.
            cargoTestFlags = [ "--lib" ];
            postInstall = ''
              packaging/files $out/bin/geomys
              installManPage target/files/man/*
              installShellCompletion --cmd geomys --bash target/files/geomys.bash \
                --zsh target/files/_geomys --fish target/files/geomys.fish
              install -Dm644 packaging/geomys.desktop -t $out/share/applications
              install -Dm644 packaging/geomys.svg -t $out/share/icons/hicolor/scalable/apps
              install -Dm644 packaging/geomys.metainfo.xml -t $out/share/metainfo
            '';
            meta = {
              description = manifest.description;
              license = with pkgs.lib.licenses; [ mit asl20 ];
              mainProgram = "geomys";
            };
          };
        });
    };
}
