#include "module_tests/suite.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "module_tests/file_run.h"
#include "terminal/interrupts.h"

namespace kinu::module_tests {

size_t SuiteResult::Count(Status of_runs) const {
  size_t count = 0;
  for (const FileResult& file : files) {
    count += static_cast<size_t>(std::ranges::count(file.runs, of_runs, &RunResult::status));
  }
  return count;
}

std::vector<ObjectName> ObjectsOf(const state::State& state) {
  std::vector<ObjectName> out;
  for (const state::Resource* resource : state.Sorted()) {
    if (resource->address.resource.mode != ResourceMode::kManaged) {
      continue;
    }
    for (const state::Instance& instance : resource->instances) {
      const std::string address =
          state.program->ToText(ResourceInstance{resource->address, instance.key});
      if (instance.current != nullptr) {
        out.push_back({address, {}});
      }
      for (const state::DeposedObject& deposed : instance.deposed) {
        out.push_back({address, std::string(deposed.key)});
      }
    }
  }
  return out;
}

struct Suite::Parts {
  explicit Parts(SuiteRequest asked) : request(std::move(asked)) {}

  SuiteRequest request;
  SuiteResult result;
  std::atomic<bool> cancelled = false;
  mutable std::mutex mutex;  // of what follows
  std::condition_variable ended;
  bool idle = true;  ///< no run is executed
  std::unique_ptr<FileRun> current;
};

Suite::Suite(SuiteRequest request) : parts_(std::make_unique<Parts>(std::move(request))) {
  for (const config::TestFile& file : parts_->request.loaded.config->tests->files) {
    const std::vector<std::string>& filter = parts_->request.filter;
    if (!filter.empty() && std::ranges::find(filter, file.name) == filter.end()) {
      continue;
    }
    FileResult& result = parts_->result.files.emplace_back();
    result.file = &file;
    for (const config::TestRun& run : file.runs) {
      RunResult& of_run = result.runs.emplace_back();
      of_run.run = &run;
      of_run.name = parts_->request.loaded.program->Text(run.name);
    }
  }
}

Suite::~Suite() = default;

const SuiteResult& Suite::result() const {
  return parts_->result;
}

bool Suite::RunFile(size_t index, Report& report) {
  FileResult& file = parts_->result.files[index];
  {
    const std::scoped_lock hold(parts_->mutex);
    parts_->current = std::make_unique<FileRun>(parts_->request, file, parts_->cancelled);
    parts_->idle = false;
  }
  parts_->current->Execute();
  {
    const std::scoped_lock hold(parts_->mutex);
    parts_->idle = true;
  }
  parts_->ended.notify_all();
  if (cancelled()) {
    return false;
  }
  report.File(file);
  parts_->current->Cleanup(report);
  return true;
}

FileResult& Suite::file(size_t index) {
  return parts_->result.files[index];
}

Abandoned Suite::Abandon() const {
  const std::scoped_lock hold(parts_->mutex);
  return parts_->current == nullptr ? Abandoned() : parts_->current->Abandon();
}

bool Suite::cancelled() const {
  return parts_->cancelled;
}

void Suite::Cancel(std::chrono::milliseconds patience) {
  parts_->cancelled = true;
  std::unique_lock hold(parts_->mutex);
  parts_->ended.wait_for(hold, patience, [&] { return parts_->idle; });
}

std::vector<std::string> Suite::KeepStates() {
  const std::scoped_lock hold(parts_->mutex);
  return parts_->current == nullptr ? std::vector<std::string>() : parts_->current->KeepStates();
}

}  // namespace kinu::module_tests
