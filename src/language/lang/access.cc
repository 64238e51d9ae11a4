#include "lang/access.h"

#include <string>

#include "cty/conversion.h"
#include "cty/ops.h"
#include "hcl/ast.h"
#include "lang/eval.h"
#include "text/unicode.h"

namespace kinu::lang {
namespace {

constexpr std::string_view kInvalidIndex = "Invalid index";
constexpr std::string_view kUnsupportedAttribute = "Unsupported attribute";

Value Fail(std::string_view summary, std::string detail, const SourceRange& subject,
           Diagnostics& diags) {
  diags.Error(std::string(summary), std::move(detail), subject);
  return Value::DynamicUnknown();
}

Value UnknownLike(const Type& type, const Value& marked) {
  return Value::Unknown(type).WithMarks(marked.marks());
}

// The detail of an error about a key that a list or tuple does not have.
std::string DescribeMissingElement(const Value& collection, const Value& key) {
  const std::string start = "The given key does not identify an element in this collection value";
  if (!key.IsKnown() || key.IsNull() || !(key.type() == Type::Number())) {
    return start + ".";
  }
  const Number number = key.AsNumber();
  if (!number.IsInteger()) {
    return start +
           ": indexing a sequence requires a whole number, but the given index has a fractional "
           "part.";
  }
  if (number.Sign() < 0) {
    return start + ": a negative number is not a valid index for a sequence.";
  }
  if (!collection.IsKnown() || collection.IsMarked()) {
    return start + ".";
  }
  if (!(number == Number::FromInt(static_cast<int64_t>(collection.size())))) {
    return start + ".";
  }
  return start + (collection.size() == 0 ? ": the collection has no elements."
                                         : ": the given index is greater than or equal to the "
                                           "length of the collection.");
}

Value IndexSequenceOrMap(const Value& collection, const Type& type, const Value& raw_key,
                         const SourceRange& subject, Diagnostics& diags) {
  const bool is_map = type.is_map();
  const Type want = is_map ? Type::String() : Type::Number();
  Value key = raw_key;
  if (!(key.type() == want)) {
    ValueResult<Value> converted = Convert(raw_key, want);
    if (!converted) {
      return Fail(kInvalidIndex,
                  "The given key does not identify an element in this collection value: " +
                      converted.error().message + ".",
                  subject, diags);
    }
    key = *std::move(converted);
  }
  const Value has = HasIndex(collection, key).Unmark();
  if (!has.IsKnown()) {
    return UnknownLike(type.is_tuple() ? Type::Dynamic() : type.element(), collection);
  }
  if (!has.AsBool()) {
    return Fail(kInvalidIndex, DescribeMissingElement(collection, key), subject, diags);
  }
  ValueResult<Value> element = kinu::Index(collection, key);
  if (!element) {
    return Fail(kInvalidIndex, element.error().message + ".", subject, diags);
  }
  return *std::move(element);
}

Value IndexObject(const Value& object, const Type& type, const Value& raw_key,
                  const SourceRange& subject, Diagnostics& diags) {
  const bool was_number = raw_key.type() == Type::Number();
  ValueResult<Value> key = Convert(raw_key, Type::String());
  if (!key) {
    return Fail(kInvalidIndex,
                "The given key does not identify an element in this collection value: " +
                    key.error().message + ".",
                subject, diags);
  }
  if (!object.IsKnown() || !key->IsKnown()) {
    return UnknownLike(Type::Dynamic(), object);
  }
  if (type.FindAttribute(key->AsString()) < 0) {
    return Fail(
        kInvalidIndex,
        std::string("The given key does not identify an element in this collection value.") +
            (was_number
                 ? " An object only supports looking up attributes by name, not by numeric index."
                 : ""),
        subject, diags);
  }
  return GetAttribute(object, key->AsString());
}

}  // namespace

Value IndexElement(const Value& collection, const Value& key, const SourceRange& subject,
                   Diagnostics& diags) {
  if (collection.IsNull()) {
    return Fail("Attempt to index null value",
                "This value is null, so it does not have any indices.", subject, diags);
  }
  if (key.IsNull()) {
    return Fail(kInvalidIndex, "Can't use a null value as an indexing key.", subject, diags);
  }
  const Type type = collection.type();
  if (type.is_dynamic() || key.type().is_dynamic()) {
    return UnknownLike(Type::Dynamic(), collection);
  }
  switch (type.kind()) {
    case TypeKind::kList:
    case TypeKind::kTuple:
      if (collection.IsKnown() && !collection.IsMarked() && !key.IsMarked() && key.IsKnown() &&
          key.type() == Type::Number()) {
        const std::optional<int64_t> index = key.AsInt64();
        if (index && *index >= 0 && static_cast<size_t>(*index) < collection.size()) {
          return collection.elements()[static_cast<size_t>(*index)];
        }
      }
      return IndexSequenceOrMap(collection, type, key, subject, diags);
    case TypeKind::kMap:
      return IndexSequenceOrMap(collection, type, key, subject, diags);
    case TypeKind::kObject:
      return IndexObject(collection, type, key, subject, diags);
    case TypeKind::kSet:
      return Fail(kInvalidIndex,
                  "Elements of a set are identified only by their value and don't have any "
                  "separate index or key to select with, so it's only possible to perform "
                  "operations across all elements of the set.",
                  subject, diags);
    default:
      return Fail(kInvalidIndex, "This value does not have any indices.", subject, diags);
  }
}

Value ReadAttribute(const Value& object, std::string_view raw_name, const SourceRange& subject,
                    Diagnostics& diags) {
  // Names in values are in NFC; names in the source may not be.
  std::string normalized;
  std::string_view name = raw_name;
  if (!text::IsAscii(raw_name)) [[unlikely]] {
    normalized = text::ToNfc(raw_name);
    name = normalized;
  }
  if (object.IsNull()) {
    return Fail("Attempt to get attribute from null value",
                "This value is null, so it does not have any attributes.", subject, diags);
  }
  const Type type = object.type();
  const auto quoted = [&] { return "\"" + std::string(name) + "\""; };
  switch (type.kind()) {
    case TypeKind::kObject: {
      const int at = type.FindAttribute(name);
      if (at < 0) {
        return Fail(kUnsupportedAttribute,
                    "This object does not have an attribute named " + quoted() + ".", subject,
                    diags);
      }
      if (!object.IsKnown()) {
        return UnknownLike(type.attributes()[static_cast<size_t>(at)].type, object);
      }
      if (!object.IsMarked()) {
        return object.elements()[static_cast<size_t>(at)];
      }
      return GetAttribute(object, name);
    }
    case TypeKind::kMap: {
      if (!object.IsKnown()) {
        return UnknownLike(type.element(), object);
      }
      const Value* element = object.Find(name);
      if (element == nullptr) {
        return Fail("Missing map element",
                    "This map does not have an element with the key " + quoted() + ".", subject,
                    diags);
      }
      return object.IsMarked() ? element->WithMarks(object.marks()) : *element;
    }
    case TypeKind::kDynamic:
      return UnknownLike(Type::Dynamic(), object);
    case TypeKind::kList:
      if (type.element().is_object()) {
        return Fail(kUnsupportedAttribute,
                    type.element().FindAttribute(name) >= 0
                        ? "Can't access attributes on a list of objects. Did you mean to access "
                          "attribute " +
                              quoted() +
                              " for a specific element of the list, or across all elements of "
                              "the list?"
                        : std::string("Can't access attributes on a list of objects. Did you mean "
                                      "to access an attribute for a specific element of the list, "
                                      "or across all elements of the list?"),
                    subject, diags);
      }
      break;
    case TypeKind::kSet:
      if (type.element().is_object()) {
        return Fail(kUnsupportedAttribute,
                    "Can't access attributes on a set of objects. Did you mean to access an "
                    "attribute across all elements of the set?",
                    subject, diags);
      }
      break;
    case TypeKind::kBool:
    case TypeKind::kNumber:
    case TypeKind::kString:
      return Fail(
          kUnsupportedAttribute,
          "Can't access attributes on a primitive-typed value (" + type.FriendlyName() + ").",
          subject, diags);
    default:
      break;
  }
  return Fail(kUnsupportedAttribute, "This value does not have any attributes.", subject, diags);
}

Value ApplySteps(Value value, std::span<const hcl::TraversalStep> steps, const hcl::Expr& whole,
                 Diagnostics& diags) {
  for (const hcl::TraversalStep& step : steps) {
    const SourceRange subject{whole.file(), step.begin, step.end};
    const size_t errors = diags.error_count();
    switch (step.kind) {
      case hcl::TraversalStep::Kind::kAttribute:
        value = ReadAttribute(value, step.name(), subject, diags);
        break;
      case hcl::TraversalStep::Kind::kIndex:
        value = IndexElement(value, *step.key(), subject, diags);
        break;
      case hcl::TraversalStep::Kind::kSplat:
        return Fail("Invalid expression", "A splat cannot be followed here.", subject, diags);
    }
    if (diags.error_count() != errors) {
      return Value::DynamicUnknown();
    }
  }
  return value;
}

}  // namespace kinu::lang
