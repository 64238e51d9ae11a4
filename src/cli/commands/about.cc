#include "cli/build_info.h"
#include "cli/command.h"
#include "install/package_source.h"

namespace kinu::cli {

namespace {

std::string Compiler() {
#if defined(__clang__)
  return "Clang " __clang_version__;
#else
  return "GCC " __VERSION__;
#endif
}

}  // namespace

static int RunAbout(Invocation&) {
  std::string text = "kinu " + std::string(kOwnVersion) + " (" + install::CurrentPlatform() + ")\n";
  text += "An infrastructure engine compatible with OpenTofu " + std::string(kCompatibleVersion) +
          ".\n\nBuilt from " +
          (kBuildCommit.empty()
               ? std::string("a source archive")
               : "commit " + std::string(kBuildCommit) + " of " + std::string(kBuildDate)) +
          " with " + Compiler() + ", C++ " + std::to_string(__cplusplus) +
          ".\n"
          "Licence: MPL-2.0.\n\n"
          "Libraries in use, with their licences:\n"
          "  GMP, MPFR       LGPL-3.0-or-later (linked dynamically)\n"
          "  libxcrypt       LGPL-2.1-or-later (linked dynamically)\n"
          "  libyaml         MIT\n"
          "  mimalloc        MIT\n"
          "  nghttp2         MIT\n"
          "  OpenSSL         Apache-2.0\n"
          "  RE2             BSD-3-Clause\n"
          "  robin-map       MIT\n"
          "  utf8proc        MIT\n"
          "  xxHash          BSD-2-Clause\n"
          "  zlib            Zlib\n";
  Print(text);
  return 0;
}

extern constexpr CommandSpec kAboutCommand{
    .name = "about",
    .synopsis = "Say what this program is and what it is made of",
    .usage = "tofu about",
    .description = R"(Says what this program is: its own version, how it was built, the
libraries that it uses and their licences.)",
    .run = RunAbout,
};

}  // namespace kinu::cli
