// Explanations of plan files, for `why`, `show -why` and the report.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "config/variables.h"
#include "plan/plan_file.h"
#include "session/workspace.h"
#include "view/summary/summary.h"
#include "why/explain.h"

namespace kinu::cli {

/// What -since names: an earlier plan file, or a directory with the earlier configuration.
struct EarlierSource {
  std::shared_ptr<config::Config> config;
  std::map<std::string, Value> variables;
  FlatSet<std::string> unknown;  ///< variables whose earlier values are not known
  std::string directory;         ///< with its files; empty: they are not known
  /// For why::Request; must not outlive this.
  why::Earlier earlier() const { return {config.get(), &variables, &unknown, directory}; }
};

/// Reads an earlier plan file or configuration. Nothing after an error.
std::optional<EarlierSource> ReadEarlier(const session::Workspace& workspace,
                                         const std::string& path,
                                         std::span<const config::VariableArgument> variables,
                                         const std::shared_ptr<Program>& program,
                                         Diagnostics& diags);

/// Opens a plan file. Nothing after an error, such as that it is the document of a plan, which has
/// no expressions of local values.
std::optional<plan::PlanFile> OpenPlanToExplain(const session::Workspace& workspace,
                                                const std::string& path, Diagnostics& diags);

/// Accepts the objects that an address means: one, all of a block, or all of a module.
bool IsMeant(std::string_view address, std::string_view object);

struct PlanFileQuestion {
  std::string address;  ///< empty: all changes
  std::string since;    ///< empty: nothing to compare with
};
/// Explains changes of a plan file. The workspace keeps what the explanation points into. Nothing
/// after an error.
std::optional<why::Explanation> ExplainPlanFile(const session::Workspace& workspace,
                                                const plan::PlanFile& file,
                                                const PlanFileQuestion& question,
                                                Diagnostics& diags);

/// The roots of each change in a few words, for summaries: of objects, and of "output.name".
view::CausesOf CausesForSummary(const why::Explanation& explanation);

}  // namespace kinu::cli
