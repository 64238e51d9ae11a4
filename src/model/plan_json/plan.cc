// `show -json PLAN`. Ref: opentofu internal/command/jsonplan.
#include <algorithm>
#include <array>
#include <deque>
#include <map>

#include "base/loop_threads.h"
#include "base/sort_runs.h"
#include "plan_json/documents.h"
#include "plan_json/module_tree.h"
#include "plan_json/position.h"
#include "plan_json/value.h"

namespace kinu::view {

using plan::Action;
using plan::OutputChange;
using plan::Plan;
using plan::ResourceChange;

std::string_view ActionWord(Action action) {
  static constexpr std::array<std::string_view, 9> kWords = {
      "no-op",   "create", "read",
      "update",  "delete", "replace",
      "replace", "forget", "forget-then-create"};
  return kWords[static_cast<size_t>(action)];
}

std::span<const std::string_view> ActionWords(Action action) {
  static constexpr std::string_view kWords[] = {"no-op",  "create", "read",   "update", "delete",
                                                "create", "delete", "forget", "create"};
  const std::span words(kWords);
  switch (action) {
    case Action::kNoOp:
      return words.subspan(0, 1);
    case Action::kCreate:
      return words.subspan(1, 1);
    case Action::kRead:
      return words.subspan(2, 1);
    case Action::kUpdate:
      return words.subspan(3, 1);
    case Action::kDelete:
      return words.subspan(4, 1);
    case Action::kDeleteThenCreate:
      return words.subspan(4, 2);
    case Action::kCreateThenDelete:
      return words.subspan(5, 2);
    case Action::kForget:
      return words.subspan(7, 1);
    case Action::kForgetThenCreate:
      return words.subspan(7, 2);
  }
  return {};
}

void WriteActions(JsonWriter& out, Action action) {
  out.BeginArray();
  for (const std::string_view word : ActionWords(action)) {
    out.String(word);
  }
  out.EndArray();
}

std::string_view ProviderName(const Program& program, const ProviderConfig& provider) {
  return program.Text(provider.provider);
}

void WriteValueChange(JsonWriter& out, const Value& before, const Value& after) {
  out.Key("before");
  WriteValue(out, before);
  if (after.IsNull() || after.IsKnown()) {
    out.Key("after");
    WriteValue(out, after);
  }
  out.Key("after_unknown");
  if (after.IsWhollyKnown()) {
    out.Bool(false);
  } else {
    WriteUnknownMask(out, after);
  }
}

namespace {

/// Whether any attribute of the object is known. Objects without one are not written.
bool HasKnownAttributes(const Value& object) {
  return !object.IsNull() &&
         std::ranges::any_of(object.Unmark().elements(),
                             [](const Value& value) { return value.IsKnown(); });
}

/// A value that the document has already, at a place of it. Empty: it has none.
struct Written {
  size_t at = 0;
  size_t size = 0;
};

/// What the planned values and the changes both say about an object after its change.
struct ObjectParts {
  Written values;
  Written sensitive_values;
};

class PlanWriter {
 public:
  /// `positions`: of blocks; null: without.
  PlanWriter(JsonWriter& out, const Plan& plan, const SchemaLookup& schemas,
             const BlockPositions* positions)
      : out_(out), plan_(plan), program_(*plan.program), schemas_(schemas), positions_(positions) {}

  void Variables(const config::Config* config);
  Result<void> PlannedValues(bool module_outputs);
  Result<void> Drift(const plan::BoxList<ResourceChange>& changes) {
    return Changes("resource_drift", changes, {});
  }
  /// After PlannedValues().
  Result<void> ResourceChanges() { return Changes("resource_changes", plan_.changes, parts_); }
  void OutputChanges();
  void RelevantAttributes();

 private:
  using Tree = ModuleTree<size_t>;  ///< of the places of changes in the plan
  void PlannedOutputs(bool of_modules);
  Result<void> PlannedModule(const Tree& module);
  Result<void> PlannedResource(std::string_view address, size_t place);
  /// `parts`: of the changes, one each; none: of no change.
  Result<void> Changes(std::string_view key, const plan::BoxList<ResourceChange>& changes,
                       std::span<const ObjectParts> parts);
  Result<void> Change(const ResourceChange& change, const ObjectParts& parts);
  template <typename Write>
  Written Place(Write write);
  template <typename Write>
  void Repeat(const Written& written, Write write);
  Result<const schema::ResourceSchema*> SchemaOf(const ResourceChange& change, bool name_provider);

  JsonWriter& out_;
  const Plan& plan_;
  Program& program_;
  const SchemaLookup& schemas_;
  const BlockPositions* positions_;
  std::vector<ObjectParts> parts_;  // of plan_.changes
  // The schema of the previous change: the next one usually has the same.
  Symbol provider_;
  ResourceName type_;
  const schema::ResourceSchema* schema_ = nullptr;
};

Result<const schema::ResourceSchema*> PlanWriter::SchemaOf(const ResourceChange& change,
                                                           bool name_provider) {
  const ResourceName& name = change.address.resource.resource;
  if (schema_ != nullptr && provider_ == change.provider.provider && type_.mode == name.mode &&
      type_.type == name.type) {
    return schema_;
  }
  const std::string_view provider = ProviderName(program_, change.provider);
  provider_ = change.provider.provider;
  type_ = name;
  schema_ = schemas_.FindResource(provider, name.mode, program_.Text(name.type));
  if (schema_ == nullptr) {
    std::string message = "no schema found for " + program_.ToText(change.address);
    if (name_provider) {
      message += " (in provider " + std::string(provider) + ")";
    }
    return Fail(ErrorCode::kNotFound, std::move(message));
  }
  return schema_;
}

void PlanWriter::Variables(const config::Config* config) {
  std::map<std::string_view, const Value*> values;
  for (const plan::PlanVariable& variable : plan_.variables) {
    if (!variable.ephemeral) {
      values[variable.name] = &variable.value;
    }
  }
  if (config != nullptr) {
    for (const config::Variable& variable : config->root().module->variables) {
      if (variable.default_value) {
        values.try_emplace(config->program->Text(variable.name), &*variable.default_value);
      }
    }
  }
  if (values.empty()) {
    return;
  }
  out_.Key("variables");
  out_.BeginObject();
  for (const auto& [name, value] : values) {
    out_.Key(name);
    out_.BeginObject();
    out_.Key("value");
    WriteValue(out_, *value);
    out_.EndObject();
  }
  out_.EndObject();
}

/// A planned output of a child module as one of the root.
OutputChange AsRootOutput(const Plan& plan, const plan::ModuleOutput& output) {
  OutputChange planned;
  planned.name = plan.program->Text(output.name);
  planned.action = Action::kCreate;
  planned.after = output.value.UnmarkDeep();
  planned.sensitive = output.sensitive;
  return planned;
}

void PlanWriter::PlannedOutputs(bool of_modules) {
  std::map<std::string_view, const OutputChange*> outputs;
  std::deque<OutputChange> made;
  for (size_t i = 0; of_modules && i < plan_.module_outputs.size(); ++i) {
    const OutputChange& output = made.emplace_back(AsRootOutput(plan_, plan_.module_outputs[i]));
    outputs.insert_or_assign(output.name, &output);
  }
  for (const OutputChange& output : plan_.outputs) {
    if (output.action != Action::kDelete) {
      outputs.insert_or_assign(output.name, &output);
    }
  }
  if (outputs.empty()) {
    return;
  }
  out_.Key("outputs");
  out_.BeginObject();
  for (const auto& [name, change] : outputs) {
    const OutputChange& output = *change;
    out_.Key(name);
    out_.BeginObject();
    out_.Member("sensitive", output.sensitive);
    if (output.after.IsWhollyKnown()) {
      out_.Key("type");
      // A plan does not store the type of an output that stays null.
      const bool untyped = output.action == Action::kNoOp && output.after.IsNull();
      WriteType(out_, untyped ? Type::Dynamic() : output.after.type());
      out_.Key("value");
      WriteValue(out_, output.after);
    }
    out_.EndObject();
  }
  out_.EndObject();
}

/// Returns where the document has what `write` writes.
template <typename Write>
Written PlanWriter::Place(Write write) {
  const size_t at = out_.out().size();
  write();
  return {.at = at, .size = out_.out().size() - at};
}

/// Writes once more what the document, which is on one line, has; or has `write` write it. A string
/// may append a part of itself.
template <typename Write>
void PlanWriter::Repeat(const Written& written, Write write) {
  if (written.size > 0) {
    out_.Raw(std::string_view(out_.out()).substr(written.at, written.size));
  } else {
    write();
  }
}

Result<void> PlanWriter::PlannedResource(std::string_view address, size_t place) {
  const ResourceChange& change = plan_.changes[place];
  const ResourceName& name = change.address.resource.resource;
  const Result<const schema::ResourceSchema*> schema = SchemaOf(change, /*name_provider=*/false);
  if (!schema) {
    return std::unexpected(schema.error());
  }
  out_.BeginObject();
  out_.Member("address", address);
  out_.Member("mode", ModeName(name.mode));
  out_.Member("type", program_.Text(name.type));
  out_.Member("name", program_.Text(name.name));
  if (!change.address.key.none()) {
    out_.Key("index");
    WriteInstanceKey(out_, program_, change.address.key);
  }
  WriteOptional(out_, "provider_name", ProviderName(program_, change.provider));
  out_.Member("schema_version",
              name.mode == ResourceMode::kManaged ? (*schema)->version : int64_t{0});
  if (HasKnownAttributes(change.after)) {
    out_.Key("values");
    parts_[place].values = Place([&] { WriteValue(out_, change.after); });
  }
  out_.Key("sensitive_values");
  parts_[place].sensitive_values = Place([&] { WriteSensitiveMask(out_, change.after); });
  if (!change.after_identity.IsNull()) {
    out_.Key("identity");
    WriteValue(out_, change.after_identity);
    out_.Member("identity_schema_version", (*schema)->identity_version);
  }
  out_.EndObject();
  return {};
}

Result<void> PlanWriter::PlannedModule(const Tree& module) {
  out_.BeginObject();
  if (!module.items.empty()) {
    std::vector<std::pair<std::string, size_t>> by_address;
    by_address.reserve(module.items.size());
    for (const size_t place : module.items) {
      by_address.emplace_back(program_.ToText(plan_.changes[place].address), place);
    }
    SortRuns(by_address, [](const auto& a, const auto& b) { return a.first < b.first; });
    out_.Key("resources");
    out_.BeginArray();
    for (const auto& [address, place] : by_address) {
      if (Result<void> done = PlannedResource(address, place); !done) {
        return done;
      }
    }
    out_.EndArray();
  }
  WriteOptional(out_, "address", module.address);
  if (!module.children.empty()) {
    out_.Key("child_modules");
    out_.BeginArray();
    for (const Tree& child : module.children) {
      if (Result<void> done = PlannedModule(child); !done) {
        return done;
      }
    }
    out_.EndArray();
  }
  out_.EndObject();
  return {};
}

Result<void> PlanWriter::PlannedValues(bool module_outputs) {
  std::vector<size_t> listed;
  for (size_t place = 0; place < plan_.changes.size(); ++place) {
    const ResourceChange& change = plan_.changes[place];
    if (!change.deposed.empty() || change.action == Action::kDelete ||
        change.address.resource.resource.mode == ResourceMode::kEphemeral) {
      continue;
    }
    listed.push_back(place);
  }
  parts_.resize(plan_.changes.size());
  out_.Key("planned_values");
  out_.BeginObject();
  PlannedOutputs(module_outputs);
  out_.Key("root_module");
  const Tree root = GroupByModule(program_, listed, [this](size_t place) {
    return plan_.changes[place].address.resource.module;
  });
  if (Result<void> done = PlannedModule(root); !done) {
    return done;
  }
  out_.EndObject();
  return {};
}

Result<void> PlanWriter::Change(const ResourceChange& change, const ObjectParts& parts) {
  const Result<const schema::ResourceSchema*> schema = SchemaOf(change, /*name_provider=*/true);
  if (!schema) {
    return std::unexpected(schema.error());
  }
  for (const Value* value : {&change.before, &change.after}) {
    if (value->ContainsMarked() && value->MarksDeep().ephemeral()) {
      return Fail(ErrorCode::kInvalid,
                  program_.ToText(change.address) + ": ephemeral values cannot be part of a plan");
    }
  }
  const schema::Block* block = (*schema)->block.has_sensitive() ? &(*schema)->block : nullptr;
  out_.BeginObject();
  out_.Key("actions");
  WriteActions(out_, change.action);
  out_.Key("before");
  WriteValue(out_, change.before);
  out_.Key("after");
  Repeat(parts.values, [&] { WriteValue(out_, change.after); });
  out_.Key("after_unknown");
  if (change.after.IsWhollyKnown()) {
    out_.BeginObject();
    out_.EndObject();
  } else {
    WriteUnknownMask(out_, change.after);
  }
  out_.Key("before_sensitive");
  WriteSensitiveMask(out_, change.before, block);
  out_.Key("after_sensitive");
  Repeat(block == nullptr ? parts.sensitive_values : Written(),
         [&] { WriteSensitiveMask(out_, change.after, block); });
  if (!change.required_replace.empty()) {
    out_.Key("replace_paths");
    WritePathSet(out_, change.required_replace);
  }
  if (change.importing) {
    out_.Key("importing");
    out_.BeginObject();
    WriteOptional(out_, "id", std::string_view(change.importing->id));
    if (change.importing->id.empty() && !change.importing->identity.IsNull()) {
      out_.Key("identity");
      WriteValue(out_, change.importing->identity);
    }
    out_.EndObject();
  }
  WriteOptional(out_, "generated_config", change.generated_config.text());
  if (!change.before_identity.IsNull()) {
    out_.Key("before_identity");
    WriteValue(out_, change.before_identity);
  }
  if (!change.after_identity.IsNull()) {
    out_.Key("after_identity");
    WriteValue(out_, change.after_identity);
  }
  out_.EndObject();
  return {};
}

Result<void> PlanWriter::Changes(std::string_view key, const plan::BoxList<ResourceChange>& changes,
                                 std::span<const ObjectParts> parts) {
  std::vector<size_t> listed;
  for (size_t place = 0; place < changes.size(); ++place) {
    const ResourceChange& change = changes[place];
    const ResourceMode mode = change.address.resource.resource.mode;
    // Removing a data source from the state changes no real object.
    const bool hidden = mode == ResourceMode::kEphemeral ||
                        (mode == ResourceMode::kData && change.action == Action::kDelete);
    if (!hidden) {
      listed.push_back(place);
    }
  }
  if (listed.empty()) {
    return {};
  }
  SortRuns(listed, [&](size_t left, size_t right) {
    const ResourceChange& a = changes[left];
    const ResourceChange& b = changes[right];
    return a.address == b.address ? a.deposed.text() < b.deposed.text()
                                  : program_.Less(a.address, b.address);
  });
  out_.Key(key);
  out_.BeginArray();
  for (const size_t place : listed) {
    const ResourceChange& change = changes[place];
    const ResourceName& name = change.address.resource.resource;
    out_.BeginObject();
    out_.Member("address", program_.ToText(change.address));
    if (change.previous_address != change.address) {
      out_.Member("previous_address", program_.ToText(change.previous_address));
    }
    WriteOptional(out_, "module_address",
                  std::string_view(program_.ToText(change.address.resource.module)));
    out_.Member("mode", ModeName(name.mode));
    out_.Member("type", program_.Text(name.type));
    out_.Member("name", program_.Text(name.name));
    if (!change.address.key.none()) {
      out_.Key("index");
      WriteInstanceKey(out_, program_, change.address.key);
    }
    out_.Member("provider_name", ProviderName(program_, change.provider));
    WriteOptional(out_, "deposed", change.deposed.text());
    out_.Key("change");
    if (auto done = Change(change, parts.empty() ? ObjectParts() : parts[place]); !done) {
      return done;
    }
    WriteOptional(out_, "action_reason", plan::ReasonName(change.reason));
    if (positions_ != nullptr) {
      positions_->WriteResource(out_, {program_.ModuleOf(change.address.resource.module), name});
    }
    out_.EndObject();
  }
  out_.EndArray();
  return {};
}

void PlanWriter::OutputChanges() {
  if (plan_.outputs.empty()) {
    return;
  }
  out_.Key("output_changes");
  out_.BeginObject();
  for (const plan::OutputChange& output : plan_.outputs) {
    out_.Key(output.name);
    out_.BeginObject();
    out_.Key("actions");
    WriteActions(out_, output.action);
    WriteValueChange(out_, output.before, output.after);
    out_.Member("before_sensitive", output.sensitive);
    out_.Member("after_sensitive", output.sensitive);
    if (positions_ != nullptr) {
      positions_->WriteOutput(out_, program_.Find(output.name));
    }
    out_.EndObject();
  }
  out_.EndObject();
}

void PlanWriter::RelevantAttributes() {
  if (plan_.relevant_attributes.empty()) {
    return;
  }
  std::vector<std::pair<std::string, const Path*>> sorted;
  for (const plan::RelevantAttribute& attribute : plan_.relevant_attributes) {
    sorted.emplace_back(plan_.program->ToText(attribute.resource), &attribute.attribute);
  }
  std::ranges::stable_sort(sorted, {}, &std::pair<std::string, const Path*>::first);
  out_.Key("relevant_attributes");
  out_.BeginArray();
  for (const auto& [resource, path] : sorted) {
    out_.BeginObject();
    out_.Member("resource", resource);
    out_.Key("attribute");
    WritePath(out_, *path);
    out_.EndObject();
  }
  out_.EndArray();
}

Error In(std::string_view where, Error error) {
  error.message = std::string(where) + ": " + error.message;
  return error;
}

bool HasObjects(const state::State& state) {
  return !state.outputs.empty() || std::ranges::any_of(state.resources, [](const auto& resource) {
    return !resource->instances.empty();
  });
}

/// Writes the members that are about objects and outputs.
Result<void> WriteObjects(JsonWriter& out, const Plan& plan, const config::Config* config,
                          const SchemaLookup& schemas, const BlockPositions* positions,
                          const PlanDocumentOptions& options) {
  PlanWriter writer(out, plan, schemas, positions);
  writer.Variables(config);
  if (options.parts == PlanParts::kAll) {
    if (auto done = writer.PlannedValues(options.module_outputs); !done) {
      return std::unexpected(In("error in marshalPlannedValues", std::move(done).error()));
    }
  }
  // Pure moves are drift only in refresh-only mode.
  plan::BoxList<ResourceChange> drift;
  for (const ResourceChange& change : plan.drift) {
    if (change.action != Action::kNoOp || plan.mode == plan::Mode::kRefreshOnly) {
      drift.push_back(change);
    }
  }
  if (auto done = writer.Drift(drift); !done) {
    return std::unexpected(In("error in marshaling resource drift", std::move(done).error()));
  }
  if (auto done = writer.ResourceChanges(); !done) {
    return std::unexpected(In("error in marshaling resource changes", std::move(done).error()));
  }
  writer.OutputChanges();
  if (options.prior_state && HasObjects(plan.prior_state)) {
    out.Key("prior_state");
    if (auto done = WriteState(out, plan.prior_state, schemas, {.checks = false}); !done) {
      return std::unexpected(In("error marshaling prior state", std::move(done).error()));
    }
  }
  return {};
}

Result<void> WriteConfiguration(JsonWriter& out, const config::Config* config,
                                const SchemaLookup& schemas, const PlanDocumentOptions& options) {
  if (config == nullptr) {
    out.BeginObject();
    out.Key("root_module");
    out.BeginObject();
    out.EndObject();
    out.EndObject();
  } else if (options.parts == PlanParts::kChanges) {
    WriteConfigVariables(out, *config);
  } else if (auto done = WriteConfig(out, *config, schemas, options.positions); !done) {
    return std::unexpected(In("error marshaling config", std::move(done).error()));
  }
  return {};
}

/// Writes the members about objects and outputs, and the configuration; of a large plan at the same
/// time, if there are two cores: the configuration is then copied once.
Result<void> WriteObjectsAndConfiguration(JsonWriter& out, const Plan& plan,
                                          const config::Config* config, const SchemaLookup& schemas,
                                          const BlockPositions* positions,
                                          const PlanDocumentOptions& options) {
  constexpr size_t kMany = 500;
  const bool together = out.is_compact() && config != nullptr && options.parts == PlanParts::kAll &&
                        plan.changes.size() >= kMany && UsableCores() > 1;
  Result<void> objects;
  Result<void> configuration;
  std::string text;
  const auto write_objects = [&] {
    objects = WriteObjects(out, plan, config, schemas, positions, options);
  };
  if (together) {
    RunTogether(write_objects, [&] {
      JsonWriter apart = out.Another(text);
      configuration = WriteConfiguration(apart, config, schemas, options);
    });
  } else {
    write_objects();
  }
  if (!objects) {
    return objects;
  }
  out.Key("configuration");
  if (together) {
    out.Raw(text);
    return configuration;
  }
  return WriteConfiguration(out, config, schemas, options);
}

}  // namespace

Result<void> WritePlan(JsonWriter& out, const Plan& plan, const config::Config* config,
                       const SchemaLookup& schemas, const PlanDocumentOptions& options) {
  std::optional<BlockPositions> positions;
  if (options.positions && config != nullptr) {
    positions.emplace(*config);
  }
  const BlockPositions* wanted = positions ? &*positions : nullptr;
  out.BeginObject();
  out.Member("format_version", kPlanFormatVersion);
  WriteOptional(out, "terraform_version", options.version);
  auto done = WriteObjectsAndConfiguration(out, plan, config, schemas, wanted, options);
  if (!done) {
    return done;
  }
  PlanWriter(out, plan, schemas, wanted).RelevantAttributes();
  if (HasChecks(plan.checks)) {
    out.Key("checks");
    WriteChecks(out, *plan.program, plan.checks, wanted);
  }
  out.Member("timestamp", plan.timestamp.empty() ? std::string_view("0001-01-01T00:00:00Z")
                                                 : std::string_view(plan.timestamp));
  out.Member("errored", plan.errored);
  out.EndObject();
  return {};
}

}  // namespace kinu::view
