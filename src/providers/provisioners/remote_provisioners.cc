#include "provisioners/remote_provisioners.h"

#include <cerrno>
#include <memory>
#include <vector>

#include <sys/stat.h>

#include "base/environment.h"
#include "base/files.h"
#include "log/log.h"
#include "remote/communicator.h"

namespace kinu::provisioners {
namespace {

Result<std::unique_ptr<remote::Communicator>> CommunicatorFor(const ProvisionRequest& request) {
  if (request.connection.IsNull()) {
    return Fail(ErrorCode::kInvalid, "Missing connection configuration for provisioner.");
  }
  return remote::MakeCommunicator(request.connection, request.stop);
}

/// Replaces "~" at the start of a path by the home directory.
Result<std::string> ExpandHome(const std::string& path) {
  if (!path.starts_with('~')) {
    return path;
  }
  if (path.size() > 1 && path[1] != '/') {
    return Fail(ErrorCode::kInvalid, "cannot expand user-specific home dir");
  }
  return JoinPath(Environment("HOME"), path.substr(1));
}

Result<void> UploadSource(remote::Communicator& communicator, const std::string& source,
                          const std::string& destination) {
  struct stat status{};
  if (::stat(source.c_str(), &status) != 0) {
    return Fail(ErrorCode::kNotFound, "stat " + source + ": " + SystemMessage(errno));
  }
  Result<void> done = S_ISDIR(status.st_mode) ? communicator.UploadDirectory(destination, source)
                                              : communicator.UploadFile(destination, source);
  if (!done) {
    return Fail(done.error().code, "Upload failed: " + done.error().message);
  }
  return done;
}

/// The lines of `inline` as one script.
Result<std::string> JoinLines(const Value& lines) {
  std::string out;
  for (const Value& line : lines.elements()) {
    if (line.IsNull()) {
      return Fail(ErrorCode::kInvalid, "invalid null string in 'scripts'");
    }
    if (line.AsString().empty()) {
      return Fail(ErrorCode::kInvalid, "invalid empty string in 'scripts'");
    }
    out.append(line.AsString()).append("\n");
  }
  return out;
}

Result<std::string> ReadScript(const Value& path) {
  if (path.IsNull()) {
    return Fail(ErrorCode::kInvalid, "invalid null string in 'script'");
  }
  const std::string name(path.AsString());
  if (name.empty()) {
    return Fail(ErrorCode::kInvalid, "invalid empty string in 'script'");
  }
  Result<std::string> text = ReadFile(name);
  if (!text) {
    return Fail(ErrorCode::kInvalid,
                "Failed to open script '" + name + "': " + text.error().message);
  }
  return text;
}

Result<std::vector<std::string>> CollectScripts(const Value& config) {
  std::vector<std::string> out;
  if (const Value& lines = config.Attribute("inline"); !lines.IsNull()) {
    KINU_TRY(std::string script, JoinLines(lines));
    out.push_back(std::move(script));
    return out;
  }
  if (const Value& path = config.Attribute("script"); !path.IsNull()) {
    KINU_TRY(std::string script, ReadScript(path));
    out.push_back(std::move(script));
  }
  if (const Value& paths = config.Attribute("scripts"); !paths.IsNull()) {
    for (const Value& path : paths.elements()) {
      KINU_TRY(std::string script, ReadScript(path));
      out.push_back(std::move(script));
    }
  }
  return out;
}

}  // namespace

Result<void> UploadToMachine(const ProvisionRequest& request) {
  KINU_TRY(const std::unique_ptr<remote::Communicator> communicator, CommunicatorFor(request));
  const Value& content = request.config.Attribute("content");
  std::string source;
  if (content.IsNull()) {
    KINU_TRY(source, ExpandHome(std::string(request.config.Attribute("source").AsString())));
  }
  const std::string destination(request.config.Attribute("destination").AsString());
  if (Result<void> connected = remote::ConnectWithRetries(*communicator, {}, request.stop);
      !connected) {
    return connected;
  }
  if (content.IsNull()) {
    return UploadSource(*communicator, source, destination);
  }
  Result<void> done = communicator->UploadText(destination, content.AsString());
  if (!done) {
    return Fail(done.error().code, "Upload failed: " + done.error().message);
  }
  return done;
}

Result<void> RunOnMachine(const ProvisionRequest& request) {
  KINU_TRY(const std::unique_ptr<remote::Communicator> communicator, CommunicatorFor(request));
  KINU_TRY(const std::vector<std::string> scripts, CollectScripts(request.config));
  if (Result<void> connected =
          remote::ConnectWithRetries(*communicator, request.output, request.stop);
      !connected) {
    return connected;
  }
  for (const std::string& script : scripts) {
    const std::string path = communicator->ScriptPath();
    if (Result<void> done = communicator->UploadScript(path, script); !done) {
      return Fail(done.error().code, "Failed to upload script: " + done.error().message);
    }
    if (Result<void> done = communicator->Run(communicator->ScriptCommand(path), request.output);
        !done) {
      return done;
    }
    // The script may hold secrets: nothing of it stays on the machine.
    if (Result<void> done = communicator->UploadText(path, ""); !done) {
      log::Write(log::Level::kWarn, "cannot empty the script: " + done.error().message);
    }
  }
  return {};
}

}  // namespace kinu::provisioners
