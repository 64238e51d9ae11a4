// HostedRuns: plans and applies of a workspace that its service runs.
// Ref: github.com/hashicorp/go-tfe.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/organization.h"

namespace kinu::backend {

/// What an uploaded configuration is for.
enum class ConfigurationUse : uint8_t {
  kPlan,
  kSavedPlan,  ///< a plan that may be applied later
  kApply,
};

/// What a run is to do.
struct NewRun {
  std::string configuration;  ///< id of its uploaded configuration
  bool saves = false;         ///< its plan is kept until someone applies it
  bool generates = false;     ///< it may write configuration for imported objects
  bool destroy = false;
  bool refresh = true;
  bool refresh_only = false;
  std::vector<std::string> targets;
  std::vector<std::string> replacements;
  std::vector<std::pair<std::string, std::string>> variables;  ///< values as expressions
};

/// How far a run is.
struct HostedRun {
  std::string id;
  std::string status;
  std::string workspace;  ///< id
  std::string plan;
  std::string apply;
  std::string cost_estimate;               ///< empty: there is none
  std::vector<std::string> policy_checks;  ///< ids
  bool has_changes = false;
  bool cancelable = false;
  bool confirmable = false;
  bool discardable = false;
  bool may_apply = false;

  bool is_waiting() const { return status == "pending" || status == "confirmed"; }
  bool has_failed() const { return status == "canceled" || status == "errored"; }
};

/// A run with what is shown of its plan.
struct HostedPlan {
  HostedRun run;
  std::string workspace;  ///< name
  bool workspace_locked = false;
  bool workspace_shows_plans = false;  ///< rather than logs
  std::string status;                  ///< of the plan
  bool has_changes = false;
  bool has_generated = false;  ///< configuration for imported objects
  bool destroy = false;
  bool refresh_only = false;
};

struct CostEstimate {
  std::string status;
  std::string proposed;  ///< a month
  std::string delta;
  int64_t matched = 0;
  int64_t resources = 0;
};

struct PolicyCheck {
  std::string status;
  std::string scope;
  bool overridable = false;
};

/// What a program that the organization has connected says about a run.
struct TaskResult {
  std::string name;
  std::string status;
  std::string message;
  std::string url;
  std::string level;  ///< "mandatory" or "advisory"
};

/// What a policy says about a run.
struct PolicyOutcome {
  std::string policy;
  std::string status;
  std::string level;  ///< "mandatory" or "advisory"
  std::string description;
};

struct PolicySetOutcome {
  std::string name;
  std::vector<PolicyOutcome> outcomes;
};

struct PolicyEvaluation {
  std::string id;
  std::string status;
  int64_t advisory_failed = 0;
  int64_t policies = 0;
  std::vector<PolicySetOutcome> sets;  ///< after ReadPolicyOutcomes()
};

/// The tasks at one point of a run.
struct TaskStage {
  std::string id;
  std::string stage;  ///< "pre_plan", "post_plan" or "pre_apply"
  std::string status;
  std::vector<TaskResult> results;
  std::vector<PolicyEvaluation> evaluations;
};

class HostedRuns {
 public:
  /// Waits; false: the user interrupts.
  using Wait = std::function<bool(std::chrono::milliseconds)>;
  /// Receives a line; false ends a log.
  using OnLine = std::function<bool(std::string_view line)>;

  struct Service {
    std::string host;
    bool takes_variables = false;  ///< runs may have values of variables
    bool gives_plans = false;      ///< as documents, where workspaces want them shown
  };

  /// `workspace`: that of runs that are started; without an id there is none.
  HostedRuns(std::shared_ptr<const Organization> organization, HostedWorkspace workspace,
             Service service)
      : organization_(std::move(organization)),
        workspace_(std::move(workspace)),
        service_(std::move(service)) {}

  const HostedWorkspace& workspace() const { return workspace_; }
  bool takes_variables() const { return service_.takes_variables; }
  bool gives_plans() const { return service_.gives_plans; }
  const std::string& host() const { return service_.host; }
  /// Where people look at a run of the workspace.
  std::string PageOf(const HostedRun& run) const { return PageOf(workspace_.name, run); }
  std::string PageOf(std::string_view workspace, const HostedRun& run) const;

  /// Uploads an archive and waits until the service has read it. Returns the id of the
  /// configuration.
  Result<std::string> Upload(std::string_view archive, ConfigurationUse use,
                             const Wait& wait) const;
  Result<HostedRun> Start(const NewRun& run) const;
  Result<HostedRun> Read(const std::string& run) const;
  Result<HostedPlan> ReadPlan(const std::string& run) const;
  /// The document of a plan by its id. `redacted`: to be shown, without sensitive values, and of
  /// another format (view::ReadServicePlan); else only administrators of the workspace may get it.
  Result<std::string> ReadPlanDocument(const std::string& plan, bool redacted) const;
  /// What people should know about the start of a run.
  Result<std::vector<std::string>> ReadWarnings(const std::string& run) const;
  /// `action`: "apply", "discard" or "cancel".
  Result<void> Act(const std::string& run, std::string_view action) const;
  /// Reads the log of a plan or an apply ("plans", "applies") until it ends. kCancelled: the user
  /// interrupted.
  Result<void> ReadLog(std::string_view kind, const std::string& id, const Wait& wait,
                       const OnLine& on_line) const;
  Result<CostEstimate> ReadCostEstimate(const std::string& id) const;
  Result<PolicyCheck> ReadPolicyCheck(const std::string& id) const;
  Result<std::string> ReadPolicyLog(const std::string& id) const;
  Result<void> OverridePolicy(const std::string& id) const;
  /// The stages of a run, without what their tasks say. None where the service knows none.
  Result<std::vector<TaskStage>> ReadTaskStages(const std::string& run) const;
  Result<TaskStage> ReadTaskStage(const std::string& id) const;
  Result<void> OverrideStage(const std::string& id) const;
  Result<std::vector<PolicySetOutcome>> ReadPolicyOutcomes(const std::string& evaluation) const;

 private:
  std::shared_ptr<const Organization> organization_;
  HostedWorkspace workspace_;
  Service service_;
};

}  // namespace kinu::backend
