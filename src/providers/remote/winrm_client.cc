#include "remote/winrm_client.h"

#include <algorithm>

#include "base/files.h"
#include "codec/base64.h"
#include "remote/ntlm.h"

namespace kinu::remote {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPartingPatience{5000};
/// The server answers within the operation's time; this is for the way.
constexpr milliseconds kWayTime{10'000};

std::string UrlOf(const WinrmSettings& settings) {
  return (settings.https ? "https://" : "http://") + settings.host + ":" +
         std::to_string(settings.port) + "/wsman";
}

NtlmMoment MomentNow() {
  constexpr uint64_t kUnixEpoch = 11'644'473'600ULL * 10'000'000;  // after 1601
  NtlmMoment moment{};
  RandomBytes(moment.nonce.data(), moment.nonce.size());
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  using HundredNanoseconds = std::chrono::duration<uint64_t, std::ratio<1, 10'000'000>>;
  moment.time = kUnixEpoch + std::chrono::duration_cast<HundredNanoseconds>(now).count();
  return moment;
}

/// Whether a server that refused NTLM takes the password itself.
bool WantsBasic(const net::HttpResponse& response) {
  constexpr int kUnauthorized = 401;
  return response.status == kUnauthorized &&
         std::ranges::none_of(response.headers.list(), [](const net::Header& header) {
           return header.value.starts_with("Negotiate") || header.value.starts_with("NTLM");
         });
}

}  // namespace

WinrmClient::WinrmClient(const WinrmSettings& settings, net::Transport& transport,
                         const std::atomic<bool>* stop)
    : settings_(settings),
      timeout_(
          std::max(std::chrono::duration_cast<milliseconds>(settings.timeout), milliseconds(1000))),
      http_(transport, {.user_agent = {}, .stop = stop, .wait = {}}),
      parting_(transport),
      basic_(!settings.ntlm) {
  envelope_.url = UrlOf(settings);
  envelope_.timeout =
      DurationText(std::chrono::duration_cast<std::chrono::seconds>(timeout_).count());
}

net::HttpRequest WinrmClient::MakeRequest(const std::string& message, milliseconds patience) const {
  net::HttpRequest request;
  request.method = "POST";
  request.url = envelope_.url;
  request.headers.Set("Content-Type", "application/soap+xml;charset=UTF-8");
  request.body = message;
  request.timeout = patience + kWayTime;
  request.max_redirects = 0;
  request.verify_certificates = !settings_.insecure;
  request.extra_authorities = settings_.authority;
  if (basic_) {
    request.headers.Set("Authorization",
                        "Basic " + EncodeBase64(settings_.user + ":" + settings_.password));
  } else {
    const NtlmLogin login{settings_.user, settings_.password};
    request.negotiate = [login](std::string_view token) {
      return token.empty() ? NtlmNegotiateMessage()
                           : NtlmAuthenticateMessage(token, login, MomentNow()).value_or("");
    };
  }
  return request;
}

Result<std::string> WinrmClient::Post(const std::string& message, const net::HttpClient& http,
                                      milliseconds patience) {
  Result<net::HttpResponse> response = http.Send(MakeRequest(message, patience));
  if (response && !basic_ && WantsBasic(*response)) {
    basic_ = true;
    response = http.Send(MakeRequest(message, patience));
  }
  if (!response) {
    return Fail(response.error().code, "unknown error " + response.error().message);
  }
  const std::string status = std::to_string(response->status);
  if (!response->headers.Get("Content-Type").contains("application/soap+xml")) {
    return Fail(ErrorCode::kUnavailable,
                "http response error: " + status + " - invalid content type");
  }
  constexpr int kOk = 200;
  if (response->status != kOk) {
    return Fail(ErrorCode::kUnavailable, "http error " + status + ": " + response->body);
  }
  return std::move(response->body);
}

void WinrmClient::Part(const std::string& message) {
  static_cast<void>(Post(message, parting_, kPartingPatience));
}

Result<std::string> WinrmClient::CreateShell(milliseconds patience) {
  KINU_TRY(const std::string response, Post(CreateShellMessage(envelope_), http_, patience));
  return ReadShellId(response);
}

void WinrmClient::DeleteShell(std::string_view shell) {
  Part(DeleteShellMessage(envelope_, shell));
}

/// Waits for output. A server that had none within the operation's time is asked again.
Result<WinrmOutput> WinrmClient::Receive(const std::string& message, const WinrmSinks& sinks) {
  while (true) {
    const Result<std::string> response = Post(message);
    if (response) {
      return ReadOutput(*response);
    }
    if (!response.error().message.contains("OperationTimeout")) {
      return std::unexpected(response.error());
    }
    sinks.idle();
  }
}

Result<int64_t> WinrmClient::Execute(std::string_view shell, std::string_view command,
                                     const WinrmSinks& sinks) {
  KINU_TRY(const std::string response, Post(CommandMessage(envelope_, shell, command)));
  KINU_TRY(const std::string id, ReadCommandId(response));
  const std::string receive = ReceiveMessage(envelope_, shell, id);
  Result<WinrmOutput> output;
  do {
    output = Receive(receive, sinks);
    if (output) {
      sinks.out(output->out);
      sinks.error(output->error);
    }
  } while (output && !output->done);
  Part(TerminateMessage(envelope_, shell, id));
  if (!output) {
    return std::unexpected(output.error());
  }
  return output->status;
}

}  // namespace kinu::remote
