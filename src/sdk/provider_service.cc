#include "sdk/provider_service.h"

#include <algorithm>
#include <map>

#include "api/access.h"
#include "codec/protowire.h"
#include "cty/conversion.h"
#include "cty/json.h"
#include "plugin/messages.h"

namespace kinu::sdk {
namespace {

using Attributes = std::vector<v1::ProviderAttribute>;
using v1::Access;

constexpr int kInvalidArgument = 3;
constexpr int kUnimplementedMethod = 12;

/// The fields of a request that has each field once.
class Request {
 public:
  explicit Request(std::string_view message) {
    ProtoReader reader(message);
    for (ProtoField field; reader.Next(field);) {
      fields_[field.number] = field.bytes;
    }
  }
  std::string_view operator[](uint32_t field) const {
    const auto found = fields_.find(field);
    return found == fields_.end() ? std::string_view() : found->second;
  }

 private:
  std::map<uint32_t, std::string_view> fields_;
};

Type TypeOf(const v1::ProviderAttribute& attribute) {
  return TypeFromJson(attribute.type.json()).value_or(Type::Dynamic());
}

Type TypeOf(const Attributes& attributes) {
  std::vector<std::pair<std::string, Value>> members;
  members.reserve(attributes.size());
  for (const v1::ProviderAttribute& attribute : attributes) {
    members.emplace_back(attribute.name, Value::Null(TypeOf(attribute)));
  }
  return Value::Object(std::move(members)).type();
}

void WriteSchema(ProtoWriter& out, uint32_t field, const Attributes& attributes, int64_t version,
                 const std::string& description) {
  const size_t schema = out.Begin(field);
  out.Int(1, version);
  const size_t block = out.Begin(2);
  for (const v1::ProviderAttribute& attribute : attributes) {
    const size_t begin = out.Begin(2);
    out.Bytes(1, attribute.name);
    out.Bytes(2, attribute.type.json());
    out.Bytes(3, attribute.description);
    out.Bool(4, attribute.required);
    out.Bool(5, attribute.optional);
    out.Bool(6, attribute.computed);
    out.Bool(7, attribute.sensitive);
    out.End(begin);
  }
  out.Bytes(4, description);
  out.End(block);
  out.End(schema);
}

template <typename Rows>
void WriteSchemas(ProtoWriter& out, uint32_t field, const Rows& rows) {
  for (const auto& row : rows) {
    const size_t entry = out.Begin(field);
    out.AlwaysBytes(1, row.type);
    int64_t version = 0;
    if constexpr (requires { row.version; }) {
      version = row.version;
    }
    WriteSchema(out, 2, row.attributes, version, row.description);
    out.End(entry);
  }
}

void WriteProblems(ProtoWriter& out, uint32_t field, const v1::Diagnostics& problems) {
  for (const v1::Diagnostic& problem : problems) {
    const size_t begin = out.Begin(field);
    out.Uint(1, problem.is_error ? 1 : 2);
    out.Bytes(2, problem.summary);
    out.Bytes(3, problem.detail);
    out.End(begin);
  }
}

void AddProblem(v1::Diagnostics& problems, std::string summary, std::string detail) {
  problems.push_back(
      {.is_error = true, .summary = std::move(summary), .detail = std::move(detail)});
}

Value ReadValue(std::string_view bytes, const Type& type, v1::Diagnostics& problems) {
  auto value = plugin::ReadDynamicValue(bytes, type);
  if (!value) {
    AddProblem(problems, "Invalid value", value.error().message);
    return Value::Null(type);
  }
  return *std::move(value);
}

/// An object of the schema from what a function of the provider returned.
Value Complete(const v1::Value& returned, const Attributes& attributes, v1::Diagnostics& problems) {
  if (returned.is_null()) {
    return Value::Null(TypeOf(attributes));
  }
  std::vector<std::pair<std::string, Value>> members;
  for (const v1::ProviderAttribute& attribute : attributes) {
    const Type type = TypeOf(attribute);
    const auto found = returned.Find(attribute.name);
    auto value = found ? Convert(Access::Inner(*found), type) : Value::Null(type);
    if (!value) {
      AddProblem(problems, "Invalid value from provider",
                 attribute.name + ": " + value.error().message + '.');
    }
    members.emplace_back(attribute.name, value.value_or(Value::Null(type)));
  }
  return Value::Object(std::move(members));
}

void WriteObject(ProtoWriter& out, uint32_t field, const Value& value, const Attributes& attributes,
                 v1::Diagnostics& problems) {
  if (auto written = plugin::WriteDynamicValue(out, field, value, TypeOf(attributes)); !written) {
    AddProblem(problems, "Invalid value from provider", written.error().message);
  }
}

template <typename Row>
const Row* FindRow(const std::vector<Row>& rows, std::string_view type) {
  const auto found = std::ranges::find(rows, type, &Row::type);
  return found == rows.end() ? nullptr : &*found;
}

Reply UnknownType(std::string_view type) {
  return {.message = {},
          .status = kInvalidArgument,
          .error = "the provider has no type named " + std::string(type)};
}

Reply GetSchema(const v1::Provider& provider, std::string_view) {
  Reply reply;
  ProtoWriter out(reply.message);
  WriteSchema(out, 1, provider.attributes, 0, {});
  WriteSchemas(out, 2, provider.resources);
  WriteSchemas(out, 3, provider.data_sources);
  const size_t capabilities = out.Begin(6);
  out.Bool(2, true);  // get_provider_schema_optional
  out.End(capabilities);
  return reply;
}

Reply Empty(const v1::Provider&, std::string_view) {
  return {};
}

Reply Configure(const v1::Provider& provider, std::string_view message) {
  Reply reply;
  ProtoWriter out(reply.message);
  v1::Diagnostics problems;
  const Value config = ReadValue(Request(message)[2], TypeOf(provider.attributes), problems);
  if (provider.configure && problems.empty()) {
    provider.configure(Access::Make(config), problems);
  }
  WriteProblems(out, 1, problems);
  return reply;
}

Reply Upgrade(const v1::Provider& provider, std::string_view message) {
  const Request request(message);
  const v1::ManagedResource* resource = FindRow(provider.resources, request[1]);
  if (resource == nullptr) {
    return UnknownType(request[1]);
  }
  Reply reply;
  ProtoWriter out(reply.message);
  v1::Diagnostics problems;
  const Type type = TypeOf(resource->attributes);
  auto value = ValueFromJson(Request(request[3])[1], type);
  if (!value) {
    AddProblem(problems, "Unable to read the stored state", value.error().message);
  }
  WriteObject(out, 1, value.value_or(Value::Null(type)), resource->attributes, problems);
  WriteProblems(out, 2, problems);
  return reply;
}

Reply Read(const v1::Provider& provider, std::string_view message) {
  const Request request(message);
  const v1::ManagedResource* resource = FindRow(provider.resources, request[1]);
  if (resource == nullptr) {
    return UnknownType(request[1]);
  }
  Reply reply;
  ProtoWriter out(reply.message);
  v1::Diagnostics problems;
  Value state = ReadValue(request[2], TypeOf(resource->attributes), problems);
  if (resource->read && !state.IsNull()) {
    state = Complete(resource->read(Access::Make(state), problems), resource->attributes, problems);
  }
  WriteObject(out, 1, state, resource->attributes, problems);
  WriteProblems(out, 2, problems);
  out.Bytes(3, request[3]);
  return reply;
}

/// Whether an attribute differs between two objects.
bool Changes(const Value& before, const Value& after, const std::string& name) {
  return !Value::RawEquals(before.Attribute(name), after.Attribute(name));
}

/// The proposed object with computed attributes unknown that the configuration leaves open, if the
/// object is created or changed.
Value PlanObject(const Attributes& attributes, const Value& prior, const Value& proposed,
                 const Value& config) {
  if (!prior.IsNull() && Value::RawEquals(prior, proposed)) {
    return proposed;
  }
  std::vector<std::pair<std::string, Value>> members;
  for (const v1::ProviderAttribute& attribute : attributes) {
    const bool open = attribute.computed && config.Attribute(attribute.name).IsNull();
    members.emplace_back(attribute.name, open ? Value::Unknown(TypeOf(attribute))
                                              : proposed.Attribute(attribute.name));
  }
  return Value::Object(std::move(members));
}

void WriteReplaced(ProtoWriter& out, const v1::ManagedResource& resource, const Value& prior,
                   const Value& planned) {
  for (const v1::ProviderAttribute& attribute : resource.attributes) {
    const bool replaces = attribute.requires_replace || (!resource.update && !attribute.computed);
    if (replaces && Changes(prior, planned, attribute.name)) {
      const size_t path = out.Begin(2);
      const size_t step = out.Begin(1);
      out.AlwaysBytes(1, attribute.name);
      out.End(step);
      out.End(path);
    }
  }
}

Reply Plan(const v1::Provider& provider, std::string_view message) {
  const Request request(message);
  const v1::ManagedResource* resource = FindRow(provider.resources, request[1]);
  if (resource == nullptr) {
    return UnknownType(request[1]);
  }
  Reply reply;
  ProtoWriter out(reply.message);
  v1::Diagnostics problems;
  const Type type = TypeOf(resource->attributes);
  const Value prior = ReadValue(request[2], type, problems);
  Value planned = ReadValue(request[3], type, problems);
  const Value config = ReadValue(request[4], type, problems);
  if (!planned.IsNull() && !config.IsNull()) {
    planned = PlanObject(resource->attributes, prior, planned, config);
    if (!prior.IsNull()) {
      WriteReplaced(out, *resource, prior, planned);
    }
  }
  WriteObject(out, 1, planned, resource->attributes, problems);
  out.Bytes(3, request[5]);
  WriteProblems(out, 4, problems);
  return reply;
}

/// Creates, updates or destroys an object. Returns the state that was reached.
Value ApplyChange(const v1::ManagedResource& resource, const Value& prior, const Value& planned,
                  v1::Diagnostics& problems) {
  const Attributes& attributes = resource.attributes;
  if (planned.IsNull()) {
    if (resource.destroy) {
      resource.destroy(Access::Make(prior), problems);
    }
    return v1::HasErrors(problems) ? prior : planned;
  }
  if (prior.IsNull()) {
    return Complete(resource.create(Access::Make(planned), problems), attributes, problems);
  }
  if (!resource.update) {
    return planned;
  }
  return Complete(resource.update(Access::Make(planned), Access::Make(prior), problems), attributes,
                  problems);
}

Reply Apply(const v1::Provider& provider, std::string_view message) {
  const Request request(message);
  const v1::ManagedResource* resource = FindRow(provider.resources, request[1]);
  if (resource == nullptr) {
    return UnknownType(request[1]);
  }
  Reply reply;
  ProtoWriter out(reply.message);
  v1::Diagnostics problems;
  const Type type = TypeOf(resource->attributes);
  const Value prior = ReadValue(request[2], type, problems);
  const Value planned = ReadValue(request[3], type, problems);
  Value state = prior;
  if (!v1::HasErrors(problems)) {
    state = ApplyChange(*resource, prior, planned, problems);
  }
  WriteObject(out, 1, state, resource->attributes, problems);
  out.Bytes(2, request[5]);
  WriteProblems(out, 3, problems);
  return reply;
}

Reply ReadData(const v1::Provider& provider, std::string_view message) {
  const Request request(message);
  const v1::DataSource* source = FindRow(provider.data_sources, request[1]);
  if (source == nullptr) {
    return UnknownType(request[1]);
  }
  Reply reply;
  ProtoWriter out(reply.message);
  v1::Diagnostics problems;
  const Value config = ReadValue(request[2], TypeOf(source->attributes), problems);
  const Value state =
      Complete(source->read(Access::Make(config), problems), source->attributes, problems);
  WriteObject(out, 1, state, source->attributes, problems);
  WriteProblems(out, 2, problems);
  return reply;
}

struct MethodRow {
  std::string_view name;
  Reply (*call)(const v1::Provider&, std::string_view);
};
constexpr MethodRow kMethodRows[] = {
    {"GetProviderSchema", &GetSchema},
    {"ValidateProviderConfig", &Empty},
    {"ValidateResourceConfig", &Empty},
    {"ValidateDataResourceConfig", &Empty},
    {"ConfigureProvider", &Configure},
    {"UpgradeResourceState", &Upgrade},
    {"ReadResource", &Read},
    {"PlanResourceChange", &Plan},
    {"ApplyResourceChange", &Apply},
    {"ReadDataSource", &ReadData},
    {"StopProvider", &Empty},
};

}  // namespace

Reply CallProvider(const v1::Provider& provider, std::string_view method,
                   std::string_view request) {
  const auto row = std::ranges::find(kMethodRows, method, &MethodRow::name);
  if (row == std::ranges::end(kMethodRows)) {
    return {.message = {},
            .status = kUnimplementedMethod,
            .error = "method " + std::string(method) + " not implemented"};
  }
  return row->call(provider, request);
}

}  // namespace kinu::sdk
