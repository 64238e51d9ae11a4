// What the commands on stored states have in common: flags, the audience, the workspace's store,
// the lock and the state.
#pragma once

#include <memory>
#include <string>

#include "cli/operation.h"
#include "cli/planning.h"

namespace kinu::cli {

struct StateSession {
  explicit StateSession(Invocation& the_invocation) : invocation(the_invocation) {}
  ~StateSession() { (void)Close(); }

  Invocation& invocation;
  Diagnostics diags;
  Flags flags;
  std::unique_ptr<Audience> audience;
  std::shared_ptr<Program> program = std::make_shared<Program>();
  std::unique_ptr<backend::LocalStore> store;
  state::State state;
  std::vector<Ref<const SourceFile>> sources;  ///< words that diagnostics point into

  /// Reads the command line. What is wrong with it is in `diags`: see ArgumentsFit() and Usage().
  void Parse(std::span<const std::span<const FlagSpec>> tables,
             std::string_view summary = "Failed to parse command-line flags");
  /// Whether the command line is right so far, -json and -json-into included.
  bool ArgumentsFit();
  /// Finishes with a usage error.
  int Usage();
  bool json_only() const { return audience != nullptr && audience->json_only(); }
  /// When set, before Open(): only this resource is wanted, and nothing is written.
  const AbsResource* only = nullptr;
  /// When set, before Open(): these resources are looked at first, and nothing is written. A large
  /// state may then have no others: see ReadAll().
  const std::vector<ConfigResource>* first = nullptr;
  /// How a state that cannot be read is told, before Open(). Its text stands behind `prefix`, in
  /// the summary or (with `summary`) in the detail.
  struct Telling {
    std::string summary = "Failed to load state";
    std::string prefix;
  } unreadable;
  /// When set, before Open(): without a stored state there is nothing to do.
  bool needs_state = false;
  /// When set, before Open(): each change leaves a copy of the state before it, named by the time
  /// unless -backup names it, and problems on the way to the state are one error.
  bool edits_state = false;
  /// Opens the workspace's store and reads the state, under a lock when `lock` names its reason.
  /// `loaded` is the configuration where somebody has loaded it without any problem; else the root
  /// module is read for what it says about the backend.
  bool Open(std::string_view lock = {}, const Loaded* loaded = nullptr);
  /// Whether `state` lacks resources that were not asked for.
  bool in_part() const { return store != nullptr && store->gave_part(); }
  /// All of the state, after Open(). What is wrong with it is in `diags`.
  std::optional<state::State> ReadAll();
  /// Whether the whole configuration can be loaded; what is wrong with it is in `diags`, what is
  /// only worth a warning nowhere. Ref: command/meta.go checkRequiredVersion.
  bool CheckConfiguration();
  /// Where the state of the configuration's backend is; the -state flags count when there are any.
  bool Options(backend::LocalOptions& options, const Loaded* loaded = nullptr);
  /// Shows what is in `diags` and returns the exit code of a failure.
  int Fail();
  int Fail(std::string summary, std::string detail);
  /// A line for people, or a JSON message with the same text.
  void Say(const std::string& text) { Say(text, text); }
  void Say(const std::string& text, const std::string& message);
  /// Fails like Fail(summary, detail) where people read, and with this message, which is no
  /// diagnostic, in JSON.
  int Refuse(const std::string& message, std::string summary, std::string detail);
  /// Gives the lock back.
  bool Close();
  /// Replaces the stored state by `state`.
  bool Save();

 private:
  void TellUnreadable(const Error& error);
  bool OptionsOf(backend::LocalOptions& options, const Loaded* loaded);

  Diagnostics of_audience_;  ///< what is wrong with -json and -json-into, told last
  bool locked_ = false;
  std::optional<Loaded> checked_;  ///< what diagnostics about the configuration point into
};

/// Where a copy of a state goes that is about to be changed by hand.
std::string CopyNameOf(const std::string& state_path);

/// What is said of a state that could not be locked.
std::string LockProblem(const std::string& message);
/// Whether a module is the one that an address names, or inside it. An address that ends without a
/// key names all instances of the module.
bool ModuleTargetContains(const Program& program, ModuleInstId target, ModuleInstId module);

}  // namespace kinu::cli
