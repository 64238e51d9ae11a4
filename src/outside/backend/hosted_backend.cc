#include "backend/hosted_backend.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

#include "backend/hosted_runs.h"
#include "backend/remote_store.h"
#include "base/environment.h"
#include "base/program_name.h"
#include "cloud/settings.h"
#include "compatibility/level.h"

namespace kinu::backend {
namespace {

void AddOf(provider::Problems& problems, std::string summary, std::string detail,
           std::string_view attribute) {
  problems.push_back({.summary = std::move(summary),
                      .detail = std::move(detail),
                      .attribute = Path().Attribute(attribute)});
}

std::string Capitalized(std::string text) {
  if (!text.empty()) {
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  }
  return text;
}

/// Whether the service gives plans of runs to show in place of their logs, where workspaces want
/// that. Ref: opentofu internal/cloud/backend_plan.go shouldRenderStructuredRunOutput.
bool GivesPlans(const ServiceGreeting& greeting) {
  constexpr int kFirst = 202302;
  if (greeting.product == "HCP Terraform") {
    return true;
  }
  int release = 0;
  const std::string_view text =
      std::string_view(greeting.release).substr(std::min<size_t>(1, greeting.release.size()));
  std::from_chars(text.data(), text.data() + text.size(), release);
  return release >= kFirst;
}

}  // namespace

bool HostedBackend::FindService(const Address& address, OrganizationPlace& place,
                                provider::Problems& problems) {
  if (hosts() == nullptr) {
    cloud::AddFailure(problems, "services of hosts cannot be reached from here");
    return false;
  }
  Result<std::string> service = hosts()->Service(address.host, address.service);
  if (!service) {
    AddOf(problems, Capitalized(service.error().message), "", "hostname");
    return false;
  }
  place.base = *std::move(service);
  place.token = address.token;
  if (place.token.empty()) {
    // A helper that fails counts as one that knows no token.
    place.token = hosts()->Token(address.host).value_or("");
  }
  if (place.token.empty()) {
    problems.push_back({.summary = "Required token could not be found",
                        .detail = "Run the following command to generate a token for " +
                                  address.host + Hint(":\n    tofu login ") + address.host,
                        .attribute = std::nullopt,
                        .sourceless = true});
    return false;
  }
  return true;
}

bool HostedBackend::Connect(const Address& address, provider::Problems& problems) {
  OrganizationPlace place{.base = {},
                          .name = address.organization,
                          .token = {},
                          .for_cloud_block = address.for_cloud_block};
  if (!FindService(address, place, problems)) {
    return false;
  }
  place.report = [hosts = hosts()](const std::string& text) { hosts->Report(text); };
  auto organization =
      std::make_shared<const Organization>(transport_, std::move(place), hosts()->stop());
  Result<ServiceGreeting> greeting = organization->Ping();
  if (!greeting) {
    problems.push_back(
        {.summary = "Failed to create the " + std::string(address.what) + " client",
         .detail = "The service cannot be reached: " + greeting.error().message + ".",
         .attribute = std::nullopt,
         .sourceless = true});
    return false;
  }
  greeting_ = *std::move(greeting);
  host_ = address.host;
  for_cloud_block_ = address.for_cloud_block;
  const Result<bool> operations = organization->ReadOperations();
  if (!operations) {
    const bool missing = operations.error().code == ErrorCode::kNotFound;
    const std::string named =
        "organization \"" + address.organization + "\" at host " + address.host;
    AddOf(problems, "Failed to read " + named,
          missing
              ? named + " not found.\n\nEither one of the names is wrong, or the token for " +
                    address.host + " is not valid or does not show the organization."
              : "The settings of the organization could not be read: " + operations.error().message,
          "organization");
    return false;
  }
  organization_ = std::move(organization);
  runs_here_ = !*operations || !Environment("TF_FORCE_LOCAL_BACKEND").empty();
  return true;
}

Result<std::unique_ptr<state::Store>> HostedBackend::Open(std::string_view workspace,
                                                          std::shared_ptr<Program>,
                                                          Opening opening) {
  KINU_TRY(const std::string name, NameOf(workspace));
  Result<HostedWorkspace> found = organization_->Find(name);
  if (!found && found.error().code != ErrorCode::kNotFound) {
    return Fail(ErrorCode::kUnavailable,
                "Failed to retrieve workspace " + name + ": " + found.error().message);
  }
  if (!found && opening == Opening::kMake) {
    found = Make(name);
    if (!found) {
      return Fail(ErrorCode::kUnavailable,
                  "Error creating workspace " + name + ": " + found.error().message);
    }
  } else if (!found) {
    found = HostedWorkspace();
    found->name = name;
  }
  if (opening == Opening::kMake) {
    if (Result<void> adapted = Adapt(*found); !adapted) {
      return Fail(ErrorCode::kUnavailable,
                  "Error updating workspace " + name + ": " + adapted.error().message);
    }
  }
  return std::make_unique<RemoteStore>(
      std::make_unique<HostedStateClient>(organization_, *std::move(found), midway()),
      StoringOf(workspace));
}

Result<bool> HostedBackend::RunsRemotely(std::string_view workspace) {
  if (runs_here_) {
    return false;
  }
  KINU_TRY(const std::string name, NameOf(workspace));
  const Result<HostedWorkspace> found = organization_->Find(name);
  if (found) {
    return !found->runs_locally();
  }
  if (found.error().code == ErrorCode::kNotFound) {
    return Fail(ErrorCode::kNotFound,
                "workspace " + std::string(workspace) +
                    " not found\n\nThe service may also hide a workspace from a token that has no "
                    "right to see it.");
  }
  return Fail(ErrorCode::kUnavailable,
              "the service gave an unexpected error:\n\n" + found.error().message);
}

Result<std::shared_ptr<const HostedRuns>> HostedBackend::Runs(std::string_view workspace) {
  HostedWorkspace found;
  if (!workspace.empty()) {
    KINU_TRY(const std::string name, NameOf(workspace));
    KINU_TRY(found, organization_->Find(name));
  }
  return std::make_shared<const HostedRuns>(
      organization_, std::move(found),
      HostedRuns::Service{.host = host_,
                          .takes_variables = for_cloud_block_,
                          .gives_plans = for_cloud_block_ && GivesPlans(greeting_)});
}

void HostedBackend::CheckVersion(std::string_view workspace, bool go_on,
                                 provider::Problems& problems) {
  const Result<std::string> name = NameOf(workspace);
  const Result<HostedWorkspace> found =
      name ? organization_->Find(*name) : Result<HostedWorkspace>(std::unexpected(name.error()));
  provider::Problem problem{.summary = "Error looking up workspace",
                            .detail = {},
                            .attribute = std::nullopt,
                            .sourceless = true};
  if (!found) {
    if (found.error().code != ErrorCode::kNotFound) {
      problem.detail = "Workspace read failed: " + found.error().message;
      problems.push_back(std::move(problem));
    }
    return;  // what does not exist yet suits
  }
  if (found->version == "latest" || found->runs_locally()) {
    return;
  }
  problem.detail = VersionProblem(*found, problem.summary);
  if (problem.detail.empty()) {
    return;
  }
  if (go_on) {
    problem.severity = Severity::kWarning;
  } else {
    problem.detail +=
        "\n\nThe option -ignore-remote-version goes on all the same. The workspace may not be "
        "usable afterwards.";
  }
  problems.push_back(std::move(problem));
}

}  // namespace kinu::backend
