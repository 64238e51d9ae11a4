// Selectors as sources of edits of a state: the objects that they find in the state's document.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/command_run.h"
#include "json/tree.h"
#include "session/address_pattern.h"
#include "session/word_lines.h"

namespace kinu::cli {

/// Whether a word is a selector (RFC 9535) and not an address or a pattern: none of them begins
/// with "$".
bool IsSelector(const session::LineWord& word);

/// Finds instances in a state by selectors over what `show -json` writes for it.
class StateSelection {
 public:
  StateSelection(CommandRun& run, const state::State& state) : run_(run), state_(state) {}

  /// The instances with a value that the selector finds, in the order of the document, each once.
  /// Empty if there are none, and after an error.
  std::vector<ResourceInstance> Select(const session::LineWord& word);
  /// The state has changed: its document is made again when it is needed next.
  void Forget() { document_.reset(); }

 private:
  /// Makes the document if there is none. False after an error.
  bool Read(const session::LineWord& word);

  CommandRun& run_;
  const state::State& state_;
  std::unique_ptr<json::Document> document_;
};

/// The address that a pattern becomes for an instance that a selector found: `**` stands for its
/// modules, `*` in the type or name for that, `[*]` for its key, or for no key. Nothing if the
/// pattern has other wildcards or names a module.
std::optional<std::string> DestinationOf(const Program& program, const ResourceInstance& instance,
                                         session::AddressPattern pattern);

}  // namespace kinu::cli
