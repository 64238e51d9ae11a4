// kinu_command_docs DIR: writes the manual pages and the completion scripts that are installed.
#include <iostream>

#include "base/files.h"
#include "cli/command.h"
#include "manual/completions.h"
#include "manual/man_pages.h"

namespace {

bool Write(const std::string& path, const std::string& text) {
  auto made = kinu::MakeDirectories(kinu::DirName(path));
  auto written = made ? kinu::ReplaceFile(path, text, 0644) : made;
  if (!written) {
    std::cerr << written.error().message << '\n';
  }
  return written.has_value();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: kinu_command_docs DIR\n";
    return 2;
  }
  const std::string share = std::string(argv[1]) + "/";
  bool done = Write(share + "man/man1/kinu.1", kinu::manual::TopManPage());
  for (const kinu::cli::CommandSpec* command : kinu::cli::Commands()) {
    done = Write(share + "man/man1/" + kinu::manual::ManPageName(*command) + ".1",
                 kinu::manual::ManPage(*command)) &&
           done;
  }
  done = Write(share + "bash-completion/completions/kinu", kinu::manual::BashCompletion()) && done;
  done = Write(share + "zsh/site-functions/_kinu", kinu::manual::ZshCompletion()) && done;
  done =
      Write(share + "fish/vendor_completions.d/kinu.fish", kinu::manual::FishCompletion()) && done;
  return done ? 0 : 1;
}
