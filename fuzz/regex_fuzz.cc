// Fuzzes regex, regexall and replace. The first line is the pattern, the second one the
// replacement, the rest is the text.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/invariant.h"
#include "functions/function.h"
#include "text/unicode.h"

namespace kinu {
namespace {

std::string_view ReadLine(std::string_view& text) {
  const size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

void FuzzOne(std::string_view input) {
  if (!text::IsUtf8(input)) {
    return;
  }
  const functions::Table& table = functions::Table::Standard();
  static const functions::Callable* const kFirst = table.Find("regex");
  static const functions::Callable* const kAll = table.Find("regexall");
  static const functions::Callable* const kReplace = table.Find("replace");
  const std::string_view pattern = ReadLine(input);
  const std::string_view replacement = ReadLine(input);
  const functions::CallContext context;
  const Value searched[] = {Value::String(pattern), Value::String(input)};
  const functions::CallResult one = kFirst->Call(searched, context);
  const functions::CallResult every = kAll->Call(searched, context);
  if (one) {
    KINU_INVARIANT(every && every->size() > 0, "regexall finds a match if regex does");
    KINU_INVARIANT(Value::RawEquals(every->elements()[0], *one), "regex finds the first match");
  }
  const Value replaced[] = {Value::String(input), Value::String("/" + std::string(pattern) + "/"),
                            Value::String(replacement)};
  const functions::CallResult result = kReplace->Call(replaced, context);
  KINU_INVARIANT(!pattern.empty() ? result.has_value() == every.has_value() : result.has_value(),
                 "replace and regexall accept the same patterns");
  if (every && every->size() == 0 && !pattern.empty()) {
    KINU_INVARIANT(Value::RawEquals(*result, searched[1]),
                   "replace changes nothing without a match");
  }
}

}  // namespace
}  // namespace kinu

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  kinu::FuzzOne({reinterpret_cast<const char*>(data), size});
  return 0;
}
