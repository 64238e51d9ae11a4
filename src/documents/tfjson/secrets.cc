#include "tfjson/secrets.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "json/token_stream.h"
#include "tfjson/marked_objects.h"
#include "tfjson/masks.h"

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

std::string_view Body(const json::Node& string) {
  const std::string_view quoted = string.text();
  return quoted.substr(1, quoted.size() - 2);
}

/// Whether a member may be one of these masks. Names are compared only when they have one of the
/// lengths.
bool MayBeMask(const json::Tree::Entry& name, const json::Tree::Entry& value) {
  const uint32_t size = name.end - name.begin - 2;
  const json::Kind kind = value.kind();
  return (size == 9 || size == 15 || size == 16) &&
         (kind == json::Kind::kTrue || kind == json::Kind::kObject || kind == json::Kind::kArray);
}

}  // namespace

Secrets::Secrets(const json::Node& document) {
  if (document.tree().partial()) {
    for (const std::string_view object : MarkedObjects(document)) {
      json::TokenStream stream(json::TokenStream::Container{object});
      json::Tree tree;
      if (tree.Read(stream)) {
        AddMarkedIn(tree.root());
      }
    }
  } else {
    AddMarkedIn(document);
  }
  // $.variables.NAME.value: the configuration says whether the variable is sensitive.
  const json::Node variables = document.Find("variables");
  const json::Node configuration = variables ? document.Find("configuration") : json::Node();
  const json::Node module = configuration ? configuration.Find("root_module") : json::Node();
  const json::Node declared = module ? module.Find("variables") : json::Node();
  if (!declared) {
    return;
  }
  for (const json::Member variable : variables.members()) {
    const json::Node declaration = declared.Find(variable.name.String());
    const json::Node value = variable.value.Find("value");
    for (const char* flag : {"sensitive", "ephemeral"}) {
      const json::Node hidden = declaration ? declaration.Find(flag) : json::Node();
      if (hidden && value && hidden.is_true()) {
        Add(value);
      }
    }
  }
}

void Secrets::AddMarkedIn(const json::Node& value) {
  const json::Tree& tree = value.tree();
  const json::Tree::Entry* const entries = &tree.entry(0);
  const uint32_t end = entries[value.at()].next;
  std::vector<uint32_t> objects;  // around the entry, and some that have ended
  for (uint32_t at = value.at(); at < end; ++at) {
    const json::Tree::Entry& entry = entries[at];
    const bool is_object = entry.kind() == json::Kind::kObject;
    if (!is_object && (entry.kind() != json::Kind::kName || !MayBeMask(entry, entries[at + 1]))) {
      continue;
    }
    while (!objects.empty() && entries[objects.back()].next <= at) {
      objects.pop_back();
    }
    if (is_object) {
      objects.push_back(at);
    } else {
      AddMarked(json::Node(&tree, objects.back()),
                {json::Node(&tree, at), json::Node(&tree, at + 1)});
    }
  }
}

/// Adds what a member of an object masks beside it.
void Secrets::AddMarked(const json::Node& object, const json::Member& member) {
  for (const MaskedMember& pair : kMaskedMembers) {
    if (member.name.Is(pair.mask)) {
      if (const json::Node value = object.Find(pair.value)) {
        AddMasked(value, member.value);
      }
    }
  }
}

void Secrets::AddMasked(const json::Node& value, const json::Node& mask) {
  if (mask.is_true()) {
    Add(value);
  } else if (mask.is_object()) {
    for (const json::Member member : mask.members()) {
      const bool says_something = member.value.is_true() || member.value.is_container();
      const json::Node inside = says_something ? value.Find(member.name.String()) : json::Node();
      if (inside) {
        AddMasked(inside, member.value);
      }
    }
  } else if (mask.is_array() && value.is_array()) {
    auto element = value.elements().begin();
    const auto end = value.elements().end();
    for (const json::Node inside : mask.elements()) {
      if (element == end) {
        break;
      }
      AddMasked(*element, inside);
      ++element;
    }
  }
}

/// All texts in a value.
void Secrets::Add(const json::Node& value) {
  const json::Tree& tree = value.tree();
  const uint32_t end = tree.entry(value.at()).next;
  for (uint32_t at = value.at(); at < end; ++at) {
    if (tree.entry(at).kind() != json::Kind::kString) {
      continue;
    }
    const std::string_view body = Body(json::Node(&tree, at));
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

bool Secrets::AreIn(const json::Node& string) const {
  const std::string_view body = Body(string);
  if (texts_.empty() || body.size() < kShortest) {
    return false;
  }
  // Longer texts are among the parts.
  return body.size() < kShortestPart ? texts_.contains(body)
                                     : FindPart(body) != std::string_view::npos;
}

}  // namespace kinu::tfjson
