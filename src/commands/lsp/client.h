// What a client can do, as it says in `initialize`.
#pragma once

#include <string>
#include <vector>

#include "json/reader.h"
#include "lsp/positions.h"

namespace kinu::lsp {

struct Client {
  Encoding encoding = Encoding::kUtf16;
  bool snippets = false;
  bool markdown_in_hover = false;
  bool markdown_in_completion = false;
  bool markdown_in_signature = false;
  bool label_offsets = false;     ///< parameters of a signature as offsets in its label
  bool deprecated_tag = false;    ///< of completion items
  bool document_changes = false;  ///< edits with versions
  bool creates_files = false;     ///< edits that make files
  bool definition_links = false;
  bool symbol_tree = false;  ///< symbols of a document with children
  bool line_folding_only = false;
  bool code_action_literals = false;
  bool prepares_rename = false;
  bool problem_tags = false;
  bool pulls_diagnostics = false;  ///< and repeats it when asked to
  bool configuration = false;      ///< answers workspace/configuration
  bool registers_watchers = false;
  bool refreshes_tokens = false;
  bool refreshes_lenses = false;
  bool refreshes_hints = false;
  std::string show_references;  ///< the client's command for a click on a lens
};

/// `params`: of `initialize`.
Client ReadClient(const JsonNode& params);

}  // namespace kinu::lsp
