#include "view/testing/plan_from_json.h"

#include <fstream>
#include <iterator>
#include <set>

#include "base/invariant.h"
#include "base/testing/source_directory.h"
#include "cty/json.h"
#include "json/reader.h"

namespace kinu::view {
namespace {

using plan::Action;

const JsonNode* Member(const JsonNode* node, std::string_view name) {
  return node == nullptr ? nullptr : node->Find(name);
}

std::string_view Text(const JsonNode& node, std::string_view name) {
  const JsonNode* member = node.Find(name);
  return member == nullptr ? std::string_view() : member->text();
}

bool IsTrue(const JsonNode* node) {
  return node != nullptr && node->is_bool() && node->boolean();
}

const JsonNode* Element(const JsonNode* node, size_t index) {
  return node != nullptr && index < node->elements().size() ? &node->elements()[index] : nullptr;
}

/// The members of an object and of its mask of unknown parts.
std::set<std::string, std::less<>> Names(const JsonNode* node, const JsonNode* unknown) {
  std::set<std::string, std::less<>> names;
  for (const JsonNode* side : {node, unknown}) {
    if (side != nullptr) {
      for (const JsonMember& member : side->members()) {
        names.emplace(member.name);
      }
    }
  }
  return names;
}

Value Build(const JsonNode* node, const JsonNode* unknown, const Type& type) {
  if (IsTrue(unknown)) {
    return Value::Unknown(type);
  }
  if (node == nullptr || node->is_null()) {
    return Value::Null(type);
  }
  switch (type.kind()) {
    case TypeKind::kBool:
      return Value::Bool(node->boolean());
    case TypeKind::kNumber:
      return Value::Of(*Number::Parse(node->text()));
    case TypeKind::kString:
      return Value::String(node->text());
    case TypeKind::kList:
    case TypeKind::kSet: {
      std::vector<Value> elements;
      for (size_t i = 0; i < node->elements().size(); ++i) {
        elements.push_back(Build(&node->elements()[i], Element(unknown, i), type.element()));
      }
      return type.is_list() ? Value::List(type.element(), std::move(elements))
                            : Value::Set(type.element(), std::move(elements));
    }
    case TypeKind::kTuple: {
      std::vector<Value> elements;
      for (size_t i = 0; i < type.elements().size(); ++i) {
        elements.push_back(Build(Element(node, i), Element(unknown, i), type.elements()[i]));
      }
      return Value::Tuple(std::move(elements));
    }
    case TypeKind::kMap: {
      std::vector<std::pair<std::string, Value>> entries;
      for (const std::string& name : Names(node, unknown)) {
        entries.emplace_back(name, Build(node->Find(name), Member(unknown, name), type.element()));
      }
      return Value::Map(type.element(), std::move(entries));
    }
    case TypeKind::kObject: {
      std::vector<Value> values;
      for (const ObjectAttribute& attribute : type.attributes()) {
        values.push_back(
            Build(node->Find(attribute.name), Member(unknown, attribute.name), attribute.type));
      }
      return Value::ObjectOf(type, std::move(values));
    }
    case TypeKind::kDynamic:
    case TypeKind::kCapsule:
      break;
  }
  if (node->is_bool()) {
    return Build(node, unknown, Type::Bool());
  }
  if (node->is_number()) {
    return Build(node, unknown, Type::Number());
  }
  if (node->is_string()) {
    return Build(node, unknown, Type::String());
  }
  if (node->is_array()) {
    std::vector<Value> elements;
    for (size_t i = 0; i < node->elements().size(); ++i) {
      elements.push_back(Build(&node->elements()[i], Element(unknown, i), Type::Dynamic()));
    }
    return Value::Tuple(std::move(elements));
  }
  std::vector<std::pair<std::string, Value>> members;
  for (const std::string& name : Names(node, unknown)) {
    members.emplace_back(name, Build(node->Find(name), Member(unknown, name), Type::Dynamic()));
  }
  return Value::Object(std::move(members));
}

/// Adds sensitive marks by a mask. A set can only be marked as a whole.
Value Mark(const Value& value, const JsonNode* mask) {
  if (IsTrue(mask)) {
    return value.WithMarks(MarkSet::Sensitive());
  }
  // For an unknown value of dynamic type, the shape of the mask shows whether it is a collection.
  if (mask != nullptr && !value.IsKnown() && value.type().is_dynamic()) {
    if (mask->is_array()) {
      return Value::Unknown(Type::List(Type::Dynamic()));
    }
    return mask->is_object() ? Value::Unknown(Type::Map(Type::Dynamic())) : value;
  }
  const bool holds_marks =
      mask != nullptr && (!mask->elements().empty() || !mask->members().empty());
  if (!holds_marks || value.IsNull() || !value.IsKnown() || value.type().is_set()) {
    return value;
  }
  const std::span<const Value> elements = value.elements();
  if (mask->is_array()) {
    std::vector<Value> marked;
    for (size_t i = 0; i < elements.size(); ++i) {
      marked.push_back(Mark(elements[i], Element(mask, i)));
    }
    return value.type().is_list() ? Value::List(value.type().element(), std::move(marked))
                                  : Value::Tuple(std::move(marked));
  }
  std::vector<std::pair<std::string, Value>> marked;
  for (size_t i = 0; i < elements.size(); ++i) {
    marked.emplace_back(value.key(i), Mark(elements[i], mask->Find(value.key(i))));
  }
  return value.type().is_map() ? Value::Map(value.type().element(), std::move(marked))
                               : Value::Object(std::move(marked));
}

Action ActionFrom(const JsonNode& actions) {
  std::string text;
  for (const JsonNode& action : actions.elements()) {
    text += action.text();
    text += ' ';
  }
  static const std::map<std::string, Action> kActions = {
      {"no-op ", Action::kNoOp},
      {"create ", Action::kCreate},
      {"read ", Action::kRead},
      {"update ", Action::kUpdate},
      {"delete ", Action::kDelete},
      {"delete create ", Action::kDeleteThenCreate},
      {"create delete ", Action::kCreateThenDelete},
      {"forget ", Action::kForget},
      {"forget create ", Action::kForgetThenCreate},
  };
  return kActions.at(text);
}

plan::Reason ReasonFrom(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(plan::Reason::kForgetConfig); ++i) {
    if (plan::ReasonName(static_cast<plan::Reason>(i)) == name) {
      return static_cast<plan::Reason>(i);
    }
  }
  return plan::Reason::kNone;
}

Path PathFrom(const JsonNode& steps) {
  Path path;
  for (const JsonNode& step : steps.elements()) {
    path.Push(step.is_string() ? PathStep::Attribute(step.text())
                               : PathStep::Index(Value::Of(*Number::Parse(step.text()))));
  }
  return path;
}

plan::ResourceChange ChangeFrom(Program& program, const JsonNode& entry,
                                const SchemaLookup& schemas) {
  plan::ResourceChange change;
  KINU_INVARIANT(program.ParseResourceInstance(Text(entry, "address"), &change.address), "address");
  change.previous_address = change.address;
  if (const JsonNode* previous = entry.Find("previous_address")) {
    KINU_INVARIANT(program.ParseResourceInstance(previous->text(), &change.previous_address),
                   "previous address");
  }
  change.deposed = std::string(Text(entry, "deposed"));
  change.provider.provider = program.Intern(Text(entry, "provider_name"));
  const ResourceName& name = change.address.resource.resource;
  const schema::ResourceSchema* schema =
      schemas.FindResource(Text(entry, "provider_name"), name.mode, program.Text(name.type));
  KINU_INVARIANT(schema != nullptr, "schema");
  const Type& type = schema->block.implied_type();
  const JsonNode& detail = *entry.Find("change");
  change.action = ActionFrom(*detail.Find("actions"));
  change.reason = ReasonFrom(Text(entry, "action_reason"));
  change.before =
      Mark(Build(detail.Find("before"), nullptr, type), detail.Find("before_sensitive"));
  change.after = Mark(Build(detail.Find("after"), detail.Find("after_unknown"), type),
                      detail.Find("after_sensitive"));
  // A plan has no marks from the schema for the new object of a replacement.
  if (plan::IsReplace(change.action) && change.after.ContainsMarked()) {
    std::vector<std::pair<std::string, Value>> attributes;
    for (size_t i = 0; i < change.after.size(); ++i) {
      const std::string_view attribute = change.after.key(i);
      const schema::Attribute* declared = schema->block.FindAttribute(attribute);
      const bool by_schema = declared != nullptr && declared->sensitive;
      const Value& value = change.after.elements()[i];
      attributes.emplace_back(attribute, by_schema ? value.Unmark() : value);
    }
    change.after = Value::Object(std::move(attributes));
  }
  if (const JsonNode* paths = detail.Find("replace_paths")) {
    for (const JsonNode& path : paths->elements()) {
      change.required_replace.push_back(PathFrom(path));
    }
  }
  if (const JsonNode* importing = detail.Find("importing")) {
    change.importing.emplace().id = Text(*importing, "id");
  }
  change.generated_config = std::string(Text(detail, "generated_config"));
  return change;
}

}  // namespace

TestSchemas::TestSchemas() = default;

const schema::ProviderSchema* TestSchemas::Find(std::string_view provider) const {
  const auto it = providers_.find(provider);
  return it == providers_.end() ? given_.Find(provider) : it->second.get();
}

void TestSchemas::Add(std::string address, std::unique_ptr<schema::ProviderSchema> schema) {
  providers_[std::move(address)] = std::move(schema);
}

void TestSchemas::AddDocument(std::string_view json) {
  const auto document = json::Document::Parse(std::string(json));
  KINU_INVARIANT(document && given_.Add((*document)->root().Find("provider_schemas")),
                 "provider schemas");
}

plan::Plan PlanFromJson(std::string_view json, const SchemaLookup& schemas) {
  const JsonDocument document = ParseJson(json);
  KINU_INVARIANT(document.ok(), "plan document");
  const JsonNode& root = document.root();
  plan::Plan plan;
  plan.program = std::make_shared<Program>();
  plan.prior_state.program = plan.program;
  plan.previous_state.program = plan.program;
  plan.timestamp = Text(root, "timestamp");
  plan.errored = IsTrue(root.Find("errored"));
  const auto changes = [&](std::string_view key, plan::BoxList<plan::ResourceChange>& to) {
    if (const JsonNode* list = root.Find(key)) {
      for (const JsonNode& entry : list->elements()) {
        to.push_back(ChangeFrom(*plan.program, entry, schemas));
      }
    }
  };
  changes("resource_changes", plan.changes);
  changes("resource_drift", plan.drift);
  if (const JsonNode* outputs = root.Find("output_changes")) {
    for (const JsonMember& member : outputs->members()) {
      plan::OutputChange output;
      output.name = member.name;
      output.action = ActionFrom(*member.value.Find("actions"));
      output.before = Build(member.value.Find("before"), nullptr, Type::Dynamic());
      output.after =
          Build(member.value.Find("after"), member.value.Find("after_unknown"), Type::Dynamic());
      output.sensitive = IsTrue(member.value.Find("after_sensitive"));
      plan.outputs.push_back(std::move(output));
    }
  }
  if (const JsonNode* attributes = root.Find("relevant_attributes")) {
    for (const JsonNode& entry : attributes->elements()) {
      plan::RelevantAttribute relevant;
      KINU_INVARIANT(
          plan.program->ParseResourceInstance(Text(entry, "resource"), &relevant.resource),
          "relevant resource");
      relevant.attribute = PathFrom(*entry.Find("attribute"));
      plan.relevant_attributes.push_back(std::move(relevant));
    }
  }
  return plan;
}

Value ValueFromDocument(std::string_view json, const Type& type, std::string_view unknown,
                        std::string_view sensitive) {
  const JsonDocument value = ParseJson(json);
  KINU_INVARIANT(value.ok(), "value");
  const JsonDocument unknown_mask = ParseJson(unknown.empty() ? "false" : unknown);
  const JsonDocument sensitive_mask = ParseJson(sensitive.empty() ? "false" : sensitive);
  return Mark(Build(&value.root(), &unknown_mask.root(), type), &sensitive_mask.root());
}

schema::Block BlockFromJson(std::string_view json) {
  const auto document = json::Document::Parse(std::string(json));
  KINU_INVARIANT(document, "block");
  auto block = ReadBlockSchema((*document)->root());
  KINU_INVARIANT(block, "block schema");
  block->Finish();
  return *std::move(block);
}

std::string ReadTestFile(std::string_view name) {
  const std::string path = SourceDirectory() + "/src/commands/view/testdata/" + std::string(name);
  std::ifstream in(path, std::ios::binary);
  KINU_INVARIANT(in.good(), "test file");
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace kinu::view
