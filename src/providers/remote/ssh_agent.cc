#include "remote/ssh_agent.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <thread>
#include <vector>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/files.h"
#include "codec/base64.h"

namespace kinu::remote {
namespace {

constexpr char kIdentitiesAnswer = 12;

uint32_t ReadNumber(std::string_view bytes) {
  uint32_t out = 0;
  for (const char byte : bytes.substr(0, 4)) {
    out = out << 8 | static_cast<unsigned char>(byte);
  }
  return out;
}

/// Takes a text with its length before it. Nothing if it is cut short.
std::optional<std::string_view> TakeText(std::string_view& bytes) {
  if (bytes.size() < 4 || ReadNumber(bytes) > bytes.size() - 4) {
    return std::nullopt;
  }
  const std::string_view out = bytes.substr(4, ReadNumber(bytes));
  bytes.remove_prefix(4 + out.size());
  return out;
}

/// The public key in a file: a line "TYPE BASE64 COMMENT". Empty if there is none.
std::string PublicKeyIn(const std::string& path) {
  const Result<std::string> text = ReadFile(path);
  if (!text) {
    return {};
  }
  const size_t start = text->find(' ');
  if (start == std::string::npos) {
    return {};
  }
  const size_t end = text->find_first_of(" \n\r", start + 1);
  const Result<std::string> key = DecodeBase64(
      std::string_view(*text).substr(start + 1, end == std::string::npos ? end : end - start - 1));
  return key ? *key : std::string();
}

struct AgentKey {
  std::string_view key;
  std::string_view comment;
  std::string_view bytes;  ///< both, as they stand in the message
};

bool SendAll(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) {
      return false;
    }
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

/// One message with its length before it. Empty at the end of the stream.
std::string ReceiveMessage(int socket) {
  constexpr uint32_t kMost = 1 << 20;
  std::string out(4, '\0');
  if (::recv(socket, out.data(), 4, MSG_WAITALL) != 4 || ReadNumber(out) > kMost) {
    return {};
  }
  const uint32_t size = ReadNumber(out);
  out.resize(4 + size_t{size});
  return ::recv(socket, out.data() + 4, size, MSG_WAITALL) == static_cast<ssize_t>(size)
             ? out
             : std::string();
}

/// Passes questions on and answers back, one after the other.
void RelayAgent(int client, int agent, const std::string& identity) {
  while (true) {
    const std::string question = ReceiveMessage(client);
    if (question.empty() || !SendAll(agent, question)) {
      break;
    }
    const std::string answer = ReceiveMessage(agent);
    if (answer.empty() || !SendAll(client, PreferIdentity(answer, identity))) {
      break;
    }
  }
  ::close(client);
  ::close(agent);
}

}  // namespace

Result<int> ConnectToAgent() {
  const std::string_view path = Environment("SSH_AUTH_SOCK");
  if (path.empty()) {
    return Fail(ErrorCode::kInvalid, "SSH agent requested but SSH_AUTH_SOCK not-specified");
  }
  const auto fail = [&](int error) {
    return Fail(ErrorCode::kInvalid, "Error connecting to SSH_AUTH_SOCK: dial unix " +
                                         std::string(path) + ": connect: " + SystemMessage(error));
  };
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) {
    return fail(EINVAL);
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0 ||
      ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    const int error = errno;
    if (socket >= 0) {
      ::close(socket);
    }
    return fail(error);
  }
  return socket;
}

std::string PreferIdentity(const std::string& message, const std::string& identity) {
  std::string_view rest = message;
  if (identity.empty() || rest.size() < 9 || rest[4] != kIdentitiesAnswer) {
    return message;
  }
  const std::string head(rest.substr(0, 9));
  rest.remove_prefix(9);
  const std::string path = AbsolutePath(identity);
  std::string wanted = PublicKeyIn(path);
  if (wanted.empty() && !path.ends_with(".pub")) {
    wanted = PublicKeyIn(path + ".pub");
  }
  std::vector<AgentKey> keys;
  while (!rest.empty()) {
    const std::string_view start = rest;
    const std::optional<std::string_view> key = TakeText(rest);
    const std::optional<std::string_view> comment =
        key ? TakeText(rest) : std::optional<std::string_view>();
    if (!comment) {
      return message;
    }
    keys.push_back({*key, *comment, start.substr(0, start.size() - rest.size())});
  }
  const auto rank = [&](const AgentKey& key) {
    if (key.comment == identity || (!wanted.empty() && key.key == wanted)) {
      return 0;
    }
    return key.comment.ends_with(identity) ? 1 : 2;
  };
  std::stable_sort(keys.begin(), keys.end(),
                   [&](const AgentKey& a, const AgentKey& b) { return rank(a) < rank(b); });
  std::string out = head;
  for (const AgentKey& key : keys) {
    out += key.bytes;
  }
  return out;
}

Result<int> ConnectToAgentPreferring(const std::string& identity) {
  KINU_TRY(const int agent, ConnectToAgent());
  std::array<int, 2> pair{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0) {
    ::close(agent);
    return Fail(ErrorCode::kIo, "socketpair: " + SystemMessage(errno));
  }
  std::thread([client = pair[1], agent, identity] {
    RelayAgent(client, agent, identity);
  }).detach();
  return pair[0];
}

}  // namespace kinu::remote
