// state rm and state mv: edits of what the state keeps track of.
#include "session/state_edit.h"

#include "backend/state_file.h"
#include "cli/flag_groups.h"
#include "cli/state_session.h"
#include "text/quote.h"

namespace kinu::cli {
namespace {

std::optional<session::StateAddress> ParseAddress(StateSession& session, const std::string& word) {
  session.sources.push_back(SourceFile::Make("", word));
  return session::ParseStateAddress(*session.program, session.sources.back().get(), session.diags);
}

/// The state that `state mv -state-out` moves objects to.
class OtherState {
 public:
  state::State state;

  bool is_open() const { return handle_.has_value(); }
  bool Open(StateSession& session) {
    const std::string& path = session.flags.String("state-out");
    if (path.empty()) {
      return true;
    }
    const std::string& backup = session.flags.String("backup-out");
    session::StateHandle opened(
        backend::OpenStateFile(path, backup == "-" || backup.empty() ? CopyNameOf(path) : backup,
                               session.program, session.sealer));
    if (session.flags.Bool("lock") &&
        !opened.Lock(session.LockRequestFor("state-mv"), session.diags)) {
      return false;
    }
    auto read = opened.store().Read(session.program);
    if (!read) {
      session.diags.Error("Failed to refresh destination state", read.error().message);
      return false;
    }
    state = std::move(*read);
    handle_ = std::move(opened);
    return true;
  }
  bool Save(StateSession& session) {
    if (!is_open()) {
      return true;
    }
    if (auto written = handle_->store().Write(state); !written) {
      session.diags.Error("Error saving the state", written.error().message);
      return false;
    }
    return true;
  }

 private:
  std::optional<session::StateHandle> handle_;
};

}  // namespace

static int RunStateRm(Invocation& invocation) {
  StateSession session(invocation);
  session.Parse();
  if (session.flags.positionals().empty()) {
    session.diags.Error("Invalid number of arguments", "At least one address is required");
  }
  if (!session.ArgumentsFit()) {
    return session.Usage();
  }
  session.needs_state = true;
  session.edits_state = true;
  session.unreadable = {"Failed to refresh state", ""};
  if (!session.CheckConfiguration() || !session.Open("state-rm")) {
    return session.Fail();
  }
  std::vector<ResourceInstance> selected;
  for (const std::string& word : session.flags.positionals()) {
    if (const auto address = ParseAddress(session, word)) {
      const auto found = session::SelectInstances(session.state, *address);
      selected.insert(selected.end(), found.begin(), found.end());
    }
  }
  if (session.diags.has_errors()) {
    return session.Fail();
  }
  bool dry_run = session.flags.Bool("dry-run");
  for (const ResourceInstance& address : selected) {
    session.Say((dry_run ? "Would remove " : "Removed ") + session.program->ToText(address));
    if (!dry_run) {
      session::RemoveInstance(session.state, address);
    }
  }
  if (dry_run) {
    if (selected.empty()) {
      session.Say("Would have removed nothing.", "Would have removed nothing");
    }
    return 0;
  }
  if (selected.empty()) {
    return session.Fail(
        "Invalid target address",
        "No matching objects found. To view the available instances, use \"tofu state list\". "
        "Please modify the address to reference a specific instance.");
  }
  if (!session.Save()) {
    return session.Fail();
  }
  const std::string done =
      "Successfully removed " + std::to_string(selected.size()) + " resource instance(s)";
  session.Say(done + ".", done);
  session.Close();
  return session.diags.has_errors() ? session.Fail() : 0;
}

static int RunStateMv(Invocation& invocation) {
  StateSession session(invocation);
  session.Parse();
  if (session.flags.positionals().size() != 2) {
    session.diags.Error("Invalid number of arguments", "Exactly two arguments expected");
  }
  if (!session.ArgumentsFit()) {
    return session.Usage();
  }
  session.needs_state = true;
  session.edits_state = true;
  session.unreadable = {"Failed to refresh source state", ""};
  if (!session.CheckConfiguration() || !session.Open("state-mv")) {
    return session.Fail();
  }
  OtherState other;
  if (!other.Open(session)) {
    return session.Fail();
  }
  state::State& destination = other.is_open() ? other.state : session.state;
  const auto& words = session.flags.positionals();
  const auto from = ParseAddress(session, words[0]);
  const auto to = ParseAddress(session, words[1]);
  if (!from || !to) {
    return session.Fail();
  }
  const bool dry_run = session.flags.Bool("dry-run");
  const auto say = [&](const std::string& old_address, const std::string& new_address) {
    session.Say((dry_run ? "Would move " : "Move ") + text::GoQuote(old_address) + " to " +
                text::GoQuote(new_address));
  };
  session::StateMover mover(session.state, destination, {.dry_run = dry_run, .moving = say},
                            session.diags);
  if (!mover.Run(*from, *to, words[1])) {
    return session.Fail();
  }
  if (dry_run) {
    return 0;
  }
  session::ForgetDependencies(destination, *from);
  // The state that gains the objects first: a failure in between leaves them in both.
  if (!other.Save(session) || !session.Save()) {
    return session.Fail();
  }
  const std::string done = "Successfully moved " + std::to_string(mover.moved()) + " object(s)";
  session.Say(done + ".", done);
  session.Close();
  return session.diags.has_errors() ? session.Fail() : 0;
}

constexpr auto kStateMvFlags =
    JoinFlags(FlagSpec{.name = "dry-run", .help = "Only say what would be moved."}, kStateToEdit,
              FlagSpec{.name = "state-out",
                       .kind = FlagKind::kString,
                       .form = "=path",
                       .help = "State file that receives the objects."},
              kEditBackup,
              FlagSpec{.name = "backup-out",
                       .kind = FlagKind::kString,
                       .default_value = "-",
                       .form = "=path",
                       .help = "The same for -state-out."},
              kBackendVariables, kMessages, kStateLock, kIgnoreRemoteVersion);

extern constexpr CommandSpec kStateMvCommand{
    .name = "state mv",
    .synopsis = "Move an item in the state",
    .usage = "tofu [global options] state mv [options] SOURCE DESTINATION",
    .description = R"(Gives objects in the state another address: an instance, a whole resource
or a module.)",
    .flags = kStateMvFlags,
    .run = RunStateMv,
    .on_misuse = MisuseAnswer::kHelp,
    .newline_after_diagnostics = true,
    .alias = "state move",
};

constexpr auto kStateRmFlags =
    JoinFlags(FlagSpec{.name = "dry-run", .help = "Only say what would be removed."}, kStateToEdit,
              kEditBackup, kBackendVariables, kMessages, kStateLock, kIgnoreRemoteVersion);

extern constexpr CommandSpec kStateRmCommand{
    .name = "state rm",
    .synopsis = "Remove instances from the state",
    .usage = "tofu [global options] state rm [options] ADDRESS...",
    .description = R"(Drops objects from the state. The objects themselves stay, unmanaged.)",
    .flags = kStateRmFlags,
    .run = RunStateRm,
    .on_misuse = MisuseAnswer::kHelp,
    .newline_after_diagnostics = true,
    .alias = "state remove",
};

}  // namespace kinu::cli
