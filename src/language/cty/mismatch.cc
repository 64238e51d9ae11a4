// Messages for values that cannot be converted. Ref: go-cty cty/convert/mismatch_msg.go.

#include <vector>

#include "cty/collections.h"
#include "cty/conversion.h"
#include "cty/normalize.h"

namespace kinu {
namespace {

std::string Quoted(std::string_view text) {
  std::string out;
  text::AppendGoQuoted(out, text);
  return out;
}

std::string Required(const Type& want) {
  return want.FriendlyNameForConstraint() + " required";
}

std::string ObjectMismatch(const Type& have, const Type& want) {
  std::vector<std::string> missing;
  std::string unsafe_mismatch;
  std::string safe_mismatch;
  for (const ObjectAttribute& attribute : want.attributes()) {
    int index = have.FindAttribute(attribute.name);
    if (index < 0) {
      if (!attribute.optional) {
        missing.push_back(Quoted(attribute.name));
      }
      continue;
    }
    const Type& given = have.attributes()[static_cast<size_t>(index)].type;
    if (given == attribute.type || !unsafe_mismatch.empty()) {
      continue;
    }
    auto message = [&] {
      return "attribute " + Quoted(attribute.name) + ": " + MismatchMessage(given, attribute.type);
    };
    if (!CanConvert(given, attribute.type)) {
      unsafe_mismatch = message();
    }
    if (safe_mismatch.empty() && !CanConvertSafely(given, attribute.type)) {
      safe_mismatch = message();
    }
  }
  if (missing.size() == 1) {
    return "attribute " + missing[0] + " is required";
  }
  if (missing.size() == 2) {
    return "attributes " + missing[0] + " and " + missing[1] + " are required";
  }
  if (!missing.empty()) {
    std::string list;
    for (size_t i = 0; i + 1 < missing.size(); ++i) {
      list += missing[i] + ", ";
    }
    return "attributes " + list + "and " + missing.back() + " are required";
  }
  if (!unsafe_mismatch.empty()) {
    return unsafe_mismatch;
  }
  return safe_mismatch.empty() ? "incorrect object attributes" : safe_mismatch;
}

std::string CollectionFromStructural(const Type& have, const Type& want) {
  if (want.is_map() ? !have.is_object() : !have.is_tuple()) {
    return Required(want);
  }
  const Type& element = want.element();
  auto unfit = [&](const Type& given) { return given != element && !CanConvert(given, element); };
  if (have.is_tuple()) {
    for (size_t i = 0; i < have.elements().size(); ++i) {
      if (const Type& given = have.elements()[i]; unfit(given)) {
        return "element " + std::to_string(i) + ": " + MismatchMessage(given, element);
      }
    }
  } else {
    for (const ObjectAttribute& attribute : have.attributes()) {
      if (unfit(attribute.type)) {
        return "element " + Quoted(attribute.name) + ": " +
               MismatchMessage(attribute.type, element);
      }
    }
  }
  return "all elements must be " + element.FriendlyNameForConstraint();
}

std::string CollectionFromCollection(const Type& have, const Type& want) {
  bool fits = want.is_map() ? have.is_map() : have.is_list() || have.is_set();
  if (!fits) {
    return Required(want);
  }
  return "incorrect " + std::string(CollectionName(want.kind())) +
         " element type: " + MismatchMessage(have.element(), want.element());
}

// Whether naming the given type would confuse more than it helps.
bool LikelyToConfuse(const Type& have, const Type& want) {
  if (have.is_primitive() != want.is_primitive() || want == Type::String()) {
    return false;
  }
  if ((want == Type::Bool() && have == Type::Number()) ||
      (want == Type::Number() && have == Type::Bool())) {
    return false;
  }
  if (have.is_collection() && want.is_collection() && !have.element().has_dynamic() &&
      want.element().has_dynamic()) {
    return false;
  }
  return !(have.is_tuple() && want.is_object());
}

}  // namespace

std::string MismatchMessage(const Type& have, const Type& want) {
  if (have.is_object() && want.is_object()) {
    return ObjectMismatch(have, want);
  }
  bool any_element = want.is_collection() && want.element().is_dynamic();
  if (any_element && have.is_tuple() && (want.is_list() || want.is_set())) {
    return want.is_list() ? "all list elements must have the same type"
                          : "all set elements must have the same type";
  }
  if (any_element && have.is_object() && want.is_map()) {
    return "all map elements must have the same type";
  }
  if (have.is_structural() && want.is_collection()) {
    return CollectionFromStructural(have, want);
  }
  if (have.is_collection() && want.is_collection()) {
    return CollectionFromCollection(have, want);
  }
  if (!LikelyToConfuse(have, want)) {
    return want.FriendlyName() + " required, but have " + have.FriendlyName();
  }
  return Required(want);
}

}  // namespace kinu
