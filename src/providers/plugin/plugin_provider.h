// A provider that runs as a process of its own and is called over gRPC in protocol 5 or 6.
// Ref: opentofu internal/plugin/grpc_provider.go, internal/plugin6.
#pragma once

#include <future>
#include <memory>
#include <string>

#include "plugin/handshake.h"
#include "plugin/log_relay.h"
#include "plugin/process.h"
#include "plugin/transport.h"
#include "provider/provider.h"
#include "provider/wire_schema.h"

namespace kinu::trace {
class Span;
}

namespace kinu::plugin {

struct Methods;
class Request;
class SocketDirectory;

class PluginProvider final : public provider::Provider {
 public:
  struct Launch {
    std::string address;  ///< full provider address, for logs and messages
    std::string executable;
  };
  /// Starts the process and connects. UseSchema() must follow before any other call.
  /// The connection is a private socket; TF_DISABLE_PLUGIN_TLS leaves the socket where the provider
  /// puts it, KINU_PLUGIN_TLS demands mutual TLS.
  static Result<std::unique_ptr<PluginProvider>> Start(const Launch& launch);
  /// Connects to a process that was started by another program.
  static Result<std::unique_ptr<PluginProvider>> Attach(const std::string& address,
                                                        const Attachment& attachment);
  /// For tests: uses a given channel.
  static std::unique_ptr<PluginProvider> Over(std::unique_ptr<Channel> channel, int protocol);
  ~PluginProvider() override;

  int protocol() const { return protocol_; }
  /// Fetches the schema. Errors are those of the provider.
  Result<provider::RawSchema> FetchSchema();
  /// Sets the schema that calls use. If it was not fetched from this process and the provider
  /// requires a GetSchema call before all others, makes that call in the background.
  void UseSchema(std::shared_ptr<const schema::ProviderSchema> schema);

  const schema::ProviderSchema& schema() const override { return *schema_; }
  void ValidateProviderConfig(const Value& config, provider::Problems& problems) override;
  void ValidateResourceConfig(std::string_view type, const Value& config,
                              provider::Problems& problems) override;
  void ValidateDataConfig(std::string_view type, const Value& config,
                          provider::Problems& problems) override;
  void ValidateEphemeralConfig(std::string_view type, const Value& config,
                               provider::Problems& problems) override;
  void Configure(const Value& config, provider::Problems& problems) override;
  Value UpgradeResourceState(std::string_view type, int64_t version, const provider::RawState& raw,
                             provider::Problems& problems) override;
  Value UpgradeResourceIdentity(std::string_view type, int64_t version, std::string_view json,
                                provider::Problems& problems) override;
  provider::ReadResponse ReadResource(const provider::ReadRequest& request,
                                      provider::Problems& problems) override;
  provider::PlanResponse PlanResourceChange(const provider::PlanRequest& request,
                                            provider::Problems& problems) override;
  provider::ApplyResponse ApplyResourceChange(const provider::ApplyRequest& request,
                                              provider::Problems& problems) override;
  Value ReadDataSource(std::string_view type, std::string_view, const Value& config,
                       const Value& provider_meta, provider::Problems& problems) override;
  std::vector<provider::ImportedObject> ImportResourceState(std::string_view type,
                                                            std::string_view id,
                                                            const Value& identity,
                                                            provider::Problems& problems) override;
  provider::ImportedObject MoveResourceState(const provider::MoveRequest& request,
                                             provider::Problems& problems) override;
  provider::EphemeralResponse OpenEphemeral(std::string_view type, const Value& config,
                                            provider::Problems& problems) override;
  provider::EphemeralResponse RenewEphemeral(std::string_view type, std::string_view private_data,
                                             provider::Problems& problems) override;
  void CloseEphemeral(std::string_view type, std::string_view private_data,
                      provider::Problems& problems) override;
  std::expected<Value, std::string> CallFunction(std::string_view name,
                                                 std::span<const Value> arguments,
                                                 int* argument) override;
  const schema::FunctionSignature* ConfiguredFunction(std::string_view name) override;
  void Stop() override;
  void Close() override;

 private:
  PluginProvider();

  static Result<std::unique_ptr<PluginProvider>> Start(const Launch& launch, bool tls,
                                                       std::unique_ptr<SocketDirectory> directory);
  void Connect(Endpoint endpoint);
  void DescribeCall(trace::Span& span, const char* method) const;
  /// Makes a call; a transport failure becomes a problem and false.
  bool Call(const char* method, const std::string& request, std::string* response,
            provider::Problems& problems, const CallLimits& limits = {});
  const schema::ResourceSchema* ResourceOf(std::string_view type, provider::Problems& problems);
  const schema::ResourceSchema* DataOf(std::string_view type, provider::Problems& problems);
  const schema::ResourceSchema* EphemeralOf(std::string_view type, provider::Problems& problems);
  void WriteMeta(Request& request, uint32_t field, const Value& meta);
  void Validate(const char* method, std::string_view type, const schema::ResourceSchema* schema,
                const Value& config, bool capabilities, provider::Problems& problems);

  std::string name_;
  int protocol_ = 6;
  const Methods* methods_ = nullptr;
  std::unique_ptr<LogRelay> log_;
  std::unique_ptr<Process> process_;
  std::unique_ptr<Channel> channel_;
  std::string socket_path_;
  std::unique_ptr<SocketDirectory> socket_directory_;
  bool owned_ = true;
  bool closed_ = false;
  bool fetched_ = false;
  std::shared_ptr<const schema::ProviderSchema> schema_;
  /// The result of GetFunctions, which is called once.
  std::mutex functions_mutex_;
  bool functions_fetched_ = false;
  std::shared_ptr<const schema::ProviderSchema> functions_;
  std::shared_future<void> primed_;
};

}  // namespace kinu::plugin
