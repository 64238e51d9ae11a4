// Copies of states to the backend of a `cloud` block, where workspaces have names of their own.
// Ref: opentofu internal/command/meta_backend_migrate.go, backendMigrateTFC.
#include <algorithm>

#include "session/state_migration.h"

namespace kinu::session {
namespace {

constexpr const char* kNeedsInput =
    "Can't ask approval for state migration when interactive input is disabled.";

}  // namespace

bool StateMigration::RunToCloud(const std::optional<std::vector<std::string>>& names) {
  const std::string only = to_.backend->OnlyWorkspace();
  if (!names || names->size() == 1) {
    return CopyOneToCloud();
  }
  if (only.empty()) {
    return CopyAllToCloud(*names);
  }
  if (!options_.input) {
    return Error(kNeedsInput, "Without -input=false the question is asked.");
  }
  return Agree({.query = "Do you want to copy only your current workspace?",
                .description = "The backend \"" + from_.type +
                               "\" has several workspaces, and the cloud block names one: \"" +
                               only +
                               "\".\nWith \"yes\", the state of the current workspace is copied "
                               "there. Tags instead of a name\nwould have a place for all."}) &&
         CopyWorkspace(workspace_.Name(), only, options_.force_copy);
}

bool StateMigration::CopyOneToCloud() {
  const std::string current = workspace_.Name();
  const auto state = Peek(current);
  if (!state || state->empty()) {
    return state.has_value();
  }
  if (!options_.input) {
    return Error(kNeedsInput, "Without -input=false the question is asked.");
  }
  auto agreed = dialog_.Confirm(
      {.query = "Do you wish to proceed?",
       .description = "The state that is here can be copied to the workspace of the cloud block. "
                      "With \"no\", what is\nhere is left aside, and the workspace is used as it "
                      "is.\n\nShould the state be copied?"});
  if (!agreed) {
    return Error("Error asking for state migration action: " + agreed.error().message, "");
  }
  const std::string only = to_.backend->OnlyWorkspace();
  return !*agreed || CopyWorkspace(current, only.empty() ? backend::kDefaultWorkspace : only,
                                   options_.force_copy);
}

std::optional<std::string> StateMigration::AskForName() {
  if (is_to_cloud() && !options_.input) {
    Error(kNeedsInput, "Without -input=false a name is asked for.");
    return std::nullopt;
  }
  auto name = dialog_.Ask(
      {.query = is_to_cloud()
                    ? "[bold][yellow]Cloud backend requires all workspaces to be given an "
                      "explicit name."
                    : "[bold][yellow]The \"" + to_.type +
                          "\" backend configuration only allows named workspaces!",
       .description = "Enter a name for the workspace (such as dev or test) that the state of the "
                      "default workspace\nis copied to."});
  if (!name) {
    Error("Error asking for new state name: " + name.error().message, "");
    return std::nullopt;
  }
  return *std::move(name);
}

std::optional<std::string> StateMigration::AskForPattern() {
  constexpr const char* kFailed = "Error asking for state migration action: ";
  auto choice = dialog_.Ask(
      {.query = "[bold][yellow]Would you like to rename your workspaces?",
       .description = "Workspaces in a cloud have names that are unique in the organization, such "
                      "as\nCOMPONENT-ENVIRONMENT-REGION. Those of the backend \"" +
                      from_.type +
                      "\" can be renamed on the way.\nEnter 1 or 2.\n\n1. Rename all by a pattern, "
                      "which is asked next.\n2. Keep the names."});
  if (!choice) {
    Error(kFailed + choice.error().message, "");
    return std::nullopt;
  }
  if (*choice == "2") {
    return "*";
  }
  if (*choice != "1") {
    Error("Please select 1 or 2 as part of this option.", "");
    return std::nullopt;
  }
  auto pattern = dialog_.Ask(
      {.query = "[bold][yellow]How would you like to rename your workspaces?",
       .description = "Enter a pattern with one asterisk (*), which stands for the name of a "
                      "workspace: with app-*,\nthe workspace prod becomes app-prod."});
  if (!pattern) {
    Error(kFailed + pattern.error().message, "");
    return std::nullopt;
  }
  const auto stars = std::ranges::count(*pattern, '*');
  if (stars != 1) {
    Error(stars == 0 ? "The pattern must have an '*'"
                     : "The pattern '*' cannot be used more than once.",
          "");
    return std::nullopt;
  }
  return *std::move(pattern);
}

bool StateMigration::CopyAllToCloud(std::vector<std::string> names) {
  std::ranges::sort(names);
  std::string for_default(backend::kDefaultWorkspace);
  if (std::ranges::find(names, backend::kDefaultWorkspace) != names.end()) {
    const auto state = Peek(for_default);
    if (!state) {
      return false;
    }
    if (!state->empty()) {
      auto given = AskForName();
      if (!given) {
        return false;
      }
      for_default = *std::move(given);
    }
  }
  std::string pattern = from_.backend->NamePattern();
  if (pattern != "*") {
    // They are in the organization already.
    if (!options_.input) {
      return Error(kNeedsInput, "Without -input=false the question is asked.");
    }
    if (!Agree({.query = "Do you wish to proceed?",
                .description = "Workspaces keep the names that they have in the organization, with "
                               "the prefix of the\nprevious backend. Missing tags are added to "
                               "them."})) {
      return false;
    }
  } else if (auto chosen = AskForPattern()) {
    pattern = *std::move(chosen);
  } else {
    return false;
  }
  std::string copy_of_current;
  for (const std::string& name : names) {
    std::string target = pattern;
    target.replace(target.find('*'), 1, name == backend::kDefaultWorkspace ? for_default : name);
    if (!CopyOneOfSeveral(name, target)) {
      return false;
    }
    if (name == workspace_.Name()) {
      copy_of_current = target;
    }
  }
  return SelectCopy(copy_of_current);
}

bool StateMigration::SelectCopy(const std::string& copy) {
  const auto names = WorkspacesOf(to_);
  if (!names || std::ranges::find(*names, copy) == names->end()) {
    return names.has_value();  // the user selects one afterwards
  }
  if (auto selected = workspace_.Select(copy); !selected) {
    return Error("Failed to select workspace: " + selected.error().message, "");
  }
  std::string list = "Migration complete! Your workspaces are as follows:";
  for (const std::string& name : *names) {
    list += (name == copy ? "\n* " : "\n  ") + name;
  }
  dialog_.Say("[reset][green]\n" + list + "[reset]");
  return true;
}

}  // namespace kinu::session
