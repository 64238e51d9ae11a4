// States from their documents.
#include <algorithm>

#include "tfjson/format.h"
#include "view/recorded/recorded.h"
#include "view/recorded/schemas.h"

namespace kinu::view {
namespace {

using json::Member;
using json::Node;

class StateReader {
 public:
  explicit StateReader(const Node& document) : document_(document), secrets_(document) {}

  Result<RecordedState> Read();

 private:
  template <typename Visit>
  Result<void> ForEach(const Node& module, Visit&& visit);
  Result<void> AddResource(const Node& entry);
  void ReadOutputs(const Node& outputs);

  const Node& document_;
  tfjson::Secrets secrets_;
  ValueReader values_{secrets_};
  std::unique_ptr<RecordedSchemas> schemas_ = std::make_unique<RecordedSchemas>();
  state::State state_;
};

/// Calls `visit` with each resource of a module and its descendants.
template <typename Visit>
Result<void> StateReader::ForEach(const Node& module, Visit&& visit) {
  if (const Node resources = MemberOf(module, "resources"); resources && resources.is_array()) {
    for (const Node entry : resources.elements()) {
      if (Result<void> done = visit(entry); !done) {
        return done;
      }
    }
  }
  if (const Node children = MemberOf(module, "child_modules"); children && children.is_array()) {
    for (const Node child : children.elements()) {
      if (Result<void> done = ForEach(child, visit); !done) {
        return done;
      }
    }
  }
  return {};
}

Result<void> StateReader::AddResource(const Node& entry) {
  Program& program = *state_.program;
  ResourceInstance address;
  const std::string text = TextOf(entry, "address");
  if (!program.ParseResourceInstance(text, &address)) {
    return Fail(ErrorCode::kInvalid, "the address \"" + text + "\" cannot be read");
  }
  const std::string provider_name = TextOf(entry, "provider_name");
  const ResourceName& name = address.resource.resource;
  const schema::ResourceSchema* schema =
      schemas_->FindResource(provider_name, name.mode, program.Text(name.type));
  if (schema == nullptr) {
    return Fail(ErrorCode::kInvalid, "the provider of " + text + " has no such type");
  }
  const Type& type = schema->block.implied_type();
  const Value value = values_.Read(
      MemberOf(entry, "values"),
      {.unknown = {}, .sensitive = MemberOf(entry, "sensitive_values"), .other = {}}, type);
  state::Object object;
  object.status = IsTrue(MemberOf(entry, "tainted")) ? state::ObjectStatus::kTainted
                                                     : state::ObjectStatus::kReady;
  state::EncodeObject(value, type, object);
  ProviderConfig provider;
  provider.provider = program.Intern(provider_name);
  state::Instance& instance =
      state_.Ensure(address.resource, provider).Ensure(program, address.key);
  if (std::string key = TextOf(entry, "deposed_key"); !key.empty()) {
    instance.deposed.push_back({.key = std::move(key), .object = std::move(object)});
  } else {
    instance.current = std::make_unique<state::Object>(std::move(object));
  }
  return {};
}

void StateReader::ReadOutputs(const Node& outputs) {
  if (!outputs || !outputs.is_object()) {
    return;
  }
  for (const Member member : outputs.members()) {
    const Value value = values_.Read(MemberOf(member.value, "value"), {}, Type::Dynamic());
    state_.outputs.push_back(
        {.name = member.name.String(),
         .value = value.UnmarkDeep(),
         .sensitive = IsTrue(MemberOf(member.value, "sensitive")) || value.ContainsMarked(),
         .deprecated = {}});
  }
  std::ranges::sort(state_.outputs, {}, &state::OutputValue::name);
}

Result<RecordedState> StateReader::Read() {
  state_.program = std::make_shared<Program>();
  state_.terraform_version = TextOf(document_, "terraform_version");
  const Node values = MemberOf(document_, "values");
  const Node root = MemberOf(values, "root_module");
  auto done = ForEach(root, [&](const Node& entry) -> Result<void> {
    ResourceInstance address;
    if (state_.program->ParseResourceInstance(TextOf(entry, "address"), &address)) {
      schemas_->Observe(*state_.program, TextOf(entry, "provider_name"), address.resource.resource,
                        MemberOf(entry, "values"), {});
    }
    return {};
  });
  schemas_->Finish();
  if (done) {
    done = ForEach(root, [&](const Node& entry) { return AddResource(entry); });
  }
  if (!done) {
    return std::unexpected(done.error());
  }
  ReadOutputs(MemberOf(values, "outputs"));
  return RecordedState{.schemas = std::move(schemas_), .state = std::move(state_)};
}

}  // namespace

Result<RecordedState> ReadStateDocument(const Node& document) {
  KINU_TRY([[maybe_unused]] const tfjson::FormatVersion version, tfjson::FormatVersionOf(document));
  if (!IsStateDocument(document)) {
    return Fail(ErrorCode::kInvalid, "it is neither a plan nor a state");
  }
  return StateReader(document).Read();
}

}  // namespace kinu::view
