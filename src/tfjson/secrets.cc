#include "tfjson/secrets.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "tfjson/masks.h"
#include "tfjson/token_stream.h"

namespace kinu::tfjson {
namespace {

constexpr size_t kBlock = sizeof(uint32_t);
constexpr size_t kStride = Secrets::kShortestPart - kBlock + 1;

/// The first bytes of a part.
uint64_t Start(const char* text) {
  uint64_t start = 0;
  static_assert(sizeof start == Secrets::kShortestPart);
  std::memcpy(&start, text, sizeof start);
  return start;
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

/// Whether a member may be one of these masks. Names are compared only when they have one of the
/// lengths.
bool MayBeMask(const Tree::Entry& name, const Tree::Entry& value) {
  const uint32_t size = name.end - name.begin - 2;
  const Kind kind = value.kind();
  return (size == 9 || size == 15 || size == 16) &&
         (kind == Kind::kTrue || kind == Kind::kObject || kind == Kind::kArray);
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
  const Tree::Entry* const entries = &tree.entry(0);
  const uint32_t end = entries[value.at()].next;
  std::vector<uint32_t> objects;  // around the entry, and some that have ended
  for (uint32_t at = value.at(); at < end; ++at) {
    const Tree::Entry& entry = entries[at];
    const bool is_object = entry.kind() == Kind::kObject;
    if (!is_object && (entry.kind() != Kind::kName || !MayBeMask(entry, entries[at + 1]))) {
      continue;
    }
    while (!objects.empty() && entries[objects.back()].next <= at) {
      objects.pop_back();
    }
    if (is_object) {
      objects.push_back(at);
    } else {
      AddMarked(Node(&tree, objects.back()), {Node(&tree, at), Node(&tree, at + 1)});
    }
  }
}

/// Adds what a member of an object masks beside it.
void Secrets::AddMarked(const Node& object, const Member& member) {
  for (const Pair& pair : kPairs) {
    if (member.name.Is(pair.mask)) {
      if (const Node value = object.Find(pair.value)) {
        AddMasked(value, member.value);
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
    if (body.size() < kShortest || !texts_.insert(body).second) {
      continue;
    }
    if (body.size() < kShortestPart) {
      have_short_ = true;
      continue;
    }
    // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): it is long enough
    parts_[Start(body.data())].push_back(body);
    for (size_t i = 0; i < kStride; ++i) {
      const uint32_t hash = BlockHash(body.data() + i);
      blocks_[hash / 64] |= uint64_t{1} << hash % 64;
    }
  }
}

size_t Secrets::FindPart(std::string_view text, size_t from) const {
  if (parts_.empty()) {
    return std::string_view::npos;
  }
  for (size_t at = from; at + kBlock <= text.size(); at += kStride) {
    if (!IsBlock(text.data() + at)) {
      continue;
    }
    // The part begins here or up to four bytes before.
    for (size_t begin = at - std::min(at - from, kStride - 1);
         begin <= at && begin + kShortestPart <= text.size(); ++begin) {
      const char* const blocks = text.data() + begin;
      if (!IsBlock(blocks) || !IsBlock(blocks + 2) || !IsBlock(blocks + kStride - 1)) {
        continue;
      }
      const auto found = parts_.find(Start(text.data() + begin));
      if (found != parts_.end() && std::ranges::any_of(found->second, [&](std::string_view part) {
            return text.substr(begin).starts_with(part);
          })) {
        return begin;
      }
    }
  }
  return std::string_view::npos;
}

bool Secrets::AreIn(const Node& string) const {
  const std::string_view body = Body(string);
  if (texts_.empty() || body.size() < kShortest) {
    return false;
  }
  // Longer texts are among the parts.
  return body.size() < kShortestPart ? texts_.contains(body)
                                     : FindPart(body) != std::string_view::npos;
}

}  // namespace kinu::tfjson
