#include "hcl/merged_body.h"

#include <string>

#include "base/flat_map.h"

namespace kinu::hcl {
namespace {

// Merges the attributes of bodies and reports duplicate names.
class AttributeMerger {
 public:
  AttributeMerger(std::vector<Attribute>& out, Diagnostics& diags) : out_(out), diags_(diags) {}

  void Add(const std::vector<Attribute>& attributes) {
    for (const Attribute& attribute : attributes) {
      const auto [found, is_new] = index_.emplace(attribute.name, out_.size());
      if (is_new) {
        out_.push_back(attribute);
        continue;
      }
      const SourceRange& first = out_[found->second].name_range;
      diags_.Error(
          "Duplicate argument",
          "Argument \"" + std::string(attribute.name) + "\" was already set at " + ToText(first),
          attribute.name_range);
    }
  }
  bool Has(std::string_view name) const { return index_.contains(name); }

 private:
  std::vector<Attribute>& out_;
  Diagnostics& diags_;
  FlatMap<std::string_view, size_t> index_;
};

}  // namespace

SourceRange MergedBody::MissingItemRange() const {
  return bodies_.empty() ? SourceRange{} : bodies_.front()->MissingItemRange();
}

BodyContent MergedBody::Content(const BodySchema& schema, Strictness strictness,
                                Diagnostics& diags) const {
  // Any of the bodies may set a required attribute, so it is optional in each.
  std::vector<AttributeSchema> optional(schema.attributes.begin(), schema.attributes.end());
  for (AttributeSchema& attribute : optional) {
    attribute.required = false;
  }
  BodySchema relaxed = schema;
  relaxed.attributes = optional;

  BodyContent content;
  content.missing_item_range = MissingItemRange();
  AttributeMerger merger(content.attributes, diags);
  for (const Body* body : bodies_) {
    BodyContent part = body->Content(relaxed, strictness, diags);
    merger.Add(part.attributes);
    content.blocks.insert(content.blocks.end(), part.blocks.begin(), part.blocks.end());
  }
  for (const AttributeSchema& wanted : schema.attributes) {
    if (wanted.required && !merger.Has(wanted.name)) {
      diags.Error("Missing required argument", "The argument \"" + std::string(wanted.name) +
                                                   "\" is required, but was not set.");
    }
  }
  return content;
}

std::vector<Attribute> MergedBody::JustAttributes(std::span<const std::string_view> hidden,
                                                  Diagnostics& diags) const {
  std::vector<Attribute> attributes;
  AttributeMerger merger(attributes, diags);
  for (const Body* body : bodies_) {
    merger.Add(body->JustAttributes(hidden, diags));
  }
  return attributes;
}

}  // namespace kinu::hcl
