#include "state/cursor.h"

namespace kinu::state {

void Cursor::Fail() {
  if (tokens_ == nullptr) {
    json_.Fail();
  }
  failed_ = true;
}

std::string_view Cursor::Value() {
  if (tokens_ == nullptr) {
    return json_.Value();
  }
  if (failed_) {
    return {};
  }
  const uint64_t begin = tokens_->Offset();
  if (!tokens_->SkipValue()) {
    failed_ = true;
    return {};
  }
  uint64_t end = tokens_->Offset();
  while (end > begin && json::IsSpace(text_[end - 1])) {
    --end;
  }
  return text_.substr(begin, end - begin);
}

std::string_view Cursor::StringBody() {
  if (tokens_ == nullptr) {
    return json_.StringBody();
  }
  if (Peek() != '"') {
    failed_ = true;
    return {};
  }
  const std::string_view quoted = tokens_->Text();
  tokens_->Advance();
  return quoted.substr(1, quoted.size() - 2);
}

bool Cursor::NextMember(bool* first, std::string_view* key_body) {
  if (tokens_ == nullptr) {
    return json_.NextMember(first, key_body);
  }
  if (failed_) {
    return false;
  }
  json::TokenStream& tokens = *tokens_;
  char c = tokens.Peek();
  if (c == '}') {
    tokens.Advance();
    return false;
  }
  if (!*first && c == ',') {
    tokens.Advance();
    c = tokens.Peek();
  } else if (!*first) {
    c = '\0';
  }
  *first = false;
  if (c != '"') {
    failed_ = true;
    return false;
  }
  const std::string_view quoted = tokens.Text();
  *key_body = quoted.substr(1, quoted.size() - 2);
  tokens.Advance();
  failed_ = tokens.Peek() != ':';
  tokens.Advance();
  return !failed_;
}

bool Cursor::NextElement(bool* first) {
  if (tokens_ == nullptr) {
    return json_.NextElement(first);
  }
  if (failed_ || Take(']')) {
    return false;
  }
  failed_ = !*first && !Take(',');
  *first = false;
  return !failed_;
}

}  // namespace kinu::state
