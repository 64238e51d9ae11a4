#include "compare/canonical.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "codec/hash.h"
#include "compare/compare.h"
#include "compare/items.h"
#include "compare/members.h"
#include "json/writer.h"

namespace kinu::compare {
namespace {

using json::Node;

bool IsOneOf(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

Node Member(const Node& object, std::string_view name) {
  return object && object.is_object() ? object.Find(name) : Node();
}

/// Whether a member has values of the configuration or of resources, whose arrays have an order.
bool HoldsData(std::string_view name, const Node& object) {
  return IsOneOf(name, {"before", "after", "after_unknown", "before_sensitive", "after_sensitive",
                        "sensitive_values", "value", "default", "constant_value", "identity"}) ||
         (name == "values" && Member(object, "address"));
}

/// Whether a member is the place of something in the configuration, which means nothing.
bool IsPosition(const NamedMember& member) {
  const Node filename = Member(member.value, "filename");
  return member.text == "position" && filename && filename.is_string() &&
         Member(member.value, "start");
}

/// Whether a value is an object with a position.
bool HasPosition(const Node& value) {
  const Node position = Member(value, "position");
  return position && IsPosition({"position", {}, position});
}

/// Whether a member is a list or object of blocks that documents only have with their positions.
bool IsPlacedBlocks(const NamedMember& member) {
  if (member.text == "checks" && member.value.is_object()) {
    const auto blocks = member.value.members();
    return blocks.begin() != blocks.end() && HasPosition((*blocks.begin()).value);
  }
  if (!IsOneOf(member.text, {"conditions", "moved", "removed", "imports"}) ||
      !member.value.is_array()) {
    return false;
  }
  const auto blocks = member.value.elements();
  return blocks.begin() != blocks.end() && HasPosition(*blocks.begin());
}

void Append(std::string& out, const Node& value, bool data);

void AppendObject(std::string& out, const Node& object, bool data) {
  out += '{';
  bool first = true;
  for (const NamedMember& member : SortedMembers(object)) {
    if (!data && (IsPosition(member) || IsPlacedBlocks(member) ||
                  IsOneOf(member.text, {"format_version", "terraform_version", "timestamp"}))) {
      continue;
    }
    out += first ? "" : ",";
    first = false;
    JsonWriter::AppendQuoted(out, member.text, JsonEscape::kPlain);
    out += ':';
    Append(out, member.value, data || HoldsData(member.text, object));
  }
  out += '}';
}

/// Adds an element with the keys by which it is sorted; one without an address has none.
void AddKeyed(const Node& element, Items& out) {
  Item item{.node = element};
  item.address = out.TextOf(Member(element, "address"));
  for (const std::string_view name : {"deposed", "deposed_key"}) {
    if (const Node deposed = Member(element, name); deposed && deposed.is_string()) {
      item.deposed = out.TextOf(deposed);
    }
  }
  out.list.push_back(item);
}

void SortByKeys(Items& items) {
  std::ranges::stable_sort(items.list,
                           [](const Item& a, const Item& b) { return CompareKeys(a, b) < 0; });
}

void AppendArray(std::string& out, const Node& array, bool data) {
  Items elements;
  for (const Node element : array.elements()) {
    if (data) {
      elements.list.push_back({.node = element});
    } else {
      AddKeyed(element, elements);
    }
  }
  if (!data) {
    SortByKeys(elements);
  }
  out += '[';
  std::string_view separator;
  for (const Item& element : elements.list) {
    out += std::exchange(separator, ",");
    Append(out, element.node, data);
  }
  out += ']';
}

void Append(std::string& out, const Node& value, bool data) {
  if (value.is_object()) {
    AppendObject(out, value, data);
  } else if (value.is_array()) {
    AppendArray(out, value, data);
  } else if (value.is_string()) {
    std::string scratch;
    JsonWriter::AppendQuoted(out, value.String(scratch), JsonEscape::kPlain);
  } else if (value.is_number()) {
    out += CanonicalNumber(value.text());
  } else {
    out += value.text();
  }
}

/// Whether a change does something. `object`: the resource change, or the change of an output.
bool DoesSomething(const Node& object, const Node& change) {
  const Node actions = Member(change, "actions");
  const Node importing = Member(change, "importing");
  const Node first = actions ? actions.At(0) : Node();
  return !first || !first.Is("no-op") || (importing && !importing.is_null()) ||
         Member(object, "previous_address");
}

/// What a plan does, as a canonical document.
std::string Effects(const Node& plan) {
  Items changes;
  if (const Node list = Member(plan, "resource_changes")) {
    for (const Node change : list.elements()) {
      if (DoesSomething(change, Member(change, "change"))) {
        AddKeyed(change, changes);
      }
    }
  }
  SortByKeys(changes);
  std::string out = "{\"output_changes\":{";
  std::string_view separator;
  if (const Node outputs = Member(plan, "output_changes")) {
    for (const NamedMember& output : SortedMembers(outputs)) {
      if (DoesSomething({}, output.value)) {
        out += separator;
        separator = ",";
        JsonWriter::AppendQuoted(out, output.text, JsonEscape::kPlain);
        out += ':';
        Append(out, output.value, false);
      }
    }
  }
  out += "},\"resource_changes\":[";
  separator = {};
  for (const Item& change : changes.list) {
    out += std::exchange(separator, ",");
    Append(out, change.node, false);
  }
  return out + "]}";
}

}  // namespace

std::string CanonicalNumber(std::string_view number) {
  constexpr int64_t kLargestExponent = 1'000'000'000'000;
  std::string_view rest = number;
  const bool negative = rest.starts_with('-');
  rest.remove_prefix(negative ? 1 : 0);
  const size_t mark = rest.find_first_of("eE");
  int64_t exponent = 0;
  if (mark != std::string_view::npos) {
    std::string_view digits = rest.substr(mark + 1);
    digits.remove_prefix(digits.starts_with('+') ? 1 : 0);
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    if (read.ec != std::errc() || exponent > kLargestExponent || exponent < -kLargestExponent) {
      return std::string(number);
    }
    rest = rest.substr(0, mark);
  }
  // The number is 0.DIGITS times ten to the `exponent`.
  std::string digits(rest.substr(0, rest.find('.')));
  exponent += static_cast<int64_t>(digits.size());
  if (const size_t point = rest.find('.'); point != std::string_view::npos) {
    digits += rest.substr(point + 1);
  }
  const size_t zeros = std::min(digits.find_first_not_of('0'), digits.size());
  digits.erase(0, zeros);
  exponent -= static_cast<int64_t>(zeros);
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.empty()) {
    return "0";
  }
  const auto size = static_cast<int64_t>(digits.size());
  std::string out = negative ? "-" : "";
  constexpr int64_t kMostPlain = 21;
  constexpr int64_t kLeastPlain = -5;
  if (exponent > kMostPlain || exponent < kLeastPlain) {
    out += digits[0];
    out += size > 1 ? "." + digits.substr(1) : "";
    out += exponent > 0 ? "e+" : "e";
    return out + std::to_string(exponent - 1);
  }
  if (exponent <= 0) {
    return out + "0." + std::string(static_cast<size_t>(-exponent), '0') + digits;
  }
  if (exponent >= size) {
    return out + digits + std::string(static_cast<size_t>(exponent - size), '0');
  }
  digits.insert(static_cast<size_t>(exponent), ".");
  return out + digits;
}

Result<void> AppendCanonical(std::string& out, const Node& document) {
  if (!document.is_object()) {
    return Fail(ErrorCode::kInvalid, "the document is neither a plan nor a state");
  }
  Append(out, document, false);
  return {};
}

Result<void> AppendFingerprint(std::string& out, const Node& document) {
  if (!IsPlan(document)) {
    return Fail(ErrorCode::kInvalid, "only plans have a fingerprint");
  }
  out += HexDigest(HashKind::kSha256, Effects(document));
  return {};
}

}  // namespace kinu::compare
