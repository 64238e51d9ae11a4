// Shows long texts in a pager, when the user asks for it.
#pragma once

#include <string>
#include <string_view>

namespace kinu::terminal {

/// The pager of KINU_PAGER; with `wanted`, else that of PAGER, else "less -FRX". Empty: none, since
/// none is wanted, it is "cat", or standard output is no terminal.
std::string ChoosePager(bool wanted);

/// Prints a text through a pager, or as Print() if `pager` is empty or cannot be started.
void PrintPaged(std::string_view text, const std::string& pager);

}  // namespace kinu::terminal
