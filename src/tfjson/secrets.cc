#include "tfjson/secrets.h"

#include <cstring>

#include "tfjson/masks.h"

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

}  // namespace

Secrets::Secrets(const Node& document) {
  const Tree& tree = document.tree();
  const uint32_t end = tree.entry(document.at()).next;
  for (uint32_t at = document.at(); at < end; ++at) {
    if (tree.entry(at).kind() == Kind::kObject) {
      AddMarked(Node(&tree, at));
    }
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
