#include "backend/kube_config.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/capture.h"
#include "base/environment.h"
#include "base/files.h"
#include "cloud/settings.h"
#include "codec/base64.h"
#include "codec/yaml.h"
#include "json/reader.h"
#include "json/writer.h"

namespace kinu::backend {
namespace {

constexpr std::string_view kServiceAccount = "/var/run/secrets/kubernetes.io/serviceaccount/";

/// A YAML value with scalars as texts.
struct YamlNode {
  std::string text;
  std::vector<std::string> names;  // of the elements of a mapping
  std::vector<YamlNode> elements;

  const YamlNode* Find(std::string_view name) const {
    const auto found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? nullptr : &elements[static_cast<size_t>(found - names.begin())];
  }
  std::string Text(std::string_view name) const {
    const YamlNode* node = Find(name);
    return node == nullptr ? std::string() : node->text;
  }
};

Result<YamlNode> ReadYamlNode(YamlReader& reader, YamlEvent event) {
  using Kind = YamlEvent::Kind;
  YamlNode out;
  if (event.kind == Kind::kScalar) {
    const bool null = event.implicit && (event.text == "null" || event.text == "~");
    out.text = null ? std::string() : std::move(event.text);
  }
  while (event.kind == Kind::kSequenceStart) {
    KINU_TRY(YamlEvent next, reader.Next());
    if (next.kind == Kind::kSequenceEnd) {
      break;
    }
    KINU_TRY(YamlNode element, ReadYamlNode(reader, std::move(next)));
    out.elements.push_back(std::move(element));
  }
  while (event.kind == Kind::kMappingStart) {
    KINU_TRY(YamlEvent key, reader.Next());
    if (key.kind == Kind::kMappingEnd) {
      break;
    }
    KINU_TRY(YamlNode name, ReadYamlNode(reader, std::move(key)));
    KINU_TRY(YamlEvent next, reader.Next());
    KINU_TRY(YamlNode value, ReadYamlNode(reader, std::move(next)));
    out.names.push_back(std::move(name.text));
    out.elements.push_back(std::move(value));
  }
  return out;
}

Result<YamlNode> ReadYaml(std::string_view text) {
  YamlReader reader(text);
  while (true) {
    KINU_TRY(YamlEvent event, reader.Next());
    if (event.kind == YamlEvent::Kind::kStreamEnd) {
      return YamlNode();
    }
    if (event.kind != YamlEvent::Kind::kStreamStart &&
        event.kind != YamlEvent::Kind::kDocumentStart) {
      return ReadYamlNode(reader, std::move(event));
    }
  }
}

/// A kubeconfig file. Paths in it are relative to its directory.
struct KubeFile {
  YamlNode root;
  std::string directory;
};

/// An entry of one of the lists of named things, with its file.
struct KubeEntry {
  const YamlNode* node = nullptr;
  const KubeFile* file = nullptr;

  std::string Text(std::string_view name) const {
    return node == nullptr ? std::string() : node->Text(name);
  }
  /// Data that stands in the entry as base64, or in a file that it names.
  Result<std::string> Data(const std::string& name) const {
    if (const std::string inlined = Text(name + "-data"); !inlined.empty()) {
      return DecodeBase64(inlined);
    }
    const std::string path = Text(name);
    if (path.empty()) {
      return std::string();
    }
    return ReadFile(path.starts_with('/') ? path : JoinPath(file->directory, path));
  }
};

/// The first entry of that name in any file.
KubeEntry FindEntry(const std::vector<KubeFile>& files, std::string_view list,
                    std::string_view kind, std::string_view name) {
  for (const KubeFile& file : files) {
    const YamlNode* entries = file.root.Find(list);
    for (const YamlNode& entry :
         entries == nullptr ? std::span<const YamlNode>() : std::span(entries->elements)) {
      if (entry.Text("name") == name) {
        return {entry.Find(kind), &file};
      }
    }
  }
  return {};
}

std::unexpected<Error> NotConfigured(std::string_view why) {
  return Fail(ErrorCode::kInvalid,
              "Failed to initialize kubernetes configuration: invalid "
              "configuration: " +
                  std::string(why));
}

/// A program that prints credentials.
struct Credential {
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> environment;
  std::string api_version;
};

void SetBearer(net::HttpRequest& request, const std::string& token) {
  if (!token.empty()) {
    request.headers.Set("Authorization", "Bearer " + token);
  }
}

Result<void> RunCredential(const Credential& credential, net::HttpRequest& request) {
  CaptureRequest run{.arguments = credential.command,
                     .environment = credential.environment,
                     .working_directory = {},
                     .input = {}};
  run.environment.emplace_back("KUBERNETES_EXEC_INFO",
                               R"({"kind":"ExecCredential","apiVersion":")" +
                                   credential.api_version + R"(","spec":{"interactive":false}})");
  KINU_TRY(const Captured captured, CaptureCommand(run));
  const std::string failed = "getting credentials: exec: ";
  if (captured.exit_code != 0) {
    return Fail(ErrorCode::kUnavailable,
                failed + "executable " + credential.command[0] + " failed with exit code " +
                    std::to_string(captured.exit_code) + ": " + captured.errors);
  }
  const JsonDocument document = ParseJson(captured.output);
  const JsonNode* status =
      document.ok() && document.root().is_object() ? document.root().Find("status") : nullptr;
  if (status == nullptr || !status->is_object()) {
    return Fail(ErrorCode::kUnavailable, failed + "the output has no status");
  }
  const auto text = [&](std::string_view name) {
    const JsonNode* node = status->Find(name);
    return node == nullptr ? std::string() : std::string(node->text());
  };
  SetBearer(request, text("token"));
  if (const std::string certificate = text("clientCertificateData"); !certificate.empty()) {
    request.client_certificate = net::ClientCertificate{certificate, text("clientKeyData")};
  }
  return {};
}

/// The credentials of a user in a kubeconfig file.
Result<void> SetUser(const KubeEntry& user, std::optional<Credential>& credential,
                     net::HttpRequest& request) {
  KINU_TRY(std::string certificate, user.Data("client-certificate"));
  KINU_TRY(std::string key, user.Data("client-key"));
  if (!certificate.empty()) {
    request.client_certificate = net::ClientCertificate{std::move(certificate), std::move(key)};
  }
  std::string token = user.Text("token");
  if (const std::string path = user.Text("tokenFile"); !path.empty()) {
    KINU_TRY(token, ReadFile(path));
    token.erase(token.find_last_not_of(" \r\n\t") + 1);
  }
  if (const std::string name = user.Text("username"); !name.empty()) {
    request.headers.Set("Authorization",
                        "Basic " + EncodeBase64(name + ':' + user.Text("password")));
  }
  SetBearer(request, token);
  const YamlNode* program = user.node == nullptr ? nullptr : user.node->Find("exec");
  if (program != nullptr && !credential) {
    credential.emplace();
    credential->api_version = program->Text("apiVersion");
    credential->command.push_back(program->Text("command"));
    if (const YamlNode* arguments = program->Find("args"); arguments != nullptr) {
      for (const YamlNode& argument : arguments->elements) {
        credential->command.push_back(argument.text);
      }
    }
    if (const YamlNode* variables = program->Find("env"); variables != nullptr) {
      for (const YamlNode& variable : variables->elements) {
        credential->environment.emplace_back(variable.Text("name"), variable.Text("value"));
      }
    }
  }
  return {};
}

/// The files that settings or KUBE_CONFIG_PATHS name.
std::vector<std::string> PathsOf(const Value& settings) {
  std::vector<std::string> paths;
  if (std::string one = cloud::SettingText(settings, "config_path"); !one.empty()) {
    paths.push_back(std::move(one));
  } else {
    paths = cloud::SettingTexts(settings, "config_paths");
  }
  if (paths.empty()) {
    std::string_view list = Environment("KUBE_CONFIG_PATHS");
    while (!list.empty()) {
      const size_t end = std::min(list.find(':'), list.size());
      paths.emplace_back(list.substr(0, end));
      list.remove_prefix(std::min(end + 1, list.size()));
    }
  }
  for (std::string& path : paths) {
    if (path == "~" || path.starts_with("~/")) {
      path = std::string(Environment("HOME")) + path.substr(1);
    }
  }
  return paths;
}

/// A named entry that is missing.
std::unexpected<Error> NoEntry(std::string_view what, const std::string& name) {
  return Fail(ErrorCode::kInvalid, "Failed to initialize kubernetes configuration: " +
                                       std::string(what) + " \"" + name + "\" does not exist");
}

Result<void> ReadFiles(const Value& settings, std::optional<Credential>& credential,
                       KubeCluster& out) {
  constexpr std::string_view kNothing =
      "no configuration has been provided, try setting KUBERNETES_MASTER environment variable";
  const std::vector<std::string> paths = PathsOf(settings);
  std::vector<KubeFile> files;
  for (const std::string& path : paths) {
    const Result<std::string> text = ReadFile(path);
    if (!text && text.error().code == ErrorCode::kNotFound) {
      continue;
    }
    if (!text) {
      return std::unexpected(text.error());
    }
    Result<YamlNode> root = ReadYaml(*text);
    if (!root) {
      return Fail(ErrorCode::kInvalid,
                  "Failed to initialize kubernetes configuration: error loading config file \"" +
                      path + "\": " + root.error().message);
    }
    const size_t slash = path.rfind('/');
    files.push_back({*std::move(root), slash == path.npos ? "." : path.substr(0, slash)});
  }
  std::string context_name = cloud::SettingText(settings, "config_context");
  for (size_t i = 0; context_name.empty() && i < files.size(); ++i) {
    context_name = files[i].root.Text("current-context");
  }
  const KubeEntry context = FindEntry(files, "contexts", "context", context_name);
  if (!context_name.empty() && context.node == nullptr) {
    return NoEntry("context", context_name);
  }
  const std::string user_name = cloud::SettingText(settings, "config_context_auth_info");
  const KubeEntry user =
      FindEntry(files, "users", "user", user_name.empty() ? context.Text("user") : user_name);
  if (!user_name.empty() && user.node == nullptr) {
    return NoEntry("auth info", user_name);
  }
  const std::string cluster_name = cloud::SettingText(settings, "config_context_cluster");
  const KubeEntry cluster = FindEntry(
      files, "clusters", "cluster", cluster_name.empty() ? context.Text("cluster") : cluster_name);
  if (!cluster_name.empty() && cluster.node == nullptr) {
    return NoEntry("cluster", cluster_name);
  }
  if (files.empty() && paths.size() == 1) {
    return {};  // one file that is missing is as good as an empty one
  }
  if (cluster.node == nullptr) {
    return NotConfigured(kNothing);
  }
  out.host = cluster.Text("server");
  out.request.verify_certificates = cluster.Text("insecure-skip-tls-verify") != "true";
  KINU_TRY(out.request.extra_authorities, cluster.Data("certificate-authority"));
  return SetUser(user, credential, out.request);
}

/// The cluster that this process runs in.
Result<void> ReadOwnCluster(KubeCluster& out) {
  const std::string_view host = Environment("KUBERNETES_SERVICE_HOST");
  const std::string_view port = Environment("KUBERNETES_SERVICE_PORT");
  if (host.empty() || port.empty()) {
    return Fail(ErrorCode::kInvalid,
                "unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and "
                "KUBERNETES_SERVICE_PORT must be defined");
  }
  const bool is_ipv6 = host.contains(':');
  out.host = "https://" + (is_ipv6 ? '[' + std::string(host) + ']' : std::string(host)) + ':' +
             std::string(port);
  KINU_TRY(const std::string token, ReadFile(std::string(kServiceAccount) + "token"));
  SetBearer(out.request, token);
  KINU_TRY(out.request.extra_authorities, ReadFile(std::string(kServiceAccount) + "ca.crt"));
  return {};
}

/// What the settings say themselves.
void Override(const Value& settings, KubeCluster& out) {
  out.host = cloud::SettingText(settings, "host", out.host);
  net::HttpRequest& request = out.request;
  if (cloud::SettingFlag(settings, "insecure")) {
    request.verify_certificates = false;
  }
  request.extra_authorities =
      cloud::SettingText(settings, "cluster_ca_certificate", request.extra_authorities);
  if (const std::string certificate = cloud::SettingText(settings, "client_certificate");
      !certificate.empty()) {
    request.client_certificate =
        net::ClientCertificate{certificate, cloud::SettingText(settings, "client_key")};
  }
  if (const std::string user = cloud::SettingText(settings, "username"); !user.empty()) {
    request.headers.Set(
        "Authorization",
        "Basic " + EncodeBase64(user + ':' + cloud::SettingText(settings, "password")));
  }
  SetBearer(request, cloud::SettingText(settings, "token"));
}

}  // namespace

Result<KubeCluster> ReadKubeCluster(const Value& settings) {
  KubeCluster out;
  std::optional<Credential> credential;
  if (const Value& programs = *settings.Find("exec"); programs.size() > 0) {
    const Value& program = programs.elements()[0];
    credential.emplace();
    credential->api_version = cloud::SettingText(program, "api_version");
    credential->command = cloud::SettingTexts(program, "args");
    credential->command.insert(credential->command.begin(), cloud::SettingText(program, "command"));
    for (auto& [name, value] : cloud::SettingMap(program, "env")) {
      credential->environment.emplace_back(name, value);
    }
  }
  const bool own = cloud::SettingFlag(settings, "in_cluster_config");
  if (Result<void> read = own ? ReadOwnCluster(out) : ReadFiles(settings, credential, out); !read) {
    return std::unexpected(std::move(read).error());
  }
  if (credential && !own) {
    if (Result<void> got = RunCredential(*credential, out.request); !got) {
      return std::unexpected(std::move(got).error());
    }
  }
  Override(settings, out);
  if (out.host.empty()) {
    out.host = "http://localhost";
  }
  if (!out.host.contains("://")) {
    out.host =
        (out.request.client_certificate || !out.request.extra_authorities.empty() ? "https://"
                                                                                  : "http://") +
        out.host;
  }
  while (out.host.ends_with('/')) {
    out.host.pop_back();
  }
  return out;
}

}  // namespace kinu::backend
