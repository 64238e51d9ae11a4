// Which values of a document are sensitive, or unknown. Plans and states have masks beside the
// values (`after` and `after_sensitive`, `values` and `sensitive_values`), or with a member
// `sensitive` beside `value` or `default`; a mask is `true` for a whole value or has its shape.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "json/tree.h"
#include "tfjson/secrets.h"

namespace kinu::tfjson {

/// A step from a container into one of its values.
struct TrailStep {
  json::Node container;
  json::Node name;     ///< of the member; none for an element
  uint64_t index = 0;  ///< of the element
};

/// Follows the masks of one sort during a walk down a document.
class MaskCursor {
 public:
  enum class Sort : uint8_t { kSensitive, kUnknown };
  explicit MaskCursor(Sort sort) : sort_(sort) {}
  /// A cursor at the value that this mask of sensitive parts belongs to.
  static MaskCursor Over(const json::Node& mask) {
    MaskCursor cursor(Sort::kSensitive);
    cursor.Add(mask);
    return cursor;
  }

  /// Whether the current value is masked as a whole.
  bool whole() const { return whole_; }
  /// Whether parts of the current value may be masked.
  bool partial() const { return !masks_.empty(); }
  /// The cursor at a value inside the current one.
  MaskCursor Into(const TrailStep& step) const;
  /// The cursors at all elements of an array, in their order.
  std::vector<MaskCursor> IntoElements(const json::Node& array) const;

 private:
  void Add(const json::Node& mask);
  void AddSiblings(const TrailStep& step, std::string_view name);

  Sort sort_;
  bool whole_ = false;
  std::vector<json::Node> masks_;
  /// Depth inside a plan's `variables` member, whose masks are in the configuration.
  json::Node variable_declaration_;
  uint8_t depth_ = 0;
};

/// Whether the value that the trail leads to is sensitive, or lies inside one that is.
bool IsSensitive(std::span<const TrailStep> trail);
/// Whether it is unknown, or lies inside one that is.
bool IsUnknown(std::span<const TrailStep> trail);
/// Whether a mask has a `true` anywhere.
bool AnyTrue(const json::Node& mask);

/// Whether the value of a member of this name has its mask in a sibling, so that a walk must see
/// the siblings to know what is sensitive.
bool HasMaskBeside(std::string_view name);

/// The JSON string that replaces a sensitive value in redacted output.
inline constexpr std::string_view kRedacted = "\"(sensitive value)\"";

/// Appends a value as compact JSON with its sensitive parts replaced: those under masks, which
/// `cursor` follows, and texts that contain a secret.
void AppendRedacted(std::string& out, const json::Node& value, const MaskCursor& cursor,
                    const Secrets& secrets);
/// A whole document.
void AppendRedacted(std::string& out, const json::Node& document);

}  // namespace kinu::tfjson
