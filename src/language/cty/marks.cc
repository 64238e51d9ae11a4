#include "cty/marks.h"

#include <algorithm>
#include <iterator>

namespace kinu {
namespace {

using RareList = std::vector<MarkSet::Rare>;

std::shared_ptr<const RareList> Share(RareList list) {
  return list.empty() ? nullptr : std::make_shared<const RareList>(std::move(list));
}

}  // namespace

MarkSet MarkSet::Named(std::string_view name, std::string_view detail) {
  if (detail.empty() && name == "sensitive") {
    return Sensitive();
  }
  if (detail.empty() && name == "ephemeral") {
    return Ephemeral();
  }
  MarkSet set;
  set.rare_ = Share({Rare{std::string(name), std::string(detail)}});
  return set;
}

std::span<const MarkSet::Rare> MarkSet::rare() const {
  return rare_ == nullptr ? std::span<const Rare>() : std::span<const Rare>(*rare_);
}

std::vector<std::string> MarkSet::Names() const {
  std::vector<std::string> names;
  if (ephemeral()) {
    names.emplace_back("ephemeral");
  }
  if (sensitive()) {
    names.emplace_back("sensitive");
  }
  for (const Rare& mark : rare()) {
    names.push_back(mark.name);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

MarkSet MarkSet::Union(const MarkSet& other) const {
  MarkSet result(static_cast<uint16_t>(bits_ | other.bits_));
  if (other.rare_ == nullptr || rare_ == other.rare_) {
    result.rare_ = rare_;
  } else if (rare_ == nullptr) {
    result.rare_ = other.rare_;
  } else {
    RareList all;
    std::set_union(rare_->begin(), rare_->end(), other.rare_->begin(), other.rare_->end(),
                   std::back_inserter(all));
    result.rare_ = Share(std::move(all));
  }
  return result;
}

MarkSet MarkSet::Without(const MarkSet& other) const {
  MarkSet result(static_cast<uint16_t>(bits_ & ~other.bits_));
  if (rare_ == nullptr || other.rare_ == nullptr) {
    result.rare_ = rare_;
  } else {
    RareList left;
    std::set_difference(rare_->begin(), rare_->end(), other.rare_->begin(), other.rare_->end(),
                        std::back_inserter(left));
    result.rare_ = Share(std::move(left));
  }
  return result;
}

bool MarkSet::Contains(const MarkSet& other) const {
  return (other.bits_ & ~bits_) == 0 &&
         std::includes(rare().begin(), rare().end(), other.rare().begin(), other.rare().end());
}

bool operator==(const MarkSet& a, const MarkSet& b) {
  return a.bits_ == b.bits_ &&
         std::equal(a.rare().begin(), a.rare().end(), b.rare().begin(), b.rare().end());
}

}  // namespace kinu
