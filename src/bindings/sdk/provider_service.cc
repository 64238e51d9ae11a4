#include "sdk/provider_service.h"

#include <algorithm>

#include "api/values.h"
#include "cty/conversion.h"
#include "sdk/call.h"
#include "sdk/objects.h"
#include "sdk/provider_schema.h"
#include "sdk/resource_calls.h"

namespace kinu::sdk {
namespace {

using api::ToInner;
using api::ToPublic;

constexpr int kInvalidArgument = 3;
constexpr int kUnimplementedMethod = 12;

template <typename Row>
std::vector<Bound<Row>> Bind(const std::vector<Row>& rows) {
  std::vector<Bound<Row>> bound;
  bound.reserve(rows.size());
  for (const Row& row : rows) {
    bound.push_back({.row = &row, .level = MakeLevel(row.schema)});
  }
  return bound;
}

/// Finds the row whose type the request has in the field `kField`, and calls `kHandle` with it.
template <auto kRows, auto kHandle, uint32_t kField = 1>
void WithRow(ProviderService& service, Call& call) {
  const auto& rows = (service.*kRows)();
  const std::string_view type = call.request[kField];
  const auto found =
      std::ranges::find_if(rows, [&](const auto& bound) { return bound.row->type == type; });
  if (found == rows.end()) {
    call.Refuse(kInvalidArgument, "the provider has no type named " + std::string(type));
    return;
  }
  kHandle(*found, call);
}

void GetSchema(ProviderService& service, Call& call) {
  WriteProviderSchema(call.out, service.provider());
}

void GetIdentitySchemas(ProviderService& service, Call& call) {
  WriteIdentitySchemas(call.out, service.provider());
}

void GetFunctions(ProviderService& service, Call& call) {
  WriteFunctions(call.out, 1, service.provider());
}

void ValidateConfig(ProviderService& service, Call& call) {
  call.Validate(service.provider().validate,
                call.ReadConfig(call.request[1], service.config().type));
}

void Configure(ProviderService& service, Call& call) {
  v1::ConfigureCall arguments;
  arguments.config = ToPublic(call.ReadConfig(call.request[2], service.config().type));
  arguments.client_version = call.request[1];
  if (service.provider().configure && !call.problems.has_errors()) {
    call.Run(service.provider().configure, arguments);
  }
}

void Stop(ProviderService& service, Call&) {
  service.Stop();
}

template <typename Row>
void ValidateRow(const Bound<Row>& bound, Call& call) {
  call.Validate(bound.row->validate, call.ReadConfig(call.request[2], bound.level.type));
}

void ReadData(const Bound<v1::DataSource>& source, Call& call) {
  v1::DataCall arguments;
  arguments.config = ToPublic(call.ReadConfig(call.request[2], source.level.type));
  arguments.stopped = call.stopped;
  Value state = Value::Null(source.level.type);
  if (source.row->read && !call.problems.has_errors()) {
    const v1::Value returned = call.Run(source.row->read, arguments);
    state = Complete(ToInner(returned), source.level, call.problems);
  }
  call.WriteValue(1, state, source.level.type);
}

// The fields of a response that say when an ephemeral object is renewed, and its private data.
void WriteRenewal(Call& call, const v1::EphemeralCall& arguments, uint32_t private_field) {
  if (arguments.renew_at) {
    const auto since = arguments.renew_at->time_since_epoch();
    const auto seconds = std::chrono::floor<std::chrono::seconds>(since);
    const size_t begin = call.out.Begin(2);
    call.out.Int(1, seconds.count());
    call.out.Int(2, std::chrono::duration_cast<std::chrono::nanoseconds>(since - seconds).count());
    call.out.End(begin);
  }
  call.out.Bytes(private_field, arguments.private_data);
}

void OpenEphemeral(const Bound<v1::EphemeralResource>& resource, Call& call) {
  v1::EphemeralCall arguments;
  arguments.config = ToPublic(call.ReadConfig(call.request[2], resource.level.type));
  arguments.stopped = call.stopped;
  Value result = Value::Null(resource.level.type);
  if (resource.row->open && !call.problems.has_errors()) {
    const v1::Value returned = call.Run(resource.row->open, arguments);
    result = Complete(ToInner(returned), resource.level, call.problems);
  }
  WriteRenewal(call, arguments, 4);
  call.WriteValue(3, result, resource.level.type);
}

void RunEphemeral(const std::function<void(v1::EphemeralCall&)>& function, Call& call,
                  v1::EphemeralCall& arguments) {
  arguments.private_data = call.request[2];
  arguments.stopped = call.stopped;
  if (function) {
    call.Run(function, arguments);
  }
}

void RenewEphemeral(const Bound<v1::EphemeralResource>& resource, Call& call) {
  v1::EphemeralCall arguments;
  RunEphemeral(resource.row->renew, call, arguments);
  WriteRenewal(call, arguments, 3);
}

void CloseEphemeral(const Bound<v1::EphemeralResource>& resource, Call& call) {
  v1::EphemeralCall arguments;
  RunEphemeral(resource.row->close, call, arguments);
}

/// The arguments of a function. Sets the error of `call` if one is missing or not of its type.
void ReadArguments(const v1::ProviderFunction& function, Call& call, v1::FunctionCall& arguments) {
  const auto& sent = call.request.arguments();
  for (size_t i = 0; i < sent.size() && arguments.error.empty(); ++i) {
    const bool fixed = i < function.parameters.size();
    if (!fixed && !function.variadic) {
      break;
    }
    const v1::FunctionParameter& parameter = fixed ? function.parameters[i] : *function.variadic;
    arguments.arguments.push_back(ToPublic(call.ReadValue(sent[i], ToType(parameter.type))));
    if (call.problems.has_errors()) {
      arguments.error = call.problems.all().back().detail;
      arguments.error_argument = static_cast<int64_t>(i);
    }
  }
  if (arguments.error.empty() &&
      (sent.size() < function.parameters.size() || arguments.arguments.size() < sent.size())) {
    arguments.error = "the number of arguments is wrong";
  }
}

/// The result of a function, converted to its type. Sets the error of `arguments` if it fails.
Value Compute(const v1::ProviderFunction& function, v1::FunctionCall& arguments) {
  const Type type = ToType(function.result);
  try {
    const v1::Value returned = function.call(arguments);
    if (arguments.error.empty()) {
      auto result = Convert(ToInner(returned), type);
      if (result) {
        return *std::move(result);
      }
      arguments.error = "the result is invalid: " + result.error().ToText();
    }
  } catch (const std::exception& thrown) {
    arguments.error = thrown.what();
  }
  return Value::Null(type);
}

void CallFunction(ProviderService& service, Call& call) {
  const auto& functions = service.provider().functions;
  const auto function = std::ranges::find(functions, call.request[1], &v1::ProviderFunction::name);
  v1::FunctionCall arguments;
  Value result;
  if (function == functions.end() || !function->call) {
    arguments.error = "the provider has no function named " + std::string(call.request[1]);
  } else {
    ReadArguments(*function, call, arguments);
  }
  if (arguments.error.empty()) {
    result = Compute(*function, arguments);
  }
  if (arguments.error.empty()) {
    call.WriteValue(1, result, ToType(function->result));
    return;
  }
  const size_t error = call.out.Begin(2);
  call.out.AlwaysBytes(1, arguments.error);
  if (arguments.error_argument) {
    call.out.AlwaysInt(2, *arguments.error_argument);
  }
  call.out.End(error);
}

/// A method of the protocol.
struct Method {
  std::string_view name;
  uint32_t problems;  ///< the field of its response that has the problems; 0: none
  void (*handle)(ProviderService&, Call&);
};

using S = ProviderService;
constexpr Method kMethods[] = {
    {"GetProviderSchema", 4, &GetSchema},
    {"GetResourceIdentitySchemas", 2, &GetIdentitySchemas},
    {"GetFunctions", 2, &GetFunctions},
    {"ValidateProviderConfig", 2, &ValidateConfig},
    {"ValidateResourceConfig", 1, &WithRow<&S::resources, &ValidateResource>},
    {"ValidateDataResourceConfig", 1, &WithRow<&S::data_sources, &ValidateRow<v1::DataSource>>},
    {"ValidateEphemeralResourceConfig", 1,
     &WithRow<&S::ephemeral_resources, &ValidateRow<v1::EphemeralResource>>},
    {"ConfigureProvider", 1, &Configure},
    {"UpgradeResourceState", 2, &WithRow<&S::resources, &UpgradeState>},
    {"UpgradeResourceIdentity", 2, &WithRow<&S::resources, &UpgradeIdentity>},
    {"ReadResource", 2, &WithRow<&S::resources, &ReadResource>},
    {"PlanResourceChange", 4, &WithRow<&S::resources, &PlanChange>},
    {"ApplyResourceChange", 3, &WithRow<&S::resources, &ApplyChange>},
    {"ImportResourceState", 2, &WithRow<&S::resources, &ImportState>},
    {"MoveResourceState", 2, &WithRow<&S::resources, &MoveState, 5>},
    {"ReadDataSource", 2, &WithRow<&S::data_sources, &ReadData>},
    {"OpenEphemeralResource", 1, &WithRow<&S::ephemeral_resources, &OpenEphemeral>},
    {"RenewEphemeralResource", 1, &WithRow<&S::ephemeral_resources, &RenewEphemeral>},
    {"CloseEphemeralResource", 1, &WithRow<&S::ephemeral_resources, &CloseEphemeral>},
    {"CallFunction", 0, &CallFunction},
    {"StopProvider", 0, &Stop},
};

}  // namespace

ProviderService::ProviderService(const v1::Provider& provider)
    : provider_(provider),
      config_(MakeLevel(provider.schema)),
      resources_(Bind(provider.resources)),
      data_sources_(Bind(provider.data_sources)),
      ephemeral_resources_(Bind(provider.ephemeral_resources)) {
}

Reply ProviderService::Answer(std::string_view method, std::string_view request) {
  const auto found = std::ranges::find(kMethods, method, &Method::name);
  if (found == std::ranges::end(kMethods)) {
    return {.message = {},
            .status = kUnimplementedMethod,
            .error = "method " + std::string(method) + " not implemented"};
  }
  std::stop_token stopped;
  {
    const std::lock_guard lock(mutex_);
    stopped = stop_.get_token();
  }
  Call call(request, std::move(stopped));
  found->handle(*this, call);
  return call.Finish(found->problems);
}

void ProviderService::Stop() {
  std::stop_source running;
  {
    const std::lock_guard lock(mutex_);
    running = std::exchange(stop_, std::stop_source());
  }
  running.request_stop();
  if (provider_.stop) {
    provider_.stop();
  }
}

}  // namespace kinu::sdk
