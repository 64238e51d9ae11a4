#include "session/kept_answers.h"

#include <algorithm>
#include <utility>

#include "base/flat_map.h"

namespace kinu::session {

uint64_t Question::Hash() const {
  uint64_t hash = HashCombine(static_cast<uint64_t>(call), static_cast<uint64_t>(version));
  hash = HashCombine(hash, HashBytes(type));
  hash = HashCombine(hash, HashBytes(text));
  for (const Value& value : values) {
    hash = HashCombine(hash, value.Hash());
  }
  return hash;
}

bool operator==(const Question& a, const Question& b) {
  return a.call == b.call && a.version == b.version && a.type == b.type && a.text == b.text &&
         std::ranges::equal(a.values, b.values, [](const Value& one, const Value& other) {
           return one.SameRepresentation(other) || Value::RawEquals(one, other);
         });
}

std::optional<Answer> KeptAnswers::Find(const Question& question, uint64_t plan) {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(question);
  if (found == known_.end()) {
    return std::nullopt;
  }
  found->second.plan = plan;
  return found->second.answer;
}

void KeptAnswers::Add(Question question, Answer answer, uint64_t plan) {
  const std::lock_guard lock(mutex_);
  known_.insert_or_assign(std::move(question), Known{std::move(answer), plan});
}

void KeptAnswers::KeepOnlyOf(uint64_t plan) {
  const std::lock_guard lock(mutex_);
  std::erase_if(known_, [plan](const auto& entry) { return entry.second.plan != plan; });
}

}  // namespace kinu::session
