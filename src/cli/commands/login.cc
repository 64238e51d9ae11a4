// login and logout: tokens for registries and other services, in the user's credentials file.
// Ref: opentofu internal/command/login.go, logout.go, internal/command/cliconfig/credentials.go.
#include "addrs/provider_source.h"
#include "base/files.h"
#include "cli/command_run.h"
#include "cli/flag_groups.h"
#include "cli/narrator.h"
#include "codec/json_reader.h"
#include "codec/json_writer.h"

namespace kinu::cli {
namespace {

std::string CredentialsPath() {
  return JoinPath(JoinPath(install::HomeDirectory(), ".terraform.d"), "credentials.tfrc.json");
}

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

/// Returns the credentials file without a host. Returns nothing if it does not have that host.
std::optional<std::string> WithoutHost(const std::string& text, const std::string& host) {
  const JsonDocument document = ParseJson(text);
  const JsonNode* credentials = document.ok() ? document.root().Find("credentials") : nullptr;
  if (credentials == nullptr || credentials->Find(host) == nullptr) {
    return std::nullopt;
  }
  std::string out;
  JsonWriter writer(out, {.indent = "  "});
  auto embed = [&](const JsonMember& member) {
    writer.Key(member.name);
    writer.Embed(std::string_view(text).substr(member.value.begin(),
                                               member.value.end() - member.value.begin()));
  };
  writer.BeginObject();
  for (const JsonMember& member : document.root().members()) {
    if (member.name != "credentials") {
      embed(member);
      continue;
    }
    writer.Key(member.name);
    writer.BeginObject();
    for (const JsonMember& entry : member.value.members()) {
      if (entry.name != host) {
        embed(entry);
      }
    }
    writer.EndObject();
  }
  writer.EndObject();
  return out + "\n";
}

}  // namespace

static int RunLogin(Invocation& invocation) {
  CommandRun run(invocation);
  run.Parse();
  if (run.ArgumentsFit() && run.flags.positionals().size() != 1) {
    run.diags.Error("Unexpected argument",
                    "The login command expects exactly one argument: the host to log in to.");
  }
  if (run.diags.has_errors()) {
    return run.Usage();
  }
  if (!run.flags.Bool("input") || invocation.input_disabled || run.json_only()) {
    return run.Fail("Login is an interactive command",
                    "Logging in asks questions, which is not possible here. Write a "
                    "\"credentials\" block into the CLI configuration instead.");
  }
  std::string host;
  if (!TakeHost(run, host)) {
    return run.Fail();
  }
  return run.Fail("Service discovery failed for " + host,
                  "This version does not speak to services on the network. A token can be "
                  "given in a \"credentials\" block of the CLI configuration or in an "
                  "environment variable TF_TOKEN_….");
}

static int RunLogout(Invocation& invocation) {
  CommandRun run(invocation);
  run.Parse();
  if (run.ArgumentsFit() && run.flags.positionals().size() != 1) {
    run.diags.Error("Unexpected argument",
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
  const std::string path = CredentialsPath();
  auto text = ReadFile(path);
  auto remaining = text ? WithoutHost(*text, host) : std::nullopt;
  if (!remaining && invocation.workspace.cli_config.credentials.contains(host)) {
    return run.Fail("Credentials for " + host + " are manually configured",
                    "They stand in a CLI configuration file: revoke them and remove that "
                    "block by hand.");
  }
  if (!remaining) {
    narrator.Say("No credentials for " + host + " are stored.\n",
                 "No credentials for " + host + " are stored");
    return 0;
  }
  narrator.Say("Removing the stored credentials for " + host + " from the following file:\n    " +
                   path + "\n",
               "Removing the stored credentials for " + host + " from the following file: " + path);
  if (auto written = ReplaceFile(path, *remaining, 0600); !written) {
    return run.Fail("Failed to remove API token", written.error().message);
  }
  narrator.Say("[green][bold]Success![reset] [bold]OpenTofu has removed the stored API token for " +
                   host + ".[reset]\n",
               "Success! OpenTofu has removed the stored API token for " + host);
  return 0;
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
    .usage = "tofu [global options] login [options] HOSTNAME",
    .description = R"(Gets a token for a host's services and stores it in the credentials file. This
version does not speak to the network, so it says how to store one by hand.)",
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
