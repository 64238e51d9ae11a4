#include "ide/actions.h"

namespace kinu::ide {

std::vector<CodeAction> CodeActionsAt(const Snapshot& snapshot, const std::string& path,
                                      Span span) {
  const ParsedFile* file = snapshot.parts().Find(path);
  if (file == nullptr || file->body == nullptr) {
    return {};
  }
  ActionPlace place(snapshot, *file, span);
  constexpr void (*kFamilies[])(ActionPlace&) = {
      OfferSimilarNames,  OfferDeclarations,     OfferValueRemoval,
      OfferMissingInputs, OfferMissingArguments, OfferExtraction,
      OfferInlining,      OfferRemoval,          OfferMove,
      OfferConversion,
  };
  for (const auto family : kFamilies) {
    family(place);
  }
  return place.Take();
}

}  // namespace kinu::ide
