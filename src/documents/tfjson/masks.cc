#include "tfjson/masks.h"

namespace kinu::tfjson {
namespace {

using namespace std::string_view_literals;

struct Pair {
  std::string_view value;
  std::string_view mask;
};
constexpr Pair kSensitivePairs[] = {
    {"before", "before_sensitive"}, {"after", "after_sensitive"}, {"values", "sensitive_values"}};
constexpr Pair kUnknownPairs[] = {{"after", "after_unknown"}};
/// The value is sensitive when its sibling `sensitive` is true.
constexpr std::string_view kFlagged[] = {"value"sv, "default"sv};

}  // namespace

void MaskCursor::Add(const json::Node& mask) {
  if (!mask) {
    return;
  }
  if (mask.is_true()) {
    whole_ = true;
  } else if (mask.is_container() && AnyTrue(mask)) {
    masks_.push_back(mask);
  }
}

namespace {

/// Values of both kinds are hidden: ephemeral values must not be stored anywhere.
bool IsSecretFlag(const json::Node& name) {
  return name.Is("sensitive") || name.Is("ephemeral");
}

bool IsDeclaredSecret(const json::Node& variable) {
  if (variable && variable.is_object()) {
    for (const json::Member member : variable.members()) {
      if (IsSecretFlag(member.name) && member.value.is_true()) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

void MaskCursor::AddSiblings(const TrailStep& step, std::string_view name) {
  const std::span<const Pair> pairs = sort_ == Sort::kSensitive
                                          ? std::span<const Pair>(kSensitivePairs)
                                          : std::span<const Pair>(kUnknownPairs);
  for (const Pair& pair : pairs) {
    if (name == pair.value) {
      for (const json::Member member : step.container.members()) {
        if (member.name.Is(pair.mask)) {
          Add(member.value);
        }
      }
    }
  }
  if (sort_ != Sort::kSensitive) {
    return;
  }
  for (const std::string_view flagged : kFlagged) {
    if (name == flagged) {
      for (const json::Member member : step.container.members()) {
        whole_ = whole_ || (IsSecretFlag(member.name) && member.value.is_true());
      }
      whole_ = whole_ || IsDeclaredSecret(variable_declaration_);
    }
  }
}

MaskCursor MaskCursor::Into(const TrailStep& step) const {
  MaskCursor next(sort_);
  next.depth_ = depth_ < 3 ? static_cast<uint8_t>(depth_ + 1) : depth_;
  next.whole_ = whole_;
  if (whole_) {
    return next;
  }
  std::string scratch;
  const std::string_view name = step.name ? step.name.String(scratch) : std::string_view();
  for (const json::Node& mask : masks_) {
    if (step.name && mask.is_object()) {
      for (const json::Member member : mask.members()) {
        if (member.name.Is(name)) {
          next.Add(member.value);
        }
      }
    } else if (!step.name) {
      next.Add(mask.At(step.index));
    }
  }
  if (step.name) {
    // $.variables.NAME.value: the configuration says whether the variable is sensitive.
    if (depth_ == 0 && name == "variables") {
      const json::Node configuration = step.container.Find("configuration");
      const json::Node module = configuration ? configuration.Find("root_module") : json::Node();
      next.variable_declaration_ = module ? module.Find("variables") : json::Node();
    } else if (depth_ == 1 && variable_declaration_) {
      next.variable_declaration_ = variable_declaration_.Find(name);
    } else if (depth_ == 2) {
      next.variable_declaration_ = variable_declaration_;
    }
    MaskCursor here(*this);
    here.masks_.clear();
    here.AddSiblings(step, name);
    next.whole_ = next.whole_ || here.whole_;
    next.masks_.insert(next.masks_.end(), here.masks_.begin(), here.masks_.end());
  }
  return next;
}

std::vector<MaskCursor> MaskCursor::IntoElements(const json::Node& array) const {
  MaskCursor none(sort_);
  none.depth_ = depth_ < 3 ? static_cast<uint8_t>(depth_ + 1) : depth_;
  none.whole_ = whole_;
  std::vector<MaskCursor> cursors(array.size(), none);
  for (const json::Node& mask : masks_) {
    size_t index = 0;
    for (const json::Node element : mask.elements()) {
      if (index < cursors.size()) {
        cursors[index++].Add(element);
      }
    }
  }
  return cursors;
}

namespace {

bool IsMasked(std::span<const TrailStep> trail, MaskCursor::Sort sort) {
  MaskCursor cursor(sort);
  for (const TrailStep& step : trail) {
    cursor = cursor.Into(step);
    if (cursor.whole()) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool IsSensitive(std::span<const TrailStep> trail) {
  return IsMasked(trail, MaskCursor::Sort::kSensitive);
}

bool IsUnknown(std::span<const TrailStep> trail) {
  return IsMasked(trail, MaskCursor::Sort::kUnknown);
}

bool AnyTrue(const json::Node& mask) {
  const uint32_t end = mask.tree().entry(mask.at()).next;
  for (uint32_t at = mask.at(); at < end; ++at) {
    if (mask.tree().entry(at).kind() == json::Kind::kTrue) {
      return true;
    }
  }
  return false;
}

bool HasMaskBeside(std::string_view name) {
  for (const Pair& pair : kSensitivePairs) {
    if (name == pair.value) {
      return true;
    }
  }
  return name == kFlagged[0] || name == kFlagged[1] || name == "variables";
}

void AppendRedacted(std::string& out, const json::Node& document) {
  AppendRedacted(out, document, MaskCursor(MaskCursor::Sort::kSensitive), Secrets(document));
}

void AppendRedacted(std::string& out, const json::Node& value, const MaskCursor& cursor,
                    const Secrets& secrets) {
  if (cursor.whole() || (value.is_string() && secrets.AreIn(value))) {
    out += kRedacted;
    return;
  }
  if (value.is_object()) {
    out += '{';
    bool first = true;
    for (const json::Member member : value.members()) {
      if (!first) {
        out += ',';
      }
      first = false;
      out += member.name.text();
      out += ':';
      AppendRedacted(out, member.value, cursor.Into({.container = value, .name = member.name}),
                     secrets);
    }
    out += '}';
  } else if (value.is_array()) {
    out += '[';
    const std::vector<MaskCursor> cursors = cursor.IntoElements(value);
    size_t index = 0;
    for (const json::Node element : value.elements()) {
      if (index > 0) {
        out += ',';
      }
      AppendRedacted(out, element, cursors[index], secrets);
      ++index;
    }
    out += ']';
  } else {
    out += value.text();
  }
}

}  // namespace kinu::tfjson
