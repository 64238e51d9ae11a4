#include "backend/consul_session.h"

#include <chrono>
#include <cstdlib>
#include <utility>

namespace kinu::backend {
namespace {

// What marks a key as a lock, so that other clients respect it.
constexpr std::string_view kLockFlags = "3304740253564472344";
constexpr std::chrono::milliseconds kRenewal{7500};
constexpr std::chrono::milliseconds kRetake{2000};

Result<std::string> CreateSession(const ConsulService& service) {
  KINU_TRY(const net::HttpResponse response,
           service.Ask("PUT", "/v1/session/create",
                       R"({"LockDelay":"5000ms","Name":"Consul API Lock","TTL":"15s"})"));
  const JsonDocument document = ParseJson(response.body);
  const JsonNode* id = response.status == 200 && document.ok() && document.root().is_object()
                           ? document.root().Find("ID")
                           : nullptr;
  if (id == nullptr) {
    return Refused(response);
  }
  return std::string(id->text());
}

/// Asks for a lock once; whether the session has it now.
Result<bool> Acquire(const ConsulService& service, const std::string& key,
                     const std::string& session) {
  KINU_TRY(const net::HttpResponse response,
           service.Ask("PUT",
                       KeyPath(key) + "?acquire=" + session + "&flags=" + std::string(kLockFlags)));
  if (response.status != 200) {
    return Refused(response);
  }
  return response.body.starts_with("true");
}

/// Deletes the key of a lock, unless another session has taken the lock meanwhile: its lock would
/// end.
void DeleteFreeKey(const ConsulService& service, const std::string& key) {
  const auto answer = service.Ask("GET", KeyPath(key));
  if (!answer || answer->status != 200) {
    return;
  }
  const JsonDocument document = ParseJson(answer->body);
  if (!document.ok() || document.root().elements().empty()) {
    return;
  }
  const JsonNode& row = document.root().elements()[0];
  const JsonNode* session = row.is_object() ? row.Find("Session") : nullptr;
  if (session == nullptr || session->text().empty()) {
    const uint64_t index = NumberIn(row, "ModifyIndex");
    (void)service.Ask("DELETE", KeyPath(key) + "?cas=" + std::to_string(index));
  }
}

}  // namespace

Result<net::HttpResponse> ConsulService::Ask(std::string_view method, const std::string& path,
                                             std::string body) const {
  net::HttpRequest out = request;
  out.method = method;
  out.url = address + path;
  for (const auto& [name, value] : arguments) {
    if (!value.empty()) {
      out.url += (out.url.contains('?') ? "&" : "?") + name + '=' + net::QueryEscape(value);
    }
  }
  out.body = std::move(body);
  return client.Send(out);
}

std::string KeyPath(std::string_view key) {
  std::string out = "/v1/kv/";
  for (size_t begin = 0; begin <= key.size();) {
    const size_t end = std::min(key.find('/', begin), key.size());
    std::string segment = net::QueryEscape(key.substr(begin, end - begin));
    for (size_t at = 0; (at = segment.find('+', at)) != segment.npos; at += 3) {
      segment.replace(at, 1, "%20");
    }
    out += segment;
    if (end < key.size()) {
      out += '/';
    }
    begin = end + 1;
  }
  return out;
}

std::unexpected<Error> Refused(const net::HttpResponse& response) {
  return Fail(
      ErrorCode::kUnavailable,
      "Unexpected response code: " + std::to_string(response.status) + " (" + response.body + ")");
}

uint64_t NumberIn(const JsonNode& object, std::string_view name) {
  const JsonNode* number = object.is_object() ? object.Find(name) : nullptr;
  return number != nullptr && number->is_number()
             ? std::strtoull(std::string(number->text()).c_str(), nullptr, 10)
             : 0;
}

Result<std::unique_ptr<ConsulLock>> ConsulLock::Take(std::shared_ptr<const ConsulService> service,
                                                     std::string key) {
  KINU_TRY(std::string session, CreateSession(*service));
  Result<bool> taken = Acquire(*service, key, session);
  if (taken && !*taken) {
    // It may be released meanwhile.
    const auto row = service->Ask("GET", KeyPath(key));
    const JsonDocument document = ParseJson(row ? std::string_view(row->body) : "");
    const uint64_t index = document.ok() && !document.root().elements().empty()
                               ? NumberIn(document.root().elements()[0], "ModifyIndex")
                               : 0;
    (void)service->Ask("GET", KeyPath(key) + "?wait=1000ms&index=" + std::to_string(index));
    taken = Acquire(*service, key, session);
  }
  if (taken && *taken) {
    return std::unique_ptr<ConsulLock>(
        new ConsulLock(std::move(service), std::move(key), std::move(session)));
  }
  (void)service->Ask("PUT", "/v1/session/destroy/" + session);
  if (!taken) {
    return std::unexpected(std::move(taken).error());
  }
  return nullptr;
}

ConsulLock::ConsulLock(std::shared_ptr<const ConsulService> service, std::string key,
                       std::string session)
    : service_(std::move(service)),
      key_(std::move(key)),
      first_session_(session),
      session_(std::move(session)),
      thread_([this] { Renew(); }) {
}

ConsulLock::~ConsulLock() {
  Stop();
}

void ConsulLock::Stop() {
  {
    const std::scoped_lock hold(mutex_);
    stop_ = true;
  }
  stopped_.notify_all();
  if (thread_.joinable()) {
    thread_.join();
  }
}

void ConsulLock::Renew() {
  std::chrono::milliseconds wait = kRenewal;
  std::unique_lock hold(mutex_);
  while (!stopped_.wait_for(hold, wait, [this] { return stop_; })) {
    hold.unlock();
    const auto renewed = service_->Ask("PUT", "/v1/session/renew/" + session_);
    wait = renewed && renewed->status == 200 ? kRenewal : kRetake;
    if (renewed && renewed->status == 404) {
      // The session is lost. What another client stores until this one has the lock again is
      // found by the comparison of indexes.
      if (Result<std::string> fresh = CreateSession(*service_)) {
        const Result<bool> taken = Acquire(*service_, key_, *fresh);
        if (taken && *taken) {
          session_ = *std::move(fresh);
          wait = kRenewal;
        } else {
          (void)service_->Ask("PUT", "/v1/session/destroy/" + *fresh);
        }
      }
    }
    hold.lock();
  }
}

Result<void> ConsulLock::Release() {
  Stop();
  // Without its mark, other clients would take the key for something else until it is deleted.
  KINU_TRY(const net::HttpResponse released,
           service_->Ask("PUT", KeyPath(key_) + "?release=" + session_ +
                                    "&flags=" + std::string(kLockFlags)));
  if (released.status != 200) {
    return Refused(released);
  }
  // Nobody waits for these.
  DeleteFreeKey(*service_, key_);
  (void)service_->Ask("PUT", "/v1/session/destroy/" + session_);
  return {};
}

}  // namespace kinu::backend
