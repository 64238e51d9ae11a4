#include "check/rule_file.h"

#include <ctime>
#include <utility>

#include "functions/timestamp.h"
#include "hcl/parse.h"

namespace kinu::check {

const hcl::Body* ParseRuleFile(const std::string& name, std::string text, hcl::SyntaxTree& tree,
                               Diagnostics& diags) {
  const SourceFile* source = tree.KeepSource(SourceFile::Make(name, std::move(text)));
  if (name.ends_with(".json")) {
    return hcl::ParseJson(source, tree, diags);
  }
  return hcl::ParseNative(source, tree, diags);
}

bool IsDay(std::string_view text) {
  return functions::ParseRfc3339(std::string(text) + "T00:00:00Z").has_value();
}

std::string Today() {
  const std::time_t now = std::time(nullptr);
  std::tm civil{};
  ::gmtime_r(&now, &civil);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", &civil);
  return text;
}

}  // namespace kinu::check
