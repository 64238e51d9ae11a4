#include "plugin/plugin_provider.h"

#include <cstring>

#include <unistd.h>

#include "addrs/provider_source.h"
#include "plugin/messages.h"
#include "plugin/methods.h"
#include "plugin/socket_directory.h"
#include "trace/trace.h"

namespace kinu::plugin {

using provider::Problems;
using provider::RawSchema;

namespace {

constexpr int kExitTimeoutMs = 2'000;
constexpr CallLimits kSchemaLimits = {.response = 64 * 1024 * 1024};

std::string_view MethodName(const char* method) {
  return std::strrchr(method, '/') + 1;
}

}  // namespace

PluginProvider::PluginProvider() = default;

PluginProvider::~PluginProvider() {
  Close();
}

void PluginProvider::DescribeCall(trace::Span& span, const char* method) const {
  span.record().name = MethodName(method);
  span.Set("opentofu.provider.source", name_);
}

bool PluginProvider::Call(const char* method, const std::string& request, std::string* response,
                          Problems& problems, const CallLimits& limits) {
  if (primed_.valid()) {
    primed_.wait();
  }
  trace::Span span("kinu/plugin", "Provider call", trace::Kind::kCall);
  if (span.on()) {
    DescribeCall(span, method);
  }
  CallStatus status = channel_->Call(method, request, response, limits);
  if (status.ok()) {
    return true;
  }
  if (span.on()) {
    span.Fail(status.message);
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
  if (!Call(methods_->get_schema, {}, &bytes->first, problems, kSchemaLimits)) {
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
  // Most providers have no identities; any failure is taken for that.
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
                channel_->Call(methods_->get_schema, {}, &ignored, kSchemaLimits);
              }).share();
    fetched_ = true;
  }
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
      // The status is normally "unavailable": the process exits before it can reply.
      channel_->Call(kShutdownMethod, {}, &ignored);
    }
    channel_->Cancel();
  }
  channel_.reset();
  if (process_ != nullptr) {
    // A process without a handshake cannot be shut down by a call.
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
