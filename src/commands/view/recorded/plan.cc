// Plans from their documents.
#include "tfjson/format.h"
#include "view/recorded/given_schemas.h"
#include "view/recorded/recorded.h"
#include "view/recorded/schemas.h"

namespace kinu::view {
namespace {

using json::Member;
using json::Node;
using plan::Action;

constexpr std::pair<std::string_view, Action> kActions[] = {
    {"no-op", Action::kNoOp},
    {"create", Action::kCreate},
    {"read", Action::kRead},
    {"update", Action::kUpdate},
    {"delete", Action::kDelete},
    {"delete create", Action::kDeleteThenCreate},
    {"create delete", Action::kCreateThenDelete},
    {"forget", Action::kForget},
    {"forget create", Action::kForgetThenCreate},
    {"create forget", Action::kForgetThenCreate},
};

Result<Action> ActionOf(const Node& change, std::string_view address) {
  std::string words;
  const Node list = MemberOf(change, "actions");
  if (list && list.is_array()) {
    for (const Node action : list.elements()) {
      words += words.empty() ? "" : " ";
      words += action.is_string() ? action.String() : "?";
    }
  }
  for (const auto& [name, action] : kActions) {
    if (name == words) {
      return action;
    }
  }
  return Fail(ErrorCode::kInvalid, "the change of " + std::string(address) +
                                       " has the unknown actions \"" + words + "\"");
}

plan::Reason ReasonOf(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(plan::Reason::kForgetConfig); ++i) {
    if (plan::ReasonName(static_cast<plan::Reason>(i)) == name) {
      return static_cast<plan::Reason>(i);
    }
  }
  return plan::Reason::kNone;
}

Path PathOf(const Node& steps) {
  Path path;
  if (!steps.is_array()) {
    return path;
  }
  for (const Node step : steps.elements()) {
    if (step.is_string()) {
      path.Push(PathStep::Attribute(step.String()));
    } else if (auto number = step.is_number() ? Number::Parse(step.text()) : std::nullopt) {
      path.Push(PathStep::Index(Value::Of(*std::move(number))));
    }
  }
  return path;
}

class PlanReader {
 public:
  /// `secrets`: texts that are sensitive wherever they occur.
  PlanReader(const Node& document, tfjson::Secrets secrets)
      : document_(document), secrets_(std::move(secrets)) {
    plan_.program = std::make_shared<Program>();
    plan_.prior_state.program = plan_.program;
    plan_.previous_state.program = plan_.program;
  }

  /// The schemas that the values of the document show.
  std::unique_ptr<SchemaLookup> InferSchemas() const;
  Result<RecordedPlan> Read(std::unique_ptr<SchemaLookup> schemas);

 private:
  void ObserveChanges(std::string_view name, RecordedSchemas& schemas) const;
  Result<void> ReadChanges(std::string_view name, plan::BoxList<plan::ResourceChange>& out);
  Result<plan::ResourceChange> ReadChange(const Node& entry);
  Result<void> ReadOutputs();
  void ReadRelevantAttributes();

  const Node& document_;
  tfjson::Secrets secrets_;
  ValueReader values_{secrets_};
  std::unique_ptr<SchemaLookup> schemas_;
  plan::Plan plan_;
};

void PlanReader::ObserveChanges(std::string_view name, RecordedSchemas& schemas) const {
  const Node list = MemberOf(document_, name);
  if (!list || !list.is_array()) {
    return;
  }
  for (const Node entry : list.elements()) {
    const Node change = MemberOf(entry, "change");
    ResourceInstance address;
    if (plan_.program->ParseResourceInstance(TextOf(entry, "address"), &address)) {
      const auto observe = [&](const Node& value, const Node& unknown) {
        schemas.Observe(*plan_.program, TextOf(entry, "provider_name"), address.resource.resource,
                        value, unknown);
      };
      observe(MemberOf(change, "before"), {});
      observe(MemberOf(change, "after"), MemberOf(change, "after_unknown"));
    }
  }
}

Result<plan::ResourceChange> PlanReader::ReadChange(const Node& entry) {
  Program& program = *plan_.program;
  plan::ResourceChange change;
  const std::string address = TextOf(entry, "address");
  const std::string previous = TextOf(entry, "previous_address");
  if (!program.ParseResourceInstance(address, &change.address) ||
      !program.ParseResourceInstance(previous.empty() ? address : previous,
                                     &change.previous_address)) {
    return Fail(ErrorCode::kInvalid, "the address \"" + address + "\" cannot be read");
  }
  change.deposed = TextOf(entry, "deposed");
  const std::string provider = TextOf(entry, "provider_name");
  change.provider.provider = program.Intern(provider);
  const Node detail = MemberOf(entry, "change");
  KINU_TRY(change.action, ActionOf(detail, address));
  change.reason = ReasonOf(TextOf(entry, "action_reason"));
  const ResourceName& name = change.address.resource.resource;
  const schema::ResourceSchema* schema =
      schemas_->FindResource(provider, name.mode, program.Text(name.type));
  if (schema == nullptr) {
    return Fail(ErrorCode::kInvalid, "the provider of " + address + " has no such type");
  }
  const Type& type = schema->block.implied_type();
  const Node before_sensitive = MemberOf(detail, "before_sensitive");
  const Node after_sensitive = MemberOf(detail, "after_sensitive");
  change.before =
      values_.Read(MemberOf(detail, "before"),
                   {.unknown = {}, .sensitive = before_sensitive, .other = after_sensitive}, type);
  change.after = values_.Read(MemberOf(detail, "after"),
                              {.unknown = MemberOf(detail, "after_unknown"),
                               .sensitive = after_sensitive,
                               .other = before_sensitive},
                              type);
  if (const Node paths = MemberOf(detail, "replace_paths"); paths && paths.is_array()) {
    for (const Node path : paths.elements()) {
      change.required_replace.push_back(PathOf(path));
    }
  }
  if (const Node importing = MemberOf(detail, "importing"); importing && importing.is_object()) {
    plan::Importing& import = change.importing.emplace();
    import.id = TextOf(importing, "id");
    import.identity = values_.Read(MemberOf(importing, "identity"), {}, Type::Dynamic());
    import.unknown_id = IsTrue(MemberOf(importing, "unknown"));
  }
  change.generated_config = TextOf(detail, "generated_config");
  return change;
}

Result<void> PlanReader::ReadChanges(std::string_view name,
                                     plan::BoxList<plan::ResourceChange>& out) {
  const Node list = MemberOf(document_, name);
  if (!list || !list.is_array()) {
    return {};
  }
  for (const Node entry : list.elements()) {
    KINU_TRY(plan::ResourceChange change, ReadChange(entry));
    out.push_back(std::move(change));
  }
  return {};
}

Result<void> PlanReader::ReadOutputs() {
  const Node outputs = MemberOf(document_, "output_changes");
  if (!outputs || !outputs.is_object()) {
    return {};
  }
  for (const Member member : outputs.members()) {
    plan::OutputChange output;
    output.name = member.name.String();
    // Format 0.1 of kinu has an additional object around the change.
    const Node inner = MemberOf(member.value, "change");
    const Node change = inner ? inner : member.value;
    KINU_TRY(output.action, ActionOf(change, "the output " + output.name));
    output.before = values_.Read(MemberOf(change, "before"), {}, Type::Dynamic());
    output.after =
        values_.Read(MemberOf(change, "after"),
                     {.unknown = MemberOf(change, "after_unknown"), .sensitive = {}, .other = {}},
                     Type::Dynamic());
    // Masks of outputs are true or false; parts of the values are not marked.
    const Node declared =
        MemberOf(MemberOf(MemberOf(MemberOf(document_, "configuration"), "root_module"), "outputs"),
                 output.name);
    output.sensitive = IsTrue(MemberOf(change, "after_sensitive")) ||
                       IsTrue(MemberOf(change, "before_sensitive")) ||
                       IsTrue(MemberOf(member.value, "sensitive")) ||
                       IsTrue(MemberOf(declared, "sensitive")) || output.before.ContainsMarked() ||
                       output.after.ContainsMarked();
    plan_.outputs.push_back(std::move(output));
  }
  return {};
}

void PlanReader::ReadRelevantAttributes() {
  const Node list = MemberOf(document_, "relevant_attributes");
  if (!list || !list.is_array()) {
    return;
  }
  for (const Node entry : list.elements()) {
    plan::RelevantAttribute relevant;
    const Node path = MemberOf(entry, "attribute");
    if (path &&
        plan_.program->ParseResourceInstance(TextOf(entry, "resource"), &relevant.resource)) {
      relevant.attribute = PathOf(path);
      plan_.relevant_attributes.push_back(std::move(relevant));
    }
  }
}

std::unique_ptr<SchemaLookup> PlanReader::InferSchemas() const {
  auto out = std::make_unique<RecordedSchemas>();
  out->ObserveConfiguration(MemberOf(document_, "configuration"));
  ObserveChanges("resource_changes", *out);
  ObserveChanges("resource_drift", *out);
  out->Finish();
  return out;
}

Result<RecordedPlan> PlanReader::Read(std::unique_ptr<SchemaLookup> schemas) {
  schemas_ = std::move(schemas);
  plan_.timestamp = TextOf(document_, "timestamp");
  plan_.terraform_version = TextOf(document_, "terraform_version");
  plan_.errored = IsTrue(MemberOf(document_, "errored"));
  if (auto read = ReadChanges("resource_changes", plan_.changes); !read) {
    return std::unexpected(read.error());
  }
  if (auto read = ReadChanges("resource_drift", plan_.drift); !read) {
    return std::unexpected(read.error());
  }
  if (auto read = ReadOutputs(); !read) {
    return std::unexpected(read.error());
  }
  ReadRelevantAttributes();
  return RecordedPlan{.schemas = std::move(schemas_), .plan = std::move(plan_)};
}

}  // namespace

bool IsPlanDocument(const Node& document) {
  return MemberOf(document, "resource_changes") || MemberOf(document, "planned_values");
}

bool IsStateDocument(const Node& document) {
  if (!document.is_object() || IsPlanDocument(document)) {
    return false;
  }
  for (const Member member : document.members()) {
    if (!member.name.Is("format_version") && !member.name.Is("terraform_version") &&
        !member.name.Is("values") && !member.name.Is("checks")) {
      return false;
    }
  }
  return true;
}

Result<RecordedPlan> ReadPlanDocument(const Node& document) {
  KINU_TRY([[maybe_unused]] const tfjson::FormatVersion version, tfjson::FormatVersionOf(document));
  PlanReader reader(document, tfjson::Secrets(document));
  return reader.Read(reader.InferSchemas());
}

Result<RecordedPlan> ReadServicePlan(const Node& document) {
  if (!document.is_object() || !MemberOf(document, "plan_format_version")) {
    return Fail(ErrorCode::kInvalid, "the document has no plan_format_version");
  }
  auto schemas = std::make_unique<GivenSchemas>();
  if (auto added = schemas->Add(MemberOf(document, "provider_schemas")); !added) {
    return std::unexpected(std::move(added).error());
  }
  // The service has removed what is sensitive.
  return PlanReader(document, {}).Read(std::move(schemas));
}

}  // namespace kinu::view
