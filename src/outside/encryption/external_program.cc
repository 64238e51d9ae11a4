#include "encryption/external_program.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/capture.h"
#include "json/reader.h"

namespace kinu::encryption {
namespace {

/// Sets a flag after a minute, unless it is destroyed before.
class Minute {
 public:
  Minute()
      : thread_([this] {
          std::unique_lock lock(mutex_);
          over_ = !ended_.wait_for(lock, std::chrono::minutes(1), [this] { return done_; });
        }) {}
  Minute(const Minute&) = delete;
  Minute& operator=(const Minute&) = delete;
  ~Minute() {
    {
      std::lock_guard lock(mutex_);
      done_ = true;
    }
    ended_.notify_one();
    thread_.join();
  }
  const std::atomic<bool>& over() const { return over_; }

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

/// The problem of a header; empty: none.
std::string ProblemOfHeader(std::string_view line, const ProgramProtocol& protocol) {
  const std::string peer(protocol.peer);
  const JsonDocument document = ParseJson(line);
  const JsonNode& header = document.root();
  if (!document.ok() || !header.is_object()) {
    return "failed to unmarshal header from " + peer + " (it is no JSON object)";
  }
  const JsonNode* name = header.Find("magic");
  const JsonNode* version = header.Find("version");
  const std::string_view given = name != nullptr && name->is_string() ? name->text() : "";
  if (given != protocol.magic) {
    return "invalid magic received from " + peer + ": " + std::string(given);
  }
  const std::string_view number =
      version != nullptr && version->is_number() ? version->text() : "0";
  return number == "1"
             ? std::string()
             : "invalid version number received from " + peer + ": " + std::string(number);
}

}  // namespace

std::expected<ProgramAnswer, ProgramFailure> AskProgram(const std::vector<std::string>& command,
                                                        const ProgramProtocol& protocol,
                                                        std::string request) {
  using Kind = ProgramFailure::Kind;
  const Minute minute;
  const Result<Captured> run =
      CaptureCommand({.arguments = command, .input = std::move(request), .stop = &minute.over()});
  if (!run) {
    return std::unexpected(ProgramFailure{
        Kind::kStart,
        run.error().code == ErrorCode::kCancelled ? "signal: killed" : run.error().message, ""});
  }
  const size_t end = run->output.find('\n');
  if (end != std::string::npos) {
    if (std::string problem =
            ProblemOfHeader(std::string_view(run->output).substr(0, end), protocol);
        !problem.empty()) {
      return std::unexpected(ProgramFailure{Kind::kHeader, std::move(problem), run->errors});
    }
  }
  if (run->exit_code != 0) {
    return std::unexpected(ProgramFailure{
        Kind::kExit,
        run->exit_code > 0 ? "exit status " + std::to_string(run->exit_code) : "signal: killed",
        run->errors});
  }
  return ProgramAnswer{end == std::string::npos ? run->output : run->output.substr(end + 1),
                       run->errors};
}

}  // namespace kinu::encryption
