#include "lsp/pending.h"

namespace kinu::lsp {

std::shared_ptr<Ticket> PendingRequests::Add(std::string_view id, std::string document) {
  const std::lock_guard lock(mutex_);
  const auto [at, is_new] = tickets_.try_emplace(std::string(id));
  if (!is_new) {
    return nullptr;
  }
  at->second = std::make_shared<Ticket>();
  at->second->id = id;
  at->second->document = std::move(document);
  return at->second;
}

void PendingRequests::Cancel(std::string_view id) {
  const std::lock_guard lock(mutex_);
  if (const auto at = tickets_.find(id); at != tickets_.end()) {
    at->second->cancelled = true;
  }
}

void PendingRequests::Edited(std::string_view document) {
  const std::lock_guard lock(mutex_);
  for (const auto& [id, ticket] : tickets_) {
    if (ticket->document == document) {
      ticket->outdated = true;
    }
  }
}

void PendingRequests::Answer(const Ticket& ticket, const Outcome<std::string>& result) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto at = tickets_.find(ticket.id);
        at != tickets_.end() && at->second.get() == &ticket) {
      tickets_.erase(at);
    }
  }
  if (ticket.cancelled) {
    outlet_.Send(ErrorText(ticket.id, {.code = ErrorCode::kRequestCancelled,
                                       .message = "The client has cancelled the request.",
                                       .data = {}}));
  } else if (result) {
    outlet_.Send(ResponseText(ticket.id, *result));
  } else {
    outlet_.Send(ErrorText(ticket.id, result.error()));
  }
}

}  // namespace kinu::lsp
