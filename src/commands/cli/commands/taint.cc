// taint and untaint: marks that make the next plan replace an object.
#include "base/program_name.h"
#include "cli/flag_groups.h"
#include "cli/state_session.h"
#include "compatibility/features.h"
#include "config/address.h"

namespace kinu::cli {
namespace {

/// Reads the address of an instance. False after an error.
bool TakeInstance(StateSession& session, const std::string& word, ResourceInstance& out) {
  session.sources.push_back(SourceFile::Make("", word));
  auto endpoint =
      config::ParseAddress(*session.program, session.sources.back().get(), session.diags);
  if (endpoint && endpoint->is_module) {
    session.diags.Error("Invalid address", "The address of a resource is needed, not of a module.",
                        endpoint->range);
    return false;
  }
  if (endpoint) {
    out = {{endpoint->module, endpoint->resource}, endpoint->key};
  }
  return endpoint.has_value();
}

int Run(Invocation& invocation, bool taint) {
  StateSession session(invocation);
  session.warns_of_configuration = !taint;
  if (taint) {
    session.beside_errors = session::BackendWarnings::kLeftOut;
  }
  session.Parse();
  ResourceInstance address;
  // From level 1.13 on the address is read in any case; it is empty if there is none.
  const bool in_any_case = compatibility::Has(compatibility::Feature::kArgumentErrors);
  const bool wrong_flags = HasWrongFlags(session.diags);
  if (session.ArgumentsFit() || in_any_case) {
    const auto& words = session.flags.positionals();
    const bool fits = WordsFit(words, 1);
    if (!fits) {
      WordsError(session.diags, WrongWordsSummary("Invalid arguments", words, 1),
                 "The " + std::string(taint ? "taint" : "untaint") +
                     " command expects exactly one argument.");
    }
    const std::string word = words.empty() || wrong_flags ? "" : words[0];
    const bool is_address = (fits || in_any_case) && TakeInstance(session, word, address);
    if (taint &&
        (is_address ? address.resource.resource.mode != ResourceMode::kManaged : in_any_case)) {
      session.diags.Error("Invalid resource address",
                          "Resource instance " + word + " cannot be tainted");
    }
  }
  if (session.diags.has_errors()) {
    return session.Usage();
  }
  if (taint && !session.CheckConfiguration()) {
    return session.Fail();
  }
  session.unreadable = {"Error refreshing the state",
                        taint ? "Failed to refresh the state: " : "Failed to load state: "};
  session.unopened.prefix = "Failed to load the state: ";
  session.shows_backend_first = true;
  if (!session.Open(taint ? "taint" : "untaint")) {
    return session.Fail();
  }
  const std::string text = session.program->ToText(address);
  auto missing = [&](std::string detail) {
    if (!session.flags.Bool("allow-missing")) {
      return session.Fail("No such resource instance", std::move(detail));
    }
    session.diags.Warning(
        "No such resource instance",
        "Resource instance " + text +
            " was not found, but this is not an error because -allow-missing was set.");
    session.Close();
    session.audience->Show(session.diags);
    return 0;
  };
  state::Resource* resource = session.state.Find(address.resource);
  state::Instance* instance = nullptr;
  if (resource != nullptr) {
    for (state::Instance& entry : resource->instances) {
      if (entry.key == address.key) {
        instance = &entry;
      }
    }
  }
  if (instance == nullptr) {
    return missing(session.state.empty()
                       ? std::string("The state currently contains no resource instances "
                                     "whatsoever.")
                       : "There is no resource instance in the state with the address " + text +
                             Hint(". \"tofu state list\" shows those that it has."));
  }
  if (instance->current == nullptr) {
    return missing(
        "Resource instance " + text +
        Hint(" is currently part-way through a create_before_destroy replacement action. "
             "Run \"tofu apply\" to complete its replacement before tainting it."));
  }
  state::Object& object = *instance->current;
  if (!taint && object.status != state::ObjectStatus::kTainted) {
    return session.Fail(
        "Resource instance is not tainted",
        "Resource instance " + text + " is not currently tainted, and so it cannot be untainted.");
  }
  object.status = taint ? state::ObjectStatus::kTainted : state::ObjectStatus::kReady;
  if (!session.Save("Error writing state file")) {
    return session.Fail();
  }
  session.Say("Resource instance " + text +
              (taint ? " has been marked as tainted." : " has been successfully untainted."));
  session.Close();
  return session.diags.has_errors() ? session.Fail() : 0;
}

}  // namespace

static int RunTaint(Invocation& invocation) {
  return Run(invocation, true);
}
static int RunUntaint(Invocation& invocation) {
  return Run(invocation, false);
}

// Both commands take the same flags.
constexpr auto kTaintFlags = JoinFlags(
    FlagSpec{.name = "allow-missing", .help = "An address that is not in the state is no error."},
    kStateToEdit, kStateToWrite, kBackup, kBackendVariables, kMessages, kStateLock,
    kIgnoreRemoteVersion);

extern constexpr CommandSpec kTaintCommand{
    .name = "taint",
    .synopsis = "Mark a resource instance as not fully functional",
    .group = CommandGroup::kStates,
    .usage = "tofu [global options] taint [options] ADDRESS",
    .description = R"(Marks an object as damaged: the next plan replaces it. Nothing else changes.
"tofu untaint" takes the mark away, and "tofu plan -replace" asks for a
replacement without a mark.)",
    .flags = kTaintFlags,
    .run = RunTaint,
    .on_misuse = MisuseAnswer::kHelp,
    .newline_after_diagnostics = true,
};

extern constexpr CommandSpec kUntaintCommand{
    .name = "untaint",
    .synopsis = "Remove the 'tainted' state from a resource instance",
    .group = CommandGroup::kStates,
    .usage = "tofu [global options] untaint [options] ADDRESS",
    .description = R"(Takes away the mark that "tofu taint" or a failed creation left, so that the
object is not replaced.)",
    .flags = kTaintFlags,
    .run = RunUntaint,
    .on_misuse = MisuseAnswer::kHelp,
    .newline_after_diagnostics = true,
};

}  // namespace kinu::cli
