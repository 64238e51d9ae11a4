#include "module_tests/generated_value.h"

#include <string>
#include <utility>
#include <vector>

#include "cty/conversion.h"
#include "cty/ops.h"
#include "module_tests/go_random.h"

namespace kinu::module_tests {
namespace {

using Members = std::vector<std::pair<std::string, Value>>;

/// FNV-1 of 32 bits.
uint32_t HashOf(std::string_view text) {
  uint32_t hash = 2166136261U;
  for (const char c : text) {
    hash = (hash * 16777619U) ^ static_cast<uint8_t>(c);
  }
  return hash;
}

/// The member of a known object; null if there is none, or it is null.
const Value* Find(const Value& object, std::string_view name) {
  if (object.IsNull() || !object.IsKnown()) {
    return nullptr;
  }
  const Value* member = object.Find(name);
  return member == nullptr || member->IsNull() ? nullptr : member;
}

class Generator {
 public:
  Generator(std::string_view type_name, provider::Problems& problems)
      : random_(HashOf(type_name)), problems_(problems) {}

  /// Null after an error.
  Value Object(const schema::Block& block, const Value& config, const Value* given);

 private:
  Value Attribute(const schema::Attribute& attribute, const Value* config, const Value* given);
  /// Reports values that an attribute cannot have, and returns the given one with its type.
  Value CheckGiven(const schema::Attribute& attribute, const Value* config, const Value& given);
  Value Block(const schema::NestedBlock& nested, const Value* config, const Value* given);
  Value Elements(const schema::NestedBlock& nested, const Value& config, const Value* given);
  Value OfType(const Type& type);
  Value Text();

  void Error(std::string summary, std::string detail) {
    problems_.push_back(
        {.summary = std::move(summary), .detail = std::move(detail), .attribute = std::nullopt});
  }
  bool failed() const { return provider::HasErrors(problems_); }

  GoRandom random_;
  provider::Problems& problems_;
};

Value Generator::Text() {
  constexpr std::string_view kCharacters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ1234567890";
  constexpr int32_t kShortest = 4;
  constexpr int32_t kLengths = 12;
  std::string text(static_cast<size_t>(random_.Below(kLengths) + kShortest), '\0');
  for (char& c : text) {
    c = kCharacters[static_cast<size_t>(random_.Below(static_cast<int32_t>(kCharacters.size())))];
  }
  return Value::String(text);
}

Value Generator::OfType(const Type& type) {
  if (type == Type::Number()) {
    return Value::Int(0);
  }
  if (type == Type::Bool()) {
    return Value::False();
  }
  if (type == Type::String()) {
    return Text();
  }
  if (type.is_list()) {
    return Value::List(type.element(), {});
  }
  if (type.is_map()) {
    return Value::Map(type.element(), {});
  }
  if (type.is_set()) {
    return Value::Set(type.element(), {});
  }
  if (type.is_tuple()) {
    return Value::EmptyTuple();
  }
  if (!type.is_object()) {
    return Value::Null(Type::Dynamic());
  }
  Members members;
  for (const ObjectAttribute& attribute : type.attributes()) {
    if (!attribute.optional) {
      members.emplace_back(attribute.name, OfType(attribute.type));
    }
  }
  return Value::Object(std::move(members));
}

Value Generator::CheckGiven(const schema::Attribute& attribute, const Value* config,
                            const Value& given) {
  if (config != nullptr) {
    Error("Invalid mock/override field `" + attribute.name + "`",
          "The field is ignored since overriding configuration values is not allowed.");
  }
  if (!attribute.computed) {
    Error("Non-computed field `" + attribute.name + "` is not allowed to be overridden",
          "Overriding non-computed fields is not allowed, so this field cannot be processed.");
  }
  auto converted = Convert(given, attribute.type);
  if (!converted) {
    Error("Invalid mock/override field `" + attribute.name + "`",
          "Values provided for override / mock must match resource fields types: " +
              converted.error().ToText() + ".");
    return Value::Null(attribute.type);
  }
  return *std::move(converted);
}

Value Generator::Attribute(const schema::Attribute& attribute, const Value* config,
                           const Value* given) {
  Value converted =
      given != nullptr ? CheckGiven(attribute, config, *given) : Value::Null(attribute.type);
  if (attribute.write_only) {
    if (given != nullptr) {
      problems_.push_back(
          {.severity = Severity::kWarning,
           .summary = "Encountered override for write-only attribute `" + attribute.name + "`",
           .detail = "A provider never returns a value for such an attribute, so neither does a "
                     "mock.",
           .attribute = std::nullopt});
    }
    return Value::Null(attribute.type);
  }
  if (attribute.required && config == nullptr) {
    Error("Invalid mock/override field `" + attribute.name + "`",
          "Required field in configuration not provided");
    return Value::Null(attribute.type);
  }
  if (config != nullptr && !attribute.required && !attribute.optional) {
    Error("Invalid mock/override field `" + attribute.name + "`",
          "Config value can not be specified for computed field");
  }
  if (config != nullptr && (attribute.required || attribute.optional)) {
    return *config;
  }
  if (given != nullptr) {
    return converted;
  }
  return attribute.computed ? OfType(attribute.type) : Value::Null(attribute.type);
}

Value Generator::Elements(const schema::NestedBlock& nested, const Value& config,
                          const Value* given) {
  if (nested.implied_type().is_object()) {
    return Object(nested.block, config, given);
  }
  std::vector<Value> elements;
  for (const Value& element : config.elements()) {
    elements.push_back(Object(nested.block, element, given));
    if (failed()) {
      return Value::Null(Type::Dynamic());
    }
  }
  return config.WithElements(std::move(elements));
}

Value Generator::Block(const schema::NestedBlock& nested, const Value* config, const Value* given) {
  if (given != nullptr && !given->type().is_object()) {
    Error("Invalid override for block field `" + nested.name + "`",
          "Blocks can be overridden only by objects, got `" + given->type().FriendlyName() + "`");
    return nested.EmptyValue();
  }
  const bool is_object = nested.implied_type().is_object();
  const bool written = config != nullptr && config->IsKnown() && (is_object || config->size() > 0);
  if (written) {
    return Elements(nested, *config, given);
  }
  if (given != nullptr) {
    Error("Invalid override for block field `" + nested.name + "`",
          "Cannot override block value, because it's not present in configuration.");
  }
  return nested.EmptyValue();
}

Value Generator::Object(const schema::Block& block, const Value& config, const Value* given) {
  const auto of_given = [&](std::string_view name) {
    return given == nullptr ? nullptr : given->Find(name);
  };
  Members members;
  for (const schema::Attribute& attribute : block.attributes) {
    members.emplace_back(attribute.name, Attribute(attribute, Find(config, attribute.name),
                                                   of_given(attribute.name)));
  }
  if (failed()) {
    return Value::Null(Type::Dynamic());
  }
  for (const schema::NestedBlock& nested : block.blocks) {
    members.emplace_back(nested.name,
                         Block(nested, Find(config, nested.name), of_given(nested.name)));
  }
  for (size_t i = 0; given != nullptr && i < given->size(); ++i) {
    const std::string_view name = given->key(i);
    if (block.FindAttribute(name) == nullptr && block.FindBlock(name) == nullptr) {
      Error("Invalid override for block field `" + std::string(name) + "`",
            "The field is unknown. Please, ensure it is a part of resource definition.");
    }
  }
  return failed() ? Value::Null(Type::Dynamic()) : Value::Object(std::move(members));
}

}  // namespace

Value GenerateObject(std::string_view type_name, const schema::Block& block, const Value& config,
                     const Value* given, provider::Problems& problems) {
  provider::Problems found;
  Value object = Generator(type_name, found).Object(block, config, given);
  problems.insert(problems.end(), found.begin(), found.end());
  return object;
}

Value WithoutComputed(const schema::Block& block, const Value& config) {
  if (config.IsNull() || !config.IsKnown()) {
    return config;
  }
  Path path;
  return TransformValue(config, path, [&](const Path& place, const Value& value) {
    const schema::Attribute* attribute =
        place.empty() ? nullptr : schema::FindAttributeByPath(block, place);
    return attribute != nullptr && attribute->computed && !attribute->optional
               ? Value::Null(value.type())
               : value;
  });
}

}  // namespace kinu::module_tests
