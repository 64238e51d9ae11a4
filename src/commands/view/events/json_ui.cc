#include "view/events/json_ui.h"

#include <algorithm>
#include <chrono>
#include <ctime>

#include "addrs/provider_source.h"
#include "json/writer.h"
#include "plan_json/diagnostic.h"
#include "plan_json/documents.h"
#include "plan_json/value.h"
#include "text/unicode.h"

namespace kinu::view {

using engine::Event;
using engine::EventKind;
using plan::Action;
using plan::Reason;

namespace {

/// Messages escape only what JSON requires.
constexpr JsonWriter::Options kPlain{.escape = JsonEscape::kPlain};

std::string Quoted(std::string_view text) {
  std::string out;
  JsonWriter::AppendQuoted(out, text, JsonEscape::kPlain);
  return out;
}

/// Local time with microseconds and the offset of its zone.
std::string Timestamp() {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds =
      std::chrono::system_clock::to_time_t(std::chrono::floor<std::chrono::seconds>(now));
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(
                          now - std::chrono::floor<std::chrono::seconds>(now))
                          .count();
  std::tm local{};
  localtime_r(&seconds, &local);
  char text[64];
  std::string out(text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S.", &local));
  const std::string digits = std::to_string(micros);
  out.append(6 - digits.size(), '0');
  out += digits;
  if (local.tm_gmtoff == 0) {
    return out + "Z";
  }
  const std::string zone(text, std::strftime(text, sizeof text, "%z", &local));
  return out + zone.substr(0, 3) + ":" + zone.substr(3);
}

std::string_view ActionName(Action action) {
  switch (action) {
    case Action::kCreate:
      return "create";
    case Action::kRead:
      return "read";
    case Action::kUpdate:
      return "update";
    case Action::kDelete:
      return "delete";
    case Action::kDeleteThenCreate:
    case Action::kCreateThenDelete:
      return "replace";
    case Action::kForget:
      return "remove";
    case Action::kNoOp:
    case Action::kForgetThenCreate:
      return "noop";
  }
  return "noop";
}

/// The reason of a replacement. Messages have shorter words than plan documents.
std::string_view ReasonWord(Reason reason) {
  switch (reason) {
    case Reason::kReplaceTainted:
      return "tainted";
    case Reason::kReplaceByRequest:
      return "requested";
    case Reason::kReplaceByTriggers:
      return "replace_triggered_by";
    case Reason::kReplaceCannotUpdate:
      return "cannot_update";
    default:
      return plan::ReasonName(reason);
  }
}

struct Words {
  std::string_view start, running, noun;
};

Words WordsOf(Action action) {
  switch (action) {
    case Action::kCreate:
      return {"Creating", "creating", "Creation"};
    case Action::kUpdate:
      return {"Modifying", "modifying", "Modifications"};
    case Action::kDelete:
      return {"Destroying", "destroying", "Destruction"};
    case Action::kRead:
      return {"Refreshing", "refreshing", "Refresh"};
    case Action::kCreateThenDelete:
    case Action::kDeleteThenCreate:
      return {"Replacing", "replacing", "Replacement"};
    case Action::kForget:
      return {"Removing", "removing", "Removal"};
    default:
      return {"Applying", "applying", "Apply"};
  }
}

void WriteAddress(JsonWriter& out, const Program& program, const ResourceInstance& address) {
  const ResourceName& name = address.resource.resource;
  const std::string_view type = program.Text(name.type);
  out.BeginObject();
  out.Member("addr", program.ToText(address));
  out.Member("module", program.ToText(address.resource.module));
  out.Member("resource", program.ToText(name) + program.ToText(address.key));
  out.Member("implied_provider", ImpliedProviderName(type));
  out.Member("resource_type", type);
  out.Member("resource_name", program.Text(name.name));
  out.Key("resource_key");
  if (address.key.none()) {
    out.Null();
  } else {
    // As a value, the key has the escapes of values.
    std::string key;
    JsonWriter part(key);
    WriteInstanceKey(part, program, address.key);
    out.Raw(key);
  }
  out.EndObject();
}

std::string_view ChangeWord(const plan::ResourceChange& change) {
  if (ActionName(change.action) == "noop") {
    if (change.previous_address != change.address) {
      return "move";
    }
    if (change.importing) {
      return "import";
    }
  }
  return ActionName(change.action);
}

std::string ChangeObject(const Program& program, const plan::ResourceChange& change) {
  std::string text;
  JsonWriter out(text, kPlain);
  out.BeginObject();
  out.Key("resource");
  WriteAddress(out, program, change.address);
  if (change.previous_address != change.address) {
    out.Key("previous_resource");
    WriteAddress(out, program, change.previous_address);
  }
  out.Member("action", ChangeWord(change));
  WriteOptional(out, "reason", ReasonWord(change.reason));
  if (change.importing) {
    out.Key("importing");
    out.BeginObject();
    WriteOptional(out, "id", std::string_view(change.importing->id));
    if (change.importing->id.empty() && !change.importing->identity.IsNull()) {
      out.Key("identity");
      out.Raw(ValueText(change.importing->identity));
    }
    out.EndObject();
  }
  WriteOptional(out, "generated_config", change.generated_config.text());
  out.EndObject();
  return text;
}

std::string IdSuffix(const Event& event) {
  if (event.id_key.empty() || event.id_value.empty()) {
    return {};
  }
  return " [" + event.id_key + "=" + event.id_value + "]";
}

/// Builds the "hook" object of an event. `more` writes the members after the resource.
template <typename More>
std::string Hook(const Program& program, const Event& event, More&& more) {
  std::string text;
  JsonWriter out(text, kPlain);
  out.BeginObject();
  out.Key("resource");
  WriteAddress(out, program, event.address);
  more(out);
  out.EndObject();
  return text;
}

void WriteId(JsonWriter& out, const Event& event) {
  WriteOptional(out, "id_key", std::string_view(event.id_key));
  WriteOptional(out, "id_value", std::string_view(event.id_value));
}

std::string_view LevelName(JsonUi::Level level) {
  switch (level) {
    case JsonUi::Level::kInfo:
      return "info";
    case JsonUi::Level::kWarn:
      return "warn";
    case JsonUi::Level::kError:
      break;
  }
  return "error";
}

}  // namespace

void JsonUi::Message(Level level, std::string_view message, std::string_view type, Fields fields) {
  fields.insert(fields.end(), context_.begin(), context_.end());
  fields.emplace_back("@level", Quoted(LevelName(level)));
  fields.emplace_back("@message", Quoted(message));
  fields.emplace_back("@module", "\"tofu.ui\"");
  fields.emplace_back("@timestamp", Quoted(Timestamp()));
  if (!type.empty()) {
    fields.emplace_back("type", Quoted(type));
  }
  std::ranges::stable_sort(fields, {}, &std::pair<std::string, std::string>::first);
  std::string line;
  JsonWriter out(line, kPlain);
  out.BeginObject();
  for (const auto& [name, json] : fields) {
    out.Key(name);
    out.Raw(json);
  }
  out.EndObject();
  line += '\n';
  print_(line);
}

void JsonUi::Version(std::string_view version) {
  Message(Level::kInfo, "OpenTofu " + std::string(version), "version",
          {{"tofu", Quoted(version)}, {"ui", Quoted(kJsonUiVersion)}});
}

void JsonUi::StateDump(std::string_view state_json) {
  std::string compact;
  JsonWriter(compact, kPlain).Embed(state_json);
  Message(Level::kInfo, "Emergency state dump", "log", {{"state", std::move(compact)}});
}

void JsonUi::Diagnostics(const kinu::Diagnostics& diags) {
  for (const Diagnostic& diagnostic : diags) {
    std::string object;
    JsonWriter out(object, kPlain);
    WriteDiagnostic(out, diagnostic, sources_);
    const std::string message =
        (diagnostic.is_error() ? "Error: " : "Warning: ") + diagnostic.summary;
    Message(diagnostic.is_error() ? Level::kError : Level::kWarn, message, "diagnostic",
            {{"diagnostic", std::move(object)}});
  }
}

void JsonUi::PlannedChange(const Program& program, const plan::ResourceChange& change) {
  const ResourceMode mode = change.address.resource.resource.mode;
  if (mode == ResourceMode::kEphemeral ||
      (mode == ResourceMode::kData && change.action == Action::kDelete)) {
    return;
  }
  Message(Level::kInfo,
          program.ToText(change.address) + ": Plan to " + std::string(ChangeWord(change)),
          "planned_change", {{"change", ChangeObject(program, change)}});
}

void JsonUi::ResourceDrift(const Program& program, const plan::ResourceChange& change) {
  Message(
      Level::kInfo,
      program.ToText(change.address) + ": Drift detected (" + std::string(ChangeWord(change)) + ")",
      "resource_drift", {{"change", ChangeObject(program, change)}});
}

namespace {

std::string OutputsObject(std::span<const plan::OutputChange> changes) {
  std::string outputs;
  JsonWriter out(outputs, kPlain);
  out.BeginObject();
  for (const plan::OutputChange& output : changes) {
    out.Key(output.name);
    out.BeginObject();
    out.Member("sensitive", output.sensitive);
    out.Member("action", ActionName(output.action));
    out.EndObject();
  }
  out.EndObject();
  return outputs;
}

}  // namespace

void JsonUi::Plan(const plan::Plan& plan) {
  const Program& program = *plan.program;
  BeginBurst();
  for (const plan::ResourceChange& change : plan.drift) {
    if (change.action != Action::kNoOp || plan.mode == plan::Mode::kRefreshOnly) {
      ResourceDrift(program, change);
    }
  }
  for (const plan::ResourceChange& change : plan.changes) {
    if (change.action != Action::kNoOp || change.previous_address != change.address ||
        change.importing) {
      PlannedChange(program, change);
    }
  }
  ChangeSummary("plan", CountChanges(plan));
  if (!plan.outputs.empty()) {
    Message(Level::kInfo, "Outputs: " + std::to_string(plan.outputs.size()), "outputs",
            {{"outputs", OutputsObject(plan.outputs)}});
  }
  EndBurst();
}

namespace {

std::string SummaryOf(std::string_view operation, const ChangeCounts& counts) {
  if (operation == "plan") {
    return PlanSummary(counts);
  }
  return operation == "destroy" ? DestroySummary(counts) : ApplySummary(counts);
}

}  // namespace

void JsonUi::ChangeSummary(std::string_view operation, const ChangeCounts& counts) {
  std::string object;
  JsonWriter out(object, kPlain);
  out.BeginObject();
  out.Member("add", counts.added);
  out.Member("change", counts.changed);
  out.Member("import", counts.imported);
  out.Member("remove", counts.removed);
  out.Member("forget", counts.forgotten);
  out.Member("operation", operation);
  out.EndObject();
  Message(Level::kInfo, SummaryOf(operation, counts), "change_summary",
          {{"changes", std::move(object)}});
}

void JsonUi::Outputs(std::span<const state::OutputValue> outputs) {
  std::string object;
  JsonWriter out(object, kPlain);
  out.BeginObject();
  for (const state::OutputValue& output : outputs) {
    const Value value = output.value.UnmarkDeep();
    std::string type;
    JsonWriter type_out(type);
    WriteType(type_out, value.type());
    out.Key(output.name);
    out.BeginObject();
    out.Member("sensitive", output.sensitive);
    WriteOptional(out, "deprecated", std::string_view(output.deprecated));
    out.Key("type");
    out.Raw(type);
    if (!output.sensitive) {
      out.Key("value");
      out.Raw(ValueText(value));
    }
    out.EndObject();
  }
  out.EndObject();
  Message(Level::kInfo, "Outputs: " + std::to_string(outputs.size()), "outputs",
          {{"outputs", std::move(object)}});
}

namespace {

/// Writes the messages of one event.
class EventMessages {
 public:
  EventMessages(JsonUi& ui, const Program& program, const Event& event)
      : ui_(ui), program_(program), event_(event), address_(program.ToText(event.address)) {}

  void OnResource();
  void OnEphemeral();
  void OnProvisioner();

 private:
  /// A message about the resource; `more` writes further members of its hook.
  template <typename More>
  void Say(std::string_view type, const std::string& message, More&& more) {
    ui_.Message(JsonUi::Level::kInfo, message, type, {{"hook", Hook(program_, event_, more)}});
  }
  void Ephemeral(std::string_view type, std::string_view text) {
    Say(type, address_ + ": " + std::string(text),
        [&](JsonWriter& out) { out.Member("Msg", text); });
  }
  void Provisioner(std::string_view type, std::string_view text) {
    Say(type, address_ + ": (" + event_.provisioner + ") Provisioning " + std::string(text),
        [&](JsonWriter& out) { out.Member("provisioner", event_.provisioner); });
  }
  void ProvisionerOutput();

  JsonUi& ui_;
  const Program& program_;
  const Event& event_;
  std::string address_;
};

/// Refreshes, reads and changes of resources.
void EventMessages::OnResource() {
  const bool read = event_.kind == EventKind::kReadStart || event_.kind == EventKind::kReadComplete;
  const Action action = read ? Action::kRead : event_.action;
  const Words words = WordsOf(action);
  const std::string duration = terminal::DurationText(event_.elapsed_seconds);
  const auto id = [&](JsonWriter& out) { WriteId(out, event_); };
  const auto action_member = [&](JsonWriter& out) { out.Member("action", ActionName(action)); };
  const auto elapsed = [&](JsonWriter& out) {
    action_member(out);
    out.Member("elapsed_seconds", event_.elapsed_seconds);
  };
  switch (event_.kind) {
    case EventKind::kRefreshStart:
      Say("refresh_start", address_ + ": Refreshing state..." + IdSuffix(event_), id);
      return;
    case EventKind::kRefreshComplete:
      Say("refresh_complete", address_ + ": Refresh complete" + IdSuffix(event_), id);
      return;
    case EventKind::kReadStart:
    case EventKind::kApplyStart:
      if (action != Action::kNoOp) {
        Say("apply_start", address_ + ": " + std::string(words.start) + "..." + IdSuffix(event_),
            [&](JsonWriter& out) {
              action_member(out);
              WriteId(out, event_);
            });
      }
      return;
    case EventKind::kApplyProgress:
      if (event_.address.resource.resource.mode != ResourceMode::kEphemeral) {
        Say("apply_progress",
            address_ + ": Still " + std::string(words.running) + "... [" + duration + " elapsed]",
            elapsed);
      }
      return;
    case EventKind::kReadComplete:
    case EventKind::kApplyComplete:
      if (action != Action::kNoOp) {
        Say("apply_complete",
            address_ + ": " + std::string(words.noun) + " complete after " + duration +
                IdSuffix(event_),
            [&](JsonWriter& out) {
              action_member(out);
              WriteId(out, event_);
              out.Member("elapsed_seconds", event_.elapsed_seconds);
            });
      }
      return;
    default:  // kApplyErrored
      Say("apply_errored", address_ + ": " + std::string(words.noun) + " errored after " + duration,
          elapsed);
      return;
  }
}

void EventMessages::OnEphemeral() {
  switch (event_.kind) {
    case EventKind::kEphemeralOpenStart:
      Ephemeral("ephemeral_action_started", "Opening...");
      return;
    case EventKind::kEphemeralOpenComplete:
      Ephemeral("ephemeral_action_complete", "Open complete");
      return;
    case EventKind::kEphemeralCloseStart:
      Ephemeral("ephemeral_action_started", "Closing...");
      return;
    case EventKind::kEphemeralCloseComplete:
      Ephemeral("ephemeral_action_complete", "Close complete");
      return;
    case EventKind::kEphemeralRenewStart:
      Ephemeral("ephemeral_action_started", "Renewing...");
      return;
    default:  // kEphemeralRenewComplete
      Ephemeral("ephemeral_action_complete", "Renew complete");
      return;
  }
}

void EventMessages::OnProvisioner() {
  switch (event_.kind) {
    case EventKind::kProvisionStart:
      Say("provision_start", address_ + ": Provisioning with '" + event_.provisioner + "'...",
          [&](JsonWriter& out) { out.Member("provisioner", event_.provisioner); });
      return;
    case EventKind::kProvisionComplete:
      Provisioner("provision_complete", "complete");
      return;
    case EventKind::kProvisionErrored:
      Provisioner("provision_errored", "errored");
      return;
    default:  // kProvisionOutput
      ProvisionerOutput();
      return;
  }
}

/// One message per line of output that is not blank.
void EventMessages::ProvisionerOutput() {
  const std::string_view text = event_.text;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find_first_of("\n\r", begin), text.size());
    const std::string_view whole = text.substr(begin, end - begin);
    const std::string_view inner = text::TrimSpace(whole);
    begin = end + 1;
    if (inner.empty()) {
      continue;
    }
    const std::string line(
        whole.substr(0, static_cast<size_t>(inner.data() - whole.data()) + inner.size()));
    Say("provision_progress", address_ + ": (" + event_.provisioner + "): " + line,
        [&](JsonWriter& out) {
          out.Member("provisioner", event_.provisioner);
          out.Member("output", line);
        });
  }
}

}  // namespace

void JsonUi::Post(Event event) {
  if (program_ == nullptr) {
    return;
  }
  PrintMessages(event);
  if (engine::BeginsChange(event.kind)) {
    print_.Flush();
  }
}

void JsonUi::PrintMessages(const Event& event) {
  EventMessages messages(*this, *program_, event);
  switch (event.kind) {
    case EventKind::kRefreshStart:
    case EventKind::kRefreshComplete:
    case EventKind::kReadStart:
    case EventKind::kReadComplete:
    case EventKind::kApplyStart:
    case EventKind::kApplyProgress:
    case EventKind::kApplyComplete:
    case EventKind::kApplyErrored:
      messages.OnResource();
      return;
    case EventKind::kEphemeralOpenStart:
    case EventKind::kEphemeralOpenComplete:
    case EventKind::kEphemeralCloseStart:
    case EventKind::kEphemeralCloseComplete:
    case EventKind::kEphemeralRenewStart:
    case EventKind::kEphemeralRenewComplete:
      messages.OnEphemeral();
      return;
    case EventKind::kProvisionStart:
    case EventKind::kProvisionComplete:
    case EventKind::kProvisionErrored:
    case EventKind::kProvisionOutput:
      messages.OnProvisioner();
      return;
    case EventKind::kStopping:
      Log("Stopping operation...");
      return;
    case EventKind::kEphemeralDeferred:
    case EventKind::kForgotten:
    case EventKind::kPlannedChange:
    case EventKind::kImportById:
    case EventKind::kImportPrepared:
    case EventKind::kImportPrepare:
    case EventKind::kImportStart:
    case EventKind::kImportComplete:
      return;
  }
}

}  // namespace kinu::view
