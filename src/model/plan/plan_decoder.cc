#include "plan/plan_decoder.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "codec/protowire.h"
#include "plan/dynamic_value.h"
#include "plan/wire.h"
#include "text/quote.h"

namespace kinu::plan {
namespace {

using namespace wire;  // NOLINT(google-build-using-namespace): the numbers of this format

class PlanDecoder {
 public:
  /// `compared_values`: only values of resources that exist before and after a change are read.
  PlanDecoder(std::shared_ptr<Program> program, const SchemaLookup& schemas, DecodedValues decoded)
      : program_(*program), schemas_(schemas), decoded_(decoded) {
    plan_.program = std::move(program);
    // A field that the file omits has the default of the message, not that of BackendRecord.
    plan_.backend = BackendRecord{.type = {}, .config = Value(), .workspace = {}};
  }

  Result<Plan> Decode(std::string_view message);

 private:
  struct RawChange {
    const ActionRow* action = nullptr;
    uint64_t number = 0;
    std::vector<std::string_view> values;  // DynamicValue messages
    std::vector<Path> before_sensitive;
    std::vector<Path> after_sensitive;
    std::string_view importing;
    bool has_importing = false;
    std::string_view generated_config;
    std::string_view before_identity;
    std::string_view after_identity;
  };

  /// The fields of a resource's change as they are in the message.
  struct RawResource {
    std::string_view address;
    std::string_view previous;
    std::string_view provider;
    std::optional<std::string_view> change;
    uint64_t reason = 0;
  };

  Result<void> ReadField(const ProtoField& field);
  Result<ResourceChange> ReadResource(std::string_view message);
  Result<RawResource> ReadResourceFields(std::string_view message, ResourceChange& change);
  Result<void> ResolveResource(const RawResource& raw, ResourceChange& change);
  Result<void> ReadResourceValues(std::string_view message, ResourceChange& change);
  static Result<void> ReadImporting(const RawChange& raw, const schema::ResourceSchema* schema,
                                    ResourceChange& change);
  Result<void> ReadOutput(std::string_view message);
  Result<RawChange> ReadChange(std::string_view message);
  Result<void> Values(const RawChange& raw, const Type& type, Value* before, Value* after);
  Result<Path> ReadPath(std::string_view message);
  Result<void> ReadVariable(std::string_view message);
  Result<void> ReadBackend(std::string_view message);
  Result<void> ReadTarget(std::string_view text, std::string_view option,
                          std::vector<TargetAddress>& out);
  Result<void> ReadForceReplace(std::string_view text);
  Result<void> ReadCheck(std::string_view message);
  Result<void> ReadCheckObject(std::string_view message, state::CheckResult& check);
  Result<void> ReadRelevant(std::string_view message);
  const ProviderConfig* Provider(std::string_view text);

  Plan plan_;
  Program& program_;
  const SchemaLookup& schemas_;
  DecodedValues decoded_;
  bool has_backend_ = false;
  FlatMap<std::string_view, ProviderConfig> providers_;
};

Result<Path> PlanDecoder::ReadPath(std::string_view message) {
  Path path;
  ProtoReader steps(message);
  for (ProtoField step; steps.Next(step);) {
    if (step.number != kSteps) {
      continue;
    }
    bool selected = false;
    ProtoReader selector(step.bytes);
    for (ProtoField field; selector.Next(field);) {
      if (field.number == StepField::kAttributeName) {
        path.Push(PathStep::Attribute(field.bytes));
        selected = true;
      } else if (field.number == StepField::kElementKey) {
        Result<Value> key = ReadUntyped(field.bytes);
        if (!key) {
          return Fail(ErrorCode::kInvalid,
                      "error decoding path index step: " + key.error().message);
        }
        path.Push(PathStep::Index(*std::move(key)));
        selected = true;
      }
    }
    if (!selected || selector.failed()) {
      return Fail(ErrorCode::kInvalid, "unsupported path step");
    }
  }
  if (steps.failed()) {
    return Fail(ErrorCode::kInvalid, "malformed path");
  }
  return path;
}

Result<PlanDecoder::RawChange> PlanDecoder::ReadChange(std::string_view message) {
  RawChange raw;
  ProtoReader reader(message);
  for (ProtoField field; reader.Next(field);) {
    switch (field.number) {
      case ChangeField::kAction:
        raw.number = field.scalar;
        break;
      case ChangeField::kValues:
        raw.values.push_back(field.bytes);
        break;
      case ChangeField::kBeforeSensitive:
      case ChangeField::kAfterSensitive: {
        bool before = field.number == ChangeField::kBeforeSensitive;
        Result<Path> path = ReadPath(field.bytes);
        if (!path) {
          return Fail(ErrorCode::kInvalid, std::string("failed to decode ") +
                                               (before ? "before" : "after") +
                                               " sensitive paths: " + path.error().message);
        }
        (before ? raw.before_sensitive : raw.after_sensitive).push_back(*std::move(path));
        break;
      }
      case ChangeField::kImporting:
        raw.has_importing = true;
        raw.importing = field.bytes;
        break;
      case ChangeField::kGeneratedConfig:
        raw.generated_config = field.bytes;
        break;
      case ChangeField::kBeforeIdentity:
        raw.before_identity = field.bytes;
        break;
      case ChangeField::kAfterIdentity:
        raw.after_identity = field.bytes;
        break;
      default:
        break;
    }
  }
  if (reader.failed()) {
    return Fail(ErrorCode::kInvalid, "malformed change");
  }
  raw.action = std::find_if(std::begin(kActions), std::end(kActions),
                            [&](const ActionRow& row) { return row.number == raw.number; });
  if (raw.action == std::end(kActions)) {
    return Fail(ErrorCode::kInvalid, "invalid change action " + std::to_string(raw.number));
  }
  if (raw.values.size() < size_t{raw.action->before} + size_t{raw.action->after}) {
    return Fail(ErrorCode::kInvalid, "incorrect number of values (" +
                                         std::to_string(raw.values.size()) + ") for change");
  }
  return raw;
}

Value Marked(Value value, const std::vector<Path>& sensitive) {
  if (sensitive.empty()) {
    return value;
  }
  std::vector<PathMarks> marks;
  for (const Path& path : sensitive) {
    marks.push_back(PathMarks{path, MarkSet::Sensitive()});
  }
  return value.MarkWithPaths(marks);
}

Result<void> PlanDecoder::Values(const RawChange& raw, const Type& type, Value* before,
                                 Value* after) {
  *before = Value::Null(type);
  *after = Value::Null(type);
  size_t at = 0;
  if (raw.action->before) {
    Result<Value> value = ReadValue(raw.values[at++], type);
    if (!value) {
      return Fail(ErrorCode::kInvalid, "invalid \"before\" value: " + value.error().message);
    }
    *before = *std::move(value);
  }
  if (raw.action->after) {
    Result<Value> value = ReadValue(raw.values[at], type);
    if (!value) {
      return Fail(ErrorCode::kInvalid, "invalid \"after\" value: " + value.error().message);
    }
    *after = *std::move(value);
  }
  if (raw.action->action == Action::kNoOp) {
    *after = *before;
  }
  *before = Marked(std::move(*before), raw.before_sensitive);
  *after = Marked(std::move(*after), raw.after_sensitive);
  return {};
}

const ProviderConfig* PlanDecoder::Provider(std::string_view text) {
  auto [it, inserted] = providers_.try_emplace(text);
  if (inserted) {
    InstanceKey key;
    if (!program_.ParseProviderConfig(text, &it.value(), &key)) {
      providers_.erase(text);
      return nullptr;
    }
  }
  return &it->second;
}

/// Reads the fields of a message; those that need no context go into `change` at once.
Result<PlanDecoder::RawResource> PlanDecoder::ReadResourceFields(std::string_view message,
                                                                 ResourceChange& change) {
  RawResource raw;
  ProtoReader reader(message);
  for (ProtoField field; reader.Next(field);) {
    switch (field.number) {
      case ResourceField::kDeposed:
        change.deposed = std::string(field.bytes);
        break;
      case ResourceField::kProvider:
        raw.provider = field.bytes;
        break;
      case ResourceField::kChange:
        raw.change = field.bytes;
        break;
      case ResourceField::kPrivate:
        change.private_data = field.bytes;
        break;
      case ResourceField::kRequiredReplace: {
        Result<Path> path = ReadPath(field.bytes);
        if (!path) {
          return Fail(ErrorCode::kInvalid,
                      "invalid path in required replace: " + path.error().message);
        }
        change.required_replace.push_back(*std::move(path));
        break;
      }
      case ResourceField::kReason:
        raw.reason = field.scalar;
        break;
      case ResourceField::kAddress:
        raw.address = field.bytes;
        break;
      case ResourceField::kPreviousAddress:
        raw.previous = field.bytes;
        break;
      default:
        break;
    }
  }
  if (reader.failed()) {
    return Fail(ErrorCode::kInvalid, "malformed resource change");
  }
  return raw;
}

/// Resolves the addresses of a change and checks its key and reason.
Result<void> PlanDecoder::ResolveResource(const RawResource& raw, ResourceChange& change) {
  const std::string_view address = raw.address;
  const std::string_view previous = raw.previous;
  if (address.empty()) {
    return Fail(ErrorCode::kInvalid,
                "no instance address for resource instance change; perhaps this plan was created "
                "by a different version of OpenTofu or a different version of Terraform?");
  }
  const std::string where(address);
  if (!program_.ParseResourceInstance(address, &change.address)) {
    return Fail(ErrorCode::kInvalid, "invalid resource instance address \"" + where + "\"");
  }
  change.previous_address = change.address;
  if (!previous.empty() && !program_.ParseResourceInstance(previous, &change.previous_address)) {
    return Fail(ErrorCode::kInvalid,
                "invalid resource instance previous run address \"" + std::string(previous) + "\"");
  }
  const ProviderConfig* config = Provider(raw.provider);
  if (config == nullptr) {
    return Fail(ErrorCode::kInvalid, "invalid provider configuration address \"" +
                                         std::string(raw.provider) + "\" for " + where);
  }
  change.provider = *config;
  if (!change.deposed.empty() && change.deposed.size() != 8) {
    return Fail(ErrorCode::kInvalid, "deposed object for " + where + " has invalid deposed key \"" +
                                         change.deposed.text() + "\"");
  }
  if (raw.reason > static_cast<uint64_t>(Reason::kForgetConfig)) {
    return Fail(ErrorCode::kInvalid,
                "resource has invalid action reason " + std::to_string(raw.reason));
  }
  change.reason = static_cast<Reason>(raw.reason);
  return {};
}

Result<Value> ReadIdentity(std::string_view dynamic, const schema::ResourceSchema& schema) {
  if (dynamic.empty()) {
    return Value();
  }
  Result<Value> value = ReadValue(dynamic, schema.identity_type);
  if (!value) {
    return Fail(ErrorCode::kInvalid, "invalid identity value: " + value.error().message);
  }
  return value;
}

/// Reads the import of a change; without a schema not the identity.
Result<void> PlanDecoder::ReadImporting(const RawChange& raw, const schema::ResourceSchema* schema,
                                        ResourceChange& change) {
  if (!raw.has_importing) {
    return {};
  }
  Importing& importing = change.importing.emplace();
  ProtoReader fields(raw.importing);
  for (ProtoField field; fields.Next(field);) {
    if (field.number == ImportingField::kId) {
      importing.id = field.bytes;
    } else if (field.number == ImportingField::kIdentity && schema != nullptr) {
      KINU_TRY(importing.identity, ReadIdentity(field.bytes, *schema));
    }
  }
  return {};
}

/// Reads the values, identities and import of a change. The error has no context.
Result<void> PlanDecoder::ReadResourceValues(std::string_view message, ResourceChange& change) {
  KINU_TRY(const RawChange raw, ReadChange(message));
  change.action = raw.action->action;
  change.generated_config = std::string(raw.generated_config);
  if (decoded_ == DecodedValues::kNone) {
    return ReadImporting(raw, nullptr, change);
  }
  const schema::ResourceSchema* schema =
      schemas_(change.provider.provider, change.address.resource.resource);
  if (schema == nullptr) {
    return Fail(ErrorCode::kNotFound, "its provider has no schema for this resource type");
  }
  if (decoded_ == DecodedValues::kAll || (raw.action->before && raw.action->after)) {
    const Type& type = schema->block.implied_type();
    if (Result<void> done = Values(raw, type, &change.before, &change.after); !done) {
      return done;
    }
  }
  KINU_TRY(change.before_identity, ReadIdentity(raw.before_identity, *schema));
  KINU_TRY(change.after_identity, ReadIdentity(raw.after_identity, *schema));
  return ReadImporting(raw, schema, change);
}

Result<ResourceChange> PlanDecoder::ReadResource(std::string_view message) {
  ResourceChange change;
  KINU_TRY(const RawResource raw, ReadResourceFields(message, change));
  if (Result<void> resolved = ResolveResource(raw, change); !resolved) {
    return std::unexpected(std::move(resolved).error());
  }
  const Result<void> read = raw.change ? ReadResourceValues(*raw.change, change)
                                       : Fail(ErrorCode::kInvalid, "change object is absent");
  if (!read) {
    return Fail(read.error().code, "invalid plan for resource " + std::string(raw.address) + ": " +
                                       read.error().message);
  }
  return change;
}

Result<void> PlanDecoder::ReadOutput(std::string_view message) {
  OutputChange output;
  std::string_view change;
  bool has_change = false;
  ProtoReader reader(message);
  for (ProtoField field; reader.Next(field);) {
    if (field.number == OutputField::kName) {
      output.name = field.bytes;
    } else if (field.number == OutputField::kChange) {
      change = field.bytes;
      has_change = true;
    } else if (field.number == OutputField::kSensitive) {
      output.sensitive = field.as_bool();
    }
  }
  Result<RawChange> raw =
      has_change ? ReadChange(change) : Fail(ErrorCode::kInvalid, "change object is absent");
  Result<void> done = raw ? Values(*raw, Type::Dynamic(), &output.before, &output.after)
                          : Fail(ErrorCode::kInvalid, raw.error().message);
  if (!done || reader.failed()) {
    return Fail(ErrorCode::kInvalid, "invalid plan for output \"" + output.name + "\": " +
                                         (done ? "malformed message" : done.error().message));
  }
  output.action = raw->action->action;
  plan_.outputs.push_back(std::move(output));
  return {};
}

}  // namespace

Result<PlanVariable> DecodeVariable(std::string_view message) {
  ProtoMapEntry entry;
  if (!ReadProtoMapEntry(message, entry)) {
    return Fail(ErrorCode::kInvalid, "malformed variable");
  }
  Result<Value> value = ReadValue(entry.value, Type::Dynamic());
  if (!value) {
    return Fail(ErrorCode::kInvalid, "invalid value for input variable \"" +
                                         std::string(entry.key) + "\": " + value.error().message);
  }
  return PlanVariable{.name = std::string(entry.key), .value = *std::move(value)};
}

namespace {

Result<void> PlanDecoder::ReadVariable(std::string_view message) {
  Result<PlanVariable> variable = DecodeVariable(message);
  if (!variable) {
    return std::unexpected(std::move(variable).error());
  }
  plan_.variables.push_back(*std::move(variable));
  return {};
}

Result<void> PlanDecoder::ReadBackend(std::string_view message) {
  has_backend_ = true;
  std::string_view config;
  ProtoReader reader(message);
  for (ProtoField field; reader.Next(field);) {
    if (field.number == BackendField::kType) {
      plan_.backend.type = field.bytes;
    } else if (field.number == BackendField::kConfig) {
      config = field.bytes;
    } else if (field.number == BackendField::kWorkspace) {
      plan_.backend.workspace = field.bytes;
    }
  }
  Result<Value> value = ReadUntyped(config);
  if (!value || reader.failed()) {
    return Fail(ErrorCode::kInvalid,
                "plan file has invalid backend configuration: " +
                    (value ? std::string("malformed message") : value.error().message));
  }
  plan_.backend.config = *std::move(value);
  return {};
}

Result<void> PlanDecoder::ReadTarget(std::string_view text, std::string_view option,
                                     std::vector<TargetAddress>& out) {
  TargetAddress& address = out.emplace_back();
  if (!ParseTarget(*plan_.program, text, &address)) {
    return Fail(ErrorCode::kInvalid,
                "plan contains invalid " + std::string(option) + " address " + text::GoQuote(text));
  }
  return {};
}

Result<void> PlanDecoder::ReadForceReplace(std::string_view text) {
  ResourceInstance& address = plan_.force_replace.emplace_back();
  if (!plan_.program->ParseResourceInstance(text, &address)) {
    return Fail(ErrorCode::kInvalid,
                "plan contains invalid force-replace address " + text::GoQuote(text));
  }
  return {};
}

Result<void> PlanDecoder::ReadCheck(std::string_view message) {
  std::string_view address;
  std::vector<std::string_view> objects;
  uint64_t kind = 0;
  uint64_t status = 0;
  ProtoReader reader(message);
  for (ProtoField field; reader.Next(field);) {
    if (field.number == CheckField::kKind) {
      kind = field.scalar;
    } else if (field.number == CheckField::kConfigAddress) {
      address = field.bytes;
    } else if (field.number == CheckField::kStatus) {
      status = field.scalar;
    } else if (field.number == CheckField::kObjects) {
      objects.push_back(field.bytes);
    }
  }
  if (reader.failed() || kind == 0 || kind > kCheckKindCount || status >= kCheckStatusCount) {
    return Fail(ErrorCode::kInvalid, "aggregate check results for " + std::string(address) +
                                         " have an unsupported kind or status");
  }
  state::CheckResult check{.status = static_cast<CheckStatus>(status),
                           .has_objects = !objects.empty()};
  if (!ParseConfigCheckable(*plan_.program, static_cast<CheckableKind>(kind - 1), address,
                            &check.block)) {
    return Fail(ErrorCode::kInvalid, "invalid checkable config address " + std::string(address));
  }
  for (const std::string_view object : objects) {
    if (auto read = ReadCheckObject(object, check); !read) {
      return read;
    }
  }
  plan_.checks.push_back(std::move(check));
  return {};
}

Result<void> PlanDecoder::ReadCheckObject(std::string_view message, state::CheckResult& check) {
  state::CheckObject object;
  std::string_view address;
  uint64_t status = 0;
  ProtoReader reader(message);
  for (ProtoField field; reader.Next(field);) {
    if (field.number == CheckObjectField::kAddress) {
      address = field.bytes;
    } else if (field.number == CheckObjectField::kStatus) {
      status = field.scalar;
    } else if (field.number == CheckObjectField::kMessages) {
      object.failure_messages.emplace_back(field.bytes);
    }
  }
  if (reader.failed() || status >= kCheckStatusCount) {
    return Fail(ErrorCode::kInvalid,
                "object check results for " + std::string(address) + " have an unsupported status");
  }
  Checkable parsed;
  if (!ParseCheckable(*plan_.program, check.block.kind, address, &parsed)) {
    return Fail(ErrorCode::kInvalid,
                "Invalid checkable address: \"" + std::string(address) + "\" is no object.");
  }
  const AbsResource& resource = parsed.object.resource;
  if (ConfigResource{plan_.program->ModuleOf(resource.module), resource.resource} !=
      check.block.block) {
    return Fail(ErrorCode::kInvalid, "checkable object " + std::string(address) +
                                         " should not be grouped under " +
                                         ToText(*plan_.program, check.block));
  }
  object.address = parsed.object;
  object.status = static_cast<CheckStatus>(status);
  check.objects.push_back(std::move(object));
  return {};
}

Result<void> PlanDecoder::ReadRelevant(std::string_view message) {
  RelevantAttribute relevant;
  std::string_view resource;
  ProtoReader reader(message);
  for (ProtoField field; reader.Next(field);) {
    if (field.number == RelevantField::kResource) {
      resource = field.bytes;
    } else if (field.number == RelevantField::kAttribute) {
      Result<Path> path = ReadPath(field.bytes);
      if (!path) {
        return Fail(ErrorCode::kInvalid, "invalid path in \"" + std::string(resource) +
                                             "\" relevant attribute: " + path.error().message);
      }
      relevant.attribute = *std::move(path);
    }
  }
  if (resource.empty() || reader.failed()) {
    return Fail(ErrorCode::kInvalid, "missing resource address from relevant attribute");
  }
  if (!program_.ParseResourceInstance(resource, &relevant.resource)) {
    return Fail(ErrorCode::kInvalid, "invalid resource instance address \"" +
                                         std::string(resource) + "\" in relevant attributes");
  }
  plan_.relevant_attributes.push_back(std::move(relevant));
  return {};
}

Result<void> PlanDecoder::ReadField(const ProtoField& field) {
  switch (field.number) {
    case PlanField::kVariables:
      return ReadVariable(field.bytes);
    case PlanField::kResourceChanges:
    case PlanField::kResourceDrift: {
      Result<ResourceChange> change = ReadResource(field.bytes);
      if (!change) {
        return std::unexpected(std::move(change).error());
      }
      (field.number == PlanField::kResourceDrift ? plan_.drift : plan_.changes)
          .push_back(*std::move(change));
      return {};
    }
    case PlanField::kOutputChanges:
      return ReadOutput(field.bytes);
    case PlanField::kTargets:
      return ReadTarget(field.bytes, "target", plan_.targets);
    case PlanField::kExcludes:
      return ReadTarget(field.bytes, "exclude", plan_.excludes);
    case PlanField::kBackend:
      return ReadBackend(field.bytes);
    case PlanField::kRelease:
      plan_.terraform_version = field.bytes;
      return {};
    case PlanField::kRelevantAttributes:
      return ReadRelevant(field.bytes);
    case PlanField::kForceReplace:
      return ReadForceReplace(field.bytes);
    case PlanField::kMode:
      if (field.scalar > static_cast<uint64_t>(Mode::kRefreshOnly)) {
        return Fail(ErrorCode::kInvalid, "plan has invalid mode " + std::to_string(field.scalar));
      }
      plan_.mode = static_cast<Mode>(field.scalar);
      return {};
    case PlanField::kCheckResults:
      return ReadCheck(field.bytes);
    case PlanField::kErrored:
      plan_.errored = field.as_bool();
      return {};
    case PlanField::kRefreshChanged:
      plan_.refresh_changed = field.as_bool();
      return {};
    case PlanField::kTimestamp:
      plan_.timestamp = field.bytes;
      return {};
    case PlanField::kEphemeralVariables:
      plan_.variables.push_back(
          PlanVariable{.name = std::string(field.bytes), .value = Value(), .ephemeral = true});
      return {};
    default:
      return {};
  }
}

Result<Plan> PlanDecoder::Decode(std::string_view message) {
  ProtoReader reader(message);
  for (ProtoField field; reader.Next(field);) {
    if (Result<void> done = ReadField(field); !done) {
      // A schema that is missing is not the fault of the file: readers say where to find one.
      return done.error().code == ErrorCode::kNotFound ? std::unexpected(std::move(done).error())
                                                       : Unusable(std::move(done).error().message);
    }
  }
  if (reader.failed()) {
    return Unusable(std::string(kParseError));
  }
  if (!has_backend_) {
    return Unusable("plan file has no backend settings; backend settings are required");
  }
  // Variables and changes have no order in the file.
  auto by_address = [&](const ResourceChange& a, const ResourceChange& b) {
    return a.address == b.address ? a.deposed.text() < b.deposed.text()
                                  : program_.Less(a.address, b.address);
  };
  plan_.changes.SortBy(by_address);
  plan_.drift.SortBy(by_address);
  std::stable_sort(plan_.outputs.begin(), plan_.outputs.end(),
                   [](const OutputChange& a, const OutputChange& b) { return a.name < b.name; });
  std::sort(plan_.variables.begin(), plan_.variables.end(),
            [](const PlanVariable& a, const PlanVariable& b) { return a.name < b.name; });
  return std::move(plan_);
}

}  // namespace

Result<Plan> DecodePlan(const std::shared_ptr<Program>& program, const SchemaLookup& schemas,
                        std::string_view message, DecodedValues values) {
  return PlanDecoder(program, schemas, values).Decode(message);
}

}  // namespace kinu::plan
