#include "view/audience.h"

#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "view/human/text.h"

namespace kinu::view {

Audience::Audience(Options options) : options_(std::move(options)) {
  if (options_.json_only || options_.json_fd >= 0) {
    json_ = std::make_unique<JsonUi>([this](std::string_view text) { JsonText(text); });
    json_->Version(options_.version);
  }
  if (options_.status && !options_.json_only) {
    status_ = std::make_unique<Status>();
  }
}

Audience::~Audience() {
  if (status_ != nullptr) {
    if (const std::string closing = status_->Closing(static_cast<size_t>(options_.columns()));
        !closing.empty()) {
      options_.print(closing);
    }
  }
  if (options_.json_fd >= 0) {
    ::close(options_.json_fd);
  }
}

engine::EventSink* Audience::Sink(const Program& program) {
  engine::EventSink* sink = PrintingSink(program);
  if (status_ == nullptr) {
    return sink;
  }
  status_sink_ = std::make_unique<StatusSink>(program, *status_, sink);
  return status_sink_.get();
}

engine::EventSink* Audience::PrintingSink(const Program& program) {
  if (json_ != nullptr) {
    json_->SetProgram(&program);
  }
  if (options_.json_only) {
    return json_.get();
  }
  if (progress_ == nullptr && !options_.concise) {
    progress_ = std::make_unique<ProgressSink>(program, options_.style, options_.print);
  }
  if (json_ == nullptr) {
    return progress_.get();
  }
  std::vector<engine::EventSink*> sinks{json_.get()};
  if (progress_ != nullptr) {
    sinks.push_back(progress_.get());
  }
  tee_ = std::make_unique<TeeSink>(std::move(sinks));
  return tee_.get();
}

void Audience::JsonText(std::string_view text) const {
  if (options_.json_only) {
    options_.print(text);
  }
  while (options_.json_fd >= 0 && !text.empty()) {
    const ssize_t written = ::write(options_.json_fd, text.data(), text.size());
    if (written <= 0) {
      return;
    }
    text.remove_prefix(static_cast<size_t>(written));
  }
}

void Audience::Text(std::string_view text) const {
  if (!options_.json_only) {
    options_.print(text);
  }
}

void Audience::ErrorText(std::string_view text) const {
  if (!options_.json_only) {
    options_.print_error(text);
  }
}

void Audience::ReportSlowLock() {
  Text(std::string(kAcquiringLock) + "\n");
  if (json_ != nullptr) {
    json_->Message(JsonUi::Level::kInfo, kAcquiringLock, "state_lock_acquire");
  }
}

bool Audience::Show(Diagnostics& diags) {
  const bool errors = diags.has_errors();
  // JSON messages keep the order in which the diagnostics were found.
  if (!options_.json_only) {
    diags.Sort();
  }
  if (json_ != nullptr) {
    json_->Diagnostics(diags);
  }
  if (!options_.json_only) {
    options_.show(diags);
  }
  diags = Diagnostics();
  return errors;
}

}  // namespace kinu::view
