# Builds kinu from the sources beside it: nix-build packaging/nix
{ pkgs ? import <nixpkgs> { } }:

let
  inherit (pkgs) lib;
  root = ../..;
  line = lib.findFirst (lib.hasPrefix "project(kinu VERSION ") (throw "CMakeLists.txt has no version")
    (lib.splitString "\n" (builtins.readFile (root + "/CMakeLists.txt")));
in
pkgs.stdenv.mkDerivation {
  pname = "kinu";
  version = builtins.elemAt (lib.splitString " " line) 2;
  src = lib.cleanSource root;

  nativeBuildInputs = with pkgs; [ cmake ninja pkg-config python3 git ];
  buildInputs = with pkgs; [
    curl
    gmp
    libarchive
    libdeflate
    libedit
    libssh
    libxcrypt
    libyaml
    mimalloc
    mpfr
    nghttp2
    openssl
    postgresql
    re2
    rnp
    robin-map
    utf8proc
    xxHash
  ];

  cmakeFlags = [ "-DCMAKE_BUILD_TYPE=Release" "-DKINU_TESTS=OFF" ];
  ninjaFlags = [ "installable" ];

  meta = {
    description = "Infrastructure as code, compatible with OpenTofu";
    license = lib.licenses.mpl20;
    platforms = [ "x86_64-linux" ];
    mainProgram = "kinu";
  };
}
