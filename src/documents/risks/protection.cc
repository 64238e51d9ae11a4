#include "risks/protection.h"

#include <optional>

#include "tfjson/masks.h"

namespace kinu::risks {
namespace {

using check::MaskedNode;

/// An attribute that decides what a deletion does.
struct Term {
  std::string_view name;
  bool protects;              ///< the value with which it protects
  bool sign_of_data;          ///< only types with data have it
  std::string_view refuses;   ///< what a deletion means while it protects; empty: nothing
  std::string_view destroys;  ///< what it means otherwise; empty: that it is off says all
};

constexpr std::string_view kRefuses = ", so that the provider may refuse to delete it";
constexpr Term kTerms[] = {
    {"deletion_protection", true, true, kRefuses, {}},
    {"deletion_protection_enabled", true, true, kRefuses, {}},
    {"enable_deletion_protection", true, false, kRefuses, {}},
    {"disable_api_termination", true, false, kRefuses, {}},
    {"termination_protection", true, false, kRefuses, {}},
    {"delete_protection", true, false, kRefuses, {}},
    {"purge_protection_enabled", true, true, {}, {}},
    {"skip_final_snapshot", false, true, {}, ", so that no last snapshot is made"},
    {"force_destroy", false, true, {}, ", so that what is inside is destroyed, too"},
    {"force_delete", false, false, {}, ", so that what is inside is destroyed, too"},
    {"skip_destroy", true, false, ", so that the real object stays", {}},
};

/// The value of a boolean attribute that is not sensitive.
std::optional<bool> FlagOf(const MaskedNode& object, std::string_view name) {
  if (!object.value || !object.value.is_object()) {
    return std::nullopt;
  }
  const json::Node value = object.value.Find(name);
  const json::Node mask = object.sensitive && object.sensitive.is_object()
                              ? object.sensitive.Find(name)
                              : object.sensitive;
  const bool masked = mask && tfjson::AnyTrue(mask);
  if (!value || !value.is_bool() || masked) {
    return std::nullopt;
  }
  return value.is_true();
}

void AppendName(std::string& out, std::string_view name) {
  out += out.empty() ? "" : ", ";
  out += name;
}

}  // namespace

bool HasSignOfData(const MaskedNode& object, std::string& attribute) {
  if (!object.value || !object.value.is_object()) {
    return false;
  }
  for (const Term& term : kTerms) {
    if (term.sign_of_data && object.value.Find(term.name)) {
      attribute = term.name;
      return true;
    }
  }
  return false;
}

std::string DeletionTerms(const MaskedNode& before) {
  std::string out;
  for (const Term& term : kTerms) {
    const auto flag = FlagOf(before, term.name);
    if (!flag) {
      continue;
    }
    const bool protects = *flag == term.protects;
    const std::string_view meaning = protects ? term.refuses : term.destroys;
    if (!meaning.empty() || !protects) {
      out += " " + std::string(term.name) + " is " + (*flag ? "true" : "false") +
             std::string(meaning) + ".";
    }
  }
  return out;
}

std::string TurnedOff(const MaskedNode& before, const MaskedNode& after) {
  std::string out;
  for (const Term& term : kTerms) {
    if (FlagOf(before, term.name) == term.protects && FlagOf(after, term.name) == !term.protects) {
      AppendName(out, term.name);
    }
  }
  return out;
}

std::string OffInNew(const MaskedNode& after) {
  std::string out;
  for (const Term& term : kTerms) {
    if (term.protects && FlagOf(after, term.name) == false) {
      AppendName(out, term.name);
    }
  }
  return out;
}

}  // namespace kinu::risks
