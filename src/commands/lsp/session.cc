#include "lsp/session.h"

#include <algorithm>
#include <utility>

#include "log/log.h"
#include "lsp/method.h"
#include "lsp/params.h"

namespace kinu::lsp {
namespace {

const JsonNode kNoParams;

/// The params of a message whose method needs no particular ones.
const Message* WithParams(const Message& message, Message& copy) {
  if (message.params != nullptr) {
    return &message;
  }
  copy.id = message.id;
  copy.method = message.method;
  copy.params = &kNoParams;
  return &copy;
}

/// The result of a request, as a JSON text.
Outcome<std::string> ResultOf(const View& view, const Message& message, Answer answer,
                              TokenStore& tokens) {
  std::string text;
  JsonWriter json(text, kCompactJson);
  Message copy;
  Question question(view, *WithParams(message, copy), tokens, json);
  if (auto done = answer(question); !done) {
    return std::unexpected(std::move(done).error());
  }
  return text;
}

std::unexpected<RpcError> Modified() {
  return Refuse(ErrorCode::kContentModified, "The document has changed since.");
}

}  // namespace

Session::Session(Outlet& outlet, Options options)
    : outlet_(outlet),
      options_(std::move(options)),
      workspace_(settings_),
      pending_(outlet),
      validator_(outlet, pending_, options_.readers > 0, options_.rest),
      readers_(options_.readers, options_.rest) {
}

Session::~Session() = default;

void Session::Handle(std::vector<Event> events) {
  Read(events);
  Finish();
}

void Session::Read(std::vector<Event>& events) {
  using Read = std::expected<Request, BadMessage>;
  std::vector<std::optional<Read>> messages;
  coming_edits_.clear();
  coming_cancels_.clear();
  for (Event& event : events) {
    auto& read = messages.emplace_back();
    if (event.kind != Event::Kind::kBody) {
      continue;
    }
    read = ReadMessage(std::move(event.text));
    const Message* message = *read ? read->value().get() : nullptr;
    if (message == nullptr || message->params == nullptr) {
      continue;
    }
    if (message->method == "textDocument/didChange") {
      if (const auto document = DocumentOf(*message->params)) {
        ++coming_edits_[*document];
      }
    } else if (message->method == "$/cancelRequest") {
      coming_cancels_.insert(message->IdParam());
    }
  }
  for (size_t i = 0; i < events.size() && !exit_code_; ++i) {
    if (messages[i] && *messages[i]) {
      Dispatch(**messages[i]);
    } else if (messages[i]) {
      outlet_.Send(ErrorText(messages[i]->error().id, messages[i]->error().error));
    } else if (events[i].kind == Event::Kind::kNoFrame) {
      outlet_.Send(ErrorText(
          "null",
          {.code = ErrorCode::kParseError, .message = std::move(events[i].text), .data = {}}));
    } else if (events[i].kind == Event::Kind::kOnDisk) {
      ChangedOnDisk(events[i].text);
    } else {
      exit_code_ = 1;
    }
  }
}

void Session::Dispatch(const Request& message) {
  if (log::Enabled(log::Level::kTrace)) {
    log::Write(log::Level::kTrace, "lsp receives " + message->text);
  }
  if (message->kind == Message::Kind::kResponse) {
    TakeResponse(*message);
    return;
  }
  const Method* method = FindMethod(message->method);
  if (method != nullptr && method->kind != message->kind) {
    method = nullptr;
  }
  if (message->kind == Message::Kind::kRequest) {
    DispatchRequest(message, method);
  } else {
    DispatchNotification(message, method);
  }
}

void Session::DispatchRequest(const Request& message, const Method* method) {
  const auto refuse = [&](ErrorCode code, std::string text) {
    outlet_.Send(ErrorText(message->id, {.code = code, .message = std::move(text), .data = {}}));
  };
  const bool is_first = message->method == "initialize";
  if (state_ == State::kNew && !is_first) {
    return refuse(ErrorCode::kNotInitialized, "The server waits for \"initialize\".");
  }
  if (state_ == State::kShutDown) {
    return refuse(ErrorCode::kInvalidRequest, "The server has shut down.");
  }
  if (method == nullptr) {
    return refuse(ErrorCode::kMethodNotFound,
                  "There is no request \"" + std::string(message->method) + "\".");
  }
  if (method->handle == nullptr) {
    return AnswerLater(message, *method);
  }
  if (const auto done = (this->*method->handle)(message); !done) {
    outlet_.Send(ErrorText(message->id, done.error()));
  }
}

void Session::DispatchNotification(const Request& message, const Method* method) {
  const bool is_exit = message->method == "exit";
  if (method == nullptr || (state_ != State::kRunning && !is_exit)) {
    return;
  }
  if (const auto done = (this->*method->handle)(message); !done) {
    log::Write(log::Level::kWarn,
               "lsp ignores " + std::string(message->method) + ": " + done.error().message);
  }
}

void Session::AnswerLater(const Request& message, const Method& method) {
  std::string document;
  if (message->params != nullptr) {
    document = DocumentOf(*message->params).value_or("");
  }
  const auto ticket = pending_.Add(message->id, document);
  if (ticket == nullptr) {
    outlet_.Send(ErrorText(message->id, {.code = ErrorCode::kInvalidRequest,
                                         .message = "A request with this id waits already.",
                                         .data = {}}));
    return;
  }
  if (coming_cancels_.contains(message->id)) {
    ticket->cancelled = true;
    pending_.Answer(*ticket, Modified());
    return;
  }
  if (method.from_text) {
    pending_.Answer(*ticket, ResultOf(TextView(), *message, method.answer, tokens_));
    return;
  }
  if (method.repeats && coming_edits_.contains(document)) {
    pending_.Answer(*ticket, Modified());
    return;
  }
  readers_.Add([this, message, ticket, view = SnapshotView(), &method] {
    const auto is_stale = [&] { return method.repeats && ticket->outdated; };
    if (ticket->cancelled || is_stale()) {
      pending_.Answer(*ticket, Modified());
      return;
    }
    const auto result = ResultOf(view, *message, method.answer, tokens_);
    pending_.Answer(*ticket, is_stale() ? Modified() : result);
  });
}

void Session::TakeResponse(const Message& message) {
  const auto at = asked_.find(message.id);
  if (at == asked_.end()) {
    return;
  }
  const auto take = std::move(at->second);
  asked_.erase(at);
  if (take && message.result != nullptr) {
    take(*message.result);
  }
}

void Session::Finish() {
  if (exit_code_ || state_ != State::kRunning) {
    for (const auto& pull : std::exchange(work_.pulls, {})) {  // asked for just before the end
      pending_.Answer(*pull.ticket, Refuse(ErrorCode::kServerCancelled, "The server ends."));
    }
    return;
  }
  if (!work_.changes() && work_.pulls.empty()) {
    return;
  }
  if (std::exchange(shows_stale_, false)) {
    RefreshClient();
  }
  if (snapshot_ == nullptr && !work_.edited.empty()) {  // before the workspace is parsed
    validator_.CheckSyntax(TextView(), work_.edited);
  }
  work_.view = SnapshotView();
  validator_.Add(std::exchange(work_, {}));
}

View Session::TextView() const {
  return {.snapshot = nullptr, .documents = documents_, .client = client_};
}

View Session::SnapshotView() {
  if (snapshot_ == nullptr) {
    snapshot_ = workspace_.Take();
    if (auto watched = workspace_.Watched(); watched != watched_) {
      watched_ = std::move(watched);
      if (!client_->registers_watchers) {
        options_.watch(watched_);
      }
    }
  }
  View view = TextView();
  view.snapshot = snapshot_;
  return view;
}

void Session::Ask(std::string_view method, const WriteJson& params,
                  std::function<void(const JsonNode&)> take) {
  const std::string id = std::to_string(++last_id_);
  asked_[id] = std::move(take);
  outlet_.Send(CallText(method, id, params));
}

void Session::Notify(std::string_view method, const WriteJson& params) {
  outlet_.Send(CallText(method, "", params));
}

void Session::Warn(std::string_view text) {
  constexpr int kWarning = 2;
  Notify("window/logMessage", [&](JsonWriter& json) {
    json.Member("type", kWarning);
    json.Member("message", text);
  });
}

}  // namespace kinu::lsp
