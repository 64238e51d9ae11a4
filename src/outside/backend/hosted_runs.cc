#include "backend/hosted_runs.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>

#include "cloud/aws_sigv4.h"
#include "json/texts.h"

namespace kinu::backend {
namespace {

using std::chrono::milliseconds;

/// The wait before the n-th question: longer and longer, at most `longest`.
milliseconds Pause(int n, int first, int longest) {
  return milliseconds(std::min<int64_t>(longest, std::llround(first * std::pow(2.0, n / 5.0))));
}

const JsonNode* Step(const JsonNode* node, std::string_view name) {
  return node != nullptr && node->is_object() ? node->Find(name) : nullptr;
}

bool Flag(const JsonNode* object, std::string_view name) {
  const JsonNode* member = Step(object, name);
  return member != nullptr && member->is_bool() && member->boolean();
}

int64_t Number(const JsonNode* object, std::string_view name) {
  const JsonNode* member = Step(object, name);
  int64_t out = 0;
  if (member != nullptr && member->is_number()) {
    std::from_chars(member->text().data(), member->text().data() + member->text().size(), out);
  }
  return out;
}

/// The id of what a resource is related to; empty if there is none.
std::string RelatedId(const JsonNode& resource, std::string_view name) {
  return TextMember(Step(Step(Step(&resource, "relationships"), name), "data"), "id");
}

/// A document and the resource in it.
struct Answer {
  std::unique_ptr<net::HttpResponse> response;  // which the document points into
  JsonDocument document;
  const JsonNode* data = nullptr;

  const JsonNode* attributes() const { return AttributesOf(*data); }
};

Result<Answer> AnswerOf(Result<net::HttpResponse> response) {
  if (!response) {
    return std::unexpected(std::move(response).error());
  }
  Answer out;
  out.response = std::make_unique<net::HttpResponse>(*std::move(response));
  out.document = ParseJson(out.response->body);
  out.data = out.document.ok() ? Step(&out.document.root(), "data") : nullptr;
  if (out.data == nullptr) {
    return Fail(ErrorCode::kInvalid, "the service's answer is no JSON:API document");
  }
  return out;
}

/// The resources that a document has beside its own.
std::span<const JsonNode> IncludedIn(const Answer& answer) {
  const JsonNode* included = Step(&answer.document.root(), "included");
  return included != nullptr && included->is_array() ? included->elements()
                                                     : std::span<const JsonNode>();
}

HostedRun RunFrom(const Answer& answer) {
  const JsonNode* attributes = answer.attributes();
  const JsonNode* actions = Step(attributes, "actions");
  HostedRun out;
  out.id = TextMember(answer.data, "id");
  out.status = TextMember(attributes, "status");
  out.workspace = RelatedId(*answer.data, "workspace");
  out.plan = RelatedId(*answer.data, "plan");
  out.apply = RelatedId(*answer.data, "apply");
  out.cost_estimate = RelatedId(*answer.data, "cost-estimate");
  out.has_changes = Flag(attributes, "has-changes");
  out.cancelable = Flag(actions, "is-cancelable");
  out.confirmable = Flag(actions, "is-confirmable");
  out.discardable = Flag(actions, "is-discardable");
  out.may_apply = Flag(Step(attributes, "permissions"), "can-apply");
  const JsonNode* checks = Step(Step(Step(answer.data, "relationships"), "policy-checks"), "data");
  if (checks != nullptr) {
    for (const JsonNode& check : checks->elements()) {
      out.policy_checks.push_back(TextMember(&check, "id"));
    }
  }
  return out;
}

void WriteTextsUnlessEmpty(JsonWriter& out, std::string_view name,
                           const std::vector<std::string>& texts) {
  if (!texts.empty()) {
    WriteTexts(out, name, texts);
  }
}

void WriteRelation(JsonWriter& out, std::string_view name, std::string_view type,
                   std::string_view id) {
  out.Key(name);
  out.BeginObject();
  out.Key("data");
  out.BeginObject();
  out.Member("type", type);
  out.Member("id", id);
  out.EndObject();
  out.EndObject();
}

void WriteVariables(JsonWriter& out, const NewRun& run) {
  if (run.variables.empty()) {
    return;
  }
  out.Key("variables");
  out.BeginArray();
  for (const auto& [key, value] : run.variables) {
    out.BeginObject();
    out.Member("key", key);
    out.Member("value", value);
    out.EndObject();
  }
  out.EndArray();
}

std::string RunDocument(const NewRun& run, const HostedWorkspace& workspace) {
  std::string text;
  JsonWriter out(text);
  out.BeginObject();
  out.Key("data");
  out.BeginObject();
  out.Member("type", "runs");
  out.Key("attributes");
  out.BeginObject();
  if (run.destroy) {
    out.Member("is-destroy", true);
  }
  out.Member("refresh", run.refresh);
  if (run.refresh_only) {
    out.Member("refresh-only", true);
  }
  if (run.saves) {
    out.Member("save-plan", true);
  }
  if (run.generates) {
    out.Member("allow-config-generation", true);
  }
  WriteTextsUnlessEmpty(out, "replace-addrs", run.replacements);
  WriteTextsUnlessEmpty(out, "target-addrs", run.targets);
  WriteVariables(out, run);
  out.EndObject();
  out.Key("relationships");
  out.BeginObject();
  WriteRelation(out, "configuration-version", "configuration-versions", run.configuration);
  WriteRelation(out, "workspace", "workspaces", workspace.id);
  out.EndObject();
  out.EndObject();
  out.EndObject();
  return text;
}

std::string ConfigurationDocument(ConfigurationUse use) {
  std::string text;
  JsonWriter out(text);
  out.BeginObject();
  out.Key("data");
  out.BeginObject();
  out.Member("type", "configuration-versions");
  out.Key("attributes");
  out.BeginObject();
  out.Member("auto-queue-runs", false);
  if (use == ConfigurationUse::kSavedPlan) {
    out.Member("provisional", true);
  }
  out.Member("speculative", use == ConfigurationUse::kPlan);
  out.EndObject();
  out.EndObject();
  out.EndObject();
  return text;
}

std::unexpected<Error> Interrupted() {
  return Fail(ErrorCode::kCancelled, "interrupted");
}

/// Cuts a log into lines. A log may begin with STX and end with ETX.
class LineCutter {
 public:
  explicit LineCutter(const HostedRuns::OnLine& on_line) : on_line_(on_line) {}

  void Add(std::string_view piece) {
    if (fresh_ && piece.starts_with('\x02')) {
      marked_ = true;
      piece.remove_prefix(1);
    }
    fresh_ &= piece.empty() && !marked_;
    if (marked_ && piece.ends_with('\x03')) {
      ended_ = true;
      piece.remove_suffix(1);
    }
    text_ += piece;
    for (size_t end = text_.find('\n'); end != text_.npos; end = text_.find('\n')) {
      std::string line = text_.substr(0, end);
      text_.erase(0, end + 1);
      if (line.ends_with('\r')) {
        line.pop_back();
      }
      on_line_(line);
    }
  }
  void Finish() {
    if (!text_.empty()) {
      on_line_(text_);
    }
  }
  bool marked() const { return marked_; }
  bool ended() const { return ended_; }

 private:
  const HostedRuns::OnLine& on_line_;
  std::string text_;
  bool fresh_ = true;
  bool marked_ = false;
  bool ended_ = false;
};

}  // namespace

std::string HostedRuns::PageOf(std::string_view workspace, const HostedRun& run) const {
  return "https://" + service_.host + "/app/" + organization_->name() + '/' +
         std::string(workspace) + "/runs/" + run.id;
}

Result<std::string> HostedRuns::Upload(std::string_view archive, ConfigurationUse use,
                                       const Wait& wait) const {
  KINU_TRY(const Answer made,
           AnswerOf(organization_->Ask(
               "POST", "workspaces/" + cloud::AwsEscape(workspace_.id) + "/configuration-versions",
               ConfigurationDocument(use))));
  std::string id = TextMember(made.data, "id");
  if (auto sent = organization_->Upload(TextMember(made.attributes(), "upload-url"), archive);
      !sent) {
    return std::unexpected(std::move(sent).error());
  }
  constexpr int kQuestions = 60;
  for (int i = 0; i < kQuestions; ++i) {
    if (!wait(Pause(i, 100, 1000))) {
      return Interrupted();
    }
    KINU_TRY(const Answer now,
             AnswerOf(organization_->Ask("GET", "configuration-versions/" + cloud::AwsEscape(id))));
    const std::string status = TextMember(now.attributes(), "status");
    if (status == "uploaded") {
      return id;
    }
    if (status == "errored") {
      const std::string why = TextMember(now.attributes(), "error-message");
      return Fail(ErrorCode::kInvalid, why.empty() ? "the service cannot read them" : why);
    }
  }
  return Fail(ErrorCode::kUnavailable, "operation timed out");
}

Result<HostedRun> HostedRuns::Start(const NewRun& run) const {
  KINU_TRY(const Answer made,
           AnswerOf(organization_->Ask("POST", "runs", RunDocument(run, workspace_))));
  return RunFrom(made);
}

Result<HostedRun> HostedRuns::Read(const std::string& run) const {
  KINU_TRY(const Answer now, AnswerOf(organization_->Ask("GET", "runs/" + cloud::AwsEscape(run))));
  return RunFrom(now);
}

Result<HostedPlan> HostedRuns::ReadPlan(const std::string& run) const {
  KINU_TRY(const Answer now, AnswerOf(organization_->Ask("GET", "runs/" + cloud::AwsEscape(run) +
                                                                    "?include=plan,workspace")));
  HostedPlan out;
  out.run = RunFrom(now);
  out.destroy = Flag(now.attributes(), "is-destroy");
  out.refresh_only = Flag(now.attributes(), "refresh-only");
  for (const JsonNode& resource : IncludedIn(now)) {
    const JsonNode* attributes = AttributesOf(resource);
    const std::string id = TextMember(&resource, "id");
    if (TextMember(&resource, "type") == "plans" && id == out.run.plan) {
      out.status = TextMember(attributes, "status");
      out.has_changes = Flag(attributes, "has-changes");
      out.has_generated = Flag(attributes, "generated-configuration");
    } else if (TextMember(&resource, "type") == "workspaces" && id == out.run.workspace) {
      out.workspace = TextMember(attributes, "name");
      out.workspace_locked = Flag(attributes, "locked");
      out.workspace_shows_plans = Flag(attributes, "structured-run-output-enabled");
    }
  }
  return out;
}

Result<std::string> HostedRuns::ReadPlanDocument(const std::string& plan, bool redacted) const {
  KINU_TRY(net::HttpResponse response,
           organization_->Download("plans/" + cloud::AwsEscape(plan) +
                                   (redacted ? "/json-output-redacted" : "/json-output")));
  return std::move(response.body);
}

Result<std::vector<std::string>> HostedRuns::ReadWarnings(const std::string& run) const {
  KINU_TRY(const Answer now,
           AnswerOf(organization_->Ask("GET", "runs/" + cloud::AwsEscape(run) + "/run-events")));
  constexpr std::string_view kNotable[] = {"changed_policy_enforcements",
                                           "changed_task_enforcements", "ignored_policy_sets"};
  std::vector<std::string> out;
  for (const JsonNode& event : now.data->elements()) {
    const JsonNode* attributes = AttributesOf(event);
    std::string text = TextMember(attributes, "description");
    if (std::ranges::find(kNotable, TextMember(attributes, "action")) != std::end(kNotable) &&
        !text.empty()) {
      out.push_back(std::move(text));
    }
  }
  return out;
}

Result<void> HostedRuns::Act(const std::string& run, std::string_view action) const {
  KINU_TRY(const net::HttpResponse response,
           organization_->Ask(
               "POST", "runs/" + cloud::AwsEscape(run) + "/actions/" + std::string(action), "{}"));
  return {};
}

Result<void> HostedRuns::ReadLog(std::string_view kind, const std::string& id, const Wait& wait,
                                 const OnLine& on_line) const {
  const std::string path = std::string(kind) + '/' + cloud::AwsEscape(id);
  KINU_TRY(const Answer first, AnswerOf(organization_->Ask("GET", path)));
  const std::string url = TextMember(first.attributes(), "log-read-url");
  if (url.empty()) {
    return Fail(ErrorCode::kInvalid, "the service's answer has no log-read-url");
  }
  LineCutter lines(on_line);
  constexpr int kPatience = 10;  // empty answers until a log without end counts as broken off
  size_t offset = 0;
  for (int idle = 0;;) {
    KINU_TRY(const net::HttpResponse piece, organization_->ReadPiece(url, offset));
    offset += piece.body.size();
    lines.Add(piece.body);
    idle = piece.body.empty() ? idle + 1 : 0;
    if (lines.ended() || (idle > 0 && (!lines.marked() || idle % kPatience == 0))) {
      KINU_TRY(const Answer now, AnswerOf(organization_->Ask("GET", path)));
      constexpr std::string_view kEnds[] = {"canceled", "errored", "finished", "unreachable"};
      if (std::ranges::find(kEnds, TextMember(now.attributes(), "status")) != std::end(kEnds)) {
        lines.Finish();
        return {};
      }
    }
    if (piece.body.empty() && !wait(Pause(idle, 250, 2000))) {
      return Interrupted();
    }
  }
}

Result<CostEstimate> HostedRuns::ReadCostEstimate(const std::string& id) const {
  KINU_TRY(const Answer now,
           AnswerOf(organization_->Ask("GET", "cost-estimates/" + cloud::AwsEscape(id))));
  const JsonNode* attributes = now.attributes();
  return CostEstimate{.status = TextMember(attributes, "status"),
                      .proposed = TextMember(attributes, "proposed-monthly-cost"),
                      .delta = TextMember(attributes, "delta-monthly-cost"),
                      .matched = Number(attributes, "matched-resources-count"),
                      .resources = Number(attributes, "resources-count")};
}

Result<PolicyCheck> HostedRuns::ReadPolicyCheck(const std::string& id) const {
  KINU_TRY(const Answer now,
           AnswerOf(organization_->Ask("GET", "policy-checks/" + cloud::AwsEscape(id))));
  const JsonNode* attributes = now.attributes();
  return PolicyCheck{.status = TextMember(attributes, "status"),
                     .scope = TextMember(attributes, "scope"),
                     .overridable = Flag(Step(attributes, "actions"), "is-overridable") &&
                                    Flag(Step(attributes, "permissions"), "can-override")};
}

Result<std::string> HostedRuns::ReadPolicyLog(const std::string& id) const {
  KINU_TRY(net::HttpResponse response,
           organization_->Ask("GET", "policy-checks/" + cloud::AwsEscape(id) + "/output"));
  return std::move(response.body);
}

Result<std::vector<TaskStage>> HostedRuns::ReadTaskStages(const std::string& run) const {
  const auto now =
      AnswerOf(organization_->Ask("GET", "runs/" + cloud::AwsEscape(run) + "?include=task_stages"));
  if (!now) {
    return now.error().message.ends_with("Invalid include parameter")
               ? Result<std::vector<TaskStage>>(std::vector<TaskStage>())
               : std::unexpected(now.error());
  }
  std::vector<TaskStage> out;
  for (const JsonNode& resource : IncludedIn(*now)) {
    if (TextMember(&resource, "type") == "task-stages") {
      out.push_back({.id = TextMember(&resource, "id"),
                     .stage = TextMember(AttributesOf(resource), "stage"),
                     .status = TextMember(AttributesOf(resource), "status"),
                     .results = {},
                     .evaluations = {}});
    }
  }
  return out;
}

Result<TaskStage> HostedRuns::ReadTaskStage(const std::string& id) const {
  KINU_TRY(const Answer now,
           AnswerOf(organization_->Ask("GET", "task-stages/" + cloud::AwsEscape(id) +
                                                  "?include=task_results,policy_evaluations")));
  TaskStage out{.id = id,
                .stage = TextMember(now.attributes(), "stage"),
                .status = TextMember(now.attributes(), "status"),
                .results = {},
                .evaluations = {}};
  for (const JsonNode& resource : IncludedIn(now)) {
    const JsonNode* attributes = AttributesOf(resource);
    if (TextMember(&resource, "type") == "task-results") {
      out.results.push_back({.name = TextMember(attributes, "task-name"),
                             .status = TextMember(attributes, "status"),
                             .message = TextMember(attributes, "message"),
                             .url = TextMember(attributes, "url"),
                             .level = TextMember(attributes, "workspace-task-enforcement-level")});
    } else if (TextMember(&resource, "type") == "policy-evaluations") {
      const JsonNode* counts = Step(attributes, "result-count");
      const int64_t advisory = Number(counts, "advisory-failed");
      out.evaluations.push_back({.id = TextMember(&resource, "id"),
                                 .status = TextMember(attributes, "status"),
                                 .advisory_failed = advisory,
                                 .policies = advisory + Number(counts, "mandatory-failed") +
                                             Number(counts, "passed") + Number(counts, "errored"),
                                 .sets = {}});
    }
  }
  return out;
}

Result<void> HostedRuns::OverrideStage(const std::string& id) const {
  KINU_TRY(const net::HttpResponse response,
           organization_->Ask("POST", "task-stages/" + cloud::AwsEscape(id) + "/actions/override",
                              "{}"));
  return {};
}

Result<std::vector<PolicySetOutcome>> HostedRuns::ReadPolicyOutcomes(
    const std::string& evaluation) const {
  KINU_TRY(const Answer now,
           AnswerOf(organization_->Ask("GET", "policy-evaluations/" + cloud::AwsEscape(evaluation) +
                                                  "/policy-set-outcomes")));
  std::vector<PolicySetOutcome> out;
  for (const JsonNode& resource : now.data->elements()) {
    const JsonNode* attributes = AttributesOf(resource);
    PolicySetOutcome& set = out.emplace_back();
    set.name = TextMember(attributes, "policy-set-name");
    const JsonNode* outcomes = Step(attributes, "outcomes");
    for (const JsonNode& outcome :
         outcomes == nullptr ? std::span<const JsonNode>() : outcomes->elements()) {
      set.outcomes.push_back({.policy = TextMember(&outcome, "policy_name"),
                              .status = TextMember(&outcome, "status"),
                              .level = TextMember(&outcome, "enforcement_level"),
                              .description = TextMember(&outcome, "description")});
    }
  }
  return out;
}

Result<void> HostedRuns::OverridePolicy(const std::string& id) const {
  KINU_TRY(
      const net::HttpResponse response,
      organization_->Ask("POST", "policy-checks/" + cloud::AwsEscape(id) + "/actions/override"));
  return {};
}

}  // namespace kinu::backend
