#include "remote/winrm_communicator.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/files.h"
#include "codec/base64.h"
#include "net/curl_transport.h"
#include "remote/output_lines.h"
#include "remote/settings.h"
#include "remote/winrm_client.h"
#include "text/quote.h"

namespace kinu::remote {
namespace {

using std::chrono::milliseconds;

/// Commands that one shell runs: what the oldest servers allow by default.
constexpr int kCommandsPerShell = 15;

void Announce(const WinrmSettings& settings, const OutputSink& output) {
  const auto line = [](std::string_view name, bool value) {
    return std::string(name) + (value ? "true" : "false");
  };
  output("Connecting to remote host via WinRM...\n  Host: " + settings.host +
         "\n  Port: " + std::to_string(settings.port) + "\n  User: " + settings.user +
         line("\n  Password: ", !settings.password.empty()) + line("\n  HTTPS: ", settings.https) +
         line("\n  Insecure: ", settings.insecure) + line("\n  NTLM: ", settings.ntlm) +
         line("\n  CACert: ", !settings.authority.empty()));
}

/// A path as Windows programs take it.
std::string WindowsPath(std::string path) {
  std::ranges::replace(path, '/', '\\');
  return path;
}

/// A text between double quotes of PowerShell, where variables are replaced.
std::string PowerShellText(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    out += c == '"' ? "`\"" : std::string(1, c);
  }
  return out + '"';
}

/// Writes the file from the lines of base64 in a part file, if there is one, and removes that.
std::string RestoreScript(const std::string& part, const std::string& target) {
  return "$ErrorActionPreference = 'Stop'\n"
         "$part = " +
         PowerShellText("$env:TEMP\\" + part) +
         "\n"
         "$target = [IO.Path]::GetFullPath(" +
         PowerShellText(WindowsPath(target)) +
         ")\n"
         "if (Test-Path -LiteralPath $target -PathType Container) { exit 1 }\n"
         "[void][IO.Directory]::CreateDirectory([IO.Path]::GetDirectoryName($target))\n"
         "$file = [IO.File]::Create($target)\n"
         "try {\n"
         "  if (Test-Path -LiteralPath $part) {\n"
         "    $reader = [IO.File]::OpenText($part)\n"
         "    try {\n"
         "      while (($line = $reader.ReadLine()) -ne $null) {\n"
         "        $bytes = [Convert]::FromBase64String($line)\n"
         "        $file.Write($bytes, 0, $bytes.Length)\n"
         "      }\n"
         "    } finally { $reader.Close() }\n"
         "  }\n"
         "} finally { $file.Close() }\n"
         "Remove-Item -LiteralPath $part -ErrorAction SilentlyContinue\n";
}

/// The files below a directory, relative to it, sorted.
Result<std::vector<std::string>> FilesBelow(const std::string& directory) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  std::error_code error;
  fs::recursive_directory_iterator at(directory, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    if (!at->is_directory(error) && at->path().filename() != ".DS_Store") {
      files.push_back(at->path().lexically_relative(directory).string());
    }
  }
  if (error) {
    return Fail(ErrorCode::kIo, "Couldn't read file " + directory + ": " + error.message());
  }
  std::ranges::sort(files);
  return files;
}

class WinrmCommunicator final : public Communicator {
 public:
  WinrmCommunicator(WinrmSettings settings, net::Transport& transport,
                    const std::atomic<bool>* stop)
      : settings_(std::move(settings)), client_(settings_, transport, stop) {}

  Result<void> Connect(const OutputSink& output, const Limits& limits) override {
    if (output) {
      Announce(settings_, output);
    }
    const auto left = limits.deadline - std::chrono::steady_clock::now();
    const auto patience = std::clamp(std::chrono::duration_cast<milliseconds>(left),
                                     milliseconds(1), milliseconds(std::chrono::hours(1)));
    KINU_TRY(const std::string shell, client_.CreateShell(patience));
    client_.DeleteShell(shell);
    if (output) {
      output("Connected!");
    }
    return {};
  }

  Result<void> Run(const std::string& command, const OutputSink& output) override {
    OutputLines out(output);
    OutputLines error(output);
    const auto flush = [&] {
      out.Flush();
      error.Flush();
    };
    const Result<int64_t> status =
        RunInShell(command, {.out = [&](std::string_view bytes) { out.Add(bytes); },
                             .error = [&](std::string_view bytes) { error.Add(bytes); },
                             .idle = flush});
    flush();
    const std::string name = text::GoQuote(command);
    if (!status) {
      return Fail(status.error().code, "error executing " + name + ": " + status.error().message);
    }
    if (*status != 0) {
      return Fail(ErrorCode::kInvalid, name + " exit status: " + std::to_string(*status));
    }
    return {};
  }

  Result<void> UploadFile(const std::string& target, const std::string& source) override {
    KINU_TRY(const std::string text, ReadFile(source));
    return UploadText(target, text);
  }

  Result<void> UploadText(const std::string& target, std::string_view text) override {
    const std::string part = "kinu-" + RandomUuid() + ".tmp";
    Result<void> done = UploadPart(part, text);
    if (!done) {
      return Fail(done.error().code,
                  "Error uploading file to $env:TEMP\\" + part + ": " + done.error().message);
    }
    done = Require("restore", PowerShellCommand(RestoreScript(part, target)));
    if (!done) {
      return Fail(done.error().code, "Error restoring file from $env:TEMP\\" + part + " to " +
                                         WindowsPath(target) + ": " + done.error().message);
    }
    return {};
  }

  Result<void> UploadScript(const std::string& target, std::string_view text) override {
    return UploadText(target, text);
  }

  Result<void> UploadDirectory(const std::string& target, const std::string& source) override {
    KINU_TRY(const std::vector<std::string> files, FilesBelow(source));
    for (const std::string& file : files) {
      if (Result<void> done = UploadFile(JoinPath(target, file), JoinPath(source, file)); !done) {
        return done;
      }
    }
    return {};
  }

  std::chrono::nanoseconds timeout() const override { return settings_.timeout; }
  std::string ScriptPath() const override {
    uint32_t number = 0;
    RandomBytes(&number, sizeof(number));
    return FillScriptPath(settings_.script_path, number);
  }

 private:
  Result<int64_t> RunInShell(const std::string& command, const WinrmSinks& sinks) {
    KINU_TRY(const std::string shell, client_.CreateShell());
    Result<int64_t> status = client_.Execute(shell, command, sinks);
    client_.DeleteShell(shell);
    return status;
  }

  /// Runs a command whose output does not matter.
  Result<void> Require(const std::string& what, const std::string& command) {
    KINU_TRY(const int64_t status, RunInShell(command, kNoOutput));
    return Succeeded(what, status);
  }

  static Result<void> Succeeded(const std::string& what, int64_t status) {
    if (status != 0) {
      return Fail(ErrorCode::kUnavailable,
                  what + " operation returned code=" + std::to_string(status));
    }
    return {};
  }

  /// Writes a text as lines of base64 into a temporary file: command lines carry 8,191 characters.
  Result<void> UploadPart(const std::string& part, std::string_view text) {
    const std::string path = "%TEMP%\\" + part;
    const size_t size = (8000 - path.size()) / 4 * 3;
    while (!text.empty()) {
      const Result<std::string> shell = client_.CreateShell();
      if (!shell) {
        return Fail(shell.error().code, "Couldn't create shell: " + shell.error().message);
      }
      Result<void> done;
      for (int i = 0; done && i < kCommandsPerShell && !text.empty(); ++i) {
        const std::string_view bytes = text.substr(0, size);
        text.remove_prefix(bytes.size());
        done = Append(*shell, path, bytes);
      }
      client_.DeleteShell(*shell);
      if (!done) {
        return done;
      }
    }
    return {};
  }

  Result<void> Append(const std::string& shell, const std::string& path, std::string_view bytes) {
    KINU_TRY(
        const int64_t status,
        client_.Execute(shell, "echo " + EncodeBase64(bytes) + " >> \"" + path + '"', kNoOutput));
    return Succeeded("upload", status);
  }

  inline static const WinrmSinks kNoOutput = {
      .out = [](std::string_view) {}, .error = [](std::string_view) {}, .idle = [] {}};

  WinrmSettings settings_;
  WinrmClient client_;
};

}  // namespace

Result<std::unique_ptr<Communicator>> MakeWinrmCommunicator(const Value& connection,
                                                            const std::atomic<bool>* stop,
                                                            net::Transport* transport) {
  KINU_TRY(WinrmSettings settings, ReadWinrmSettings(connection));
  return std::make_unique<WinrmCommunicator>(
      std::move(settings), transport == nullptr ? net::CurlTransport() : *transport, stop);
}

}  // namespace kinu::remote
