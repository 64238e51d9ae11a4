// Cursor: reads a state file token by token. JsonCursor has the errors of OpenTofu. The document
// scanner, which reads mapped files and large texts, is faster but reports only that there is an
// error.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "json/mapped_file.h"
#include "json/token_stream.h"
#include "state/json_text.h"

namespace kinu::state {

/// A cursor over the text of a state file.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text), json_(text) {}
  /// With the document scanner.
  struct Scanned {
    const std::string& text;
  };
  explicit Cursor(Scanned scanned)
      : text_(scanned.text), tokens_(std::make_unique<json::TokenStream>(scanned.text)) {}
  explicit Cursor(json::MappedFile& file)
      : text_(file.text()), tokens_(std::make_unique<json::TokenStream>(file)) {}

  // As in JsonCursor.
  char Peek() {
    if (tokens_ == nullptr) {
      return json_.Peek();
    }
    return failed_ ? '\0' : tokens_->Peek();
  }
  bool Take(char c) {
    if (tokens_ == nullptr) {
      return json_.Take(c);
    }
    if (Peek() != c) {
      return false;
    }
    tokens_->Advance();
    return true;
  }
  std::string_view Value();
  std::string_view StringBody();
  bool NextMember(bool* first, std::string_view* key_body);
  bool NextElement(bool* first);
  bool failed() const { return tokens_ == nullptr ? json_.failed() : failed_; }
  size_t error_offset() const { return json_.error_offset(); }
  void Fail();
  bool AtEnd() { return tokens_ == nullptr ? json_.AtEnd() : tokens_->TakeEnd(); }

  std::string_view text() const { return text_; }

 private:
  std::string_view text_;
  JsonCursor json_{std::string_view()};
  std::unique_ptr<json::TokenStream> tokens_;
  bool failed_ = false;  // only used with tokens_
};

}  // namespace kinu::state
