// kinu_command_docs DIR: writes the manual pages and the completion scripts that are installed.
#include <iostream>

#include "base/files.h"
#include "cli/command_help.h"

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
  bool done = Write(share + "man/man1/kinu.1", kinu::cli::TopManPage());
  for (const kinu::cli::CommandSpec* command : kinu::cli::Commands()) {
    done = Write(share + "man/man1/" + kinu::cli::ManPageName(*command) + ".1",
                 kinu::cli::ManPage(*command)) &&
           done;
  }
  done = Write(share + "bash-completion/completions/kinu", kinu::cli::BashCompletion()) && done;
  done = Write(share + "zsh/site-functions/_kinu", kinu::cli::ZshCompletion()) && done;
  done = Write(share + "fish/vendor_completions.d/kinu.fish", kinu::cli::FishCompletion()) && done;
  return done ? 0 : 1;
}
