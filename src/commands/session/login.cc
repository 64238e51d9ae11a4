#include "session/login.h"

#include <algorithm>
#include <memory>

#include "addrs/host_name.h"
#include "base/capture.h"
#include "base/environment.h"
#include "base/files.h"
#include "base/program_name.h"
#include "install/credential_store.h"
#include "install/oauth.h"
#include "json/reader.h"
#include "net/callback_server.h"
#include "session/network.h"

namespace kinu::session {
namespace {

constexpr std::string_view kSeparator =
    "\n---------------------------------------------------------------------------------\n";
/// The host whose login asks for a password, if it offers that.
constexpr std::string_view kPasswordHost = "app.terraform.io";

constexpr const char* kLoggedInPage =
    "<!doctype html>\n<html>\n<head>\n<title>Logged in</title>\n<style>\n"
    "body { font-family: sans-serif; margin: 4em; }\n</style>\n</head>\n<body>\n"
    "<p>Your login has arrived at the command line.</p>\n"
    "<p>You can close this page and go on in the terminal.</p>\n</body>\n</html>\n";

/// Opens a page in the browser of $BROWSER or of the desktop. Returns whether one was started.
bool OpenInBrowser(const std::string& url) {
  std::string browser(Environment("BROWSER"));
  if (browser.empty() || FindProgram(browser).empty()) {
    constexpr const char* kOpeners[] = {"xdg-open", "x-www-browser", "www-browser", "wslview"};
    const auto* found =
        std::ranges::find_if(kOpeners, [](const char* name) { return !FindProgram(name).empty(); });
    if (found == std::end(kOpeners)) {
      return false;
    }
    browser = *found;
  }
  CaptureRequest request;
  request.arguments = {browser, url};
  auto done = CaptureCommand(request);
  return done && done->exit_code == 0;
}

/// One call of Login().
class LoginRun {
 public:
  LoginRun(const Workspace& workspace, std::string host, LoginUser& user, Diagnostics& diags)
      : workspace_(workspace),
        network_(OpenNetwork(workspace)),
        host_(std::move(host)),
        user_(user),
        narrator_(user.narrator),
        diags_(diags),
        place_(install::FindTokenPlace(workspace.cli_config, network_.credentials(), host_)) {}

  bool Run();

 private:
  bool FindServices();
  void FindTokensService();
  void RequireWritablePlace();
  bool Consent(const std::string& mechanism, bool by_browser);
  void SayPlace(std::string_view before_file, std::string_view before_helper);
  void Open(const std::string& url, const std::string& page, bool oauth);
  std::string TokenByCode();
  std::string TokenByPassword();
  std::string TokenByHand();
  std::string Exchange(net::QueryArguments form, const char* summary, const char* detail);
  bool CheckToken(const std::string& token);
  std::string Ask(const LoginQuestion& question, const char* summary);
  std::string Error(std::string summary, std::string detail) {
    diags_.Error(std::move(summary), std::move(detail));
    return {};
  }
  void SaySuccess();

  const Workspace& workspace_;
  install::Network network_;
  std::string host_;
  LoginUser& user_;
  Narrator& narrator_;
  Diagnostics& diags_;
  install::TokenPlace place_;
  std::optional<install::OAuthClient> oauth_;
  net::Url tokens_;  ///< the service tfe.v2; without scheme: the host has none
};

bool LoginRun::FindServices() {
  net::Url base;
  auto json = network_.ServiceObject(host_, "login.v1", base);
  if (!json) {
    if (json.error().code == ErrorCode::kCancelled) {
      Error("Action aborted", "The command was interrupted.");
    } else {
      Error("Service discovery failed for " + host_, json.error().message + ".");
    }
    return false;
  }
  constexpr const char* kUnsupported = "Host does not support OpenTofu login";
  if (!json->empty()) {
    if (auto client = install::ReadOAuthClient(*json, base)) {
      oauth_ = *std::move(client);
    } else {
      diags_.Warning(kUnsupported, "The given hostname \"" + host_ +
                                       Hint("\" cannot support \"tofu login\": ") +
                                       client.error().message + ".");
    }
  } else if (auto service = network_.Service(host_, "login.v1");
             service && service->status == install::HostService::Status::kOtherVersion) {
    diags_.Warning(kUnsupported, "The given hostname \"" + host_ +
                                     "\" offers a login that another version of OpenTofu knows.");
  }
  if (!oauth_) {
    FindTokensService();
  }
  RequireWritablePlace();
  return !diags_.has_errors();
}

void LoginRun::FindTokensService() {
  using Status = install::HostService::Status;
  constexpr const char* kSummary = "Host does not support OpenTofu tokens API";
  auto service = network_.Service(host_, "tfe.v2");
  if (!service) {
    Error(kSummary, "The given hostname \"" + host_ + Hint("\" cannot support \"tofu login\": ") +
                        service.error().message + ".");
  } else if (service->status == Status::kMissing) {
    Error(kSummary, "The given hostname \"" + host_ +
                        "\" does not support creating OpenTofu authorization tokens.");
  } else if (service->status == Status::kOtherVersion) {
    Error(kSummary, "The given hostname \"" + host_ +
                        "\" creates tokens for another version of OpenTofu only.");
  } else {
    tokens_ = std::move(service->url);
  }
}

void LoginRun::RequireWritablePlace() {
  if (place_ == install::TokenPlace::kOtherFile) {
    Error("Credentials for " + host_ + " are manually configured",
          "They stand in a CLI configuration file. To log in, revoke them and remove that block "
          "by hand.");
  }
}

void LoginRun::SayPlace(std::string_view before_file, std::string_view before_helper) {
  if (place_ == install::TokenPlace::kHelper) {
    const std::string name = '"' + workspace_.cli_config.credentials_helper->name + '"';
    const std::string text = std::string(before_helper) + name + " credentials helper";
    narrator_.Say(text + (before_file.starts_with("If") ? " for use by subsequent commands.\n"
                                                        : "\nfor use by subsequent commands.\n"),
                  text + " for use by subsequent commands");
    return;
  }
  const std::string path = install::CredentialsFilePath();
  std::string message(before_file);
  std::ranges::replace(message, '\n', ' ');
  narrator_.Say(std::string(before_file) + "\n    " + path + "\n", message + " " + path);
}

bool LoginRun::Consent(const std::string& mechanism, bool by_browser) {
  const std::string request =
      "OpenTofu will request an API token for " + host_ + " using " + mechanism;
  narrator_.Say(request + ".\n", request);
  if (by_browser) {
    narrator_.Say(
        "This will work only if you are able to use a web browser on this computer to\n"
        "complete a login process. If not, you must obtain an API token by another\n"
        "means and configure it in the CLI configuration manually.\n");
  }
  SayPlace(
      "If login is successful, OpenTofu will store the token in plain text in\n"
      "the following file for use by subsequent commands:",
      "If login is successful, OpenTofu will store the token in the configured\n");
  const std::string answer = Ask({.query = "Do you want to proceed?",
                                  .description = "Only 'yes' will be accepted to confirm."},
                                 "Error collecting user prompt");
  const bool yes = answer.size() == 3 && (answer[0] | 0x20) == 'y' && (answer[1] | 0x20) == 'e' &&
                   (answer[2] | 0x20) == 's';
  if (!yes) {
    Error("Login cancelled", "Login process cancelled because it was not confirmed");
  }
  return yes;
}

std::string LoginRun::Ask(const LoginQuestion& question, const char* summary) {
  auto answer = user_.ask(question);
  if (!answer) {
    return Error(summary, answer.error().message);
  }
  return *std::move(answer);
}

/// Opens a page, or has the user open it. `page` names it.
void LoginRun::Open(const std::string& url, const std::string& page, bool oauth) {
  const std::string to = page + " for " + host_;
  if (OpenInBrowser(url)) {
    narrator_.Say("OpenTofu must now open a web browser to " + to + ".\n",
                  (oauth ? "Opening web browser to the login page for "
                         : "OpenTofu must now open a web browser to the login page for ") +
                      host_ + ": " + url +
                      ". If a browser does not open this automatically, open the following URL to "
                      "proceed: " +
                      url);
    narrator_.Text(
        "If a browser does not open this automatically, open the following URL to proceed:\n    " +
        url + "\n");
  } else {
    const std::string access = "the following URL to access " + to + ":";
    narrator_.Say("Open " + access + "\n    " + url + "\n",
                  (oauth ? "Please open " : "Open ") + access + " " + url);
  }
}

std::string LoginRun::Exchange(net::QueryArguments form, const char* summary, const char* detail) {
  auto token = install::RequestToken(network_, *oauth_, std::move(form));
  if (!token) {
    return Error(summary, detail + token.error().message + ".");
  }
  return *std::move(token);
}

std::string LoginRun::TokenByCode() {
  if (!Consent("OAuth", true)) {
    return {};
  }
  const std::string state = RandomUuid();
  const install::ProofKey key = install::MakeProofKey();
  const auto value = [](const net::QueryArguments& query, std::string_view name) {
    const auto it = std::ranges::find(query, name, [](const auto& pair) { return pair.first; });
    return it == query.end() ? std::string() : it->second;
  };
  auto server = net::CallbackServer::Listen(oauth_->first_port, oauth_->last_port, kLoggedInPage,
                                            [&, value](const net::QueryArguments& query) {
                                              return value(query, "state") == state &&
                                                     !value(query, "code").empty();
                                            });
  if (!server) {
    return Error("Can't start temporary login server",
                 "The login page answers through a local HTTP server, but no TCP port between " +
                     std::to_string(oauth_->first_port) + " and " +
                     std::to_string(oauth_->last_port) + " is free for one.");
  }
  const std::string redirect = "http://localhost:" + std::to_string((*server)->port()) + "/login";
  Open(install::AuthorizationUrl(*oauth_, redirect, state, key), "the login page", true);
  narrator_.Say("OpenTofu will now wait for the host to signal that login was successful.\n",
                "Waiting for the host to signal that login was successful");
  auto query = (*server)->Wait(workspace_.stop);
  if (!query) {
    return Error("Action aborted", "The command was interrupted.");
  }
  return Exchange({{"grant_type", "authorization_code"},
                   {"code", value(*query, "code")},
                   {"code_verifier", key.verifier},
                   {"redirect_uri", redirect}},
                  "Failed to obtain auth token",
                  "The remote server did not assign an auth token: ");
}

std::string LoginRun::TokenByPassword() {
  if (!Consent("OAuth", false)) {
    return {};
  }
  narrator_.Text(kSeparator);
  narrator_.Say(
      "OpenTofu must temporarily use your password to request an API token.\n"
      "This password will NOT be saved locally.\n");
  const std::string name =
      Ask({.query = "Username for " + host_ + ":"}, "Failed to request username");
  if (diags_.has_errors()) {
    return {};
  }
  const std::string password =
      Ask({.query = "Password for " + host_ + ":", .secret = true}, "Failed to request password");
  if (diags_.has_errors()) {
    return {};
  }
  net::QueryArguments form = {
      {"grant_type", "password"}, {"username", name}, {"password", password}};
  if (!oauth_->scopes.empty()) {
    form.emplace_back("scope", install::ScopeText(*oauth_));
  }
  return Exchange(std::move(form), "Failed to retrieve API token",
                  "The remote host did not issue an API token: ");
}

std::string LoginRun::TokenByHand() {
  if (!Consent("your browser", false)) {
    return {};
  }
  narrator_.Text(kSeparator);
  Open("https://" + tokens_.HostName() + "/app/settings/tokens?source=terraform-login",
       "the tokens page", false);
  narrator_.Text(kSeparator);
  narrator_.Say("Generate a token using your browser, and copy-paste it into this prompt.\n",
                "Generate a token using your browser, and copy-paste it into the prompt");
  SayPlace(
      "OpenTofu will store the token in plain text in the following file\n"
      "for use by subsequent commands:",
      "OpenTofu will store the token in the configured ");
  std::string token =
      Ask({.query = "Token for " + host_ + ":", .secret = true}, "Failed to retrieve token");
  const size_t begin = std::min(token.find_first_not_of(" \t\r\n"), token.size());
  token.erase(0, begin);
  token.erase(token.find_last_not_of(" \t\r\n") + 1);
  return diags_.has_errors() || !CheckToken(token) ? std::string() : token;
}

/// Whether the host accepts a token. Says whose it is.
bool LoginRun::CheckToken(const std::string& token) {
  constexpr const char* kFailed = "Failed to retrieve user account details";
  net::Url url = tokens_;
  url.path += url.path.ends_with('/') ? "account/details" : "/account/details";
  net::HttpRequest request = network_.MetadataRequest(url);
  request.headers.Set("Accept", "application/vnd.api+json");
  request.headers.Set("Authorization", "Bearer " + token);
  auto response = network_.client().Send(request);
  if (!response) {
    Error(kFailed, response.error().message);
    return false;
  }
  if (response->status == 401) {
    Error("Token is invalid", "unauthorized");
    return false;
  }
  if (!response->ok()) {
    Error(kFailed, response->status == 404 ? "resource not found" : response->StatusText());
    return false;
  }
  const JsonDocument document = ParseJson(response->body);
  const JsonNode* node = document.ok() ? &document.root() : nullptr;
  for (const char* name : {"data", "attributes", "username"}) {
    node = node != nullptr && node->is_object() ? node->Find(name) : nullptr;
  }
  if (node == nullptr || !node->is_string()) {
    Error(kFailed, "the answer of the host names no user");
    return false;
  }
  const std::string user(node->text());
  narrator_.Say("\nRetrieved token for user [bold]" + user + "[reset]\n",
                "Retrieved token for user " + user);
  return true;
}

void LoginRun::SaySuccess() {
  narrator_.Text(kSeparator);
  if (host_ == kPasswordHost) {
    narrator_.Say("\n[green][bold]Success![reset] [bold]Logged in to cloud backend[reset]\n",
                  "Success! Logged in to cloud backend");
    return;
  }
  if (!oauth_) {
    narrator_.Say("[green][bold]Success![reset] [bold]Logged in to the cloud backend (" + host_ +
                      ")[reset]\n",
                  "Success! Logged in to the cloud backend (" + host_ + ")");
    return;
  }
  narrator_.Say(
      "[green][bold]Success![reset] [bold]OpenTofu has obtained and saved an API token.[reset]\n\n"
      "The new API token will be used for any future OpenTofu command that must make\n"
      "authenticated requests to " +
          host_ + ".\n",
      "Success! OpenTofu has obtained and saved an API token. The new API token will be used for "
      "any future OpenTofu command that must make authenticated requests to " +
          host_);
}

bool LoginRun::Run() {
  if (!FindServices()) {
    return false;
  }
  std::string token;
  if (!oauth_) {
    token = TokenByHand();
  } else if (oauth_->Allows("authz_code")) {
    token = TokenByCode();
  } else if (oauth_->Allows("password") && host_ == kPasswordHost) {
    token = TokenByPassword();
  } else {
    Error("Host does not support OpenTofu login",
          "The given hostname \"" + host_ +
              "\" does not allow any OAuth grant types that are supported by this version of "
              "OpenTofu.");
  }
  if (diags_.has_errors()) {
    return false;
  }
  if (auto stored = install::StoreToken(network_.credentials(), place_, host_, token); !stored) {
    Error("Failed to save API token",
          "The given host returned an API token, but OpenTofu failed to save it: " +
              stored.error().message + ".");
    return false;
  }
  SaySuccess();
  return true;
}

}  // namespace

bool Login(const Workspace& workspace, const std::string& host, LoginUser& user,
           Diagnostics& diags) {
  return LoginRun(workspace, host, user, diags).Run();
}

bool Logout(const Workspace& workspace, const std::string& host, Narrator& narrator,
            Diagnostics& diags) {
  using Place = install::TokenPlace;
  const install::Credentials credentials(workspace.cli_config);
  const Place place = install::FindTokenPlace(workspace.cli_config, credentials, host);
  const std::string from = "Removing the stored credentials for " + host + " from the ";
  switch (place) {
    case Place::kOtherFile:
      diags.Error("Credentials for " + host + " are manually configured",
                  "They stand in a CLI configuration file. To log out, revoke them and remove that "
                  "block by hand.");
      return false;
    case Place::kNone:
      narrator.Say("No credentials for " + host + " are stored.\n",
                   "No credentials for " + host + " are stored");
      return true;
    case Place::kHelper: {
      const std::string helper =
          '"' + workspace.cli_config.credentials_helper->name + "\" credentials helper";
      narrator.Say(from + "configured\n" + helper + ".\n", from + "configured " + helper);
      break;
    }
    case Place::kCredentialsFile: {
      const std::string path = install::CredentialsFilePath();
      narrator.Say(from + "following file:\n    " + path + "\n", from + "following file: " + path);
      break;
    }
  }
  if (auto removed = install::ForgetToken(credentials, place, host); !removed) {
    diags.Error("Failed to remove API token",
                "Unable to remove stored API token: " + removed.error().message);
    return false;
  }
  narrator.Say("[green][bold]Success![reset] [bold]OpenTofu has removed the stored API token for " +
                   host + ".[reset]\n",
               "Success! OpenTofu has removed the stored API token for " + host);
  return true;
}

}  // namespace kinu::session
