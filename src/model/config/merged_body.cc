#include "config/merged_body.h"

#include <algorithm>
#include <string>

#include "base/flat_map.h"

namespace kinu::config {
namespace {

std::vector<hcl::AttributeSchema> NoneRequired(std::span<const hcl::AttributeSchema> attributes) {
  std::vector<hcl::AttributeSchema> out(attributes.begin(), attributes.end());
  for (hcl::AttributeSchema& attribute : out) {
    attribute.required = false;
  }
  return out;
}

/// Adds `more` to `attributes`. Calls `twice(old, attribute)` for an attribute of the same name.
template <typename Twice>
void Add(std::vector<hcl::Attribute>& attributes, const std::vector<hcl::Attribute>& more,
         Twice&& twice) {
  if (more.empty()) {
    return;
  }
  FlatMap<std::string_view, size_t> positions;
  for (size_t i = 0; i < attributes.size(); ++i) {
    positions.emplace(attributes[i].name, i);
  }
  for (const hcl::Attribute& attribute : more) {
    const auto [at, is_new] = positions.emplace(attribute.name, attributes.size());
    if (is_new) {
      attributes.push_back(attribute);
    } else {
      twice(attributes[at->second], attribute);
    }
  }
}

/// Adds `more` to `attributes`; an attribute of the same name is replaced.
void Override(std::vector<hcl::Attribute>& attributes, const std::vector<hcl::Attribute>& more) {
  Add(attributes, more, [](hcl::Attribute& old, const hcl::Attribute& other) { old = other; });
}

/// Adds `more` to `attributes`; reports an attribute of the same name.
void Join(std::vector<hcl::Attribute>& attributes, const std::vector<hcl::Attribute>& more,
          Diagnostics& diags) {
  Add(attributes, more, [&diags](const hcl::Attribute& old, const hcl::Attribute& other) {
    diags.Error("Duplicate argument",
                "The argument \"" + std::string(other.name) + "\" was already set at " +
                    ToText(old.range) + ".",
                other.name_range);
  });
}

constexpr std::string_view kDynamicLabels[] = {"type"};

std::string_view BlockTypeOf(const hcl::Block& block) {
  return block.type == "dynamic" && !block.labels.empty() ? block.labels[0] : block.type;
}

}  // namespace

hcl::BodyContent EscapedBody::Content(const hcl::BodySchema& schema, hcl::Strictness strictness,
                                      Diagnostics& diags) const {
  const std::vector<hcl::AttributeSchema> optional = NoneRequired(schema.attributes);
  hcl::BodySchema outer = schema;
  outer.attributes = optional;
  hcl::BodySchema inner = outer;
  inner.hidden = {};
  hcl::BodyContent content = outer_->Content(outer, strictness, diags);
  hcl::BodyContent escaped = escaped_->Content(inner, strictness, diags);
  Join(content.attributes, escaped.attributes, diags);
  content.blocks.insert(content.blocks.end(), escaped.blocks.begin(), escaped.blocks.end());
  for (const hcl::AttributeSchema& attribute : schema.attributes) {
    if (attribute.required && content.Find(attribute.name) == nullptr) {
      diags.Error("Missing required argument",
                  "The argument \"" + std::string(attribute.name) +
                      "\" is required, but no definition was found.",
                  MissingItemRange());
    }
  }
  return content;
}

std::vector<hcl::Attribute> EscapedBody::JustAttributes(std::span<const std::string_view> hidden,
                                                        Diagnostics& diags) const {
  std::vector<hcl::Attribute> attributes = outer_->JustAttributes(hidden, diags);
  Join(attributes, escaped_->JustAttributes({}, diags), diags);
  return attributes;
}

hcl::BodyContent OverriddenBody::Content(const hcl::BodySchema& schema, hcl::Strictness,
                                         Diagnostics& diags) const {
  // A dynamic block replaces blocks, too, whether the caller knows of them or not.
  const bool wants_dynamic =
      std::ranges::find(schema.blocks, "dynamic", &hcl::BlockSchema::type) != schema.blocks.end();
  std::vector<hcl::BlockSchema> blocks(schema.blocks.begin(), schema.blocks.end());
  if (!wants_dynamic) {
    blocks.push_back({"dynamic", kDynamicLabels});
  }
  const std::vector<hcl::AttributeSchema> optional = NoneRequired(schema.attributes);
  hcl::BodySchema base_schema = schema;
  base_schema.blocks = blocks;
  hcl::BodySchema override_schema = base_schema;
  override_schema.attributes = optional;

  hcl::BodyContent content = base_->Content(base_schema, hcl::Strictness::kPartial, diags);
  hcl::BodyContent over = override_->Content(override_schema, hcl::Strictness::kPartial, diags);
  Override(content.attributes, over.attributes);
  FlatSet<std::string_view> replaced;
  for (const hcl::Block& block : over.blocks) {
    replaced.insert(BlockTypeOf(block));
  }
  std::erase_if(content.blocks, [&](const hcl::Block& block) {
    return replaced.contains(BlockTypeOf(block)) || replaced.contains(block.type);
  });
  content.blocks.insert(content.blocks.end(), over.blocks.begin(), over.blocks.end());
  if (!wants_dynamic) {
    std::erase_if(content.blocks, [](const hcl::Block& block) { return block.type == "dynamic"; });
  }
  return content;
}

std::vector<hcl::Attribute> OverriddenBody::JustAttributes(std::span<const std::string_view> hidden,
                                                           Diagnostics& diags) const {
  std::vector<hcl::Attribute> attributes = base_->JustAttributes(hidden, diags);
  Override(attributes, override_->JustAttributes(hidden, diags));
  return attributes;
}

hcl::BodyContent GivenBody::Content(const hcl::BodySchema& schema, hcl::Strictness,
                                    Diagnostics&) const {
  hcl::BodyContent content;
  for (const hcl::Attribute& attribute : attributes_) {
    if (std::ranges::find(schema.attributes, attribute.name, &hcl::AttributeSchema::name) !=
        schema.attributes.end()) {
      content.attributes.push_back(attribute);
    }
  }
  return content;
}

std::vector<hcl::Attribute> GivenBody::JustAttributes(std::span<const std::string_view> hidden,
                                                      Diagnostics&) const {
  std::vector<hcl::Attribute> out = attributes_;
  std::erase_if(out, [&](const hcl::Attribute& attribute) {
    return std::ranges::find(hidden, attribute.name) != hidden.end();
  });
  return out;
}

}  // namespace kinu::config
