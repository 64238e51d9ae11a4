// CommandRun: what the runs of most commands share, with or without a state: flags, the audience,
// diagnostics and the ways to end. OperationRun: the same for commands that plan or apply.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cli/audience.h"
#include "cli/operation_flags.h"
#include "json/writer.h"
#include "operation/remote_run.h"
#include "risks/report.h"
#include "risks/rules.h"
#include "terminal/prompt.h"
#include "tfjson/action_filter.h"
#include "view/summary/summary.h"

namespace kinu::cli {

using session::Loaded;
using session::LoadIntent;
using session::OpenWorkspace;

struct CommandRun {
  explicit CommandRun(Invocation& the_invocation) : invocation(the_invocation) {}
  CommandRun(const CommandRun&) = delete;
  CommandRun& operator=(const CommandRun&) = delete;
  virtual ~CommandRun() = default;

  Invocation& invocation;
  Diagnostics diags;
  Flags flags;
  std::unique_ptr<Audience> audience;
  std::shared_ptr<Program> program = std::make_shared<Program>();
  std::vector<Ref<const SourceFile>> sources;  ///< words that diagnostics point into

  /// Reads the command line; without `reads_json`, -json and -json-into are left to the command.
  /// Adds problems to `diags`: see ArgumentsFit() and Usage().
  void Parse(std::string_view summary = "Failed to parse command-line flags",
             bool reads_json = true);
  /// Whether the command line has no problem so far, -json and -json-into included.
  bool ArgumentsFit();
  /// Whether the number of words is looked at: from level 1.13 on also beside other problems.
  bool ReadsWords();
  /// Whether the command line has no problem and no words, for commands that take none.
  bool HasNoWords();
  /// From now on signals end what waits for the network.
  void StopOnInterrupt();
  /// Finishes with a usage error.
  int Usage();
  bool json_only() const { return audience != nullptr && audience->json_only(); }
  /// Whether the whole configuration can be loaded; errors are in `diags`, warnings are dropped.
  /// Ref: command/meta.go checkRequiredVersion.
  bool CheckConfiguration();
  /// After CheckConfiguration(), whether the root module's encryption can be set up; errors are in
  /// `diags`. ChooseBackend() says the same: this is for an error that it must come before.
  bool CheckEncryption();
  /// When set, before ChooseBackend(): what the configuration is warned of is shown, too. Most
  /// commands on states leave it to those who work with the configuration.
  bool warns_of_configuration = false;
  /// What ChooseBackend() does with them where the backend cannot be used.
  session::BackendWarnings beside_errors = session::BackendWarnings::kBesideErrors;
  /// ChooseBackend() reports problems of the backend beside those of the encryption, which come
  /// first and alone otherwise.
  bool backend_comes_first = false;
  /// The warnings that ChooseBackend() has left out.
  Diagnostics left_warnings;
  /// Returns the backend of the configuration. `open`: the workspace with its modules, whose root
  /// is checked first; null: that of CheckConfiguration(), or else the root module is read for its
  /// backend block.
  std::optional<session::ConfiguredBackend> ChooseBackend(const backend::StateFlags& state_flags,
                                                          OpenWorkspace* open = nullptr);
  /// The lock that -lock and -lock-timeout ask for.
  state::LockRequest LockRequestFor(std::string_view operation);
  /// Shows the diagnostics and returns the exit code of a failure.
  virtual int Fail();
  int Fail(std::string summary, std::string detail);
  /// Prints a line, or a JSON message with the same text.
  void Say(const std::string& text) { Say(text, text); }
  void Say(const std::string& text, const std::string& message);
  /// Fails like Fail(summary, detail) in text, and with a message that is no diagnostic in
  /// JSON.
  int Refuse(const std::string& message, std::string summary, std::string detail);

 private:
  Diagnostics of_audience_;  ///< problems of -json and -json-into, reported last at 1.12
  std::vector<config::VariableArgument> checked_arguments_;  ///< those of `checked_`
  std::optional<OpenWorkspace> checked_;                     ///< after CheckConfiguration()
};

/// Which parts of a new plan its text has.
struct PlanParts {
  const view::SummaryOptions* summary = nullptr;      ///< null: the text is no summary
  const tfjson::ActionFilter* actions = nullptr;      ///< null: all changes
  const operation::OfflineReport* offline = nullptr;  ///< null: providers have planned
  bool why = false;                                   ///< a summary says what the changes come from
  const risks::Rules* risks = nullptr;                ///< null: risks are not looked for
  bool may_page = true;                               ///< the reader's program may show it
};

/// The run of a command that works through an operation.
struct OperationRun : CommandRun {
  using CommandRun::CommandRun;

  Operation operation{invocation.workspace};

  /// From now on signals stop the operation.
  void CatchInterrupts();
  /// Opens the operation. The errors are in `diags` if it returns false.
  bool Open(const PlanRequest& request) { return operation.Open(request, *audience, diags); }
  /// Lets the service of the state run it, after an Open() that found that. Returns the exit code.
  int RunInService(const PlanRequest& request, operation::RemoteRunOptions options);
  /// Shows a new plan as text and as JSON, which has all of it.
  void ShowPlan(const plan::Plan& plan, const PlanParts& parts = {});
  /// Nothing that happens from now on is printed: a report at the end says all.
  void BeSilent();
  /// Plans, hands the plan to `report`, and keeps nothing. After an error there may be no plan.
  void ReportOnPlan(const PlanRequest& request,
                    const std::function<void(const plan::Plan&)>& report);
  /// Writes what was reported as the elements of an array, without the values that a check
  /// compared, which may be sensitive.
  void WriteProblems(JsonWriter& json);
  /// The risks of a plan that is shown with them; also a JSON message, if there is a reader.
  std::optional<risks::Report> FindRisks(const plan::Plan& plan, const PlanParts& parts);
  /// Closes the operation first.
  int Fail() override;
  using CommandRun::Fail;
};

/// Says on the error stream, in OpenTofu's words, that a plan has no text.
void PrintUnrenderedPlan(const Error& error);

}  // namespace kinu::cli
