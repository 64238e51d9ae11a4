// KeptAnswers: what a provider answered, by what it was asked. Only answers without any problem are
// kept.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "provider/provider.h"

namespace kinu::session {

/// The calls whose answers are kept.
enum class KeptCall : uint8_t {
  kValidateProvider,
  kValidateResource,
  kValidateData,
  kValidateEphemeral,
  kUpgradeState,
  kUpgradeIdentity,
  kRead,
  kPlan,
  kReadData,
  kImport,
  kMove,
};

/// One call with its arguments.
struct Question {
  KeptCall call = KeptCall::kRead;
  std::string type;
  std::string text;  ///< arguments that are texts
  int64_t version = 0;
  std::array<Value, 5> values = {};

  uint64_t Hash() const;
  friend bool operator==(const Question& a, const Question& b);
};

/// Nothing: the call only validates.
using Answer = std::variant<std::monostate, Value, provider::ReadResponse, provider::PlanResponse,
                            std::vector<provider::ImportedObject>, provider::ImportedObject>;

/// Thread-safe.
class KeptAnswers {
 public:
  /// The answer to a question that was asked before. It counts as used in this plan.
  std::optional<Answer> Find(const Question& question, uint64_t plan);
  void Add(Question question, Answer answer, uint64_t plan);
  /// Forgets what `plan` did not use.
  void KeepOnlyOf(uint64_t plan);

 private:
  struct Known {
    Answer answer;
    uint64_t plan = 0;  ///< that used it last
  };
  struct Hasher {
    size_t operator()(const Question& question) const { return question.Hash(); }
  };
  std::mutex mutex_;
  std::unordered_map<Question, Known, Hasher> known_;
};

}  // namespace kinu::session
