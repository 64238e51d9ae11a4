#include "remote/ssh_communicator.h"

#include <unistd.h>

#include "base/files.h"
#include "base/module.h"
#include "remote/dial.h"
#include "remote/output_lines.h"
#include "remote/scp.h"
#include "remote/settings.h"
#include "remote/socket_guard.h"
#include "remote/ssh_agent.h"
#include "remote/ssh_runtime.h"
#include "text/quote.h"

namespace kinu::remote {
namespace {

constexpr std::chrono::milliseconds kDialPatience{15'000};

std::string_view YesNo(bool value) {
  return value ? "true" : "false";
}

void AddIdentityLines(std::string& out, const SshPeer& peer, bool agent) {
  out += "  Host: " + peer.host + "\n  User: " + peer.user;
  out.append("\n  Password: ").append(YesNo(!peer.password.empty()));
  out.append("\n  Private key: ").append(YesNo(!peer.private_key.empty()));
  out.append("\n  Certificate: ").append(YesNo(!peer.certificate.empty()));
  out.append("\n  SSH Agent: ").append(YesNo(agent));
}

void Announce(const SshSettings& settings, const OutputSink& output) {
  std::string text = "Connecting to remote host via SSH...\n";
  AddIdentityLines(text, settings.target, settings.agent);
  text.append("\n  Checking Host Key: ").append(YesNo(!settings.target.host_key.empty()));
  text.append("\n  Target Platform: ").append(settings.windows ? "windows\n" : "unix\n");
  output(text);
  if (const SshPeer& bastion = settings.bastion; !bastion.host.empty()) {
    text = "Using configured bastion host...\n";
    AddIdentityLines(text, bastion, settings.agent);
    text.append("\n  Checking Host Key: ").append(YesNo(settings.bastion_key_given));
    output(text);
  }
  if (const ProxySettings& proxy = settings.proxy; !proxy.host.empty()) {
    output("Using configured proxy host...\n  ProxyHost: " + proxy.host +
           "\n  ProxyPort: " + std::to_string(proxy.port) + "\n  ProxyUserName: " + proxy.user +
           "\n  ProxyUserPassword: " + std::string(YesNo(!proxy.password.empty())));
  }
}

/// Why a command failed, in the words of Go's ssh package. Empty if it did not.
std::string ExitText(const SshExit& exit) {
  if (!exit.known) {
    return "wait: remote command exited without exit status or exit signal";
  }
  if (!exit.signal.empty()) {
    return "Process exited with status " + std::to_string(exit.status) + " from signal " +
           exit.signal;
  }
  return exit.status == 0 ? "" : "Process exited with status " + std::to_string(exit.status);
}

std::string Trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  const size_t start = std::min(text.find_first_not_of(kSpace), text.size());
  const size_t end = text.find_last_not_of(kSpace) + 1;
  return std::string(text.substr(start, end > start ? end - start : 0));
}

class SshCommunicator final : public Communicator {
 public:
  SshCommunicator(SshSettings settings, SshRuntime& runtime, const std::atomic<bool>* stop)
      : settings_(std::move(settings)), runtime_(runtime) {
    forever_.stop = stop;
  }
  ~SshCommunicator() override { Disconnect(); }

  Result<void> Connect(const OutputSink& output, const Limits& limits) override {
    Disconnect();
    if (output) {
      Announce(settings_, output);
    }
    guard_.SetLimits(limits);
    const SshPeer& target = settings_.target;
    KINU_TRY(const int socket, OpenSocket(limits));
    Result<std::unique_ptr<SshLink>> link = LogIn(socket, target, true);
    if (!link) {
      return Fail(ErrorCode::kUnavailable, "SSH authentication failed (" + target.user + "@" +
                                               target.address() + "): " + link.error().message);
    }
    link_ = *std::move(link);
    guard_.SetLimits(forever_);
    if (output) {
      output("Connected!");
    }
    return {};
  }

  Result<void> Run(const std::string& command, const OutputSink& output) override {
    OutputLines out(output);
    OutputLines error(output);
    SshCommand request;
    request.text = Trimmed(command) + "\n";
    request.terminal = !settings_.windows;
    request.on_output = [&](std::string_view bytes) { out.Add(bytes); };
    request.on_error = [&](std::string_view bytes) { error.Add(bytes); };
    request.on_idle = [&] {
      out.Flush();
      error.Flush();
    };
    Result<SshExit> exit = Execute(request);
    out.Flush();
    error.Flush();
    if (!exit) {
      return Fail(ErrorCode::kUnavailable, "Error starting script: " + exit.error().message);
    }
    if (const std::string why = ExitText(*exit); !why.empty()) {
      return Fail(ErrorCode::kInvalid, "error executing " + text::GoQuote(command) + ": " + why);
    }
    return {};
  }

  Result<void> UploadFile(const std::string& target, const std::string& source) override {
    return Scp({"scp", "-vt", DirName(target)},
               [&](ScpSender& sender) { return sender.SendFile(BaseName(target), source); });
  }

  Result<void> UploadText(const std::string& target, std::string_view text) override {
    return Scp({"scp", "-vt", DirName(target)},
               [&](ScpSender& sender) { return sender.SendText(BaseName(target), text); });
  }

  Result<void> UploadScript(const std::string& target, std::string_view text) override {
    if (text.size() < 2) {
      return Fail(ErrorCode::kInvalid, "Error reading script: EOF");
    }
    const bool complete = text.starts_with("#!") || settings_.windows;
    Result<void> done = UploadText(target, (complete ? "" : "#!/bin/sh\n") + std::string(text));
    if (!done || settings_.windows) {
      return done;
    }
    std::string output;
    SshCommand command;
    const std::string line = QuoteForShell({"chmod", "0777", target});
    command.text = line + "\n";
    command.terminal = true;
    command.on_output = [&](std::string_view bytes) { output += bytes; };
    const Result<SshExit> exit = Execute(command);
    if (!exit) {
      return Fail(ErrorCode::kUnavailable,
                  "Error chmodding script file to 0777 in remote machine: " + exit.error().message);
    }
    if (const std::string why = ExitText(*exit); !why.empty()) {
      return Fail(ErrorCode::kUnavailable,
                  "Error chmodding script file to 0777 in remote machine error executing " +
                      text::GoQuote(line) + ": " + why + ": " + output + " ");
    }
    return {};
  }

  Result<void> UploadDirectory(const std::string& target, const std::string& source) override {
    return Scp({"scp", "-rvt", target}, [&](ScpSender& sender) {
      return source.ends_with('/') ? sender.SendEntries(source)
                                   : sender.SendDirectory(BaseName(source), source);
    });
  }

  std::chrono::nanoseconds timeout() const override { return settings_.timeout; }
  std::string ScriptPath() const override {
    uint32_t number = 0;
    RandomBytes(&number, sizeof(number));
    return FillScriptPath(settings_.script_path, number);
  }
  std::string ScriptCommand(const std::string& path) const override {
    return settings_.windows ? path : QuoteForShell({path});
  }

 private:
  void Disconnect() {
    link_.reset();  // before the bastion, which carries it
    bastion_.reset();
    guard_.Clear();
  }

  /// A socket to the target: direct, through the proxy, or through the bastion.
  Result<int> OpenSocket(const Limits& limits) {
    const SshPeer& target = settings_.target;
    const bool proxied = !settings_.proxy.host.empty();
    if (settings_.bastion.host.empty()) {
      return proxied ? DialThroughProxy(settings_.proxy, target.host, target.port, limits)
                     : Dial(target.host, target.port, kDialPatience, limits);
    }
    const SshPeer& bastion = settings_.bastion;
    Result<int> socket = proxied
                             ? DialThroughProxy(settings_.proxy, bastion.host, bastion.port, limits)
                             : Dial(bastion.host, bastion.port, std::chrono::hours(1), limits);
    if (!socket) {
      return Fail(ErrorCode::kUnavailable,
                  (proxied ? "Error connecting to proxy: " : "Error connecting to bastion: ") +
                      socket.error().message);
    }
    Result<std::unique_ptr<SshLink>> link = LogIn(*socket, bastion, false);
    if (!link) {
      return Fail(ErrorCode::kUnavailable,
                  (proxied ? "Error creating new client connection via proxy: "
                           : "Error connecting to bastion: ") +
                      link.error().message);
    }
    bastion_ = *std::move(link);
    const bool brackets = target.host.starts_with('[');
    return bastion_->OpenTunnel(
        brackets ? target.host.substr(1, target.host.size() - 2) : target.host, target.port);
  }

  Result<std::unique_ptr<SshLink>> LogIn(int socket, const SshPeer& peer, bool forward_agent) {
    guard_.Add(socket);
    SshLogin login;
    login.host = peer.host;
    login.user = peer.user;
    login.password = peer.password;
    login.private_key = peer.private_key;
    login.certificate = peer.private_key.empty() ? std::string() : peer.certificate;
    login.host_key = peer.host_key;
    if (settings_.agent) {
      const std::string& identity = settings_.agent_identity;
      login.agent = [identity] {
        return identity.empty() ? ConnectToAgent() : ConnectToAgentPreferring(identity);
      };
    }
    login.forward_agent = forward_agent && settings_.agent;
    return runtime_.Connect(socket, login);
  }

  /// Runs a command. Connects again, once, when the connection was lost meanwhile.
  Result<SshExit> Execute(const SshCommand& command) {
    if (link_ != nullptr) {
      Result<SshExit> exit = link_->Execute(command);
      if (exit || exit.error().code != ErrorCode::kUnavailable || forever_.stopped()) {
        return exit;
      }
    }
    if (Result<void> connected = Connect({}, forever_); !connected) {
      return std::unexpected(connected.error());
    }
    return link_->Execute(command);
  }

  Result<void> Scp(const std::vector<std::string>& words,
                   const std::function<Result<void>(ScpSender&)>& send) {
    SshCommand command;
    command.text = settings_.windows ? QuoteForWindows(words) : QuoteForShell(words);
    Result<void> sent;
    command.talk = [&](SshStreams& streams) {
      ScpSender sender(streams);
      sent = send(sender);
    };
    KINU_TRY(const SshExit exit, Execute(command));
    if (!sent && sent.error().code != ErrorCode::kCancelled) {
      return sent;
    }
    if (exit.known && exit.status == 127) {
      return Fail(ErrorCode::kUnavailable,
                  "SCP failed to start. This usually means that SCP is not\n"
                  "properly installed on the remote system.");
    }
    if (const std::string why = ExitText(exit); !why.empty()) {
      return Fail(ErrorCode::kUnavailable, why);
    }
    return {};
  }

  SshSettings settings_;
  SshRuntime& runtime_;
  Limits forever_;  ///< once connected: only an interrupt ends commands
  SocketGuard guard_;
  std::unique_ptr<SshLink> bastion_;
  std::unique_ptr<SshLink> link_;
};

}  // namespace

Result<SshRuntime*> LoadSshRuntime() {
  static const Result<SshRuntime*> kRuntime = LoadModuleRuntime<SshRuntime>(
      "kinu-ssh.so", kSshRuntimeSymbol, kSshRuntimeVersion, "that connects by ssh");
  return kRuntime;
}

Result<std::unique_ptr<Communicator>> MakeSshCommunicator(const Value& connection,
                                                          const std::atomic<bool>* stop) {
  KINU_TRY(SshSettings settings, ReadSshSettings(connection));
  KINU_TRY(SshRuntime * runtime, LoadSshRuntime());
  if (settings.agent) {
    KINU_TRY(const int probe, ConnectToAgent());
    ::close(probe);
  }
  for (const SshPeer* peer : {&settings.target, &settings.bastion}) {
    std::string why;
    if (!peer->host_key.empty()) {
      why = runtime->CheckHostKey(peer->host_key);
    }
    if (why.empty() && !peer->private_key.empty()) {
      why = runtime->CheckKey(peer->private_key, peer->certificate);
    }
    if (!why.empty()) {
      return Fail(ErrorCode::kInvalid, std::move(why));
    }
  }
  return std::make_unique<SshCommunicator>(std::move(settings), *runtime, stop);
}

}  // namespace kinu::remote
