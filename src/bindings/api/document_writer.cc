// The writer of documents of the public API (include/kinu/tfjson.h): a JSON writer that knows
// whether what it wrote is a value.
#include <vector>

#include <kinu/tfjson.h>

#include "json/tree.h"
#include "json/writer.h"

namespace kinu::v1 {

struct DocumentWriter::Impl {
  explicit Impl(std::string_view indent_by)
      : indent(indent_by),
        json(text, {.escape = JsonEscape::kPlain, .indent = indent, .prefix = {}}) {}

  /// Whether a value may stand here. Notes that it does.
  bool Begin() {
    const bool fits = open.empty() ? !complete : open.back() == '[' || has_key;
    broken = broken || !fits;
    has_key = false;
    complete = complete || open.empty();
    return !broken;
  }
  void Open(char bracket) {
    if (!Begin()) {
      return;
    }
    if (bracket == '{') {
      json.BeginObject();
    } else {
      json.BeginArray();
    }
    open.push_back(bracket);
  }
  void Close(char bracket) {
    broken = broken || open.empty() || open.back() != bracket || has_key;
    if (broken) {
      return;
    }
    if (bracket == '{') {
      json.EndObject();
    } else {
      json.EndArray();
    }
    open.pop_back();
  }

  std::string text;
  std::string indent;
  JsonWriter json;
  std::vector<char> open;
  bool has_key = false;
  bool complete = false;  ///< the outermost value has begun
  bool broken = false;
};

DocumentWriter::DocumentWriter(std::string_view indent) : impl_(std::make_unique<Impl>(indent)) {
}
DocumentWriter::DocumentWriter(DocumentWriter&&) noexcept = default;
DocumentWriter::~DocumentWriter() = default;

void DocumentWriter::BeginObject() {
  impl_->Open('{');
}
void DocumentWriter::EndObject() {
  impl_->Close('{');
}
void DocumentWriter::BeginArray() {
  impl_->Open('[');
}
void DocumentWriter::EndArray() {
  impl_->Close('[');
}

void DocumentWriter::Key(std::string_view name) {
  Impl& impl = *impl_;
  impl.broken = impl.broken || impl.open.empty() || impl.open.back() != '{' || impl.has_key;
  if (!impl.broken) {
    impl.json.Key(name);
    impl.has_key = true;
  }
}

void DocumentWriter::String(std::string_view text) {
  if (impl_->Begin()) {
    impl_->json.String(text);
  }
}
void DocumentWriter::Bool(bool value) {
  if (impl_->Begin()) {
    impl_->json.Bool(value);
  }
}
void DocumentWriter::Int(int64_t value) {
  if (impl_->Begin()) {
    impl_->json.Int(value);
  }
}
void DocumentWriter::Number(std::string_view digits) {
  const auto parsed = json::Document::Parse(std::string(digits));
  impl_->broken = impl_->broken || !parsed || !(*parsed)->root().is_number();
  if (impl_->Begin()) {
    impl_->json.Raw((*parsed)->root().text());
  }
}
void DocumentWriter::Null() {
  if (impl_->Begin()) {
    impl_->json.Null();
  }
}
void DocumentWriter::Value(const JsonValue& value) {
  if (impl_->Begin()) {
    const std::string json = value.Json();
    if (json.empty()) {
      impl_->json.Null();
    } else {
      impl_->json.Embed(json);
    }
  }
}

std::optional<std::string> DocumentWriter::Finish() {
  const std::string indent = impl_->indent;
  const auto done = std::exchange(impl_, std::make_unique<Impl>(indent));
  if (done->broken || !done->complete || !done->open.empty()) {
    return std::nullopt;
  }
  return std::move(done->text);
}

}  // namespace kinu::v1
