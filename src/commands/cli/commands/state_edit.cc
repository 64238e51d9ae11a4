// state rm and state mv: edits of what the state keeps track of.
#include "session/state_edit.h"

#include <algorithm>

#include "backend/state_file.h"
#include "base/program_name.h"
#include "cli/edit_lines.h"
#include "cli/flag_groups.h"
#include "cli/state_session.h"
#include "text/quote.h"

namespace kinu::cli {
namespace {

std::optional<session::StateAddress> ParseAddress(StateSession& session, const std::string& word) {
  session.sources.push_back(SourceFile::Make("", word));
  return session::ParseStateAddress(*session.program, session.sources.back().get(), session.diags);
}

/// The state that `state mv -state-out` moves objects to. What comes out of an encrypted state is
/// encrypted as that is.
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

/// Whether the words of a command line fit. With -from there are none.
bool EditArgumentsFit(StateSession& session, bool enough, const char* wanted,
                      std::string_view summary = {}) {
  CheckNoWordsBesideFrom(session);
  if (!enough && !session.flags.IsSet("from")) {
    if (summary.empty()) {
      session.diags.Error("Invalid number of arguments", wanted);
    } else {
      WordsError(session.diags, summary, wanted);
    }
  }
  return session.ArgumentsFit();
}

/// Opens the state that is edited. `lines`: what the edit is, if it is one in bulk.
bool OpenToEdit(StateSession& session, const char* lock, const char* unreadable,
                std::string_view form, std::vector<session::WordLine>& lines) {
  if (IsBulkEdit(session.flags)) {
    lines = ReadEditLines(session, form);
  }
  session.needs_state = true;
  session.edits_state = true;
  session.unreadable = {unreadable, ""};
  return !session.diags.has_errors() && session.CheckConfiguration() && session.Open(lock);
}

/// The instances that the words of a command line name.
std::vector<ResourceInstance> SelectByArguments(StateSession& session) {
  std::vector<ResourceInstance> selected;
  session::InstanceSelector selector(session.state);
  for (const std::string& word : session.flags.positionals()) {
    if (const auto address = ParseAddress(session, word)) {
      const auto found = selector.Select(*address);
      selected.insert(selected.end(), found.begin(), found.end());
    }
  }
  return selected;
}

/// Moves what the words of a command line or `lines` name. Returns the addresses that something
/// was moved from; errors are in the diagnostics.
std::vector<session::StateAddress> MoveObjects(StateSession& session,
                                               const std::vector<session::WordLine>& lines,
                                               session::StateMover& mover) {
  if (IsBulkEdit(session.flags)) {
    return MoveByLines(session, lines, session.state, mover);
  }
  const auto& words = session.flags.positionals();
  const auto from = ParseAddress(session, words[0]);
  const auto to = ParseAddress(session, words[1]);
  if (!from || !to || !mover.Run(*from, *to, words[1])) {
    return {};
  }
  return {*from};
}

}  // namespace

static int RunStateRm(Invocation& invocation) {
  StateSession session(invocation);
  session.Parse();
  if (!EditArgumentsFit(session, !session.flags.positionals().empty(),
                        "At least one address is required")) {
    return session.Usage();
  }
  std::vector<session::WordLine> lines;
  if (!OpenToEdit(session, "state-rm", "Failed to refresh state", "ADDRESS", lines)) {
    return session.Fail();
  }
  const std::vector<ResourceInstance> selected = IsBulkEdit(session.flags)
                                                     ? SelectByLines(session, lines, session.state)
                                                     : SelectByArguments(session);
  if (session.diags.has_errors()) {
    return session.Fail();
  }
  bool dry_run = session.flags.Bool("dry-run");
  for (const ResourceInstance& address : selected) {
    session.Say((dry_run ? "Would remove " : "Removed ") + session.program->ToText(address));
  }
  if (dry_run) {
    if (selected.empty()) {
      session.Say("Would have removed nothing.", "Would have removed nothing");
    }
    return 0;
  }
  session::RemoveInstances(session.state, selected);
  if (!session.Save()) {
    return session.Fail();
  }
  if (selected.empty()) {
    return session.Fail(
        "Invalid target address",
        Hint("No matching objects found. To view the available instances, use \"tofu state list\". "
             "Please modify the address to reference a specific instance."));
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
  if (!EditArgumentsFit(
          session, WordsFit(session.flags.positionals(), 2), "Exactly two arguments expected",
          WrongWordsSummary("Invalid number of arguments", session.flags.positionals(), 2))) {
    return session.Usage();
  }
  std::vector<session::WordLine> lines;
  if (!OpenToEdit(session, "state-mv", "Failed to refresh source state", "SOURCE DESTINATION",
                  lines)) {
    return session.Fail();
  }
  OtherState other;
  if (!other.Open(session)) {
    return session.Fail();
  }
  state::State& destination = other.is_open() ? other.state : session.state;
  const bool dry_run = session.flags.Bool("dry-run");
  const bool bulk = IsBulkEdit(session.flags);
  std::vector<std::string> moves;  // in bulk shown when all of them are known to succeed
  const auto say = [&](const std::string& old_address, const std::string& new_address) {
    moves.push_back((dry_run ? "Would move " : "Move ") + text::GoQuote(old_address) + " to " +
                    text::GoQuote(new_address));
    if (!bulk) {
      session.Say(moves.back());
    }
  };
  // In bulk a move may depend on the ones before it: they happen, and are not stored.
  session::StateMover mover(session.state, destination,
                            {.dry_run = dry_run && !bulk, .moving = say}, session.diags);
  const auto from = MoveObjects(session, lines, mover);
  if (session.diags.has_errors()) {
    return session.Fail();
  }
  if (bulk) {
    std::ranges::for_each(moves, [&](const std::string& line) { session.Say(line); });
  }
  if (dry_run) {
    return 0;
  }
  session::ForgetDependencies(destination, from);
  // The state that gains the objects first: a failure in between leaves them in both.
  if (!session.CheckBackend() || !other.Save(session) || !session.Save()) {
    return session.Fail();
  }
  const std::string done = "Successfully moved " + std::to_string(mover.moved()) + " object(s)";
  session.Say(done + ".", done);
  session.Close();
  return session.diags.has_errors() ? session.Fail() : 0;
}

constexpr auto kStateMvFlags = JoinFlags(
    FlagSpec{.name = "dry-run", .help = "Only say what would be moved."}, kStateToEdit,
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
    kBackendVariables, kMessages, kStateLock, kIgnoreRemoteVersion, kEditFrom, kEditMatch);

extern constexpr CommandSpec kStateMvCommand{
    .name = "state mv",
    .synopsis = "Move an item in the state",
    .usage =
        "tofu [global options] state mv [options] SOURCE DESTINATION\n"
        "tofu [global options] state mv [options] -from=FILE",
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
              kEditBackup, kBackendVariables, kMessages, kStateLock, kIgnoreRemoteVersion,
              kEditFrom, kEditMatch);

extern constexpr CommandSpec kStateRmCommand{
    .name = "state rm",
    .synopsis = "Remove instances from the state",
    .usage =
        "tofu [global options] state rm [options] ADDRESS...\n"
        "tofu [global options] state rm [options] -from=FILE",
    .description = R"(Drops objects from the state. The objects themselves stay, unmanaged.)",
    .flags = kStateRmFlags,
    .run = RunStateRm,
    .on_misuse = MisuseAnswer::kHelp,
    .newline_after_diagnostics = true,
    .alias = "state remove",
};

}  // namespace kinu::cli
