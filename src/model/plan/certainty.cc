#include "plan/certainty.h"

namespace kinu::plan {

std::string_view CertaintyName(Certainty certainty) {
  switch (certainty) {
    case Certainty::kCertain:
      return "certain";
    case Certainty::kAtLeast:
      return "at_least";
    case Certainty::kOpen:
      return "open";
  }
  return "open";
}

}  // namespace kinu::plan
