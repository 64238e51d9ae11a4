#include "remote/module/ssh_login.h"

#include <algorithm>
#include <array>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "remote/module/keys.h"

namespace kinu::remote {
namespace {

constexpr long kHandshakeSeconds = 300;  // the caller ends it earlier, by the socket
constexpr long kAliveSeconds = 120;      // the longest wait for an answer

std::string EndName(const sockaddr_storage& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.ss_family == AF_INET6) {
    const auto& six = reinterpret_cast<const sockaddr_in6&>(address);
    inet_ntop(AF_INET6, &six.sin6_addr, text.data(), text.size());
    return "[" + std::string(text.data()) + "]:" + std::to_string(ntohs(six.sin6_port));
  }
  const auto& four = reinterpret_cast<const sockaddr_in&>(address);
  inet_ntop(AF_INET, &four.sin_addr, text.data(), text.size());
  return std::string(text.data()) + ":" + std::to_string(ntohs(four.sin_port));
}

/// "127.0.0.1:40000->127.0.0.1:22". Taken before a fault: afterwards the socket does not know.
std::string EndNames(int socket) {
  sockaddr_storage here{};
  sockaddr_storage there{};
  socklen_t here_size = sizeof(here);
  socklen_t there_size = sizeof(there);
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&here), &here_size) != 0 ||
      ::getpeername(socket, reinterpret_cast<sockaddr*>(&there), &there_size) != 0) {
    return "";
  }
  return EndName(here) + "->" + EndName(there);
}

/// The words that Go's ssh package has for an error of libssh.
std::string ErrorText(ssh_session session, const std::string& ends) {
  const std::string text = ssh_get_error(session);
  const std::string_view disconnect = "Received SSH_MSG_DISCONNECT: ";
  if (const size_t at = text.find(disconnect); at != std::string::npos) {
    const std::string rest = text.substr(at + disconnect.size());  // "2:Too many ..."
    const size_t colon = std::min(rest.find(':'), rest.size());
    return "ssh: disconnect, reason " + rest.substr(0, colon) + ": " +
           rest.substr(std::min(colon + 1, rest.size()));
  }
  if (text.find("reset by peer") != std::string::npos) {
    return "read tcp " + ends + ": read: connection reset by peer";
  }
  if (text.find("server host key algo") != std::string::npos) {
    return "knownhosts: key mismatch";  // only types of the expected key were offered
  }
  if (text.empty() || text.find("disconnected") != std::string::npos ||
      text.find("onnection closed") != std::string::npos ||
      text.find("closed by remote") != std::string::npos) {
    return "EOF";
  }
  return "ssh: " + text;
}

std::unexpected<Error> HandshakeFailed(const std::string& why) {
  return Fail(ErrorCode::kUnavailable, "ssh: handshake failed: " + why);
}

void SetOptions(ssh_session session, int socket, const SshLogin& login) {
  const bool no = false;
  ssh_options_set(session, SSH_OPTIONS_PROCESS_CONFIG, &no);
  ssh_options_set(session, SSH_OPTIONS_KNOWNHOSTS, "/dev/null");
  ssh_options_set(session, SSH_OPTIONS_GLOBAL_KNOWNHOSTS, "/dev/null");
  ssh_options_set(session, SSH_OPTIONS_HOST, login.host.c_str());
  ssh_options_set(session, SSH_OPTIONS_USER, login.user.c_str());
  ssh_options_set(session, SSH_OPTIONS_TIMEOUT, &kHandshakeSeconds);
  ssh_options_set(session, SSH_OPTIONS_FD, &socket);
  if (!login.host_key.empty()) {
    const std::string type = FirstWord(login.host_key);
    ssh_options_set(session, SSH_OPTIONS_HOSTKEYS,
                    type == "ssh-rsa" ? "rsa-sha2-512,rsa-sha2-256" : type.c_str());
  }
}

bool IsExpectedServer(ssh_session session, const std::string& host_key) {
  if (host_key.empty()) {
    return true;
  }
  ssh_key shown = nullptr;
  if (ssh_get_server_publickey(session, &shown) != SSH_OK) {
    return false;
  }
  const Key server(shown);
  const Key expected = ReadPublicKey(host_key);
  return expected != nullptr && ssh_key_cmp(server.get(), expected.get(), SSH_KEY_CMP_PUBLIC) == 0;
}

/// Logs a user in: each method once, in the order of the reference.
class Authentication {
 public:
  Authentication(ssh_session session, const SshLogin& login) : session_(session), login_(login) {}

  /// Fails with the text of the error.
  Result<void> Run(const std::string& ends) {
    tried_.emplace_back("none");
    int outcome = Await([&] { return ssh_userauth_none(session_, nullptr); });
    if (outcome == SSH_AUTH_SUCCESS) {
      return {};
    }
    for (const Method& method : Methods()) {
      if (outcome == SSH_AUTH_ERROR) {
        return Fail(ErrorCode::kUnavailable, ErrorText(session_, ends));
      }
      const bool again = std::find(tried_.begin(), tried_.end(), method.name) != tried_.end();
      if (again || (ssh_userauth_list(session_, nullptr) & method.bit) == 0) {
        continue;
      }
      tried_.emplace_back(method.name);
      outcome = (this->*method.run)();
      if (outcome == SSH_AUTH_SUCCESS) {
        return {};
      }
    }
    if (outcome == SSH_AUTH_ERROR) {
      return Fail(ErrorCode::kUnavailable, ErrorText(session_, ends));
    }
    std::string names;
    for (const std::string& name : tried_) {
      names += (names.empty() ? "" : " ") + name;
    }
    return Fail(ErrorCode::kUnavailable, "ssh: unable to authenticate, attempted methods [" +
                                             names + "], no supported methods remain");
  }

 private:
  struct Method {
    const char* name;
    int bit;
    int (Authentication::*run)();
  };

  /// Repeats a call until the server has answered. Blocking calls of libssh wait for an answer even
  /// after the server has disconnected.
  template <typename Call>
  int Await(Call call) {
    ssh_set_blocking(session_, 0);
    int outcome = call();
    while (outcome == SSH_AUTH_AGAIN) {
      if (ssh_is_connected(session_) == 0) {
        outcome = SSH_AUTH_ERROR;
        break;
      }
      pollfd waiting{ssh_get_fd(session_), POLLIN, 0};
      ::poll(&waiting, 1, 50);
      outcome = call();
    }
    ssh_set_blocking(session_, 1);
    return outcome;
  }

  std::vector<Method> Methods() const {
    std::vector<Method> out;
    if (!login_.private_key.empty()) {
      out.push_back({"publickey", SSH_AUTH_METHOD_PUBLICKEY, &Authentication::WithKey});
    }
    if (!login_.password.empty()) {
      out.push_back({"password", SSH_AUTH_METHOD_PASSWORD, &Authentication::WithPassword});
      out.push_back(
          {"keyboard-interactive", SSH_AUTH_METHOD_INTERACTIVE, &Authentication::WithAnswers});
    }
    if (login_.agent) {
      out.push_back({"publickey", SSH_AUTH_METHOD_PUBLICKEY, &Authentication::WithAgent});
    }
    return out;
  }

  int WithKey() {
    const Key key = ReadPrivateKey(login_.private_key);
    if (key == nullptr) {
      return SSH_AUTH_DENIED;
    }
    if (!login_.certificate.empty()) {
      const Key certificate = ReadPublicKey(login_.certificate);
      if (certificate == nullptr ||
          ssh_pki_copy_cert_to_privkey(certificate.get(), key.get()) != SSH_OK) {
        return SSH_AUTH_DENIED;
      }
    }
    return Await([&] { return ssh_userauth_publickey(session_, nullptr, key.get()); });
  }

  int WithPassword() { return ssh_userauth_password(session_, nullptr, login_.password.c_str()); }

  /// The password is the answer to every question.
  int WithAnswers() {
    const auto ask = [&] { return ssh_userauth_kbdint(session_, nullptr, nullptr); };
    int outcome = Await(ask);
    while (outcome == SSH_AUTH_INFO) {
      const int count = ssh_userauth_kbdint_getnprompts(session_);
      for (int i = 0; i < count; ++i) {
        ssh_userauth_kbdint_setanswer(session_, static_cast<unsigned>(i), login_.password.c_str());
      }
      outcome = Await(ask);
    }
    return outcome;
  }

  int WithAgent() {
    const Result<int> agent = login_.agent();
    if (!agent || ssh_set_agent_socket(session_, *agent) != SSH_OK) {
      return SSH_AUTH_DENIED;
    }
    return Await([&] { return ssh_userauth_agent(session_, nullptr); });
  }

  ssh_session session_;
  const SshLogin& login_;
  std::vector<std::string> tried_;
};

}  // namespace

Result<Session> OpenSession(int socket, const SshLogin& login) {
  const std::string ends = EndNames(socket);
  Session session(ssh_new());
  if (session == nullptr) {
    ::close(socket);
    return HandshakeFailed("ssh: no memory");
  }
  SetOptions(session.get(), socket, login);
  if (ssh_connect(session.get()) != SSH_OK) {
    return HandshakeFailed(ErrorText(session.get(), ends));
  }
  if (!IsExpectedServer(session.get(), login.host_key)) {
    return HandshakeFailed("knownhosts: key mismatch");
  }
  Authentication authentication(session.get(), login);
  if (Result<void> done = authentication.Run(ends); !done) {
    return HandshakeFailed(done.error().message);
  }
  ssh_options_set(session.get(), SSH_OPTIONS_TIMEOUT, &kAliveSeconds);
  return session;
}

}  // namespace kinu::remote
