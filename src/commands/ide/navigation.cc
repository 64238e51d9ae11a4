#include "ide/answers.h"

namespace kinu::ide {

std::vector<Target> DefinitionsAt(const Snapshot&, const Cursor&) {
  return {};
}

std::vector<Place> ReferencesAt(const Snapshot&, const Cursor&, bool) {
  return {};
}

std::vector<Highlight> HighlightsAt(const Snapshot&, const Cursor&) {
  return {};
}

}  // namespace kinu::ide
