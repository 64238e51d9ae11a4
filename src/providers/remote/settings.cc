#include "remote/settings.h"

#include <array>

#include <arpa/inet.h>

#include "base/environment.h"
#include "text/duration.h"

namespace kinu::remote {
namespace {

std::string Or(std::string value, std::string_view fallback) {
  return value.empty() ? std::string(fallback) : std::move(value);
}

/// Arguments of the bastion that are not given are those of the target.
Result<SshPeer> ReadBastion(const Value& connection, const SshPeer& target) {
  SshPeer bastion;
  bastion.host = FormatHost(TextAttribute(connection, "bastion_host"));
  KINU_TRY(bastion.port, PortAttribute(connection, "bastion_port"));
  if (bastion.port == 0) {
    bastion.port = target.port;
  }
  bastion.user = Or(TextAttribute(connection, "bastion_user"), target.user);
  bastion.password = Or(TextAttribute(connection, "bastion_password"), target.password);
  bastion.private_key = Or(TextAttribute(connection, "bastion_private_key"), target.private_key);
  bastion.certificate = Or(TextAttribute(connection, "bastion_certificate"), target.certificate);
  bastion.host_key = Or(TextAttribute(connection, "bastion_host_key"), target.host_key);
  return bastion;
}

}  // namespace

std::string TextAttribute(const Value& object, std::string_view name) {
  const Value* value = object.Find(name);
  return value == nullptr || value->IsNull() || !value->IsKnown() ? std::string()
                                                                  : std::string(value->AsString());
}

bool FlagAttribute(const Value& object, std::string_view name) {
  const Value* value = object.Find(name);
  return value != nullptr && !value->IsNull() && value->IsKnown() && value->AsBool();
}

Result<uint16_t> PortAttribute(const Value& object, std::string_view name) {
  const Value* value = object.Find(name);
  if (value == nullptr || value->IsNull() || !value->IsKnown()) {
    return uint16_t{0};
  }
  const std::optional<int64_t> number = value->AsInt64();
  if (!number || *number < 0 || *number > UINT16_MAX) {
    return Fail(ErrorCode::kInvalid, "value must be a whole number, between 0 and 65535 inclusive");
  }
  return static_cast<uint16_t>(*number);
}

std::chrono::nanoseconds TimeoutAttribute(const Value& object) {
  constexpr std::chrono::minutes kDefault{5};
  const std::string text = TextAttribute(object, "timeout");
  const std::optional<int64_t> parsed = text.empty() ? std::nullopt : text::ParseDuration(text);
  return parsed ? std::chrono::nanoseconds(*parsed) : kDefault;
}

std::string FormatHost(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> address;
  return inet_pton(AF_INET6, host.c_str(), address.data()) == 1 ? "[" + host + "]" : host;
}

std::string FillScriptPath(std::string_view path, uint32_t number) {
  constexpr std::string_view kPlace = "%RAND%";
  std::string out;
  for (size_t at = 0; (at = path.find(kPlace)) != std::string_view::npos;) {
    out += path.substr(0, at);
    out += std::to_string(number & INT32_MAX);
    path.remove_prefix(at + kPlace.size());
  }
  return out.append(path);
}

Result<SshSettings> ReadSshSettings(const Value& connection) {
  SshSettings out;
  SshPeer& target = out.target;
  KINU_TRY(target.port, PortAttribute(connection, "port"));
  KINU_TRY(out.proxy.port, PortAttribute(connection, "proxy_port"));
  target.host = FormatHost(TextAttribute(connection, "host"));
  if (target.host.empty()) {
    return Fail(ErrorCode::kInvalid, "host for provisioner cannot be empty");
  }
  target.port = target.port == 0 ? 22 : target.port;
  target.user = Or(TextAttribute(connection, "user"), "root");
  target.password = TextAttribute(connection, "password");
  target.private_key = TextAttribute(connection, "private_key");
  target.certificate = TextAttribute(connection, "certificate");
  target.host_key = TextAttribute(connection, "host_key");
  const Value* agent = connection.Find("agent");
  out.agent = agent == nullptr || agent->IsNull() ? !Environment("SSH_AUTH_SOCK").empty()
                                                  : FlagAttribute(connection, "agent");
  out.agent_identity = TextAttribute(connection, "agent_identity");
  const std::string platform = Or(TextAttribute(connection, "target_platform"), "unix");
  if (platform != "unix" && platform != "windows") {
    return Fail(ErrorCode::kInvalid,
                "target_platform for provisioner has to be either unix or windows");
  }
  out.windows = platform == "windows";
  out.script_path =
      Or(TextAttribute(connection, "script_path"),
         out.windows ? "C:/windows/temp/terraform_%RAND%.cmd" : "/tmp/terraform_%RAND%.sh");
  out.timeout = TimeoutAttribute(connection);
  out.proxy.scheme = Or(TextAttribute(connection, "proxy_scheme"), "http");
  out.proxy.host = TextAttribute(connection, "proxy_host");
  out.proxy.user = TextAttribute(connection, "proxy_user_name");
  out.proxy.password = TextAttribute(connection, "proxy_user_password");
  if (!TextAttribute(connection, "bastion_host").empty()) {
    KINU_TRY(out.bastion, ReadBastion(connection, target));
    out.bastion_key_given = !TextAttribute(connection, "bastion_host_key").empty();
  }
  return out;
}

Result<WinrmSettings> ReadWinrmSettings(const Value& connection) {
  WinrmSettings out;
  KINU_TRY(out.port, PortAttribute(connection, "port"));
  out.script_path = Or(TextAttribute(connection, "script_path"), "C:/Temp/terraform_%RAND%.cmd");
  if (out.script_path.starts_with("C:/Windows/Temp")) {
    return Fail(ErrorCode::kInvalid,
                "Using the C:\\Windows\\Temp folder is not supported. Please use a different "
                "'script_path'.");
  }
  out.host = FormatHost(TextAttribute(connection, "host"));
  out.user = Or(TextAttribute(connection, "user"), "Administrator");
  out.password = TextAttribute(connection, "password");
  out.https = FlagAttribute(connection, "https");
  out.insecure = FlagAttribute(connection, "insecure");
  out.ntlm = FlagAttribute(connection, "use_ntlm");
  out.authority = TextAttribute(connection, "cacert");
  if (out.port == 0) {
    out.port = out.https ? 5986 : 5985;
  }
  out.timeout = TimeoutAttribute(connection);
  return out;
}

}  // namespace kinu::remote
