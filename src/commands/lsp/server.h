// The language server on two descriptors: what `kinu lsp` runs.
#pragma once

#include <string>

#include "lsp/rest.h"

namespace kinu::lsp {

struct ServerOptions {
  std::string version;  ///< of the program
  Rest rest = [] {};    ///< runs in each thread that has been without work for a while
};

/// Serves one client until it says `exit`, its input ends or its process ends. Returns what the
/// process ends with. Neither descriptor may be used by anybody else.
int Serve(int input, int output, const ServerOptions& options);

}  // namespace kinu::lsp
