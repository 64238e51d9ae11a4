#include "session/backend_init.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/program_name.h"
#include "cty/conversion.h"
#include "text/unicode.h"

namespace kinu::session {
namespace {

/// Selects the workspace that the user wants to begin with; it will be made.
bool ChooseFirstWorkspace(const Workspace& workspace, const ConfiguredBackend& backend, bool input,
                          InitDialog& dialog, Diagnostics& diags) {
  if (backend.type != backend::kCloudBackend || !input) {
    diags.Error(
        "No existing workspaces.",
        Hint("Make one with \"tofu workspace new\". If there should be some, look at what the "
             "configuration says of them."));
    return false;
  }
  auto answer = dialog.Ask({.query = "\n[bold][yellow]No workspaces found.",
                            .description = "The organization has no workspace with all the tags "
                                           "of the configuration. Enter a name, and\na workspace "
                                           "with these tags is made."});
  constexpr const char* kFailed = "Couldn't create initial workspace: ";
  const std::string name(answer ? text::TrimSpace(*answer) : std::string_view());
  if (name.empty()) {
    diags.Error(kFailed + (answer ? "no name provided" : answer.error().message), "");
    return false;
  }
  if (auto selected = workspace.Select(name); !selected) {
    diags.Error("Failed to select workspace: " + selected.error().message, "");
    return false;
  }
  return true;
}

/// What became of the choice of a workspace. `kNoneYet`: the backend has none, which is an error.
enum class WorkspaceChoice : uint8_t { kChosen, kNoneYet, kFailed };

/// Makes sure that the current workspace exists in the backend. Ref: Meta.selectWorkspace.
WorkspaceChoice ChooseWorkspace(const Workspace& workspace, const ConfiguredBackend& backend,
                                bool input, InitDialog& dialog, Diagnostics& diags) {
  auto names = backend.backend->Workspaces();
  if (!names && names.error().code == ErrorCode::kUnsupported) {
    return WorkspaceChoice::kChosen;  // there is only one state
  }
  if (!names) {
    diags.Error("Failed to get existing workspaces: " + names.error().message, "");
    return WorkspaceChoice::kFailed;
  }
  if (names->empty()) {
    return ChooseFirstWorkspace(workspace, backend, input, dialog, diags)
               ? WorkspaceChoice::kChosen
               : WorkspaceChoice::kNoneYet;
  }
  const std::string current = workspace.Name();
  if (std::find(names->begin(), names->end(), current) != names->end()) {
    return WorkspaceChoice::kChosen;
  }
  std::string chosen = names->front();
  if (names->size() > 1) {
    if (!input) {
      diags.Error("Currently selected workspace \"" + current + "\" does not exist",
                  Hint("Select another one with \"tofu workspace select\"."));
      return WorkspaceChoice::kFailed;
    }
    std::string list;
    for (size_t i = 0; i < names->size(); ++i) {
      list += std::to_string(i + 1) + ". " + (*names)[i] + "\n";
    }
    auto answer = dialog.Ask(
        {.query = "\n[yellow]The currently selected workspace (" + current + ") does not exist.",
         .description = "Enter the number of the workspace to select:\n\n" + list});
    size_t number = answer ? std::strtoul(answer->c_str(), nullptr, 10) : 0;
    if (!answer || number < 1 || number > names->size()) {
      diags.Error("Failed to select workspace: " +
                      (answer ? "input not a valid number" : answer.error().message),
                  "");
      return WorkspaceChoice::kFailed;
    }
    chosen = (*names)[number - 1];
  }
  if (auto selected = workspace.Select(chosen); !selected) {
    diags.Error("Failed to select workspace: " + selected.error().message, "");
    return WorkspaceChoice::kFailed;
  }
  return WorkspaceChoice::kChosen;
}

void AddChangedBackend(Diagnostics& diags) {
  diags.Error(
      "Backend configuration changed",
      Hint("The backend of this directory is not the one that it was initialized with. \"tofu "
           "init -migrate-state\" moves existing states, \"tofu init -reconfigure\" takes the "
           "new settings and leaves states where they are."));
}

/// Initializing one directory, once its block and its record are read.
class Initializer {
 public:
  Initializer(const Workspace& workspace, const BackendInitRequest& request,
              const BackendSettings& settings, BackendRecord record, InitDialog& dialog,
              Diagnostics& diags)
      : workspace_(workspace),
        request_(request),
        settings_(settings),
        record_(std::move(record)),
        dialog_(dialog),
        diags_(diags) {}

  /// Returns nothing after an error, which the warnings of the backends that were configured stand
  /// before: nobody hears of them otherwise.
  std::optional<ConfiguredBackend> Run();

 private:
  std::optional<ConfiguredBackend> Initialize();
  std::optional<ConfiguredBackend> Keep();
  std::optional<ConfiguredBackend> Unset();
  std::optional<ConfiguredBackend> Adopt();
  bool MoveToFirst(const ConfiguredBackend& from, const ConfiguredBackend& to);
  bool MoveToOther(const ConfiguredBackend& to);
  void ReportChange();
  /// Whether states move to or from a cloud, or would, without options for other moves.
  bool CloudOptionsFit();
  bool from_cloud() const { return record_.type == backend::kCloudBackend; }
  Value AskForMissing();
  /// The backend that the record names.
  std::optional<ConfiguredBackend> Previous();
  std::optional<ConfiguredBackend> Configured(const std::string& type, const Value& values,
                                              const BackendSettings* settings);
  std::optional<ConfiguredBackend> Encrypted(std::optional<ConfiguredBackend> backend) const {
    if (backend) {
      backend->Prepare(workspace_, request_.encryption);
    }
    return backend;
  }

  const Workspace& workspace_;
  const BackendInitRequest& request_;
  const BackendSettings& settings_;
  BackendRecord record_;
  InitDialog& dialog_;
  Diagnostics warnings_;  ///< of the backends that were configured
  Diagnostics& diags_;
};

std::optional<ConfiguredBackend> Initializer::Run() {
  Diagnostics before = std::exchange(diags_, {});
  auto out = Initialize();
  if (!out) {
    before.Append(std::move(warnings_));
  }
  before.Append(std::exchange(diags_, {}));
  diags_ = std::move(before);
  return out;
}

std::optional<ConfiguredBackend> Initializer::Configured(const std::string& type,
                                                         const Value& values,
                                                         const BackendSettings* settings) {
  Diagnostics found;
  auto out = Encrypted(ConfigureWithWarnings(workspace_, type, values, {}, found, settings));
  (out ? warnings_ : diags_).Append(std::move(found));
  return out;
}

std::optional<ConfiguredBackend> Initializer::Previous() {
  const std::optional<Value> settings = RecordedSettings(record_, diags_);
  return settings ? Configured(record_.type, *settings, nullptr) : std::nullopt;
}

std::optional<ConfiguredBackend> Initializer::Initialize() {
  if (settings_.type.empty() && record_.empty()) {
    return Encrypted(ImpliedBackend());
  }
  if (settings_.type == record_.type) {
    const bool same_block = settings_.hash == record_.hash && !settings_.overridden;
    if (same_block || settings_.AreRecorded(record_)) {
      return Keep();
    }
  }
  if (settings_.is_cloud() || from_cloud()) {
    if (!record_.empty() && !CloudOptionsFit()) {
      return std::nullopt;
    }
  } else if (!record_.empty() && !request_.migrate) {
    AddChangedBackend(diags_);
    return std::nullopt;
  }
  if (from_cloud() && !settings_.is_cloud()) {
    dialog_.Say(settings_.type.empty()
                    ? "Migrating from cloud backend to local state."
                    : "Migrating from cloud backend to backend \"" + settings_.type + "\".");
    diags_.Error(
        "Migrating state from cloud backend to another backend is not yet implemented.",
        Hint("Take the states with \"tofu state pull\" while the configuration has the cloud "
             "block."));
    return std::nullopt;
  }
  return settings_.type.empty() ? Unset() : Adopt();
}

bool Initializer::CloudOptionsFit() {
  const size_t errors = diags_.error_count();
  constexpr const char* kSummary = "Invalid command-line option";
  if (request_.reconfigure) {
    diags_.Error(kSummary,
                 "The option -reconfigure is for state backends. What a cloud block says takes "
                 "effect without it.");
  }
  if (request_.migrate) {
    const std::string option = request_.migration.force_copy ? "-force-copy" : "-migrate-state";
    diags_.Error(kSummary, "The option " + option +
                               " is for moves between state backends. Whether states move to a "
                               "cloud is asked.");
  }
  return diags_.error_count() == errors;
}

/// The configuration asks for what was there before.
std::optional<ConfiguredBackend> Initializer::Keep() {
  if (settings_.hash != record_.hash) {
    record_.hash = settings_.hash;
    if (!SaveRecord(workspace_, record_, diags_)) {
      return std::nullopt;
    }
  }
  auto backend = Previous();
  return backend && ChooseWorkspace(workspace_, *backend, request_.migration.input, dialog_,
                                    diags_) == WorkspaceChoice::kChosen
             ? std::move(backend)
             : std::nullopt;
}

/// The configuration asks for no backend any more.
std::optional<ConfiguredBackend> Initializer::Unset() {
  const std::string unset = "OpenTofu has detected you're unconfiguring your previously set \"" +
                            record_.type + "\" backend";
  dialog_.Say(unset + ".", unset);
  const auto from = Previous();
  if (!from) {
    return std::nullopt;
  }
  ConfiguredBackend to = *Encrypted(ImpliedBackend());
  if (!StateMigration(workspace_, request_.migration, *from, to, dialog_, diags_).Run() ||
      !SaveRecord(workspace_, {}, diags_)) {
    return std::nullopt;
  }
  const std::string text =
      "Successfully unset the backend \"" + record_.type + "\". OpenTofu will now operate locally";
  dialog_.Say("[reset][green]\n\n" + text + ".", text);
  return to;
}

/// Moves states from the files that a directory without a backend has.
bool Initializer::MoveToFirst(const ConfiguredBackend& from, const ConfiguredBackend& to) {
  StateMigration migration(workspace_, request_.migration, from, to, dialog_, diags_);
  return migration.Run() && migration.EraseSources();
}

void Initializer::ReportChange() {
  if (settings_.is_cloud()) {
    dialog_.Say(from_cloud() ? "Cloud backend configuration has changed."
                             : "Migrating from backend \"" + record_.type + "\" to cloud backend.");
  } else if (record_.type != settings_.type) {
    const std::string text = "OpenTofu detected that the backend type changed from \"" +
                             record_.type + "\" to \"" + settings_.type + "\".";
    dialog_.Say("[reset]\n" + text, text);
  } else {
    dialog_.Say(
        "[reset][bold]Backend configuration changed![reset]\n\n"
        "OpenTofu has detected that the configuration specified for the backend\n"
        "has changed. OpenTofu will now check for existing state in the backends.",
        "Backend configuration changed! OpenTofu has detected that the configuration specified "
        "for the backend has changed. OpenTofu will now check for existing state in the backends");
  }
}

/// Returns the settings of the configuration with the required ones that the user adds. Without an
/// answer, which is an error, there are no settings: a null.
Value Initializer::AskForMissing() {
  const backend::BackendSpec& spec = *backend::FindBackend(settings_.type);
  std::vector<std::pair<std::string, Value>> out;
  const bool ask = request_.migration.input;
  for (const backend::Setting& setting : spec.settings) {
    Value value = *settings_.settings.Find(setting.name);
    while (ask && value.IsNull() && backend::IsMissing(setting, settings_.settings)) {
      const std::string name(setting.name);
      auto answer = dialog_.Ask({.query = name, .description = std::string(setting.docs)});
      if (!answer) {
        diags_.Error("Error asking for input to configure backend \"" + settings_.type +
                         "\": " + name + ": " + answer.error().message,
                     "");
        return Value::Null(backend::SchemaOf(spec).implied_type());
      }
      if (auto converted = Convert(Value::String(*answer), setting.value_type())) {
        value = *std::move(converted);
      } else {
        dialog_.Refuse("Invalid value: " + converted.error().ToText());
      }
    }
    out.emplace_back(setting.name, std::move(value));
  }
  return Value::Object(std::move(out));
}

bool Initializer::MoveToOther(const ConfiguredBackend& to) {
  if (from_cloud()) {
    return true;  // states stay where they are
  }
  const auto from = Previous();
  return from && StateMigration(workspace_, request_.migration, *from, to, dialog_, diags_).Run();
}

/// The configuration asks for another backend than before.
std::optional<ConfiguredBackend> Initializer::Adopt() {
  std::optional<ConfiguredBackend> local;  // the files of a directory without a backend
  if (!record_.empty()) {
    ReportChange();
  } else {
    local = Encrypted(ImpliedBackend());
    const std::optional<bool> has_states = HasLocalStates(*local, diags_);
    if (!has_states || (settings_.is_cloud() && !CloudOptionsFit())) {
      return std::nullopt;
    }
    if (!*has_states) {
      local.reset();
    }
  }
  if (settings_.problems.has_errors()) {
    diags_.Append(Diagnostics(settings_.problems));
    return std::nullopt;
  }
  const Value settings = AskForMissing();
  const backend::BackendSpec& spec = *backend::FindBackend(settings_.type);
  if (settings.IsNull() && spec.checks_required) {
    if (!spec.unanswered.empty()) {
      diags_.Error(std::string(spec.unanswered), "");
    }
    return std::nullopt;  // there is nothing to check
  }
  auto to = Configured(settings_.type, settings, &settings_);
  if (!to || (local && !MoveToFirst(*local, *to)) || (!record_.empty() && !MoveToOther(*to))) {
    return std::nullopt;
  }
  const WorkspaceChoice choice =
      ChooseWorkspace(workspace_, *to, request_.migration.input, dialog_, diags_);
  const bool chosen = choice == WorkspaceChoice::kChosen;
  // A first workspace is made by a command that needs the record.
  const bool has_none = choice == WorkspaceChoice::kNoneYet && !settings_.is_cloud();
  if ((!chosen && !has_none) ||
      !SaveRecord(workspace_, MakeBackendRecord(to->type, to->settings, settings_.hash), diags_)) {
    return std::nullopt;
  }
  if (settings_.is_cloud()) {
    return to;  // which init says at its end
  }
  const std::string text =
      "Successfully configured the backend \"" + to->type + "\"! OpenTofu will ";
  dialog_.Say("[reset][green]\n" + text +
                  "automatically\nuse this backend unless the backend configuration changes.",
              text + "automatically use this backend unless the backend configuration changes");
  return chosen ? std::move(to) : std::nullopt;
}

}  // namespace

std::optional<ConfiguredBackend> InitBackend(const Workspace& workspace, const Loaded& root,
                                             const BackendInitRequest& request, InitDialog& dialog,
                                             Diagnostics& diags) {
  const size_t errors = diags.error_count();
  auto read = ReadBackendRecord(workspace.data_directory);
  const std::optional<config::Backend> block = BackendBlockOf(*root.config->root().module);
  if (block && block->type == backend::kCloudBackend && !request.overrides.empty()) {
    diags.Error("Invalid command-line option",
                "The option -backend-config adds settings to a \"backend\" block, and the "
                "configuration has a \"cloud\" block.");
    return std::nullopt;
  }
  const BackendSettings settings =
      ReadBackendSettings(workspace, root, request.overrides, true, diags);
  if (!read) {
    diags.Error(UnreadRecord(workspace.data_directory, read.error()), "");
  }
  if (diags.error_count() != errors) {
    return std::nullopt;
  }
  if (settings.type.empty() && !request.overrides.empty()) {
    diags.Warning("Missing backend configuration",
                  "The option -backend-config adds settings to a \"backend\" block, and the "
                  "configuration has none. Write\n\nterraform {\n  backend \"" +
                      std::string(backend::kImpliedBackend) +
                      "\" {}\n}\n\nif the default backend is meant.");
  }
  return Initializer(workspace, request, settings,
                     request.reconfigure ? BackendRecord() : *std::move(read), dialog, diags)
      .Run();
}

}  // namespace kinu::session
