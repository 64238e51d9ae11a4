#include "meta_arguments/deprecated_parts.h"

#include <algorithm>
#include <vector>

#include "compatibility/features.h"
#include "cty/path.h"
#include "lang/deprecation.h"

namespace kinu::meta_arguments {
namespace {

bool HasDeprecated(const schema::NestedAttributes& nested);

bool HasDeprecated(const schema::Attribute& attribute) {
  return attribute.deprecated || (attribute.nested != nullptr && HasDeprecated(*attribute.nested));
}

bool HasDeprecated(const schema::NestedAttributes& nested) {
  return std::any_of(nested.attributes.begin(), nested.attributes.end(),
                     [](const schema::Attribute& attribute) { return HasDeprecated(attribute); });
}

/// Nested blocks are looked into where they have something to mark.
bool IsLookedInto(const schema::Block& block) {
  return block.has_sensitive() || HasDeprecatedParts(block);
}

/// Collects the marks of one object.
class Marker {
 public:
  /// From level 1.13 on causes have the whole address, and are merged by it.
  Marker(const Program& program, const config::ConfigNode& place, const ResourceInstance& address)
      : symbol_(program.ToText(ConfigResource{ModuleId(), address.resource.resource})),
        remote_(IsRemote(place)) {
    if (compatibility::Has(compatibility::Feature::kMergedDeprecations)) {
      symbol_ += program.ToText(address.key);
      module_ = program.ToText(address.resource.module);
      source_ = place.source;
      in_module_ = true;
    }
  }

  void Block(const schema::Block& block, const Value& value, const Path& path) {
    if (block.deprecated) {
      Mark(path, block.deprecation_message);
    }
    if (value.IsNull() || !value.IsKnown()) {
      return;
    }
    for (const schema::Attribute& attribute : block.attributes) {
      const Path at = path.Attribute(attribute.name);
      if (attribute.deprecated) {
        Mark(at, attribute.deprecation_message);
      }
      const Value* part = value.Find(attribute.name);
      if (attribute.nested != nullptr && part != nullptr && HasDeprecated(*attribute.nested)) {
        Nested(*attribute.nested, *part, at);
      }
    }
    for (const schema::NestedBlock& nested : block.blocks) {
      const Value* part = value.Find(nested.name);
      if (part != nullptr && !part->IsNull() && part->IsKnown() && IsLookedInto(nested.block)) {
        ForEach(nested.nesting, *part, path.Attribute(nested.name),
                [&](const Value& element, const Path& at) { Block(nested.block, element, at); });
      }
    }
  }

  const std::vector<PathMarks>& marks() const { return marks_; }

 private:
  void Nested(const schema::NestedAttributes& nested, const Value& value, const Path& path) {
    if (value.IsNull() || !value.IsKnown()) {
      return;
    }
    ForEach(nested.nesting, value, path, [&](const Value& element, const Path& at) {
      if (element.IsNull() || !element.IsKnown()) {
        return;
      }
      for (const schema::Attribute& attribute : nested.attributes) {
        const Value* part = element.Find(attribute.name);
        if (attribute.deprecated) {
          Mark(at.Attribute(attribute.name), attribute.deprecation_message);
        } else if (attribute.nested != nullptr && !attribute.sensitive && part != nullptr &&
                   HasDeprecated(*attribute.nested)) {
          Nested(*attribute.nested, *part, at.Attribute(attribute.name));
        }
      }
    });
  }

  template <typename F>
  static void ForEach(schema::Nesting nesting, const Value& value, const Path& path, F&& visit) {
    if (nesting == schema::Nesting::kSingle || nesting == schema::Nesting::kGroup) {
      visit(value, path);
      return;
    }
    for (size_t i = 0; i < value.size(); ++i) {
      visit(value.elements()[i], ElementPath(nesting, value, path, i));
    }
  }
  static Path ElementPath(schema::Nesting nesting, const Value& value, const Path& path, size_t i) {
    switch (nesting) {
      case schema::Nesting::kMap:
        return path.Index(Value::String(value.key(i)));
      case schema::Nesting::kSet:
        return path.Index(value.elements()[i]);
      default:
        return path.Index(static_cast<int64_t>(i));
    }
  }

  void Mark(const Path& path, const std::string& message) {
    marks_.push_back({path, lang::DeprecatedMark(Cause(path, message))});
  }
  lang::DeprecationCause Cause(const Path& path, const std::string& message) const {
    lang::DeprecationCause cause;
    cause.by = symbol_ + path.ToText();
    cause.message = message;
    cause.remote = remote_;
    if (in_module_) {
      cause.module = module_;
      cause.group = cause.by + '\n' + message + '\n' + source_;
      cause.by.insert(0, module_.empty() ? "" : module_ + ".");
    }
    return cause;
  }

  std::string symbol_;
  bool remote_;
  bool in_module_ = false;  // the next two are set
  std::string module_;
  std::string source_;
  std::vector<PathMarks> marks_;
};

}  // namespace

bool HasDeprecatedParts(const schema::Block& block) {
  return std::any_of(block.attributes.begin(), block.attributes.end(),
                     [](const schema::Attribute& attribute) { return HasDeprecated(attribute); }) ||
         std::any_of(
             block.blocks.begin(), block.blocks.end(),
             [](const schema::NestedBlock& nested) { return HasDeprecatedParts(nested.block); });
}

bool HasDeprecatedParts(const schema::Block& block, std::string_view name) {
  if (block.deprecated) {
    return true;
  }
  if (const schema::Attribute* attribute = block.FindAttribute(name)) {
    return HasDeprecated(*attribute);
  }
  const schema::NestedBlock* nested = block.FindBlock(name);
  return nested != nullptr && (HasDeprecatedParts(nested->block) ||
                               (nested->block.deprecated && IsLookedInto(nested->block)));
}

Value MarkDeprecatedParts(const schema::Block& block, const Value& object, const Program& program,
                          const config::ConfigNode& place, const ResourceInstance& address) {
  if (object.IsNull() || !object.IsKnown()) {
    return object;
  }
  Marker marker(program, place, address);
  std::vector<PathMarks> all;
  const Value unmarked = object.ContainsMarked() ? object.UnmarkDeepWithPaths(&all) : object;
  marker.Block(block, unmarked, Path());
  all.insert(all.end(), marker.marks().begin(), marker.marks().end());
  return unmarked.MarkWithPaths(all);
}

bool IsRemote(const config::ConfigNode& node) {
  return !node.source.empty() && !node.source.starts_with("./") && !node.source.starts_with("../");
}

}  // namespace kinu::meta_arguments
