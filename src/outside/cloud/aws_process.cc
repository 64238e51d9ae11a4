// Credentials that a program prints, and their JSON, which services use as well.
#include <cstdio>
#include <ctime>

#include "base/capture.h"
#include "cloud/aws_places.h"
#include "json/reader.h"

namespace kinu::cloud {

std::optional<std::chrono::system_clock::time_point> ParseAwsTime(std::string_view text) {
  std::tm parts{};
  const std::string copy(text);
  int used = 0;
  if (std::sscanf(copy.c_str(), "%4d-%2d-%2dT%2d:%2d:%2d%n", &parts.tm_year, &parts.tm_mon,
                  &parts.tm_mday, &parts.tm_hour, &parts.tm_min, &parts.tm_sec, &used) != 6 ||
      used == 0) {
    return std::nullopt;
  }
  parts.tm_year -= 1900;
  parts.tm_mon -= 1;
  return std::chrono::system_clock::from_time_t(timegm(&parts));
}

Result<AwsCredentials> ReadAwsCredentials(std::string_view json, std::string_view token_name) {
  const JsonDocument document = ParseJson(json);
  if (!document.ok() || !document.root().is_object()) {
    return Fail(ErrorCode::kInvalid, "AWS credentials that are no JSON object");
  }
  const auto text = [&](std::string_view name) {
    const JsonNode* node = document.root().Find(name);
    return node != nullptr && node->is_string() ? std::string(node->text()) : std::string();
  };
  if (const std::string code = text("Code"); !code.empty() && code != "Success") {
    return Fail(ErrorCode::kUnavailable, "AWS credentials: " + code + ": " + text("Message"));
  }
  AwsCredentials out{.access_key = text("AccessKeyId"),
                     .secret_key = text("SecretAccessKey"),
                     .session_token = text(token_name),
                     .expires = ParseAwsTime(text("Expiration"))};
  if (out.access_key.empty() || out.secret_key.empty()) {
    return Fail(ErrorCode::kInvalid, "AWS credentials without keys");
  }
  return out;
}

Result<AwsCredentials> AwsProcessCredentials(const AwsSearch& search, const std::string& command) {
  CaptureRequest request;
  request.arguments = {"sh", "-c", command};
  request.stop = search.options.stop;
  KINU_TRY(const Captured captured, CaptureCommand(request));
  if (captured.exit_code != 0) {
    return Fail(ErrorCode::kUnavailable, "the program of credential_process ended with status " +
                                             std::to_string(captured.exit_code));
  }
  return ReadAwsCredentials(captured.output, "SessionToken");
}

}  // namespace kinu::cloud
