#include "cli/timings.h"

#include "base/files.h"
#include "cli/command.h"
#include "trace/chrome.h"
#include "trace/critical_path.h"

namespace kinu::cli {

void StartTimings(Invocation& invocation, const Flags& flags) {
  invocation.timings_file = flags.String("timings");
  if (invocation.timings_file.empty()) {
    return;
  }
  trace::Start(trace::Detail::kObjects);
  if (!invocation.whole_run) {
    invocation.BeginSpan();
  }
}

bool ReportTimings(const Invocation& invocation, std::span<const trace::Record> records) {
  const std::string& path = invocation.timings_file;
  if (path.empty()) {
    return true;
  }
  PrintError(trace::RenderParts(records) +
             trace::RenderCriticalPaths(trace::CriticalPaths(records)));
  const Result<void> written = ReplaceFile(path, trace::ChromeTrace(records));
  if (!written) {
    Diagnostics diags;
    diags.Error("Failed to write timings", written.error().message);
    invocation.Show(diags);
  }
  return written.has_value();
}

}  // namespace kinu::cli
