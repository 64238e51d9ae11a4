// The names of the calls that providers serve, in both protocol versions.
#pragma once

namespace kinu::plugin {

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

/// The methods of protocol 5 or 6.
const Methods& MethodsOf(int protocol);

inline constexpr const char* kStdioMethod = "/plugin.GRPCStdio/StreamStdio";
inline constexpr const char* kShutdownMethod = "/plugin.GRPCController/Shutdown";

}  // namespace kinu::plugin
