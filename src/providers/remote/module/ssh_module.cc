// The ssh module: libssh.
#include <array>
#include <atomic>
#include <chrono>
#include <list>
#include <thread>

#include <libssh/callbacks.h>
#include <libssh/libssh.h>
#include <libssh/server.h>  // ssh_send_keepalive, which clients use too
#include <sys/socket.h>
#include <unistd.h>

#include "remote/module/keys.h"
#include "remote/module/ssh_login.h"
#include "remote/ssh_runtime.h"

namespace kinu::remote {
namespace {

using Clock = std::chrono::steady_clock;

struct EventDeleter {
  void operator()(ssh_event event) const { ssh_event_free(event); }
};
using Event = std::unique_ptr<ssh_event_struct, EventDeleter>;

/// Copies bytes between a channel and a socket, in both directions, while its event is polled.
class Relay {
 public:
  Relay(ssh_session session, ssh_event event, ssh_channel channel, int socket)
      : event_(event),
        channel_(channel),
        socket_(socket),
        to_channel_(ssh_connector_new(session)),
        to_socket_(ssh_connector_new(session)) {
    ssh_connector_set_in_fd(to_channel_, socket);
    ssh_connector_set_out_channel(to_channel_, channel, SSH_CONNECTOR_STDINOUT);
    ssh_connector_set_in_channel(to_socket_, channel, SSH_CONNECTOR_STDINOUT);
    ssh_connector_set_out_fd(to_socket_, socket);
    ssh_event_add_connector(event_, to_channel_);
    ssh_event_add_connector(event_, to_socket_);
  }
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;
  ~Relay() {
    ssh_event_remove_connector(event_, to_channel_);
    ssh_event_remove_connector(event_, to_socket_);
    ssh_connector_free(to_channel_);
    ssh_connector_free(to_socket_);
    ssh_channel_free(channel_);
    ::close(socket_);
  }

  bool ended() const {
    return ssh_channel_is_closed(channel_) != 0 || ssh_channel_is_eof(channel_) != 0;
  }

 private:
  ssh_event event_;
  ssh_channel channel_;
  int socket_;
  ssh_connector to_channel_;
  ssh_connector to_socket_;
};

/// Carries questions of the server to the agent of the user, and answers back.
class AgentChannel {
 public:
  AgentChannel(ssh_channel channel, int agent) : channel_(channel), agent_(agent) {
    callbacks_.userdata = this;
    callbacks_.channel_data_function = [](ssh_session, ssh_channel, void* data, uint32_t size, int,
                                          void* user) {
      static_cast<AgentChannel*>(user)->questions_.append(static_cast<const char*>(data), size);
      return static_cast<int>(size);
    };
    ssh_callbacks_init(&callbacks_);
    ssh_set_channel_callbacks(channel, &callbacks_);
  }
  AgentChannel(const AgentChannel&) = delete;
  AgentChannel& operator=(const AgentChannel&) = delete;
  ~AgentChannel() {
    ssh_remove_channel_callbacks(channel_, &callbacks_);
    ssh_channel_close(channel_);
    ssh_channel_free(channel_);
    ::close(agent_);
  }

  /// Answers the questions that have come. Not for callbacks: it writes to the channel. False once
  /// the server or the agent has ended it.
  bool Serve() {
    while (questions_.size() >= 4 && questions_.size() >= 4 + SizeOf(questions_)) {
      const std::string question = questions_.substr(0, 4 + SizeOf(questions_));
      questions_.erase(0, question.size());
      const std::string answer = Ask(question);
      if (answer.empty() ||
          ssh_channel_write(channel_, answer.data(), static_cast<uint32_t>(answer.size())) < 0) {
        return false;
      }
    }
    return ssh_channel_is_closed(channel_) == 0 && ssh_channel_is_eof(channel_) == 0;
  }

 private:
  static size_t SizeOf(const std::string& message) {
    size_t out = 0;
    for (size_t i = 0; i < 4; ++i) {
      out = out << 8 | static_cast<unsigned char>(message[i]);
    }
    return out;
  }

  std::string Ask(const std::string& question) const {
    constexpr size_t kMost = 1 << 20;
    std::string answer(4, '\0');
    if (::send(agent_, question.data(), question.size(), MSG_NOSIGNAL) !=
            static_cast<ssize_t>(question.size()) ||
        ::recv(agent_, answer.data(), 4, MSG_WAITALL) != 4 || SizeOf(answer) > kMost) {
      return {};
    }
    const size_t size = SizeOf(answer);
    answer.resize(4 + size);
    return ::recv(agent_, answer.data() + 4, size, MSG_WAITALL) == static_cast<ssize_t>(size)
               ? answer
               : std::string();
  }

  ssh_channel channel_;
  int agent_;
  ssh_channel_callbacks_struct callbacks_{};
  std::string questions_;
};

/// A command on a channel: what the callbacks of libssh collect.
struct Running {
  const SshCommand& command;
  std::string input;  ///< stdout that `talk` has not read yet, from `read` on
  size_t read = 0;
  bool ended_output = false;
  bool closed = false;
  bool heard = false;  ///< output came since the last call of on_idle
  SshExit exit;
};

int OnData(ssh_session, ssh_channel, void* data, uint32_t size, int is_error, void* user) {
  auto& running = *static_cast<Running*>(user);
  const std::string_view bytes(static_cast<const char*>(data), size);
  running.heard = true;
  if (running.command.talk) {
    if (is_error == 0) {
      running.input.append(bytes);
    }
  } else if (const auto& sink =
                 is_error != 0 ? running.command.on_error : running.command.on_output) {
    sink(bytes);
  }
  return static_cast<int>(size);
}

void OnEnd(ssh_session, ssh_channel, void* user) {
  static_cast<Running*>(user)->ended_output = true;
}

void OnClose(ssh_session, ssh_channel, void* user) {
  auto& running = *static_cast<Running*>(user);
  running.ended_output = true;
  running.closed = true;
}

void OnExit(ssh_session, ssh_channel, int status, void* user) {
  auto& running = *static_cast<Running*>(user);
  running.exit.known = true;
  running.exit.status = status;
}

void OnSignal(ssh_session, ssh_channel, const char* name, int, const char*, const char*,
              void* user) {
  struct Signal {
    std::string_view name;
    int number;
  };
  constexpr Signal kSignals[] = {{"ABRT", 6}, {"ALRM", 14}, {"FPE", 8},  {"HUP", 1},
                                 {"ILL", 4},  {"INT", 2},   {"KILL", 9}, {"PIPE", 13},
                                 {"QUIT", 3}, {"SEGV", 11}, {"TERM", 15}};
  auto& running = *static_cast<Running*>(user);
  running.exit.known = true;
  running.exit.signal = name;
  running.exit.status = 128;
  for (const Signal& signal : kSignals) {
    running.exit.status += signal.name == running.exit.signal ? signal.number : 0;
  }
}

class LibsshLink final : public SshLink, public SshStreams {
 public:
  LibsshLink(Session session, const SshLogin& login)
      : session_(std::move(session)), event_(ssh_event_new()), agent_(login.agent) {
    ssh_event_add_session(event_.get(), session_.get());
    if (login.forward_agent && agent_) {
      ForwardAgent();
    }
  }

  ~LibsshLink() override {
    stopping_ = true;
    if (tunnel_.joinable()) {
      tunnel_.join();
    }
    agents_.clear();
    relays_.clear();
    ssh_event_remove_session(event_.get(), session_.get());
  }

  Result<SshExit> Execute(const SshCommand& command) override {
    const ssh_channel channel = ssh_channel_new(session_.get());
    if (channel == nullptr || ssh_channel_open_session(channel) != SSH_OK) {
      std::string why = ssh_get_error(session_.get());
      if (channel != nullptr) {
        ssh_channel_free(channel);
      }
      return Fail(ErrorCode::kUnavailable, std::move(why));
    }
    Running running{.command = command};
    ssh_channel_callbacks_struct callbacks{};
    callbacks.userdata = &running;
    callbacks.channel_data_function = OnData;
    callbacks.channel_eof_function = OnEnd;
    callbacks.channel_close_function = OnClose;
    callbacks.channel_exit_status_function = OnExit;
    callbacks.channel_exit_signal_function = OnSignal;
    ssh_callbacks_init(&callbacks);
    ssh_set_channel_callbacks(channel, &callbacks);
    Result<SshExit> out = Start(channel, running);
    ssh_remove_channel_callbacks(channel, &callbacks);
    ssh_channel_close(channel);
    ssh_channel_free(channel);
    return out;
  }

  Result<int> OpenTunnel(const std::string& host, int port) override {
    const ssh_channel channel = ssh_channel_new(session_.get());
    if (channel == nullptr ||
        ssh_channel_open_forward(channel, host.c_str(), port, "0.0.0.0", 0) != SSH_OK) {
      std::string why = RejectionText(ssh_get_error(session_.get()));
      if (channel != nullptr) {
        ssh_channel_free(channel);
      }
      return Fail(ErrorCode::kUnavailable, std::move(why));
    }
    std::array<int, 2> pair{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0) {
      ssh_channel_free(channel);
      return Fail(ErrorCode::kIo, "no more sockets");
    }
    relays_.emplace_back(session_.get(), event_.get(), channel, pair[1]);
    tunnel_ = std::thread([this, socket = pair[1]] {
      while (!stopping_ && !relays_.front().ended() && Poll(50)) {
      }
      ::shutdown(socket, SHUT_RDWR);
    });
    return pair[0];
  }

  bool Write(std::string_view bytes) override {
    while (!bytes.empty()) {
      if (running_->closed || ssh_is_connected(session_.get()) == 0) {
        return false;
      }
      const int sent = ssh_channel_write(channel_, bytes.data(),
                                         static_cast<uint32_t>(std::min(bytes.size(), kMostWrite)));
      if (sent <= 0) {
        return false;
      }
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
    return true;
  }

  int Read() override {
    Running& running = *running_;
    while (running.read == running.input.size()) {
      running.input.clear();
      running.read = 0;
      if (running.ended_output || !Poll(kAliveWait)) {
        return -1;
      }
    }
    return static_cast<unsigned char>(running.input[running.read++]);
  }

 private:
  static constexpr size_t kMostWrite = 32 << 10;
  static constexpr int kAliveWait = 2000;  // milliseconds between signs of life
  static constexpr int kIdleWait = 100;

  /// "Channel opening failure: channel 43 error (2) open failed" in the words of Go's ssh package.
  static std::string RejectionText(const std::string& text) {
    constexpr std::array<std::string_view, 5> kReasons = {"", "administratively prohibited",
                                                          "connect failed", "unknown channel type",
                                                          "resource shortage"};
    const size_t open = text.find("error (");
    const size_t close = open == std::string::npos ? open : text.find(") ", open);
    if (close == std::string::npos) {
      return "ssh: " + text;
    }
    const auto code = static_cast<size_t>(std::atoi(text.c_str() + open + 7));
    return "ssh: rejected: " +
           (code > 0 && code < kReasons.size() ? std::string(kReasons[code])
                                               : "unknown reason " + std::to_string(code)) +
           " (" + text.substr(close + 2) + ")";
  }

  /// Handles what comes within a time. False once the connection is gone.
  bool Poll(int milliseconds) {
    const bool handled = ssh_event_dopoll(event_.get(), milliseconds) != SSH_ERROR;
    agents_.remove_if([](AgentChannel& agent) { return !agent.Serve(); });
    return handled && ssh_is_connected(session_.get()) != 0;
  }

  Result<SshExit> Start(ssh_channel channel, Running& running) {
    const SshCommand& command = running.command;
    constexpr int kColumns = 40;
    constexpr int kRows = 80;
    if (command.terminal &&
        ssh_channel_request_pty_size(channel, "xterm", kColumns, kRows) != SSH_OK) {
      return Fail(ErrorCode::kInvalid, "ssh: pty-req failed");
    }
    if (ssh_channel_request_exec(channel, command.text.c_str()) != SSH_OK) {
      return Fail(ErrorCode::kInvalid, "ssh: command " + command.text + " failed");
    }
    channel_ = channel;
    running_ = &running;
    if (command.talk) {
      command.talk(*this);
    }
    ssh_channel_send_eof(channel);
    Wait(running);
    return running.exit;
  }

  /// Waits until the server closes the channel. Sends signs of life meanwhile.
  void Wait(Running& running) {
    auto next = Clock::now() + std::chrono::milliseconds(kAliveWait);
    while (!running.closed) {
      const bool pending = running.heard && running.command.on_idle;
      running.heard = false;
      if (!Poll(pending ? kIdleWait : kAliveWait)) {
        return;
      }
      if (pending && !running.heard) {
        running.command.on_idle();
      }
      if (Clock::now() >= next) {
        ssh_send_keepalive(session_.get());
        next = Clock::now() + std::chrono::milliseconds(kAliveWait);
      }
    }
  }

  /// Lets commands on the server reach the agent of the user.
  void ForwardAgent() {
    callbacks_.userdata = this;
    callbacks_.channel_open_request_auth_agent_function = [](ssh_session, void* user) {
      return static_cast<LibsshLink*>(user)->OpenAgentChannel();
    };
    ssh_callbacks_init(&callbacks_);
    ssh_set_callbacks(session_.get(), &callbacks_);
    const ssh_channel channel = ssh_channel_new(session_.get());
    if (channel != nullptr && ssh_channel_open_session(channel) == SSH_OK) {
      ssh_channel_request_auth_agent(channel);  // a server may refuse it
      ssh_channel_close(channel);
    }
    if (channel != nullptr) {
      ssh_channel_free(channel);
    }
  }

  ssh_channel OpenAgentChannel() {
    const Result<int> agent = agent_();
    if (!agent) {
      return nullptr;
    }
    const ssh_channel channel = ssh_channel_new(session_.get());
    agents_.emplace_back(channel, *agent);
    return channel;
  }

  Session session_;
  Event event_;
  std::function<Result<int>()> agent_;
  ssh_callbacks_struct callbacks_{};
  std::list<AgentChannel> agents_;
  std::list<Relay> relays_;  ///< at most one: the tunnel
  std::atomic<bool> stopping_ = false;
  std::thread tunnel_;
  ssh_channel channel_ = nullptr;  ///< of the command that runs
  Running* running_ = nullptr;
};

class LibsshRuntime final : public SshRuntime {
 public:
  std::string CheckKey(const std::string& private_key, const std::string& certificate) override {
    return ExplainKey(private_key, certificate);
  }

  std::string CheckHostKey(const std::string& host_key) override {
    return ReadPublicKey(host_key) == nullptr ? "knownhosts: the host key is malformed" : "";
  }

  Result<std::unique_ptr<SshLink>> Connect(int socket, const SshLogin& login) override {
    Result<Session> session = OpenSession(socket, login);
    if (!session) {
      return std::unexpected(session.error());
    }
    return std::make_unique<LibsshLink>(*std::move(session), login);
  }
};

}  // namespace
}  // namespace kinu::remote

extern "C" __attribute__((visibility("default"))) kinu::remote::SshRuntime* kinu_ssh_runtime(
    int version) {
  // Lives until the process ends: threads may still use it while static objects are destroyed.
  static auto* runtime = new kinu::remote::LibsshRuntime();
  return version == kinu::remote::kSshRuntimeVersion ? runtime : nullptr;
}
