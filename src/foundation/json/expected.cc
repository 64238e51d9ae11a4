#include "json/expected.h"

#include <charconv>
#include <concepts>

#include "json/syntax_problem.h"
#include "text/ascii_case.h"

namespace kinu::json {
namespace {

std::string_view KindOf(const JsonNode& node) {
  switch (node.kind()) {
    case JsonNode::Kind::kBool:
      return "bool";
    case JsonNode::Kind::kNumber:
      return "number";
    case JsonNode::Kind::kString:
      return "string";
    case JsonNode::Kind::kArray:
      return "array";
    case JsonNode::Kind::kObject:
      return "object";
    case JsonNode::Kind::kNull:
    case JsonNode::Kind::kInvalid:
      break;
  }
  return "null";
}

template <std::integral T>
bool IsWhole(std::string_view number) {
  T value{};
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  return error == std::errc() && end == number.data() + number.size();
}

/// Walks a document beside its form.
class Comparison {
 public:
  /// What does not fit in the value at `path_`, which is a member of `owner`; empty: all fits.
  std::string Of(const JsonNode& node, const Expected& form, std::string_view owner) {
    if (node.is_null() || form.type == Expected::Type::kAny) {
      return "";
    }
    switch (form.type) {
      case Expected::Type::kText:
        return node.is_string() ? "" : Wrong(node, form, owner);
      case Expected::Type::kBool:
        return node.is_bool() ? "" : Wrong(node, form, owner);
      case Expected::Type::kInteger:
        return node.is_number() && IsWhole<int64_t>(node.text()) ? "" : Wrong(node, form, owner);
      case Expected::Type::kUnsigned:
        return node.is_number() && IsWhole<uint64_t>(node.text()) ? "" : Wrong(node, form, owner);
      case Expected::Type::kObject:
        return node.is_object() ? OfMembers(node, form) : Wrong(node, form, owner);
      case Expected::Type::kMap:
        return node.is_object() ? OfValues(node, form, owner) : Wrong(node, form, owner);
      case Expected::Type::kList:
        return node.is_array() ? OfElements(node, form, owner) : Wrong(node, form, owner);
      case Expected::Type::kAny:
        break;
    }
    return "";
  }

 private:
  std::string OfMembers(const JsonNode& node, const Expected& form) {
    const bool is_named = !form.name.starts_with("struct ");
    const std::string_view owner = is_named ? form.name.substr(form.name.rfind('.') + 1) : "";
    for (const JsonMember& member : node.members()) {
      for (const Expected::Member& expected : form.members) {
        if (!text::IsSameInAnyCase(expected.name, member.name)) {
          continue;
        }
        const size_t length = path_.size();
        path_ += (path_.empty() ? "" : ".") + std::string(expected.name);
        if (std::string wrong = Of(member.value, *expected.form, owner); !wrong.empty()) {
          return wrong;
        }
        path_.resize(length);
      }
    }
    return "";
  }

  std::string OfValues(const JsonNode& node, const Expected& form, std::string_view owner) {
    for (const JsonMember& member : node.members()) {
      if (std::string wrong = Of(member.value, *form.element, owner); !wrong.empty()) {
        return wrong;
      }
    }
    return "";
  }

  std::string OfElements(const JsonNode& node, const Expected& form, std::string_view owner) {
    for (const JsonNode& element : node.elements()) {
      if (std::string wrong = Of(element, *form.element, owner); !wrong.empty()) {
        return wrong;
      }
    }
    return "";
  }

  std::string Wrong(const JsonNode& node, const Expected& form, std::string_view owner) const {
    std::string out = "json: cannot unmarshal " + std::string(KindOf(node));
    const bool is_number =
        form.type == Expected::Type::kInteger || form.type == Expected::Type::kUnsigned;
    if (node.is_number() && is_number) {
      out += " " + std::string(node.text());
    }
    out += path_.empty() ? " into Go value"
                         : " into Go struct field " + std::string(owner) + "." + path_;
    return out + " of type " + std::string(form.name);
  }

  std::string path_;
};

}  // namespace

std::string Mismatch(const JsonNode& root, const Expected& form) {
  return Comparison().Of(root, form, "");
}

std::string ProblemOf(std::string_view text, const JsonDocument& document, const Expected& form) {
  if (document.ok()) {
    return Mismatch(document.root(), form);
  }
  std::string problem = SyntaxProblem(text);
  return problem.empty() ? document.problems()[0].message : problem;
}

const JsonNode* FindInAnyCase(const JsonNode& object, std::string_view name) {
  const JsonNode* found = nullptr;
  for (const JsonMember& member : object.members()) {
    if (text::IsSameInAnyCase(member.name, name)) {
      found = &member.value;
    }
  }
  return found;
}

std::string TextInAnyCase(const JsonNode& object, std::string_view name) {
  const JsonNode* found = FindInAnyCase(object, name);
  return found != nullptr && found->is_string() ? std::string(found->text()) : std::string();
}

}  // namespace kinu::json
