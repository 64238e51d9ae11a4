#include "install/hcl1_form.h"

#include <charconv>

#include "text/ascii_case.h"
#include "text/quote.h"

namespace kinu::install {
namespace {

/// An item without some of its first keys.
struct ItemView {
  const Hcl1Item* item = nullptr;
  size_t taken = 0;

  size_t size() const { return item->keys.size() - taken; }
  const Hcl1Key& first() const { return item->keys[taken]; }
};

/// What a form is compared with: a value, or items that have lost keys.
struct Node {
  enum class Kind : uint8_t { kValue, kItems, kItem };
  Kind kind = Kind::kValue;
  const Hcl1Value* value = nullptr;
  std::vector<ItemView> items{};

  static Node Of(const Hcl1Value& value) { return {.value = &value}; }
  static Node Of(std::vector<ItemView> items) {
    return {.kind = Kind::kItems, .items = std::move(items)};
  }
  static Node Of(ItemView item) { return {.kind = Kind::kItem, .items = {item}}; }

  bool is_literal() const {
    return kind == Kind::kValue && value->kind != Hcl1Value::Kind::kObject &&
           value->kind != Hcl1Value::Kind::kList;
  }
  bool is_list() const { return kind == Kind::kValue && value->kind == Hcl1Value::Kind::kList; }
  /// The type of the node in messages.
  std::string_view TypeName() const {
    switch (kind) {
      case Kind::kItems:
        return "*ast.ObjectList";
      case Kind::kItem:
        return "*ast.ObjectItem";
      case Kind::kValue:
        break;
    }
    if (is_literal()) {
      return "*ast.LiteralType";
    }
    return is_list() ? "*ast.ListType" : "*ast.ObjectType";
  }
  std::string Place() const {
    if (kind == Kind::kValue) {
      return value->place.ToText();
    }
    return items.empty() || items[0].size() == 0 ? "-" : items[0].first().place.ToText();
  }
};

std::vector<ItemView> ItemsOf(const Hcl1Value& object) {
  std::vector<ItemView> out;
  for (const Hcl1Item& item : object.items) {
    out.push_back({&item, 0});
  }
  return out;
}

/// The items whose first key has this name, without that key.
std::vector<ItemView> Named(std::span<const ItemView> items, std::string_view name) {
  std::vector<ItemView> out;
  for (const ItemView& item : items) {
    if (item.size() != 0 && IsSameHcl1Name(item.first().text, name)) {
      out.push_back({item.item, item.taken + 1});
    }
  }
  return out;
}

std::string Problem(const Node& node, const std::string& what) {
  return "At " + node.Place() + ": " + what;
}

std::string Misfit(const std::string& name, const Node& node, const Hcl1Form& form);

std::string TextMisfit(const std::string& name, const Node& node) {
  using Kind = Hcl1Value::Kind;
  const bool fits =
      node.is_literal() && (node.value->kind == Kind::kString || node.value->kind == Kind::kNumber);
  return fits ? ""
              : Problem(node, name + ": unknown type for string " + std::string(node.TypeName()));
}

std::string BoolMisfit(const std::string& name, const Node& node) {
  const bool fits = node.is_literal() && node.value->kind == Hcl1Value::Kind::kBool;
  return fits ? "" : Problem(node, name + ": unknown type " + std::string(node.TypeName()));
}

/// The base of a number by its prefix, which is removed.
int TakeBase(std::string_view& digits) {
  if (digits.size() < 2 || digits[0] != '0') {
    return 10;
  }
  const char mark = digits[1];
  const bool is_hex = mark == 'x' || mark == 'X';
  const bool is_binary = mark == 'b' || mark == 'B';
  const bool has_mark = is_hex || is_binary || mark == 'o' || mark == 'O';
  digits.remove_prefix(has_mark ? 2 : 1);
  if (is_hex) {
    return 16;
  }
  return is_binary ? 2 : 8;
}

/// Reads decimal, and with their prefixes hexadecimal, octal and binary numbers.
std::errc ReadInteger(std::string_view text, int64_t& number) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) {
    text.remove_prefix(1);
  }
  const int base = TakeBase(text);
  uint64_t magnitude = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), magnitude, base);
  if (error == std::errc::invalid_argument || end != text.data() + text.size()) {
    return std::errc::invalid_argument;
  }
  const uint64_t limit = (uint64_t{1} << 63) - (negative ? 0 : 1);
  if (error != std::errc() || magnitude > limit) {
    return std::errc::result_out_of_range;
  }
  number = static_cast<int64_t>(negative ? 0 - magnitude : magnitude);
  return {};
}

std::string IntegerMisfit(const std::string& name, const Node& node) {
  using Kind = Hcl1Value::Kind;
  const bool may_fit = node.is_literal() && !node.value->is_heredoc &&
                       (node.value->kind == Kind::kString || node.value->kind == Kind::kNumber);
  if (!may_fit) {
    return Problem(node, name + ": unknown type " + std::string(node.TypeName()));
  }
  int64_t number = 0;
  const std::errc error = ReadInteger(node.value->text, number);
  return error == std::errc() ? ""
                              : "strconv.ParseInt: parsing " + text::Quoted(node.value->text) +
                                    (error == std::errc::invalid_argument ? ": invalid syntax"
                                                                          : ": value out of range");
}

std::string TextsMisfit(const std::string& name, const Node& node) {
  std::vector<Node> elements;
  if (node.kind == Node::Kind::kItems) {
    for (const ItemView& item : node.items) {
      elements.push_back(Node::Of(item));
    }
  } else if (node.is_list()) {
    for (const Hcl1Value& element : node.value->list) {
      elements.push_back(Node::Of(element));
    }
  } else if (node.kind == Node::Kind::kValue && node.value->is_object()) {
    elements.push_back(node);
  } else {
    return Problem(node, "unknown slice type: " + std::string(node.TypeName()));
  }
  for (size_t i = 0; i < elements.size(); ++i) {
    if (std::string problem = TextMisfit(name + '[' + std::to_string(i) + ']', elements[i]);
        !problem.empty()) {
      return problem;
    }
  }
  return "";
}

std::string MapMisfit(const std::string& name, const Node& node, const Hcl1Form& element) {
  if (node.is_literal() || node.is_list()) {
    return Problem(node,
                   name + ": not an object type for map (" + std::string(node.TypeName()) + ')');
  }
  const std::vector<ItemView> items =
      node.kind == Node::Kind::kValue ? ItemsOf(*node.value) : node.items;
  for (const ItemView& item : items) {
    if (item.size() == 0) {
      return Problem(node, name + ": map must have string keys");
    }
    const std::string& key = item.first().text;
    const Node value = item.size() > 1 ? Node::Of(Named(items, key)) : Node::Of(item.item->value);
    if (std::string problem = Misfit(name + '.' + key, value, element); !problem.empty()) {
      return problem;
    }
  }
  return "";
}

std::string BlockMisfit(const std::string& name, const Node& node, const Hcl1Form& form) {
  const Node inner = node.kind == Node::Kind::kItem ? Node::Of(node.items[0].item->value) : node;
  std::vector<ItemView> items;
  if (inner.is_literal() && node.kind == Node::Kind::kItem) {
    items = node.items;
  } else if (inner.is_literal() || inner.is_list()) {
    return Problem(
        inner, name + ": not an object type for struct (" + std::string(inner.TypeName()) + ')');
  } else {
    items = inner.kind == Node::Kind::kValue ? ItemsOf(*inner.value) : inner.items;
  }
  for (const Hcl1Form::Member& member : form.members) {
    std::vector<ItemView> nested;
    std::vector<Node> values;
    for (const ItemView& item : Named(items, member.name)) {
      if (item.size() != 0) {
        nested.push_back(item);
      } else {
        const Hcl1Value& value = item.item->value;
        values.push_back(value.is_object() ? Node::Of(ItemsOf(value)) : Node::Of(value));
      }
    }
    if (!nested.empty()) {
      values.insert(values.begin(), Node::Of(std::move(nested)));
    }
    for (const Node& value : values) {
      if (std::string problem = Misfit(name + '.' + std::string(member.name), value, *member.form);
          !problem.empty()) {
        return problem;
      }
    }
  }
  return "";
}

std::string Misfit(const std::string& name, const Node& node, const Hcl1Form& form) {
  switch (form.type) {
    case Hcl1Form::Type::kText:
      return TextMisfit(name, node);
    case Hcl1Form::Type::kBool:
      return BoolMisfit(name, node);
    case Hcl1Form::Type::kInteger:
      return IntegerMisfit(name, node);
    case Hcl1Form::Type::kTexts:
      return TextsMisfit(name, node);
    case Hcl1Form::Type::kMap:
      return MapMisfit(name, node, *form.element);
    case Hcl1Form::Type::kBlock:
      return BlockMisfit(name, node, form);
    case Hcl1Form::Type::kAny:
      break;
  }
  return "";
}

}  // namespace

std::string Hcl1Misfit(const Hcl1Value& object, const Hcl1Form& form) {
  return Misfit("root", Node::Of(object), form);
}

bool IsSameHcl1Name(std::string_view a, std::string_view b) {
  return text::IsSameInAnyCase(a, b);
}

std::vector<const Hcl1Value*> Hcl1Values(const Hcl1Value& object, std::string_view name) {
  std::vector<const Hcl1Value*> out;
  for (const Hcl1Item& item : object.items) {
    if (item.labels().empty() && IsSameHcl1Name(item.key(), name)) {
      out.push_back(&item.value);
    }
  }
  return out;
}

std::vector<std::string> Hcl1Texts(const Hcl1Value& object, std::string_view name) {
  std::vector<std::string> out;
  for (const Hcl1Value* list : Hcl1Values(object, name)) {
    for (const Hcl1Value& element : list->list) {
      out.push_back(element.text);
    }
  }
  return out;
}

const Hcl1Value* FindHcl1(const Hcl1Value& object, std::string_view name) {
  const std::vector<const Hcl1Value*> values = Hcl1Values(object, name);
  return values.empty() ? nullptr : values.back();
}

std::optional<int64_t> Hcl1Number(const Hcl1Value& object, std::string_view name) {
  int64_t number = 0;
  const Hcl1Value* value = FindHcl1(object, name);
  return value != nullptr && ReadInteger(value->text, number) == std::errc() ? std::optional(number)
                                                                             : std::nullopt;
}

}  // namespace kinu::install
