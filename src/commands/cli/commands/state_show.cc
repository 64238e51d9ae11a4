#include "base/program_name.h"
#include "cli/flag_groups.h"
#include "cli/state_session.h"
#include "compatibility/level.h"
#include "json/writer.h"
#include "plan_json/documents.h"
#include "session/provider_installation.h"
#include "session/state_edit.h"
#include "text/quote.h"
#include "view/human/state.h"
#include "view/source_schemas.h"

namespace kinu::cli {

/// Writes a state of one object as the flags ask for it.
static int ShowObject(StateSession& session, state::State& single, provider::ProviderSource& source,
                      const terminal::Style& style) {
  view::SourceSchemas schemas(source);
  if (session.audience->json() != nullptr) {
    std::string document;
    JsonWriter out(document);
    single.terraform_version = compatibility::Release();
    if (auto written = view::WriteState(out, single, schemas); !written) {
      return session.Fail("Failed to marshal state to json", written.error().message);
    }
    session.audience->JsonText(document + "\n");
  }
  if (!session.json_only()) {
    view::StateTextOptions options;
    options.show_sensitive = session.flags.Bool("show-sensitive");
    options.outputs = false;
    auto text = view::RenderState(single, schemas, style, options);
    if (!text) {
      return session.Fail("Failed to marshal state to json", text.error().message);
    }
    Print(*text);
  }
  return 0;
}

static int RunStateShow(Invocation& invocation) {
  StateSession session(invocation);
  session.beside_errors = session::BackendWarnings::kLeftOut;
  session.Parse();
  if (!WordsFit(session.flags.positionals(), 1)) {
    WordsError(session.diags,
               WrongWordsSummary("Invalid number of arguments", session.flags.positionals(), 1),
               "Exactly one argument expected");
  }
  if (!session.ArgumentsFit()) {
    return session.Usage();
  }
  if (const auto read = session::CheckPluginDirectories(invocation.workspace); !read) {
    return session.Fail("Error loading plugin path", read.error().message);
  }
  const std::string& word = session.flags.positionals()[0];
  const auto source = SourceFile::Make("", word);
  Diagnostics of_address;
  const auto parsed = session::ParseStateAddress(*session.program, source.get(), of_address);
  const bool is_address = parsed && !parsed->is_module;
  const ResourceInstance address = is_address ? parsed->instance : ResourceInstance();
  session.only = is_address ? &address.resource : nullptr;
  if (!is_address) {
    session.refusal.Error(
        "Error parsing instance address " + text::GoQuote(word),
        Hint("This command takes the address of one resource instance, as \"tofu state list\" "
             "shows it."));
  }
  session.unreadable = {"", "error loading state: "};
  session.unopened = session.unreadable;
  // The configuration is looked at as a whole, but errors of the state are reported first.
  OpenWorkspace open(invocation.workspace);
  const auto arguments = VariableArguments(session.flags);
  open.LoadModules(
      {.intent = LoadIntent::kOperation, .variables = arguments, .program = session.program});
  if (!session.Open({}, &open)) {
    return session.Fail();
  }
  (void)open.OpenProviders(session.diags);
  const session::ProviderSet& providers = *open.providers;
  if (open.of_modules().has_errors()) {
    session.diags.Append(open.of_modules());
  }
  if (session.diags.has_errors()) {
    return session.Fail();
  }
  providers.RequireSelected(*open.loaded.config, session.diags);
  if (session.diags.has_errors()) {
    return session.Fail();
  }
  session::AdoptProviders(*open.loaded.config, session.state);
  if (!providers.RequireForSchemas(*open.loaded.config, session.state, session.diags)) {
    return session.Fail();
  }
  // OpenTofu opens a state in a service a second time here, and shows that one.
  if (!session.store().lock_ends_with_process() && open.backend) {
    auto now = session.OpenAgain(*open.backend);
    if (!now) {
      return session.Fail();
    }
    session.state = *std::move(now);
    session::AdoptProviders(*open.loaded.config, session.state);
  }
  if (session.state.absent()) {
    ReportNoState(session.diags);
    return session.Fail();
  }
  const state::Instance* found = nullptr;
  const state::Resource* resource = session.state.Find(address.resource);
  if (resource != nullptr) {
    for (const state::Instance& instance : resource->instances) {
      if (instance.key == address.key && instance.current != nullptr) {
        found = &instance;
      }
    }
  }
  if (found == nullptr) {
    return session.Fail(
        "No instance found for the given address",
        Hint("This command requires that the address references one specific instance. "
             "To view the available instances, use \"tofu state list\". Please modify "
             "the address to reference a specific instance."));
  }
  state::State single;
  single.program = session.program;
  state::Instance& copy =
      single.Ensure(address.resource, resource->provider).Ensure(*session.program, address.key);
  copy.current = std::make_unique<state::Object>(state::Detach(*found->current));
  return ShowObject(session, single, open.providers->source(), invocation.style());
}

constexpr auto kStateShowFlags =
    JoinFlags(kStateToRead, kShowSensitive, kBackendVariables, kMessages);

extern constexpr CommandSpec kStateShowCommand{
    .name = "state show",
    .synopsis = "Show a resource in the state",
    .usage = "tofu [global options] state show [options] ADDRESS",
    .description = R"(Shows the attributes of one object in the state.)",
    .flags = kStateShowFlags,
    .run = RunStateShow,
    .on_misuse = MisuseAnswer::kHelp,
    .newline_after_diagnostics = true,
};

}  // namespace kinu::cli
