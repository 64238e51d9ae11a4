// The language server on two descriptors: what `kinu lsp` runs.
#pragma once

#include <string>

namespace kinu::lsp {

/// Serves one client until it says `exit`, its input ends or its process ends. Returns what the
/// process ends with. Neither descriptor may be used by anybody else.
int Serve(int input, int output, const std::string& version);

}  // namespace kinu::lsp
