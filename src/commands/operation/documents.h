// The documents that `query` and `check` read: JSON text from a file or the standard input, or a
// plan or state file itself, which is then what `show -json` prints for it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/variables.h"
#include "json/token_stream.h"
#include "json/tree.h"
#include "plan/plan_file.h"
#include "plan_json/documents.h"
#include "session/provider_set.h"
#include "session/workspace.h"
#include "state/state.h"

namespace kinu::operation {

/// Receives the configuration of a plan file.
using ConfigVisitor = std::function<void(const config::Config& config)>;

struct PlanJsonOptions {
  bool positions = false;  ///< as `show -json -positions`
  view::PlanParts parts = view::PlanParts::kAll;
  ConfigVisitor visit = nullptr;  ///< is called with the plan's configuration
};

/// What `show -json` prints for a plan file or a state, with its line end. Nothing when it fails:
/// the diagnostics say why.
std::optional<std::string> PlanJson(const session::Workspace& workspace, const plan::PlanFile& file,
                                    Diagnostics& diags, const PlanJsonOptions& options = {});
/// A state file for reading only. ErrorCode::kInvalid: it is a state, but cannot be used.
Result<state::State> ReadStateFile(const std::string& path, const state::Sealer& sealer);
std::optional<std::string> StateJson(const session::Workspace& workspace, const state::State& state,
                                     Diagnostics& diags);
/// The same with providers that are known to be there.
std::optional<std::string> StateJson(session::ProviderSet& providers, const state::State& state,
                                     Diagnostics& diags);

/// What `show -json -config` prints for the configuration of the working directory, without a line
/// end. Nothing when it fails.
std::optional<std::string> ConfigurationJson(const session::Workspace& workspace,
                                             std::span<const config::VariableArgument> variables,
                                             bool positions, Diagnostics& diags);
/// The same for the module in a directory, without what it calls (`show -json -module`).
std::optional<std::string> ModuleJson(const session::Workspace& workspace,
                                      const std::string& directory,
                                      std::span<const config::VariableArgument> variables,
                                      bool positions, Diagnostics& diags);

/// How a document is read.
struct DocumentOptions {
  /// A state file is the JSON that it consists of, and JSON text is of any format.
  bool as_is = false;
  /// A plan file has positions.
  bool positions = false;
  /// What the document of a plan file has.
  view::PlanParts parts = view::PlanParts::kAll;
};

/// Whether a file seems to be one of the documents: a JSON object that tells its format.
bool IsDocument(const std::string& path);

/// A document that is being read.
struct OpenedDocument {
  ~OpenedDocument();
  std::string text;  ///< of documents that are made in memory
  int fd = -1;
  std::string ahead;  ///< what has been read from `fd` already
  std::unique_ptr<json::MappedFile> mapped;
  std::unique_ptr<json::TokenStream> tokens;
};

/// Opens a document for one pass. "-" is the standard input, which is JSON. Null when it fails.
std::unique_ptr<OpenedDocument> OpenDocument(const session::Workspace& workspace,
                                             const std::string& path,
                                             const DocumentOptions& options, Diagnostics& diags);

/// The whole text of a document. Nothing when it fails.
std::optional<std::string> ReadDocument(const session::Workspace& workspace,
                                        const std::string& path, const DocumentOptions& options,
                                        Diagnostics& diags);

/// A document of which the tree has what the shape says. Large files are mapped. Null when it
/// fails.
std::unique_ptr<json::Document> ReadTree(const session::Workspace& workspace,
                                         const std::string& path, const DocumentOptions& options,
                                         const json::Shape& shape, Diagnostics& diags);

}  // namespace kinu::operation
