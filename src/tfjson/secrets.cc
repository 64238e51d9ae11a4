#include "tfjson/secrets.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "tfjson/masks.h"
#include "tfjson/token_stream.h"

namespace kinu::tfjson {
namespace {

uint32_t Start(const char* text) {
  uint32_t start = 0;
  std::memcpy(&start, text, sizeof(start));
  return start;
}

/// 16 bits of four.
uint32_t Mixed(uint32_t start) {
  return (start * 0x9E3779B1U) >> 16;
}

std::string_view Body(const Node& string) {
  const std::string_view quoted = string.text();
  return quoted.substr(1, quoted.size() - 2);
}

struct Pair {
  std::string_view mask;
  std::string_view value;
};
constexpr Pair kPairs[] = {{"before_sensitive", "before"}, {"after_sensitive", "after"},
                           {"sensitive_values", "values"}, {"sensitive", "value"},
                           {"sensitive", "default"},       {"ephemeral", "value"},
                           {"ephemeral", "default"}};

bool IsMaskName(std::string_view quoted, bool may_have_escapes) {
  // Names are compared only when they have one of the lengths.
  const size_t size = quoted.size() - 2;
  if (size == 9 || size == 15 || size == 16) {
    const std::string_view name = quoted.substr(1, size);
    if (std::ranges::any_of(kPairs, [&](const Pair& pair) { return pair.mask == name; })) {
      return true;
    }
  }
  if (!may_have_escapes || quoted.find('\\') == std::string_view::npos) {
    return false;
  }
  const std::string name = DecodeString(quoted);
  return std::ranges::any_of(kPairs, [&](const Pair& pair) { return pair.mask == name; });
}

/// Finds the objects of a text that have a mask with a `true` in it.
class MarkedObjects {
 public:
  /// `container`: a part of a text that was read before.
  explicit MarkedObjects(std::string_view container)
      : text_(container), stream_(TokenStream::Container{container}) {}

  /// The texts of these objects, without those inside of others.
  std::vector<std::string_view> Find() {
    do {
      const char first = stream_.Peek();
      if (first == '"') {
        TakeString();
        continue;
      }
      if (first == '{' || first == '[') {
        const uint32_t owner = mask_of_ != kNone || open_.empty() ? mask_of_ : open_.back().mask_of;
        open_.push_back({stream_.Offset(), owner, false});
        mask_of_ = kNone;
      } else if (first == '}' || first == ']') {
        Close();
      } else if (first == 't') {
        Mark(open_.back().mask_of);
      }
      stream_.Advance();
    } while (!open_.empty());
    return std::move(found_);
  }

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  struct Open {
    uint64_t begin = 0;
    uint32_t mask_of = kNone;  ///< the open object in whose mask this container is
    bool marked = false;
  };

  /// Marks an open object, and those in whose masks it is.
  void Mark(uint32_t object) {
    for (; object != kNone && !open_[object].marked; object = open_[object].mask_of) {
      open_[object].marked = true;
    }
  }

  void TakeString() {
    const std::string_view text = stream_.Text();
    const bool may_have_escapes = stream_.MayHaveEscapes();
    stream_.Advance();
    if (stream_.Peek() != ':') {
      return;
    }
    stream_.Advance();
    if (!IsMaskName(text, may_have_escapes)) {
      return;
    }
    const auto object = static_cast<uint32_t>(open_.size() - 1);
    const char value = stream_.Peek();
    if (value == 't') {
      Mark(object);
    } else if (value == '{' || value == '[') {
      mask_of_ = object;
    }
  }

  void Close() {
    const Open closed = open_.back();
    open_.pop_back();
    if (!closed.marked) {
      return;
    }
    const std::string_view text = text_.substr(closed.begin, stream_.Offset() + 1 - closed.begin);
    while (!found_.empty() && found_.back().data() >= text.data()) {
      found_.pop_back();
    }
    found_.push_back(text);
  }

  std::string_view text_;
  TokenStream stream_;
  std::vector<Open> open_;
  uint32_t mask_of_ = kNone;  ///< the object whose mask begins here
  std::vector<std::string_view> found_;
};

}  // namespace

Secrets::Secrets(const Node& document) {
  if (document.tree().partial()) {
    for (const std::string_view object : MarkedObjects(document.text()).Find()) {
      TokenStream stream(TokenStream::Container{object});
      Tree tree;
      if (tree.Read(stream)) {
        AddMarkedIn(tree.root());
      }
    }
  } else {
    AddMarkedIn(document);
  }
  // $.variables.NAME.value: the configuration says whether the variable is sensitive.
  const Node variables = document.Find("variables");
  const Node configuration = variables ? document.Find("configuration") : Node();
  const Node module = configuration ? configuration.Find("root_module") : Node();
  const Node declared = module ? module.Find("variables") : Node();
  if (!declared) {
    return;
  }
  for (const Member variable : variables.members()) {
    const Node declaration = declared.Find(variable.name.String());
    const Node value = variable.value.Find("value");
    for (const char* flag : {"sensitive", "ephemeral"}) {
      const Node hidden = declaration ? declaration.Find(flag) : Node();
      if (hidden && value && hidden.is_true()) {
        Add(value);
      }
    }
  }
}

void Secrets::AddMarkedIn(const Node& value) {
  const Tree& tree = value.tree();
  const uint32_t end = tree.entry(value.at()).next;
  for (uint32_t at = value.at(); at < end; ++at) {
    if (tree.entry(at).kind() == Kind::kObject) {
      AddMarked(Node(&tree, at));
    }
  }
}

void Secrets::AddMarked(const Node& object) {
  for (const Member member : object.members()) {
    // Names are compared only when they have one of the lengths.
    const size_t size = member.name.text().size() - 2;
    if ((size != 9 && size != 15 && size != 16) ||
        (!member.value.is_true() && !member.value.is_container())) {
      continue;
    }
    for (const Pair& pair : kPairs) {
      if (member.name.Is(pair.mask)) {
        if (const Node value = object.Find(pair.value)) {
          AddMasked(value, member.value);
        }
      }
    }
  }
}

void Secrets::AddMasked(const Node& value, const Node& mask) {
  if (mask.is_true()) {
    Add(value);
  } else if (mask.is_object()) {
    for (const Member member : mask.members()) {
      const bool says_something = member.value.is_true() || member.value.is_container();
      const Node inside = says_something ? value.Find(member.name.String()) : Node();
      if (inside) {
        AddMasked(inside, member.value);
      }
    }
  } else if (mask.is_array() && value.is_array()) {
    auto element = value.elements().begin();
    const auto end = value.elements().end();
    for (const Node inside : mask.elements()) {
      if (element == end) {
        break;
      }
      AddMasked(*element, inside);
      ++element;
    }
  }
}

/// All texts in a value.
void Secrets::Add(const Node& value) {
  const Tree& tree = value.tree();
  const uint32_t end = tree.entry(value.at()).next;
  for (uint32_t at = value.at(); at < end; ++at) {
    if (tree.entry(at).kind() != Kind::kString) {
      continue;
    }
    const std::string_view body = Body(Node(&tree, at));
    if (body.size() < kShortest || !texts_.insert(body).second || body.size() < kShortestPart) {
      continue;
    }
    // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): it is long enough
    const uint32_t start = Start(body.data());
    parts_[start].push_back(body);
    starts_[Mixed(start) / 64] |= uint64_t{1} << Mixed(start) % 64;
  }
}

bool Secrets::AreIn(const Node& string) const {
  const std::string_view body = Body(string);
  if (texts_.empty() || body.size() < kShortest) {
    return false;
  }
  // Longer texts are among the parts.
  if (body.size() < kShortestPart) {
    return texts_.contains(body);
  }
  for (size_t at = 0; at + kShortestPart <= body.size(); ++at) {
    const uint32_t start = Start(body.data() + at);
    if ((starts_[Mixed(start) / 64] >> Mixed(start) % 64 & 1) == 0) {
      continue;
    }
    if (const auto found = parts_.find(start); found != parts_.end()) {
      for (const std::string_view part : found->second) {
        if (body.substr(at).starts_with(part)) {
          return true;
        }
      }
    }
  }
  return false;
}

}  // namespace kinu::tfjson
