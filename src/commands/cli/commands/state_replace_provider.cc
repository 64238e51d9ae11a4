// state replace-provider: other providers for objects, in the state.
// Ref: opentofu internal/command/state_replace_provider.go, internal/command/views/state.go.
#include "addrs/provider_source.h"
#include "cli/flag_groups.h"
#include "cli/state_session.h"
#include "json/writer.h"
#include "terminal/prompt.h"

namespace kinu::cli {
namespace {

void TellOverview(StateSession& session, const std::string& from, const std::string& to,
                  const std::vector<std::string>& addresses) {
  terminal::Style style = session.invocation.style();
  std::string text =
      "OpenTofu will perform the following actions:\n\n" +
      style.Paint("  [yellow]~[reset] Updating provider:") + "\n" +
      style.Paint("    [red]-[reset] " + from) + "\n" +
      style.Paint("    [green]+[reset] " + to + "\n") + "\n" +
      style.Paint("[bold]Changing[reset] " + std::to_string(addresses.size()) + " resources:\n") +
      "\n";
  for (const std::string& address : addresses) {
    text += style.Paint("  " + address) + "\n";
  }
  session.audience->Text(text);
  if (session.audience->json() == nullptr) {
    return;
  }
  auto quoted = [](std::string_view plain) {
    std::string out;
    JsonWriter::AppendQuoted(out, plain, JsonEscape::kHtml);
    return out;
  };
  std::string list;
  for (const std::string& address : addresses) {
    list += (list.empty() ? "" : ",") + quoted(address);
  }
  session.audience->json()->Message(
      view::JsonUi::Level::kInfo,
      "OpenTofu will replace provider from " + from + " to " + to + " for " +
          std::to_string(addresses.size()) + " resources",
      "replace_provider",
      {{"from", quoted(from)}, {"resources", "[" + list + "]"}, {"to", quoted(to)}});
}

/// People read whole sentences with a full stop, the JSON message has none.
void Tell(StateSession& session, const std::string& text) {
  session.audience->Text(text + ".\n");
  if (session.audience->json() != nullptr) {
    session.audience->json()->Message(view::JsonUi::Level::kInfo, text);
  }
}

}  // namespace

static int RunStateReplaceProvider(Invocation& invocation) {
  StateSession session(invocation);
  session.Parse("Error parsing command-line flags");
  if (!WordsFit(session.flags.positionals(), 2)) {
    WordsError(session.diags,
               WrongWordsSummary("Invalid number of arguments", session.flags.positionals(), 2),
               "Exactly two arguments expected");
  }
  (void)session.ArgumentsFit();
  if (session.json_only() && !session.flags.Bool("auto-approve")) {
    session.diags.Error("Invalid usage",
                        "OpenTofu cannot ask user input when `-json` flag is used. Therefore, "
                        "`-auto-approve` is required too");
  }
  if (session.diags.has_errors()) {
    return session.Usage();
  }
  if (!session.CheckConfiguration()) {
    return session.Fail();
  }
  const auto& words = session.flags.positionals();
  auto from = ParseProviderSource(words[0]);
  if (!from) {
    session.diags.Error("Invalid \"from\" provider \"" + words[0] + "\"",
                        from.error().summary + ": " + from.error().detail);
  }
  auto to = ParseProviderSource(words[1]);
  if (!to) {
    session.diags.Error("Invalid \"to\" provider \"" + words[1] + "\"",
                        to.error().summary + ": " + to.error().detail);
  }
  session.edits_state = true;
  session.unreadable = {"Failed to refresh source state", ""};
  session.warns_beside_unreadable = true;
  session.needs_state = true;
  if (session.diags.has_errors() || !session.Open("state-replace-provider")) {
    return session.Fail();
  }
  Program& program = *session.program;
  const Symbol old_provider = program.Intern(from->ToText());
  std::vector<AbsResource> replaced;
  std::vector<std::string> addresses;
  for (const state::Resource* resource : session.state.Sorted()) {
    if (resource->provider.provider == old_provider) {
      replaced.push_back(resource->address);
      addresses.push_back(program.ToText(resource->address));
    }
  }
  if (replaced.empty()) {
    Tell(session, "No matching resources found");
    session.Close();
    return 0;
  }
  TellOverview(session, from->ToText(), to->ToText(), addresses);
  if (!session.flags.Bool("auto-approve")) {
    auto answer = terminal::Ask(invocation.style(),
                                {.query = "\nDo you want to make these changes?",
                                 .description = "Only 'yes' will be accepted to continue."});
    if (!answer) {
      return session.Fail("Error asking for approval", answer.error().message);
    }
    if (*answer != "yes") {
      Tell(session, "Cancelled replacing providers");
      session.Close();
      return 0;
    }
  }
  const Symbol new_provider = program.Intern(to->ToText());
  for (const AbsResource& address : replaced) {
    session.state.Find(address)->provider.provider = new_provider;
  }
  if (!session.Save()) {
    return session.Fail();
  }
  session.Close();
  Tell(session,
       "Successfully replaced provider for " + std::to_string(replaced.size()) + " resources");
  return session.diags.has_errors() ? session.Fail() : 0;
}

constexpr auto kStateReplaceProviderFlags =
    JoinFlags(kAutoApprove, kEditBackup, kStateLock, kStateToEdit, kIgnoreRemoteVersion,
              kJsonStream, kVariables);

extern constexpr CommandSpec kStateReplaceProviderCommand{
    .name = "state replace-provider",
    .synopsis = "Replace provider in the state",
    .usage = "tofu [global options] state replace-provider [options] FROM TO",
    .description = R"(Says in the state that the objects of one provider belong to another from now
on, for instance after a provider moved to another registry.)",
    .flags = kStateReplaceProviderFlags,
    .spaced_help = true,
    .run = RunStateReplaceProvider,
    .on_misuse = MisuseAnswer::kHelp,
    .newline_after_diagnostics = true,
};

}  // namespace kinu::cli
