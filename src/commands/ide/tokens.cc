#include "ide/answers.h"

namespace kinu::ide {

std::vector<SemanticToken> SemanticTokens(const Snapshot&, const std::string&, Span) {
  return {};
}

}  // namespace kinu::ide
