#include "session/offline_providers.h"

#include <algorithm>

#include "addrs/provider_source.h"
#include "cty/json.h"
#include "json/tree.h"
#include "plan/certainty.h"
#include "provider/schema_table.h"
#include "schema/marks.h"
#include "schema/propose.h"

namespace kinu::session {
namespace {

/// What a call reports that cannot be answered.
void Refuse(provider::Problems& problems) {
  problems.push_back({.summary = "Provider not started",
                      .detail = "This request is answered without any provider process.",
                      .sourceless = true});
}

/// The attributes of a stored object that have a value of the wanted type; all others are empty.
Value ReadAttributes(const schema::Block& block, const json::Node& object) {
  std::vector<Value> values;
  const Value& empty = block.EmptyValue();
  for (size_t i = 0; i < empty.size(); ++i) {
    const json::Node member = object.Find(empty.key(i));
    const Type& type = block.implied_type().attributes()[i].type;
    const auto read =
        member ? ValueFromJson(member.text(), type) : ValueResult<Value>(empty.elements()[i]);
    values.push_back(read ? *read : empty.elements()[i]);
  }
  return Value::ObjectOf(block.implied_type(), std::move(values));
}

/// A stored object as the current schema has it, as far as that is possible without its provider.
Value ReadObject(const schema::Block& block, const provider::RawState& raw,
                 provider::Problems& problems) {
  const auto document = json::Document::Parse(raw.json);
  if (!document || !(*document)->root().is_object()) {
    problems.push_back({.summary = "Stored object not readable",
                        .detail = "The state has the object in a form of old versions, which only "
                                  "its provider can read. Plan once without -offline, and apply.",
                        .sourceless = true});
    return Value::Null(block.implied_type());
  }
  const auto whole = ValueFromJson(raw.json, block.implied_type());
  return whole ? *whole : ReadAttributes(block, (*document)->root());
}

class SilentProvider final : public provider::Provider {
 public:
  SilentProvider(const schema::ProviderSchema& schema, std::shared_ptr<const StoredData> stored)
      : schema_(schema), stored_(std::move(stored)) {}

  const schema::ProviderSchema& schema() const override { return schema_; }
  bool blocking() const override { return false; }
  bool defers_reads() const override { return true; }
  bool DefersRead(std::string_view type, std::string_view address, const Value& config) override {
    return !Copy(type, address, config);
  }
  void ValidateProviderConfig(const Value&, provider::Problems&) override {}
  void ValidateResourceConfig(std::string_view, const Value&, provider::Problems&) override {}
  void ValidateDataConfig(std::string_view, const Value&, provider::Problems&) override {}
  void ValidateEphemeralConfig(std::string_view, const Value&, provider::Problems&) override {}
  std::expected<Value, std::string> CallFunction(std::string_view name, std::span<const Value>,
                                                 int*) override {
    const schema::FunctionSignature* signature = schema_.FindFunction(name);
    return signature == nullptr ? Value::DynamicUnknown() : Value::Unknown(signature->return_type);
  }

  void Configure(const Value&, provider::Problems& problems) override {
    RefuseUnlessPlanning(problems);
  }
  Value UpgradeResourceState(std::string_view type, int64_t, const provider::RawState& raw,
                             provider::Problems& problems) override {
    const schema::Block* block = BlockOf(type, problems);
    return block == nullptr ? Value() : ReadObject(*block, raw, problems);
  }
  Value UpgradeResourceIdentity(std::string_view type, int64_t, std::string_view,
                                provider::Problems& problems) override {
    return BlockOf(type, problems) == nullptr
               ? Value()
               : Value::Null(schema_.FindResource(type)->identity_type);
  }
  provider::ReadResponse ReadResource(const provider::ReadRequest& request,
                                      provider::Problems& problems) override {
    RefuseUnlessPlanning(problems);
    return {request.prior, request.private_data, request.identity};
  }
  provider::PlanResponse PlanResourceChange(const provider::PlanRequest& request,
                                            provider::Problems& problems) override {
    const schema::Block* block = BlockOf(request.type, problems);
    return block == nullptr ? provider::PlanResponse{} : Plan(*block, request);
  }
  provider::ApplyResponse ApplyResourceChange(const provider::ApplyRequest&,
                                              provider::Problems& problems) override {
    Refuse(problems);
    return {};
  }
  Value ReadDataSource(std::string_view type, std::string_view address, const Value& config,
                       const Value&, provider::Problems& problems) override {
    if (std::optional<Value> copy = Copy(type, address, config)) {
      return *std::move(copy);
    }
    Refuse(problems);
    return {};
  }
  std::vector<provider::ImportedObject> ImportResourceState(std::string_view type, std::string_view,
                                                            const Value& identity,
                                                            provider::Problems& problems) override {
    const schema::Block* block = BlockOf(type, problems);
    if (block == nullptr) {
      return {};
    }
    return {{std::string(type), block->EmptyValue(), "", identity}};
  }
  provider::ImportedObject MoveResourceState(const provider::MoveRequest& request,
                                             provider::Problems& problems) override {
    const schema::Block* block = BlockOf(request.target_type, problems);
    if (block == nullptr) {
      return {};
    }
    return {std::string(request.target_type), ReadObject(*block, request.source_state, problems),
            "", Value()};
  }
  provider::EphemeralResponse OpenEphemeral(std::string_view, const Value&,
                                            provider::Problems& problems) override {
    Refuse(problems);
    return {};
  }
  provider::EphemeralResponse RenewEphemeral(std::string_view, std::string_view,
                                             provider::Problems& problems) override {
    Refuse(problems);
    return {};
  }
  void CloseEphemeral(std::string_view, std::string_view, provider::Problems& problems) override {
    Refuse(problems);
  }
  void Stop() override {}
  void Close() override {}

 private:
  void RefuseUnlessPlanning(provider::Problems& problems) const {
    if (stored_ == nullptr) {
      Refuse(problems);
    }
  }

  /// The schema of a resource type. Null, with a problem, if nothing is planned.
  const schema::Block* BlockOf(std::string_view type, provider::Problems& problems) const {
    const schema::ResourceSchema* schema =
        stored_ == nullptr ? nullptr : schema_.FindResource(type);
    if (schema == nullptr) {
      Refuse(problems);
      return nullptr;
    }
    return &schema->block;
  }

  std::optional<Value> Copy(std::string_view type, std::string_view address,
                            const Value& config) const {
    const schema::ResourceSchema* schema = stored_ == nullptr ? nullptr : schema_.FindData(type);
    return schema == nullptr ? std::nullopt : stored_->Find(*schema, address, config);
  }

  static provider::PlanResponse Plan(const schema::Block& block,
                                     const provider::PlanRequest& request) {
    provider::PlanResponse response;
    response.identity = request.identity;
    response.planned = request.proposed;
    if (request.proposed.IsNull()) {
      return response;
    }
    if (Value::RawEquals(Planned(block, request.proposed), request.prior)) {
      response.planned = request.prior;
      response.private_data = request.private_data;
      return response;
    }
    response.planned = schema::ProposeUnknown(block, Planned(block, request.config));
    const bool must_change =
        request.config.IsWhollyKnown() &&
        !schema::CheckPlanned(block, request.prior, request.config, request.prior).empty();
    response.private_data = must_change ? plan::kMustChange : "";
    return response;
  }

  /// What plans have of a value: write-only attributes are null.
  static Value Planned(const schema::Block& block, const Value& value) {
    return block.has_write_only() ? schema::WithoutWriteOnly(block, value) : value;
  }

  const schema::ProviderSchema& schema_;
  const std::shared_ptr<const StoredData> stored_;
};

/// The states of others, as far as a state has copies of their outputs.
class StoredOutputs final : public provider::RemoteStates {
 public:
  explicit StoredOutputs(std::shared_ptr<const StoredData> stored) : stored_(std::move(stored)) {}

  void Check(std::string_view, const Value&, provider::Problems&) override {}
  bool defers_reads() const override { return true; }
  bool DefersRead(std::string_view address, const Value& config) override {
    return !stored_->Find(Schema(), address, config);
  }
  std::optional<std::vector<provider::RemoteOutput>> Read(std::string_view address,
                                                          std::string_view, const Value&,
                                                          std::string_view,
                                                          provider::Problems& problems) override {
    const std::optional<Value> copy = stored_->Find(Schema(), address);
    if (!copy) {
      Refuse(problems);
      return std::nullopt;
    }
    std::vector<provider::RemoteOutput> outputs;
    const Value& values = copy->Attribute("outputs");
    for (size_t i = 0; !values.IsNull() && i < values.size(); ++i) {
      outputs.push_back({std::string(values.key(i)), values.elements()[i], ""});
    }
    return outputs;
  }

 private:
  static const schema::ResourceSchema& Schema() {
    return *provider::BuiltInSchema().FindData("terraform_remote_state");
  }
  const std::shared_ptr<const StoredData> stored_;
};

/// The schema of a provider that is not known.
const schema::ProviderSchema& EmptySchema() {
  static const auto kEmpty = [] {
    auto table = std::make_unique<provider::SchemaTable>();
    table->Finish();
    return table;
  }();
  return *kEmpty;
}

}  // namespace

void OfflineProviders::PlanFrom(const state::State& state) {
  stored_ = std::make_shared<const StoredData>(state);
  remote_states_ = std::make_shared<StoredOutputs>(stored_);
}

Result<std::unique_ptr<provider::Provider>> OfflineProviders::Start(std::string_view address) {
  if (address == kBuiltInProvider) {
    return stored_ == nullptr ? schemas_.Start(address)
                              : provider::MakeBuiltInProvider(remote_states_);
  }
  const Result<const schema::ProviderSchema*> schema = schemas_.Schema(address);
  return std::make_unique<SilentProvider>(schema ? **schema : EmptySchema(), stored_);
}

}  // namespace kinu::session
