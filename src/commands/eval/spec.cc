#include "eval/spec.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "cty/tagged.h"

namespace kinu::eval {

using hcldec::Spec;
using Kind = Spec::Kind;

namespace {

constexpr std::pair<std::string_view, Kind> kSpecKinds[] = {
    {"object", Kind::kObject},
    {"tuple", Kind::kTuple},
    {"attr", Kind::kAttribute},
    {"literal", Kind::kLiteral},
    {"default", Kind::kDefault},
    {"block", Kind::kBlock},
    {"block_list", Kind::kBlockList},
    {"block_tuple", Kind::kBlockTuple},
    {"block_set", Kind::kBlockSet},
    {"block_map", Kind::kBlockMap},
    {"block_object", Kind::kBlockObject},
    {"block_attrs", Kind::kBlockAttributes},
    {"block_label", Kind::kBlockLabel},
};

Result<Spec> BadSpec(std::string message) {
  return Fail(ErrorCode::kInvalid, std::move(message));
}

int64_t ReadInt(const JsonNode* node) {
  int64_t value = 0;
  if (node != nullptr && node->is_number()) {
    const std::string_view text = node->text();
    std::from_chars(text.data(), text.data() + text.size(), value);
  }
  return value;
}

// The keys that attributes, blocks and labels share.
Result<void> ReadCommon(const JsonNode& json, Spec& spec) {
  if (const JsonNode* name = json.Find(spec.is_block() ? "type" : "name")) {
    spec.name = name->text();
  }
  if (const JsonNode* type = json.Find(spec.kind == Kind::kAttribute ? "type" : "element_type");
      type != nullptr && !json.Find("spec")) {
    KINU_TRY(spec.type, TypeFromTagged(*type));
  }
  if (const JsonNode* required = json.Find("required")) {
    spec.required = required->boolean();
  }
  spec.min_items = ReadInt(json.Find("min_items"));
  spec.max_items = ReadInt(json.Find("max_items"));
  spec.label_index = static_cast<size_t>(ReadInt(json.Find("index")));
  if (const JsonNode* labels = json.Find("labels")) {
    for (const JsonNode& label : labels->elements()) {
      spec.label_names.emplace_back(label.text());
    }
  }
  if (const JsonNode* nested = json.Find("spec")) {
    KINU_TRY(Spec child, ReadSpec(*nested));
    spec.children.push_back(std::move(child));
  }
  return {};
}

}  // namespace

Result<Spec> ReadSpec(const JsonNode& json) {
  if (json.members().size() != 1) {
    return BadSpec("a spec is an object with one key");
  }
  const JsonMember& member = json.members().front();
  const auto* found = std::find_if(std::begin(kSpecKinds), std::end(kSpecKinds),
                                   [&](const auto& kind) { return kind.first == member.name; });
  if (found == std::end(kSpecKinds)) {
    return BadSpec("unknown kind of spec: " + std::string(member.name));
  }
  Spec spec;
  spec.kind = found->second;
  switch (spec.kind) {
    case Kind::kObject:
      for (const JsonMember& child : member.value.members()) {
        KINU_TRY(Spec inner, ReadSpec(child.value));
        spec.member_names.emplace_back(child.name);
        spec.children.push_back(std::move(inner));
      }
      return spec;
    case Kind::kTuple:
      for (const JsonNode& child : member.value.elements()) {
        KINU_TRY(Spec inner, ReadSpec(child));
        spec.children.push_back(std::move(inner));
      }
      return spec;
    case Kind::kLiteral: {
      KINU_TRY(spec.literal, ValueFromTagged(member.value));
      return spec;
    }
    case Kind::kDefault:
      for (const std::string_view key : {"primary", "default"}) {
        const JsonNode* part = member.value.Find(key);
        if (part == nullptr) {
          return BadSpec("a default needs a primary and a default spec");
        }
        KINU_TRY(Spec inner, ReadSpec(*part));
        spec.children.push_back(std::move(inner));
      }
      return spec;
    default: {
      const Result<void> read = ReadCommon(member.value, spec);
      if (!read) {
        return std::unexpected(read.error());
      }
      return spec;
    }
  }
}

}  // namespace kinu::eval
