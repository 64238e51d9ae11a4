#include "ide/answers.h"

namespace kinu::ide {

std::vector<Lens> Lenses(const Snapshot&, const std::string&) {
  return {};
}

std::optional<CallItem> CallItemAt(const Snapshot&, const Cursor&) {
  return {};
}

std::vector<Call> CallersOf(const Snapshot&, const std::string&) {
  return {};
}

std::vector<Call> CalleesOf(const Snapshot&, const std::string&) {
  return {};
}

}  // namespace kinu::ide
