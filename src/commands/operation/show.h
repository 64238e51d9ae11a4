// Show: finds what the command `show` shows, and reports what is in its way in the order of the
// reference. How things look is up to a ShowView. Ref: opentofu internal/command/show.go.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "config/config.h"
#include "config/variables.h"
#include "diag/diagnostic.h"
#include "operation/cloud_plan.h"
#include "plan/plan_file.h"
#include "session/workspace.h"
#include "state/state.h"

namespace kinu::operation {

/// What the user wants to see.
struct ShowRequest {
  enum class Target : uint8_t {
    kState,          ///< the current state
    kFile,           ///< whichever kind of file `path` is
    kPlanFile,       ///< the plan file `path`
    kConfiguration,  ///< of the working directory
    kModule,         ///< the module in the directory `path`, without what it calls
  };
  Target target = Target::kState;
  std::string path;
  std::span<const config::VariableArgument> variables;  ///< of the command line
  bool positions = false;  ///< with source positions, which not all things have
};

/// Shows things. Each function returns an exit code; errors are in the diagnostics.
class ShowView {
 public:
  virtual ~ShowView() = default;
  /// A document that some program has printed.
  virtual int Document(std::string text, Diagnostics& diags) = 0;
  /// The JSON text of a configuration.
  virtual int Configuration(std::string text) = 0;
  virtual int Plan(const plan::PlanFile& file, Diagnostics& diags) = 0;
  /// `from_file`: the state is in a file of its own, so there is one even if it is empty. The
  /// providers of `config` must be there as those of the state.
  virtual int State(const state::State& state, const config::Config& config, bool from_file,
                    Diagnostics& diags) = 0;
  /// Gets a plan from its service, as FetchCloudPlan(). Nothing after an error.
  using Fetch = std::function<std::optional<FetchedPlan>(bool redacted)>;
  virtual int ServicePlan(const Fetch& fetch, Diagnostics& diags) = 0;
};

/// Shows what is asked for. Returns the exit code; what is in `diags` is to be shown, whatever the
/// code is.
int Show(const session::Workspace& workspace, const ShowRequest& request, ShowView& view,
         Diagnostics& diags);

/// Reports that something has no configuration, and so no source positions.
void ReportNoPositions(Diagnostics& diags);

}  // namespace kinu::operation
