#include "remote/scp.h"

#include <cerrno>
#include <cstdio>
#include <memory>

#include <sys/stat.h>

#include "base/files.h"

namespace kinu::remote {
namespace {

constexpr size_t kPiece = 32 << 10;

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

std::string FileMessage(std::string_view name, uint64_t size) {
  return "C0644 " + std::to_string(size) + " " + std::string(name) + "\n";
}

std::unexpected<Error> AtEnd() {
  return Fail(ErrorCode::kCancelled, "EOF");
}

}  // namespace

Result<void> ScpSender::Send(std::string_view bytes) {
  return streams_.Write(bytes) ? Result<void>() : AtEnd();
}

Result<void> ScpSender::ReadStatus() {
  const int code = streams_.Read();
  if (code == 0) {
    return {};
  }
  if (code < 0) {
    return AtEnd();
  }
  std::string message;
  int byte = streams_.Read();
  if (byte < 0) {
    return Fail(ErrorCode::kUnavailable, "Error reading error message: EOF");
  }
  for (; byte >= 0 && byte != '\n'; byte = streams_.Read()) {
    message += static_cast<char>(byte);
  }
  if (message.ends_with('\r')) {
    message.pop_back();
  }
  return Fail(ErrorCode::kUnavailable, message);
}

Result<void> ScpSender::SendText(std::string_view name, std::string_view text) {
  if (Result<void> sent = Send(FileMessage(name, text.size())); !sent) {
    return sent;
  }
  if (Result<void> accepted = ReadStatus(); !accepted) {
    return accepted;
  }
  if (Result<void> sent = Send(text); !sent) {
    return sent;
  }
  if (Result<void> sent = Send(std::string_view("\0", 1)); !sent) {
    return sent;
  }
  return ReadStatus();
}

Result<void> ScpSender::SendFile(std::string_view name, const std::string& path) {
  const std::unique_ptr<std::FILE, FileCloser> file(std::fopen(path.c_str(), "rbe"));
  struct stat status{};
  if (file == nullptr || ::fstat(::fileno(file.get()), &status) != 0) {
    return Fail(ErrorCode::kIo, "open " + path + ": " + SystemMessage(errno));
  }
  auto left = static_cast<uint64_t>(status.st_size);
  if (left == 0) {  // also devices and pipes, whose size only a read shows
    KINU_TRY(const std::string text, ReadFile(path));
    return SendText(name, text);
  }
  if (Result<void> sent = Send(FileMessage(name, left)); !sent) {
    return sent;
  }
  if (Result<void> accepted = ReadStatus(); !accepted) {
    return accepted;
  }
  std::string piece(kPiece, '\0');
  while (left > 0) {
    const size_t most = static_cast<size_t>(std::min<uint64_t>(left, kPiece));
    const size_t size = std::fread(piece.data(), 1, most, file.get());
    if (size == 0) {
      return Fail(ErrorCode::kIo, "read " + path + ": the file became shorter");
    }
    if (Result<void> sent = Send(std::string_view(piece).substr(0, size)); !sent) {
      return sent;
    }
    left -= size;
  }
  if (Result<void> sent = Send(std::string_view("\0", 1)); !sent) {
    return sent;
  }
  return ReadStatus();
}

Result<void> ScpSender::SendEntries(const std::string& directory) {
  KINU_TRY(const std::vector<std::string> names, ListDirectory(directory));
  for (const std::string& name : names) {
    const std::string path = JoinPath(directory, name);
    Result<void> sent = IsDirectory(path) ? SendDirectory(name, path) : SendFile(name, path);
    if (!sent) {
      return sent;
    }
  }
  return {};
}

Result<void> ScpSender::SendDirectory(std::string_view name, const std::string& directory) {
  if (Result<void> sent = Send("D0755 0 " + std::string(name) + "\n"); !sent) {
    return sent;
  }
  if (Result<void> accepted = ReadStatus(); !accepted) {
    return accepted;
  }
  if (Result<void> sent = SendEntries(directory); !sent) {
    return sent;
  }
  return Send("E\n");
}

std::string QuoteForShell(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) {
    out += out.empty() ? "'" : " '";
    for (const char c : word) {
      if (c == '\'') {
        out += "'\\''";
      } else {
        out += c;
      }
    }
    out += '\'';
  }
  return out;
}

std::string QuoteForWindows(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) {
    if (out.empty()) {
      out = word;
      continue;
    }
    out += ' ';
    if (!word.empty() && word.find_first_of(" \t\n\v\"") == std::string::npos) {
      out += word;
      continue;
    }
    out += '"';
    size_t slashes = 0;
    for (const char c : word) {
      if (c == '"') {  // backslashes before a quote count twice
        out.append(slashes + 1, '\\');
      }
      slashes = c == '\\' ? slashes + 1 : 0;
      out += c;
    }
    out.append(slashes, '\\').append("\"");
  }
  return out;
}

}  // namespace kinu::remote
