#include "ide/answers.h"

namespace kinu::ide {

std::vector<Fold> Folds(const Snapshot&, const std::string&) {
  return {};
}

std::vector<Span> SelectionsAt(const Snapshot&, const Cursor&) {
  return {};
}

}  // namespace kinu::ide
