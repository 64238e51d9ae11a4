// Remote machines: a communicator connects to one machine, runs commands there and uploads files.
// Each type of `connection` block is one communicator.
// Ref: opentofu internal/communicator.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cty/value.h"

namespace kinu::remote {

/// Receives output for users: a line, or some lines with line feeds between them.
using OutputSink = std::function<void(std::string_view)>;

/// When a connection attempt has to end: once `stop` is true or the time has come.
struct Limits {
  const std::atomic<bool>* stop = nullptr;  ///< null: never
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();

  bool stopped() const { return stop != nullptr && stop->load(); }
  bool expired() const { return std::chrono::steady_clock::now() >= deadline; }
};

/// A connection to one machine. For one thread. Errors read like those of the reference.
class Communicator {
 public:
  virtual ~Communicator() = default;
  /// Makes one attempt to connect. Describes it and its success to `output` unless that is empty.
  virtual Result<void> Connect(const OutputSink& output, const Limits& limits) = 0;
  /// Runs a command; its output is passed on line by line. Fails unless it exits with status 0.
  virtual Result<void> Run(const std::string& command, const OutputSink& output) = 0;
  /// Uploads a local file.
  virtual Result<void> UploadFile(const std::string& target, const std::string& source) = 0;
  /// Uploads a text as a file.
  virtual Result<void> UploadText(const std::string& target, std::string_view text) = 0;
  /// Uploads a text as an executable script.
  virtual Result<void> UploadScript(const std::string& target, std::string_view text) = 0;
  /// Uploads a directory, or with a trailing slash in `source` what is in it.
  virtual Result<void> UploadDirectory(const std::string& target, const std::string& source) = 0;
  /// How long attempts to connect are repeated.
  virtual std::chrono::nanoseconds timeout() const = 0;
  /// Where a script goes on the machine: another path with every call, unless the configuration has
  /// none of "%RAND%" in it.
  virtual std::string ScriptPath() const = 0;
  /// The command that runs an uploaded script.
  virtual std::string ScriptCommand(const std::string& path) const { return path; }
};

/// Makes the communicator of a connection block: an object of provisioners::ConnectionSchema()
/// without unknown values and marks. Fails when its arguments are invalid. Once `stop` is true,
/// whatever the communicator does ends early, with an error.
Result<std::unique_ptr<Communicator>> MakeCommunicator(const Value& connection,
                                                       const std::atomic<bool>* stop);

/// Connects, and repeats failed attempts after 1, 2, 4, 8, 16 and then every 20 seconds until the
/// communicator's timeout.
Result<void> ConnectWithRetries(Communicator& communicator, const OutputSink& output,
                                const std::atomic<bool>* stop);

}  // namespace kinu::remote
