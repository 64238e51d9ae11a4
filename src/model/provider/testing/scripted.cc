#include "provider/testing/scripted.h"

#include <atomic>
#include <ctime>

#include "addrs/provider_source.h"
#include "base/invariant.h"
#include "cty/json.h"
#include "cty/ops.h"
#include "provider/builtin.h"

namespace kinu::provider::testing {
namespace {

std::string NameOf(const Value& object) {
  if (object.IsNull() || !object.IsKnown() || !object.type().is_object()) {
    return {};
  }
  const Value* name = object.Find("name");
  bool usable =
      name != nullptr && name->IsKnown() && !name->IsNull() && name->type() == Type::String();
  return usable ? std::string(name->AsString()) : std::string();
}

/// The object with the attributes at some indexes replaced.
Value Replace(const Value& object, const std::map<size_t, Value>& changes) {
  if (changes.empty()) {
    return object;
  }
  std::vector<std::pair<std::string, Value>> attributes;
  for (size_t i = 0; i < object.size(); ++i) {
    auto change = changes.find(i);
    attributes.emplace_back(object.key(i),
                            change == changes.end() ? object.elements()[i] : change->second);
  }
  return Value::Object(std::move(attributes));
}

void AddError(Problems& problems, std::string summary) {
  problems.push_back({.severity = Severity::kError,
                      .summary = std::move(summary),
                      .detail = "The script of this test says so.",
                      .attribute = std::nullopt});
}

}  // namespace

class ScriptedProvider final : public Provider {
 public:
  explicit ScriptedProvider(std::shared_ptr<Script> script) : script_(std::move(script)) {}

  const schema::ProviderSchema& schema() const override { return script_->schema; }

  void ValidateProviderConfig(const Value& config, Problems& problems) override {
    Begin({.method = "ValidateProviderConfig", .type = {}, .name = {}, .config = config}, problems);
  }
  void ValidateResourceConfig(std::string_view type, const Value& config,
                              Problems& problems) override {
    Begin(About("ValidateResourceConfig", type, config, config), problems);
  }
  void ValidateDataConfig(std::string_view type, const Value& config, Problems& problems) override {
    Begin(About("ValidateDataConfig", type, config, config), problems);
  }
  void ValidateEphemeralConfig(std::string_view type, const Value& config,
                               Problems& problems) override {
    Begin(About("ValidateEphemeralConfig", type, config, config), problems);
  }
  void Configure(const Value& config, Problems& problems) override {
    Begin({.method = "Configure", .type = {}, .name = {}, .config = config}, problems);
    if (!script_->configure_error.empty()) {
      AddError(problems, script_->configure_error);
    }
    configured_ = true;
  }

  Value UpgradeResourceState(std::string_view type, int64_t, const RawState& raw,
                             Problems& problems) override {
    const schema::ResourceSchema* schema = script_->schema.FindResource(type);
    KINU_INVARIANT(schema != nullptr, "the script has no such type");
    auto value = ValueFromJson(raw.json, schema->block.implied_type());
    Value result = value ? *value : Value::Null(schema->block.implied_type());
    if (!value) {
      AddError(problems, value.error().ToText());
    }
    Begin(About("UpgradeResourceState", type, result, {}), problems);
    return result;
  }
  Value UpgradeResourceIdentity(std::string_view type, int64_t, std::string_view json,
                                Problems& problems) override {
    const schema::ResourceSchema* schema = script_->schema.FindResource(type);
    KINU_INVARIANT(schema != nullptr, "the script has no such type");
    auto value = ValueFromJson(json, schema->identity_type);
    if (!value) {
      AddError(problems, value.error().ToText());
      return {};
    }
    return *value;
  }

  ReadResponse ReadResource(const ReadRequest& request, Problems& problems) override {
    Call call = About("ReadResource", request.type, request.prior, {});
    call.prior = request.prior;
    call.meta = request.provider_meta;
    std::string name = call.name;
    bool failed = Begin(std::move(call), problems);
    ReadResponse response{request.prior, request.private_data, request.identity};
    const TypeScript& script = TypeOf(request.type);
    if (!failed && script.gone.contains(name)) {
      response.state = Value::Null(request.prior.type());
    } else if (!failed && script.read) {
      response.state = script.read(request.prior);
    }
    return response;
  }

  PlanResponse PlanResourceChange(const PlanRequest& request, Problems& problems) override {
    const Value& subject = request.proposed.IsNull() ? request.prior : request.proposed;
    Call call = About("PlanResourceChange", request.type, subject, request.config);
    call.prior = request.prior;
    call.proposed = request.proposed;
    call.meta = request.provider_meta;
    bool failed = Begin(std::move(call), problems);
    PlanResponse response;
    response.planned = request.proposed;
    response.private_data = request.private_data;
    response.identity = request.identity;
    if (failed || request.proposed.IsNull()) {
      return response;
    }
    const TypeScript& script = TypeOf(request.type);
    const schema::Block& block = script_->schema.FindResource(request.type)->block;
    bool create = request.prior.IsNull();
    std::map<size_t, Value> changes;
    bool differs = !create && !Value::RawEquals(request.prior, request.proposed);
    for (size_t i = 0; i < request.proposed.size(); ++i) {
      std::string name(request.proposed.key(i));
      const schema::Attribute* attribute = block.FindAttribute(name);
      if (attribute == nullptr) {
        continue;
      }
      const Value& proposed = request.proposed.elements()[i];
      bool from_config = !request.config.IsNull() && !request.config.Attribute(name).IsNull();
      if (attribute->computed && !from_config &&
          ((create && proposed.IsNull()) || (differs && script.recomputed.contains(name)))) {
        changes.emplace(i, Value::Unknown(attribute->type));
      }
      if (!create && script.requires_replace.contains(name) &&
          !Value::RawEquals(request.prior.Attribute(name), proposed)) {
        response.requires_replace.push_back(Path().Attribute(name));
      }
    }
    response.planned = Replace(request.proposed, changes);
    if (script.plan) {
      script.plan(request, response, problems);
    }
    return response;
  }

  ApplyResponse ApplyResourceChange(const ApplyRequest& request, Problems& problems) override {
    const Value& subject = request.planned.IsNull() ? request.prior : request.planned;
    Call call = About("ApplyResourceChange", request.type, subject, request.config);
    call.prior = request.prior;
    call.proposed = request.planned;
    call.meta = request.provider_meta;
    bool failed = Begin(std::move(call), problems);
    ApplyResponse response;
    response.private_data = request.private_data;
    response.identity = request.identity;
    if (failed) {
      response.state = request.prior;
      return response;
    }
    response.state =
        request.planned.IsNull() ? request.planned : Fill(request.type, request.planned, true);
    const TypeScript& script = TypeOf(request.type);
    if (script.apply) {
      script.apply(request, response, problems);
    }
    return response;
  }

  Value ReadDataSource(std::string_view type, std::string_view, const Value& config,
                       const Value& provider_meta, Problems& problems) override {
    Call call = About("ReadDataSource", type, config, config);
    call.meta = provider_meta;
    bool failed = Begin(std::move(call), problems);
    if (failed) {
      return Value::Null(config.type());
    }
    return Fill(type, config, false);
  }

  std::vector<ImportedObject> ImportResourceState(std::string_view type, std::string_view id,
                                                  const Value& identity,
                                                  Problems& problems) override {
    std::vector<ImportedObject> objects;
    const schema::ResourceSchema* schema = script_->schema.FindResource(type);
    KINU_INVARIANT(schema != nullptr, "the script has no such type");
    if (Begin(About("ImportResourceState", type, {}, {}), problems)) {
      return objects;
    }
    std::vector<std::pair<std::string, Value>> attributes;
    Value empty = schema->block.EmptyValue();
    for (size_t i = 0; i < empty.size(); ++i) {
      attributes.emplace_back(empty.key(i),
                              empty.key(i) == "id" ? Value::String(id) : empty.elements()[i]);
    }
    objects.emplace_back();
    objects.back().type = type;
    objects.back().state = Value::Object(std::move(attributes));
    objects.back().identity = identity;
    return objects;
  }

  ImportedObject MoveResourceState(const MoveRequest& request, Problems& problems) override {
    ImportedObject moved;
    moved.type = request.target_type;
    const schema::ResourceSchema* schema = script_->schema.FindResource(request.target_type);
    KINU_INVARIANT(schema != nullptr, "the script has no such type");
    Begin(About("MoveResourceState", request.target_type, {}, {}), problems);
    auto value = ValueFromJson(request.source_state.json, schema->block.implied_type());
    if (!value) {
      AddError(problems, value.error().ToText());
      return moved;
    }
    moved.state = *value;
    moved.private_data = request.source_private;
    return moved;
  }

  EphemeralResponse OpenEphemeral(std::string_view type, const Value& config,
                                  Problems& problems) override {
    EphemeralResponse response;
    if (!Begin(About("OpenEphemeral", type, config, config), problems)) {
      response.result = Fill(type, config, false);
      response.renew_at = RenewAt(type);
    }
    return response;
  }
  EphemeralResponse RenewEphemeral(std::string_view type, std::string_view private_data,
                                   Problems& problems) override {
    Begin(About("RenewEphemeral", type, {}, {}), problems);
    EphemeralResponse response;
    response.private_data = private_data;
    response.renew_at = RenewAt(type);
    return response;
  }
  void CloseEphemeral(std::string_view type, std::string_view, Problems& problems) override {
    Begin(About("CloseEphemeral", type, {}, {}), problems);
  }

  const schema::FunctionSignature* ConfiguredFunction(std::string_view name) override {
    auto it = script_->configured_functions.find(name);
    return configured_ && it != script_->configured_functions.end() ? &it->second : nullptr;
  }
  std::expected<Value, std::string> CallFunction(std::string_view name,
                                                 std::span<const Value> arguments,
                                                 int* argument) override {
    *argument = -1;
    Problems problems;
    Begin(About("CallFunction", name, {}, {}), problems);
    auto function = script_->functions.find(name);
    if (function == script_->functions.end()) {
      return std::unexpected("no such function");
    }
    return function->second(arguments);
  }

  void Stop() override {
    std::lock_guard lock(script_->mutex_);
    script_->stopped_ = true;
    script_->changed_.notify_all();
  }
  void Close() override {
    Problems problems;
    Begin({.method = "Close", .type = {}, .name = {}}, problems);
  }

 private:
  std::optional<int64_t> RenewAt(std::string_view type) const {
    auto it = script_->types.find(type);
    if (it == script_->types.end() || !it->second.renew_after) {
      return std::nullopt;
    }
    return std::time(nullptr) + *it->second.renew_after;
  }

  static Call About(std::string method, std::string_view type, const Value& subject,
                    const Value& config) {
    return {.method = std::move(method),
            .type = std::string(type),
            .name = NameOf(subject),
            .config = config};
  }

  const TypeScript& TypeOf(std::string_view type) const {
    static const TypeScript kNone;
    auto it = script_->types.find(type);
    return it == script_->types.end() ? kNone : it->second;
  }

  /// Logs the call and waits if the script says so. True, with a problem, if the call has to fail.
  bool Begin(Call call, Problems& problems) {
    std::string what = call.name.empty() ? call.method : call.method + ' ' + call.name;
    const TypeScript& script = TypeOf(call.type);
    bool wait = script.waits.contains(what) || script.waits.contains(call.method);
    bool fail = script.failures.contains(what) || script.failures.contains(call.method);
    {
      std::unique_lock lock(script_->mutex_);
      script_->calls_.push_back(std::move(call));
      if (wait) {
        script_->waiting_.insert(what);
        script_->changed_.notify_all();
        script_->changed_.wait(
            lock, [&] { return script_->released_.contains(what) || script_->stopped_; });
      }
    }
    if (fail) {
      AddError(problems, what + " failed");
    }
    return fail;
  }

  /// Sets computed attributes: those unknown in a planned object, or those null in a configuration.
  Value Fill(std::string_view type, const Value& object, bool planned) const {
    const schema::ResourceSchema* schema = script_->schema.FindResource(type);
    if (!planned || schema == nullptr) {
      const schema::ResourceSchema* data = script_->schema.FindData(type);
      schema = data != nullptr && !planned ? data : schema;
      if (schema == nullptr || !planned) {
        const schema::ResourceSchema* ephemeral = script_->schema.FindEphemeral(type);
        schema = data == nullptr && ephemeral != nullptr ? ephemeral : schema;
      }
    }
    KINU_INVARIANT(schema != nullptr, "the script has no such type");
    const TypeScript& script = TypeOf(type);
    std::map<size_t, Value> changes;
    for (size_t i = 0; i < object.size(); ++i) {
      std::string name(object.key(i));
      const schema::Attribute* attribute = schema->block.FindAttribute(name);
      const Value& value = object.elements()[i];
      if (attribute == nullptr || !attribute->computed ||
          !(planned ? !value.IsKnown() : value.IsNull())) {
        continue;
      }
      changes.emplace(i, script.compute ? script.compute(name, attribute->type, object)
                                        : DefaultFor(name, attribute->type, object));
    }
    return UnknownAsNull(Replace(object, changes));
  }

  static Value DefaultFor(const std::string& attribute, const Type& type, const Value& object) {
    switch (type.kind()) {
      case TypeKind::kString:
        return Value::String(attribute + '-' + NameOf(object));
      case TypeKind::kNumber:
        return Value::Int(1);
      case TypeKind::kBool:
        return Value::True();
      default:
        return Value::Null(type);
    }
  }

  std::shared_ptr<Script> script_;
  std::atomic<bool> configured_ = false;
};

std::vector<Call> Script::calls() const {
  std::lock_guard lock(mutex_);
  return calls_;
}

std::vector<std::string> Script::CallLines(const std::set<std::string>& except) const {
  std::vector<std::string> lines;
  for (const Call& call : calls()) {
    if (except.contains(call.method)) {
      continue;
    }
    std::string line = call.method;
    for (const std::string& part : {call.type, call.name}) {
      if (!part.empty()) {
        line += ' ' + part;
      }
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

size_t Script::CountCalls(std::string_view method) const {
  size_t count = 0;
  for (const Call& call : calls()) {
    count += call.method == method ? 1 : 0;
  }
  return count;
}

void Script::ClearCalls() {
  std::lock_guard lock(mutex_);
  calls_.clear();
}

void Script::Release(const std::string& what) {
  std::lock_guard lock(mutex_);
  released_.insert(what);
  changed_.notify_all();
}

void Script::Forget() {
  std::lock_guard lock(mutex_);
  released_.clear();
  waiting_.clear();
}

void Script::AwaitWaiting(const std::string& what) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return waiting_.contains(what); });
}

bool Script::stopped() const {
  std::lock_guard lock(mutex_);
  return stopped_;
}

std::unique_ptr<Provider> MakeScriptedProvider(std::shared_ptr<Script> script) {
  return std::make_unique<ScriptedProvider>(std::move(script));
}

Script& ScriptedSource::Add(const std::string& address) {
  auto& slot = scripts[address];
  slot = std::make_shared<Script>();
  return *slot;
}

Result<const schema::ProviderSchema*> ScriptedSource::Schema(std::string_view address) {
  if (address == kBuiltInProvider) {
    return &BuiltInSchema();
  }
  auto it = scripts.find(address);
  if (it == scripts.end()) {
    return Fail(ErrorCode::kNotFound, "no script for provider " + std::string(address));
  }
  return &it->second->schema;
}

Result<std::unique_ptr<Provider>> ScriptedSource::Start(std::string_view address) {
  if (address == kBuiltInProvider) {
    return MakeBuiltInProvider();
  }
  auto it = scripts.find(address);
  if (it == scripts.end()) {
    return Fail(ErrorCode::kNotFound, "no script for provider " + std::string(address));
  }
  return MakeScriptedProvider(it->second);
}

schema::Attribute Required(std::string name, Type type) {
  schema::Attribute attribute;
  attribute.name = std::move(name);
  attribute.type = std::move(type);
  attribute.required = true;
  return attribute;
}
schema::Attribute Optional(std::string name, Type type) {
  schema::Attribute attribute = Required(std::move(name), std::move(type));
  attribute.required = false;
  attribute.optional = true;
  return attribute;
}
schema::Attribute Computed(std::string name, Type type) {
  schema::Attribute attribute = Required(std::move(name), std::move(type));
  attribute.required = false;
  attribute.computed = true;
  return attribute;
}
schema::Attribute OptionalComputed(std::string name, Type type) {
  schema::Attribute attribute = Optional(std::move(name), std::move(type));
  attribute.computed = true;
  return attribute;
}

schema::ResourceSchema Resource(std::vector<schema::Attribute> attributes, int64_t version) {
  schema::ResourceSchema schema;
  schema.version = version;
  schema.block.attributes = std::move(attributes);
  schema.block.Finish();
  return schema;
}

void FillWithTestThings(Script& script) {
  auto thing = [] {
    std::vector<schema::Attribute> attributes;
    attributes.push_back(Computed("id", Type::String()));
    attributes.push_back(Optional("name", Type::String()));
    attributes.push_back(Optional("value", Type::String()));
    attributes.push_back(Optional("tags", Type::Map(Type::String())));
    attributes.push_back(Optional("force", Type::String()));
    attributes.push_back(Computed("output", Type::String()));
    return Resource(std::move(attributes));
  };
  std::vector<schema::Attribute> provider;
  provider.push_back(Optional("region", Type::String()));
  script.schema.provider = Resource(std::move(provider));
  script.schema.resources["test_thing"] = thing();
  script.schema.data["test_thing"] = thing();
  std::vector<schema::Attribute> secret;
  secret.push_back(Optional("name", Type::String()));
  secret.push_back(Computed("token", Type::String()));
  script.schema.ephemeral["test_secret"] = Resource(std::move(secret));

  schema::FunctionSignature upper;
  upper.name = "upper";
  upper.parameters.emplace_back();
  upper.parameters[0].name = "text";
  upper.parameters[0].type = Type::String();
  upper.return_type = Type::String();
  script.schema.functions["upper"] = std::move(upper);
  script.functions["upper"] = [](std::span<const Value> arguments) {
    std::string text(arguments[0].AsString());
    for (char& c : text) {
      c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
    return std::expected<Value, std::string>(Value::String(text));
  };
  script.schema.can = {
      .plan_destroy = true, .get_provider_schema_optional = true, .move_resource_state = true};
  script.types["test_thing"].requires_replace.insert("force");
  script.types["test_thing"].recomputed.insert("output");
  script.schema.Finish();
}

}  // namespace kinu::provider::testing
