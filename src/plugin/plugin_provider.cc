#include "plugin/plugin_provider.h"

#include <cstdlib>
#include <cstring>

#include <signal.h>
#include <unistd.h>

#include "addrs/provider_source.h"
#include "base/check.h"
#include "base/environment.h"
#include "base/files.h"
#include "plugin/loader.h"
#include "plugin/messages.h"
#include "schema/marks.h"

extern char** environ;

namespace kinu::plugin {

using provider::ApplyRequest;
using provider::ApplyResponse;
using provider::EphemeralResponse;
using provider::ImportedObject;
using provider::MoveRequest;
using provider::PlanRequest;
using provider::PlanResponse;
using provider::Problems;
using provider::RawSchema;
using provider::RawState;
using provider::ReadRequest;

/// Full method names of one protocol version.
struct Methods {
  const char* get_schema;
  const char* get_identity_schemas;
  const char* validate_provider;
  const char* validate_resource;
  const char* validate_data;
  const char* validate_ephemeral;
  const char* configure;
  const char* upgrade_state;
  const char* upgrade_identity;
  const char* read;
  const char* plan;
  const char* apply;
  const char* read_data;
  const char* import_state;
  const char* move;
  const char* open_ephemeral;
  const char* renew_ephemeral;
  const char* close_ephemeral;
  const char* get_functions;
  const char* call_function;
  const char* stop;
};

namespace {

constexpr Methods kMethods5 = {
    .get_schema = "/tfplugin5.Provider/GetSchema",
    .get_identity_schemas = "/tfplugin5.Provider/GetResourceIdentitySchemas",
    .validate_provider = "/tfplugin5.Provider/PrepareProviderConfig",
    .validate_resource = "/tfplugin5.Provider/ValidateResourceTypeConfig",
    .validate_data = "/tfplugin5.Provider/ValidateDataSourceConfig",
    .validate_ephemeral = "/tfplugin5.Provider/ValidateEphemeralResourceConfig",
    .configure = "/tfplugin5.Provider/Configure",
    .upgrade_state = "/tfplugin5.Provider/UpgradeResourceState",
    .upgrade_identity = "/tfplugin5.Provider/UpgradeResourceIdentity",
    .read = "/tfplugin5.Provider/ReadResource",
    .plan = "/tfplugin5.Provider/PlanResourceChange",
    .apply = "/tfplugin5.Provider/ApplyResourceChange",
    .read_data = "/tfplugin5.Provider/ReadDataSource",
    .import_state = "/tfplugin5.Provider/ImportResourceState",
    .move = "/tfplugin5.Provider/MoveResourceState",
    .open_ephemeral = "/tfplugin5.Provider/OpenEphemeralResource",
    .renew_ephemeral = "/tfplugin5.Provider/RenewEphemeralResource",
    .close_ephemeral = "/tfplugin5.Provider/CloseEphemeralResource",
    .get_functions = "/tfplugin5.Provider/GetFunctions",
    .call_function = "/tfplugin5.Provider/CallFunction",
    .stop = "/tfplugin5.Provider/Stop",
};
constexpr Methods kMethods6 = {
    .get_schema = "/tfplugin6.Provider/GetProviderSchema",
    .get_identity_schemas = "/tfplugin6.Provider/GetResourceIdentitySchemas",
    .validate_provider = "/tfplugin6.Provider/ValidateProviderConfig",
    .validate_resource = "/tfplugin6.Provider/ValidateResourceConfig",
    .validate_data = "/tfplugin6.Provider/ValidateDataResourceConfig",
    .validate_ephemeral = "/tfplugin6.Provider/ValidateEphemeralResourceConfig",
    .configure = "/tfplugin6.Provider/ConfigureProvider",
    .upgrade_state = "/tfplugin6.Provider/UpgradeResourceState",
    .upgrade_identity = "/tfplugin6.Provider/UpgradeResourceIdentity",
    .read = "/tfplugin6.Provider/ReadResource",
    .plan = "/tfplugin6.Provider/PlanResourceChange",
    .apply = "/tfplugin6.Provider/ApplyResourceChange",
    .read_data = "/tfplugin6.Provider/ReadDataSource",
    .import_state = "/tfplugin6.Provider/ImportResourceState",
    .move = "/tfplugin6.Provider/MoveResourceState",
    .open_ephemeral = "/tfplugin6.Provider/OpenEphemeralResource",
    .renew_ephemeral = "/tfplugin6.Provider/RenewEphemeralResource",
    .close_ephemeral = "/tfplugin6.Provider/CloseEphemeralResource",
    .get_functions = "/tfplugin6.Provider/GetFunctions",
    .call_function = "/tfplugin6.Provider/CallFunction",
    .stop = "/tfplugin6.Provider/StopProvider",
};
constexpr const char* kStdioMethod = "/plugin.GRPCStdio/StreamStdio";
constexpr const char* kShutdownMethod = "/plugin.GRPCController/Shutdown";

constexpr const char* kCookie =
    "TF_PLUGIN_MAGIC_COOKIE=d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2";
/// What providers are told to talk to: they switch behaviour on it. Ref: provider contract 4.3.
constexpr std::string_view kAnnouncedVersion = "1.13.0";
constexpr int kHandshakeTimeoutMs = 60'000;
constexpr int kExitTimeoutMs = 2'000;

std::string_view MethodName(const char* method) {
  return std::strrchr(method, '/') + 1;
}

bool IsSet(const char* name) {
  return !Environment(name).empty();
}

}  // namespace

/// A directory that only this user can enter, for one provider's socket; removed with it.
class SocketDirectory {
 public:
  /// No directory: when there is none to make, or the user has an opinion about sockets.
  static std::unique_ptr<SocketDirectory> Make() {
    // Socket paths have at most 107 bytes, and the provider appends a name.
    constexpr size_t kLongest = 80;
    if (IsSet("PLUGIN_UNIX_SOCKET_DIR") || IsSet("PLUGIN_UNIX_SOCKET_GROUP")) {
      return nullptr;
    }
    const std::string_view base = Environment("TMPDIR");
    std::string path = JoinPath(base.empty() ? "/tmp" : base, "kinu-XXXXXX");
    if (path.size() > kLongest || mkdtemp(path.data()) == nullptr) {
      return nullptr;
    }
    return std::unique_ptr<SocketDirectory>(new SocketDirectory(std::move(path)));
  }
  SocketDirectory(const SocketDirectory&) = delete;
  SocketDirectory& operator=(const SocketDirectory&) = delete;
  ~SocketDirectory() { rmdir(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  explicit SocketDirectory(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

namespace {

std::vector<std::string> EnvironmentFor(const ClientIdentity* identity,
                                        const SocketDirectory* directory) {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    std::string_view text(*entry);
    // These two would change the transport under our feet.
    if (!text.starts_with("PLUGIN_CLIENT_CERT=") && !text.starts_with("PLUGIN_MULTIPLEX_GRPC=")) {
      environment.emplace_back(text);
    }
  }
  environment.emplace_back(kCookie);
  environment.emplace_back("PLUGIN_PROTOCOL_VERSIONS=5,6");
  environment.emplace_back("PLUGIN_MIN_PORT=10000");
  environment.emplace_back("PLUGIN_MAX_PORT=25000");
  if (identity != nullptr) {
    environment.push_back("PLUGIN_CLIENT_CERT=" + identity->certificate);
  }
  if (directory != nullptr) {
    environment.push_back("PLUGIN_UNIX_SOCKET_DIR=" + directory->path());
  }
  if (!log::Requested()) {
    // Nobody would read it, and providers spend a tenth of their time on it.
    environment.emplace_back("TF_LOG_SDK=off");
  }
  if (!IsSet("GOGC") && !IsSet("GOMEMLIMIT")) {
    environment.emplace_back("GOGC=400");
  }
  return environment;
}

}  // namespace

/// A request being written. The first value that cannot be encoded becomes a problem.
class PluginProvider::Request {
 public:
  explicit Request(Problems& problems) : problems_(problems) {}

  Request& Text(uint32_t field, std::string_view text) {
    writer_.Bytes(field, text);
    return *this;
  }
  Request& Int(uint32_t field, int64_t number) {
    writer_.Int(field, number);
    return *this;
  }
  Request& Dynamic(uint32_t field, const Value& value, const Type& type) {
    Check(WriteDynamicValue(writer_, field, value, type));
    return *this;
  }
  Request& Identity(uint32_t field, const Value& value, const Type& type) {
    Check(WriteIdentity(writer_, field, value, type));
    return *this;
  }
  Request& Raw(uint32_t field, const RawState& raw) {
    WriteRawState(writer_, field, raw);
    return *this;
  }
  Request& Capabilities(uint32_t field) {
    WriteClientCapabilities(writer_, field);
    return *this;
  }

  bool ok() const { return ok_; }
  const std::string& bytes() const { return bytes_; }

 private:
  void Check(const ValueResult<void>& written) {
    if (!written && ok_) {
      ok_ = false;
      AddError(problems_, written.error().ToText());
    }
  }

  std::string bytes_;
  ProtoWriter writer_{bytes_};
  Problems& problems_;
  bool ok_ = true;
};

namespace {

/// A value of a response, or null with a problem.
Value Decoded(const std::optional<std::string_view>& message, const Type& type,
              Problems& problems) {
  if (!message) {
    return Value::Null(type);
  }
  auto value = ReadDynamicValue(*message, type);
  if (!value) {
    AddError(problems, value.error().ToText());
    return Value::Null(type);
  }
  return *std::move(value);
}

/// Reports values for attributes that providers must never return. Ref: opentofu
/// internal/plugin/validation/write_only.go.
void RefuseWriteOnly(const schema::Block& block, const Value& value, std::string_view type,
                     Problems& problems) {
  for (const Path& path : schema::PresentWriteOnly(block, value)) {
    AddError(problems, "Invalid provider response",
             "Resource type \"" + std::string(type) +
                 "\" returned an actual value for the write-only attribute \"" + path.ToText() +
                 "\", which is only ever sent to the provider. This is a bug of the provider.");
  }
}

Value DecodedIdentity(const std::optional<std::string_view>& message,
                      const schema::ResourceSchema& schema, Problems& problems) {
  if (!message || schema.identity == nullptr) {
    return {};
  }
  auto value = ReadIdentity(*message, schema.identity_type);
  if (!value) {
    AddError(problems, value.error().ToText());
    return {};
  }
  return *std::move(value);
}

}  // namespace

Result<std::unique_ptr<PluginProvider>> PluginProvider::Start(const Launch& launch) {
  // Who may connect is decided by TLS in the reference. Making certificates costs a provider more
  // than its whole start, and a socket in a directory that only this user can enter gives the same
  // guarantee; TLS remains for providers that put their socket elsewhere.
  if (IsSet("TF_DISABLE_PLUGIN_TLS")) {
    return Start(launch, false, nullptr);
  }
  auto directory = IsSet("KINU_PLUGIN_TLS") ? nullptr : SocketDirectory::Make();
  if (directory == nullptr) {
    return Start(launch, true, nullptr);
  }
  std::string path = directory->path() + '/';
  auto started = Start(launch, false, std::move(directory));
  if (!started || (*started)->socket_path_.starts_with(path)) {
    return started;
  }
  (*started)->process_->Kill();
  started->reset();
  return Start(launch, true, nullptr);
}

Result<std::unique_ptr<PluginProvider>> PluginProvider::Start(
    const Launch& launch, bool tls, std::unique_ptr<SocketDirectory> directory) {
  std::unique_ptr<PluginProvider> plugin(new PluginProvider());
  plugin->name_ = launch.address;
  plugin->log_ = std::make_unique<LogRelay>(BaseName(launch.executable));
  plugin->socket_directory_ = std::move(directory);
  Endpoint endpoint;
  if (tls) {
    KINU_TRY(PluginRuntime * runtime, LoadPluginRuntime());
    KINU_TRY(endpoint.identity, runtime->MakeIdentity());
  }
  Process::Options options;
  options.executable = launch.executable;
  options.environment =
      EnvironmentFor(tls ? &endpoint.identity : nullptr, plugin->socket_directory_.get());
  options.on_line = [log = plugin->log_.get()](Stream stream, std::string_view line) {
    log->Line(line, stream == Stream::kStdout);
  };
  KINU_TRY(plugin->process_, Process::Start(std::move(options)));
  // Loading the module overlaps with the start of the provider.
  if (auto loaded = LoadPluginRuntime(); !loaded) {
    return std::unexpected(loaded.error());
  }
  auto line = plugin->process_->AwaitFirstLine(kHandshakeTimeoutMs);
  if (!line) {
    std::string words = plugin->log_->LastWords() + plugin->log_->Panic();
    return Fail(line.error().code,
                line.error().message + (words.empty() ? "" : "\n\nIts last output was:\n" + words));
  }
  KINU_TRY(Handshake handshake, ParseHandshake(*line));
  if (tls && handshake.certificate.empty()) {
    return Fail(ErrorCode::kInvalid,
                "the plugin did not offer a certificate, although TLS was "
                "asked for");
  }
  plugin->protocol_ = handshake.protocol;
  if (handshake.network == "unix") {
    plugin->socket_path_ = handshake.address;
  }
  endpoint.target = handshake.Target();
  endpoint.tls = tls;
  endpoint.server_certificate = handshake.certificate;
  if (auto connected = plugin->Connect(endpoint); !connected) {
    return std::unexpected(connected.error());
  }
  return plugin;
}

Result<std::unique_ptr<PluginProvider>> PluginProvider::Attach(const std::string& address,
                                                               const Attachment& attachment) {
  std::unique_ptr<PluginProvider> plugin(new PluginProvider());
  plugin->name_ = address;
  plugin->protocol_ = attachment.protocol;
  plugin->owned_ = !attachment.test;
  plugin->log_ = std::make_unique<LogRelay>("unmanaged");
  if (attachment.pid > 0 && kill(static_cast<pid_t>(attachment.pid), 0) != 0 && errno == ESRCH) {
    return Fail(ErrorCode::kNotFound, "Reattachment process not found");
  }
  auto connected = plugin->Connect({.target = attachment.Target()});
  if (!connected) {
    return std::unexpected(connected.error());
  }
  return plugin;
}

std::unique_ptr<PluginProvider> PluginProvider::Over(std::unique_ptr<Channel> channel,
                                                     int protocol) {
  std::unique_ptr<PluginProvider> plugin(new PluginProvider());
  plugin->channel_ = std::move(channel);
  plugin->protocol_ = protocol;
  plugin->methods_ = protocol == 5 ? &kMethods5 : &kMethods6;
  return plugin;
}

Result<void> PluginProvider::Connect(const Endpoint& endpoint) {
  auto runtime = LoadPluginRuntime();
  if (!runtime) {
    return std::unexpected(runtime.error());
  }
  auto channel = (*runtime)->Connect(endpoint);
  if (!channel) {
    return std::unexpected(channel.error());
  }
  channel_ = *std::move(channel);
  methods_ = protocol_ == 5 ? &kMethods5 : &kMethods6;
  // What the provider prints after the handshake arrives here. A provider without that service
  // ends the stream at once.
  stdio_ = std::thread([channel = channel_.get(), log = log_.get()] {
    channel->Stream(kStdioMethod, {}, [&](std::string_view message) {
      constexpr uint64_t kStdout = 1;
      uint64_t source = 0;
      std::string_view data;
      ProtoReader reader(message);
      for (ProtoField field; reader.Next(field);) {
        if (field.number == 1) {
          source = field.scalar;
        } else if (field.number == 2) {
          data = field.bytes;
        }
      }
      while (!data.empty()) {
        size_t newline = data.find('\n');
        log->Line(data.substr(0, newline), source == kStdout);
        data.remove_prefix(newline == data.npos ? data.size() : newline + 1);
      }
    });
  });
  return {};
}

PluginProvider::PluginProvider() = default;

PluginProvider::~PluginProvider() {
  Close();
}

bool PluginProvider::Call(const char* method, const std::string& request, std::string* response,
                          Problems& problems) {
  if (primed_.valid()) {
    primed_.wait();
  }
  CallStatus status = channel_->Call(method, request, response);
  if (status.ok()) {
    return true;
  }
  std::string name(MethodName(method));
  switch (status.code) {
    case kStatusUnavailable: {
      std::string detail = "The plugin encountered an error, and failed to respond to the " + name +
                           " call. The plugin logs may contain more details.\n\nThe plugin is " +
                           name_ + ".";
      if (process_ != nullptr && process_->AwaitExit(kExitTimeoutMs)) {
        std::string words = log_->LastWords();
        if (log_->Panic().empty() && !words.empty()) {
          detail += "\n\nIts last output was:\n" + words;
        }
      }
      AddError(problems, "Plugin did not respond", std::move(detail));
      break;
    }
    case kStatusCancelled:
      AddError(problems, "Request cancelled", "The " + name + " request was cancelled.");
      break;
    case kStatusUnimplemented:
      AddError(problems, "Unsupported plugin method",
               "The " + name + " method is not supported by this plugin.");
      break;
    default:
      AddError(problems, "Plugin error",
               "The plugin returned an unexpected error from " + name + ": " + status.message +
                   "\n\nThe plugin is " + name_ + ".");
      break;
  }
  return false;
}

Result<RawSchema> PluginProvider::FetchSchema() {
  Problems problems;
  auto bytes = std::make_shared<std::pair<std::string, std::string>>();
  if (!Call(methods_->get_schema, {}, &bytes->first, problems)) {
    return Fail(ErrorCode::kUnavailable, problems[0].summary + ": " + problems[0].detail);
  }
  constexpr uint32_t kDiagnostics = 4;
  ReadResponse(bytes->first, {.diagnostics = kDiagnostics}, problems);
  for (const provider::Problem& problem : problems) {
    if (problem.severity == Severity::kError) {
      return Fail(ErrorCode::kInvalid, problem.detail.empty()
                                           ? problem.summary
                                           : problem.summary + ": " + problem.detail);
    }
  }
  // Most providers have no identities; any failure means that.
  if (!channel_->Call(methods_->get_identity_schemas, {}, &bytes->second).ok()) {
    bytes->second.clear();
  }
  RawSchema raw;
  raw.protocol = protocol_;
  raw.schema = bytes->first;
  raw.identities = bytes->second;
  raw.owner = bytes;
  fetched_ = true;
  return raw;
}

void PluginProvider::UseSchema(std::shared_ptr<const schema::ProviderSchema> schema) {
  schema_ = std::move(schema);
  if (!fetched_ && !schema_->capabilities().get_provider_schema_optional) {
    primed_ = std::async(std::launch::async, [this] {
                std::string ignored;
                channel_->Call(methods_->get_schema, {}, &ignored);
              }).share();
    fetched_ = true;
  }
}

const schema::ResourceSchema* PluginProvider::ResourceOf(std::string_view type,
                                                         Problems& problems) {
  const schema::ResourceSchema* found = schema_->FindResource(type);
  if (found == nullptr) {
    AddError(problems, "unknown resource type \"" + std::string(type) + '"');
  }
  return found;
}

const schema::ResourceSchema* PluginProvider::DataOf(std::string_view type, Problems& problems) {
  const schema::ResourceSchema* found = schema_->FindData(type);
  if (found == nullptr) {
    AddError(problems, "unknown data source \"" + std::string(type) + '"');
  }
  return found;
}

const schema::ResourceSchema* PluginProvider::EphemeralOf(std::string_view type,
                                                          Problems& problems) {
  const schema::ResourceSchema* found = schema_->FindEphemeral(type);
  if (found == nullptr) {
    AddError(problems, "unknown ephemeral resource \"" + std::string(type) + '"');
  }
  return found;
}

void PluginProvider::WriteMeta(Request& request, uint32_t field, const Value& meta) {
  if (const schema::ResourceSchema* schema = schema_->provider_meta(); schema != nullptr) {
    request.Dynamic(field, meta, schema->block.implied_type());
  }
}

void PluginProvider::ValidateProviderConfig(const Value& config, Problems& problems) {
  Request request(problems);
  request.Dynamic(1, config, schema_->provider_config().block.implied_type());
  std::string response;
  if (request.ok() && Call(methods_->validate_provider, request.bytes(), &response, problems)) {
    ReadResponse(response, {.diagnostics = 2}, problems);
  }
}

void PluginProvider::Validate(const char* method, std::string_view type,
                              const schema::ResourceSchema* schema, const Value& config,
                              bool capabilities, Problems& problems) {
  if (schema == nullptr) {
    return;
  }
  Request request(problems);
  request.Text(1, type).Dynamic(2, config, schema->block.implied_type());
  if (capabilities) {
    request.Capabilities(3);
  }
  std::string response;
  if (request.ok() && Call(method, request.bytes(), &response, problems)) {
    ReadResponse(response, {.diagnostics = 1}, problems);
  }
}

void PluginProvider::ValidateResourceConfig(std::string_view type, const Value& config,
                                            Problems& problems) {
  Validate(methods_->validate_resource, type, ResourceOf(type, problems), config, true, problems);
}
void PluginProvider::ValidateDataConfig(std::string_view type, const Value& config,
                                        Problems& problems) {
  Validate(methods_->validate_data, type, DataOf(type, problems), config, false, problems);
}
void PluginProvider::ValidateEphemeralConfig(std::string_view type, const Value& config,
                                             Problems& problems) {
  Validate(methods_->validate_ephemeral, type, EphemeralOf(type, problems), config, false,
           problems);
}

void PluginProvider::Configure(const Value& config, Problems& problems) {
  Request request(problems);
  request.Text(1, kAnnouncedVersion)
      .Dynamic(2, config, schema_->provider_config().block.implied_type())
      .Capabilities(3);
  std::string response;
  if (request.ok() && Call(methods_->configure, request.bytes(), &response, problems)) {
    ReadResponse(response, {.diagnostics = 1}, problems);
  }
}

Value PluginProvider::UpgradeResourceState(std::string_view type, int64_t version,
                                           const RawState& raw, Problems& problems) {
  const schema::ResourceSchema* schema = ResourceOf(type, problems);
  if (schema == nullptr) {
    return {};
  }
  Request request(problems);
  request.Text(1, type).Int(2, version).Raw(3, raw);
  std::string bytes;
  if (!Call(methods_->upgrade_state, request.bytes(), &bytes, problems)) {
    return Value::Null(schema->block.implied_type());
  }
  Response response = ReadResponse(bytes, {.diagnostics = 2, .value = 1}, problems);
  Value upgraded = Decoded(response.value, schema->block.implied_type(), problems);
  RefuseWriteOnly(schema->block, upgraded, type, problems);
  return upgraded;
}

Value PluginProvider::UpgradeResourceIdentity(std::string_view type, int64_t version,
                                              std::string_view json, Problems& problems) {
  const schema::ResourceSchema* schema = ResourceOf(type, problems);
  if (schema == nullptr) {
    return {};
  }
  Request request(problems);
  RawState raw;
  raw.json = json;
  request.Text(1, type).Int(2, version).Raw(3, raw);
  std::string bytes;
  if (!Call(methods_->upgrade_identity, request.bytes(), &bytes, problems)) {
    return {};
  }
  Response response = ReadResponse(bytes, {.diagnostics = 2, .identity = 1}, problems);
  return DecodedIdentity(response.identity, *schema, problems);
}

provider::ReadResponse PluginProvider::ReadResource(const ReadRequest& read, Problems& problems) {
  provider::ReadResponse result;
  const schema::ResourceSchema* schema = ResourceOf(read.type, problems);
  if (schema == nullptr) {
    return result;
  }
  const Type& type = schema->block.implied_type();
  Request request(problems);
  request.Text(1, read.type).Dynamic(2, read.prior, type).Text(3, read.private_data);
  WriteMeta(request, 4, read.provider_meta);
  request.Capabilities(5).Identity(6, read.identity, schema->identity_type);
  std::string bytes;
  result.state = Value::Null(type);
  if (!request.ok() || !Call(methods_->read, request.bytes(), &bytes, problems)) {
    return result;
  }
  Response response = ReadResponse(
      bytes, {.diagnostics = 2, .value = 1, .private_data = 3, .identity = 5}, problems);
  result.state = Decoded(response.value, type, problems);
  result.private_data = response.private_data;
  result.identity = DecodedIdentity(response.identity, *schema, problems);
  RefuseWriteOnly(schema->block, result.state, read.type, problems);
  return result;
}

PlanResponse PluginProvider::PlanResourceChange(const PlanRequest& plan, Problems& problems) {
  PlanResponse result;
  const schema::ResourceSchema* schema = ResourceOf(plan.type, problems);
  if (schema == nullptr) {
    return result;
  }
  const Type& type = schema->block.implied_type();
  result.planned = Value::Null(type);
  if (plan.proposed.IsNull() && !schema_->capabilities().plan_destroy) {
    // Such a provider must not be asked about a destruction. Ref: provider contract 9.5.
    result.private_data = plan.private_data;
    return result;
  }
  Request request(problems);
  request.Text(1, plan.type)
      .Dynamic(2, plan.prior, type)
      .Dynamic(3, plan.proposed, type)
      .Dynamic(4, plan.config, type)
      .Text(5, plan.private_data);
  WriteMeta(request, 6, plan.provider_meta);
  request.Capabilities(7).Identity(8, plan.identity, schema->identity_type);
  std::string bytes;
  if (!request.ok() || !Call(methods_->plan, request.bytes(), &bytes, problems)) {
    return result;
  }
  Response response = ReadResponse(bytes,
                                   {.diagnostics = 4,
                                    .value = 1,
                                    .private_data = 3,
                                    .identity = 7,
                                    .legacy_type_system = 5,
                                    .requires_replace = 2},
                                   problems);
  result.planned = Decoded(response.value, type, problems);
  result.requires_replace = std::move(response.requires_replace);
  result.private_data = response.private_data;
  result.legacy_type_system = response.legacy_type_system;
  result.identity = DecodedIdentity(response.identity, *schema, problems);
  RefuseWriteOnly(schema->block, result.planned, plan.type, problems);
  return result;
}

ApplyResponse PluginProvider::ApplyResourceChange(const ApplyRequest& apply, Problems& problems) {
  ApplyResponse result;
  result.has_state = false;
  const schema::ResourceSchema* schema = ResourceOf(apply.type, problems);
  if (schema == nullptr) {
    return result;
  }
  const Type& type = schema->block.implied_type();
  Request request(problems);
  request.Text(1, apply.type)
      .Dynamic(2, apply.prior, type)
      .Dynamic(3, apply.planned, type)
      .Dynamic(4, apply.config, type)
      .Text(5, apply.private_data);
  WriteMeta(request, 6, apply.provider_meta);
  request.Identity(7, apply.identity, schema->identity_type);
  std::string bytes;
  result.state = Value::Null(type);
  if (!request.ok() || !Call(methods_->apply, request.bytes(), &bytes, problems)) {
    return result;
  }
  Response response = ReadResponse(
      bytes,
      {.diagnostics = 3, .value = 1, .private_data = 2, .identity = 5, .legacy_type_system = 4},
      problems);
  size_t before = problems.size();
  result.state = Decoded(response.value, type, problems);
  result.has_state = problems.size() == before;
  result.private_data = response.private_data;
  result.legacy_type_system = response.legacy_type_system;
  result.identity = DecodedIdentity(response.identity, *schema, problems);
  RefuseWriteOnly(schema->block, result.state, apply.type, problems);
  return result;
}

Value PluginProvider::ReadDataSource(std::string_view type, const Value& config,
                                     const Value& provider_meta, Problems& problems) {
  const schema::ResourceSchema* schema = DataOf(type, problems);
  if (schema == nullptr) {
    return {};
  }
  const Type& value_type = schema->block.implied_type();
  Request request(problems);
  request.Text(1, type).Dynamic(2, config, value_type);
  WriteMeta(request, 3, provider_meta);
  request.Capabilities(4);
  std::string bytes;
  if (!request.ok() || !Call(methods_->read_data, request.bytes(), &bytes, problems)) {
    return Value::Null(value_type);
  }
  Response response = ReadResponse(bytes, {.diagnostics = 2, .value = 1}, problems);
  return Decoded(response.value, value_type, problems);
}

std::vector<ImportedObject> PluginProvider::ImportResourceState(std::string_view type,
                                                                std::string_view id,
                                                                const Value& identity,
                                                                Problems& problems) {
  std::vector<ImportedObject> objects;
  const schema::ResourceSchema* requested = ResourceOf(type, problems);
  if (requested == nullptr) {
    return objects;
  }
  Request request(problems);
  request.Text(1, type).Text(2, id).Capabilities(3).Identity(4, identity, requested->identity_type);
  std::string bytes;
  if (!request.ok() || !Call(methods_->import_state, request.bytes(), &bytes, problems)) {
    return objects;
  }
  ProtoReader reader(bytes);
  for (ProtoField field; reader.Next(field);) {
    if (field.number == 2) {
      problems.push_back(ReadDiagnostic(field.bytes));
    }
    if (field.number != 1) {
      continue;
    }
    ImportedObject& object = objects.emplace_back();
    ProtoReader parts(field.bytes);
    std::optional<std::string_view> state;
    std::optional<std::string_view> object_identity;
    for (ProtoField part; parts.Next(part);) {
      if (part.number == 1) {
        object.type = part.bytes;
      } else if (part.number == 2) {
        state = part.bytes;
      } else if (part.number == 3) {
        object.private_data = part.bytes;
      } else if (part.number == 4) {
        object_identity = part.bytes;
      }
    }
    const schema::ResourceSchema* schema = ResourceOf(object.type, problems);
    if (schema != nullptr) {
      object.state = Decoded(state, schema->block.implied_type(), problems);
      object.identity = DecodedIdentity(object_identity, *schema, problems);
    }
  }
  return objects;
}

ImportedObject PluginProvider::MoveResourceState(const MoveRequest& move, Problems& problems) {
  ImportedObject moved;
  moved.type = move.target_type;
  const schema::ResourceSchema* schema = ResourceOf(move.target_type, problems);
  if (schema == nullptr) {
    return moved;
  }
  Request request(problems);
  request.Text(1, move.source_provider)
      .Text(2, move.source_type)
      .Int(3, move.source_schema_version)
      .Raw(4, move.source_state)
      .Text(5, move.target_type)
      .Text(6, move.source_private);
  std::string bytes;
  if (!Call(methods_->move, request.bytes(), &bytes, problems)) {
    return moved;
  }
  Response response =
      ReadResponse(bytes, {.diagnostics = 2, .value = 1, .private_data = 3}, problems);
  moved.state = Decoded(response.value, schema->block.implied_type(), problems);
  moved.private_data = response.private_data;
  RefuseWriteOnly(schema->block, moved.state, move.target_type, problems);
  return moved;
}

EphemeralResponse PluginProvider::OpenEphemeral(std::string_view type, const Value& config,
                                                Problems& problems) {
  EphemeralResponse result;
  const schema::ResourceSchema* schema = EphemeralOf(type, problems);
  if (schema == nullptr) {
    return result;
  }
  const Type& value_type = schema->block.implied_type();
  Request request(problems);
  request.Text(1, type).Dynamic(2, config, value_type).Capabilities(3);
  std::string bytes;
  if (!request.ok() || !Call(methods_->open_ephemeral, request.bytes(), &bytes, problems)) {
    return result;
  }
  Response response = ReadResponse(
      bytes, {.diagnostics = 1, .value = 3, .private_data = 4, .renew_at = 2}, problems);
  result.result = Decoded(response.value, value_type, problems);
  result.private_data = response.private_data;
  result.renew_at = response.renew_at;
  return result;
}

EphemeralResponse PluginProvider::RenewEphemeral(std::string_view type,
                                                 std::string_view private_data,
                                                 Problems& problems) {
  EphemeralResponse result;
  Request request(problems);
  request.Text(1, type).Text(2, private_data);
  std::string bytes;
  if (Call(methods_->renew_ephemeral, request.bytes(), &bytes, problems)) {
    Response response =
        ReadResponse(bytes, {.diagnostics = 1, .private_data = 3, .renew_at = 2}, problems);
    result.private_data = response.private_data;
    result.renew_at = response.renew_at;
  }
  return result;
}

void PluginProvider::CloseEphemeral(std::string_view type, std::string_view private_data,
                                    Problems& problems) {
  Request request(problems);
  request.Text(1, type).Text(2, private_data);
  std::string bytes;
  if (Call(methods_->close_ephemeral, request.bytes(), &bytes, problems)) {
    ReadResponse(bytes, {.diagnostics = 1}, problems);
  }
}

const schema::FunctionSignature* PluginProvider::ConfiguredFunction(std::string_view name) {
  std::lock_guard lock(functions_mutex_);
  if (!functions_asked_) {
    functions_asked_ = true;
    provider::Problems problems;
    std::string bytes;
    if (Call(methods_->get_functions, "", &bytes, problems)) {
      // The same entries as in a schema, in a message of their own.
      auto response = std::make_shared<std::string>();
      ProtoWriter writer(*response);
      ProtoReader reader(bytes);
      for (ProtoField field; reader.Next(field);) {
        if (field.number == 1) {
          writer.Bytes(7, field.bytes);
        }
      }
      auto opened = provider::OpenWireSchema(
          {.protocol = protocol_, .schema = *response, .identities = {}, .owner = response});
      functions_ = opened ? *std::move(opened) : nullptr;
    }
  }
  return functions_ == nullptr ? nullptr : functions_->FindFunction(name);
}

std::expected<Value, std::string> PluginProvider::CallFunction(std::string_view name,
                                                               std::span<const Value> arguments,
                                                               int* argument) {
  *argument = -1;
  const schema::FunctionSignature* signature = schema_->FindFunction(name);
  if (signature == nullptr) {
    signature = ConfiguredFunction(name);
  }
  if (signature == nullptr) {
    return std::unexpected("the provider has no function " + std::string(name));
  }
  if (arguments.size() < signature->parameters.size() ||
      (arguments.size() > signature->parameters.size() && signature->variadic == nullptr)) {
    return std::unexpected("wrong number of arguments for function " + std::string(name));
  }
  Problems problems;
  std::string request;
  ProtoWriter writer(request);
  writer.Bytes(1, name);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const schema::FunctionParameter& parameter =
        i < signature->parameters.size() ? signature->parameters[i] : *signature->variadic;
    if (!parameter.allow_unknown && !arguments[i].IsWhollyKnown()) {
      return Value::Unknown(signature->return_type);
    }
    *argument = static_cast<int>(i);
    if (arguments[i].IsNull()) {
      if (!parameter.allow_null) {
        return std::unexpected("parameter " + parameter.name +
                               " is null, which is not allowed for function " + std::string(name));
      }
      // The reference sends an empty message here, which the provider framework refuses; an
      // encoded null it accepts.
    }
    auto written = WriteDynamicValue(writer, 2, arguments[i], parameter.type);
    if (!written) {
      return std::unexpected(written.error().ToText());
    }
  }
  *argument = -1;
  std::string bytes;
  if (!Call(methods_->call_function, request, &bytes, problems)) {
    return std::unexpected(problems[0].summary + ": " + problems[0].detail);
  }
  std::optional<std::string_view> result;
  ProtoReader reader(bytes);
  for (ProtoField field; reader.Next(field);) {
    if (field.number == 1) {
      result = field.bytes;
    } else if (field.number == 2) {
      std::string text;
      ProtoReader error(field.bytes);
      for (ProtoField part; error.Next(part);) {
        if (part.number == 1) {
          text = part.bytes;
        } else if (part.number == 2) {
          *argument = static_cast<int>(part.as_int());
        }
      }
      return std::unexpected(text);
    }
  }
  if (!result) {
    return Value::Null(signature->return_type);
  }
  auto value = ReadDynamicValue(*result, signature->return_type);
  if (!value) {
    return std::unexpected(value.error().ToText());
  }
  return *std::move(value);
}

void PluginProvider::Stop() {
  std::string ignored;
  channel_->Call(methods_->stop, {}, &ignored);
}

void PluginProvider::Close() {
  if (closed_) {
    return;
  }
  closed_ = true;
  if (primed_.valid()) {
    primed_.wait();
  }
  if (channel_ != nullptr) {
    std::string ignored;
    if (owned_ && (process_ == nullptr || !process_->exited())) {
      // The answer is normally "unavailable": the process goes before it can reply.
      channel_->Call(kShutdownMethod, {}, &ignored);
    }
    channel_->Cancel();
  }
  if (stdio_.joinable()) {
    stdio_.join();
  }
  channel_.reset();
  if (process_ != nullptr) {
    // A process that never said where it listens cannot be asked to go.
    bool killed = methods_ == nullptr || !process_->AwaitExit(kExitTimeoutMs);
    std::string panic = log_->Panic();
    process_.reset();
    if ((killed || socket_directory_ != nullptr) && !socket_path_.empty()) {
      unlink(socket_path_.c_str());
    }
    socket_directory_.reset();
    if (!panic.empty()) {
      RecordPluginPanic({.name = SplitProviderAddress(name_).type, .trace = std::move(panic)});
    }
  }
}

}  // namespace kinu::plugin
