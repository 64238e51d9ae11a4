// login and logout: tokens for registries and other services, in the user's credentials file.
#include "session/login.h"

#include "addrs/provider_source.h"
#include "cli/command_run.h"
#include "cli/flag_groups.h"
#include "cli/narrator.h"

namespace kinu::cli {
namespace {

/// Reads the argument, a host. Returns false after an error.
bool TakeHost(CommandRun& run, std::string& host) {
  auto parsed = ParseHostName(run.flags.positionals()[0]);
  if (!parsed) {
    run.diags.Error("Invalid hostname", "The given hostname \"" + run.flags.positionals()[0] +
                                            "\" is not valid: " + parsed.error() + ".");
    return false;
  }
  host = *parsed;
  return true;
}

}  // namespace

static int RunLogin(Invocation& invocation) {
  CommandRun run(invocation);
  run.Parse();
  if (run.ReadsWords() && !WordsFit(run.flags.positionals(), 1)) {
    WordsError(run.diags, WrongWordsSummary(kUnexpectedWord, run.flags.positionals(), 1),
               "The login command expects exactly one argument: the host to log in to.");
  }
  if (run.diags.has_errors()) {
    return run.Usage();
  }
  if (!run.flags.Bool("input") || run.json_only()) {
    return run.Fail("Login is an interactive command",
                    "Logging in asks questions, which is not possible here. Write a "
                    "\"credentials\" block into the CLI configuration instead.");
  }
  std::string host;
  if (!TakeHost(run, host)) {
    return run.Fail();
  }
  run.StopOnInterrupt();
  Narrator narrator(invocation, *run.audience);
  session::LoginUser user{narrator, [&](const session::LoginQuestion& question) {
                            return terminal::Ask(
                                invocation.style(),
                                {question.query, question.description, question.secret});
                          }};
  const bool done = session::Login(invocation.workspace, host, user, run.diags);
  return run.audience->Show(run.diags) || !done ? 1 : 0;
}

static int RunLogout(Invocation& invocation) {
  CommandRun run(invocation);
  run.Parse();
  if (run.ReadsWords() && !WordsFit(run.flags.positionals(), 1)) {
    WordsError(run.diags, WrongWordsSummary(kUnexpectedWord, run.flags.positionals(), 1),
               "The logout command expects exactly one argument: the host to log out of.");
  }
  if (run.diags.has_errors()) {
    return run.Usage();
  }
  std::string host;
  if (!TakeHost(run, host)) {
    return run.Fail();
  }
  Narrator narrator(invocation, *run.audience);
  const bool done = session::Logout(invocation.workspace, host, narrator, run.diags);
  return run.audience->Show(run.diags) || !done ? 1 : 0;
}

constexpr auto kLoginFlags =
    JoinFlags(FlagSpec{.name = "input",
                       .default_value = "true",
                       .form = "=false",
                       .help = "Do not ask, which makes this command fail."},
              kJsonStream, kVariables);

extern constexpr CommandSpec kLoginCommand{
    .name = "login",
    .synopsis = "Obtain and save credentials for a remote host",
    .group = CommandGroup::kSetup,
    .usage = "tofu [global options] login [options] HOSTNAME",
    .description =
        R"(Gets a token for a host's services, by its login page or from you, and stores it:
in the credentials file of your home directory, or with the credentials helper
of the CLI configuration.)",
    .flags = kLoginFlags,
    .spaced_help = true,
    .run = RunLogin,
    .on_misuse = MisuseAnswer::kHelp,
    .newline_after_diagnostics = true,
};

constexpr auto kLogoutFlags = JoinFlags(kJsonStream);

extern constexpr CommandSpec kLogoutCommand{
    .name = "logout",
    .synopsis = "Remove locally-stored credentials for a remote host",
    .group = CommandGroup::kSetup,
    .usage = "tofu [global options] logout [options] HOSTNAME",
    .description = R"(Removes the token of a host from the user's credentials file. The token itself
stays valid: revoke it at the host.)",
    .flags = kLogoutFlags,
    .spaced_help = true,
    .run = RunLogout,
    .on_misuse = MisuseAnswer::kHelp,
    .newline_after_diagnostics = true,
};

}  // namespace kinu::cli
