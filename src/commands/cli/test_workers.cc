#include "cli/test_workers.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace kinu::cli {
namespace {

/// Keeps what is reported of one file until it is its turn.
class KeptReport final : public suite::Report {
 public:
  void File(suite::FileResult& file) override {
    calls_.emplace_back([&file](suite::Report& report) { report.File(file); });
  }
  void Cleanup(const suite::FileResult& file, const suite::RunResult& run, Diagnostics& diags,
               const std::vector<suite::ObjectName>& left) override {
    auto kept = std::make_shared<Diagnostics>(std::exchange(diags, {}));
    calls_.emplace_back([&file, &run, kept, left](suite::Report& report) {
      report.Cleanup(file, run, *kept, left);
    });
  }
  void Stored(const suite::FileResult& file, const suite::RunResult& run, Diagnostics& diags,
              const std::string& text) override {
    auto kept = std::make_shared<Diagnostics>(std::exchange(diags, {}));
    calls_.emplace_back([&file, &run, kept, text](suite::Report& report) {
      report.Stored(file, run, *kept, text);
    });
  }

  void Replay(suite::Report& report) const {
    for (const auto& call : calls_) {
      call(report);
    }
  }

 private:
  std::vector<std::function<void(suite::Report&)>> calls_;
};

/// One file of the suite.
struct FileTask {
  KeptReport report;
  suite::FileResult* result = nullptr;  ///< null: not done
};

}  // namespace

std::optional<suite::SuiteResult> TestWorkers::Run(suite::Report& report) {
  std::vector<FileTask> tasks(workers_[0]->suite->result().files.size());
  std::atomic<size_t> next = 0;
  std::atomic<bool> cancelled = false;
  std::mutex mutex;
  std::condition_variable done;
  const auto work = [&](TestWorker& worker) {
    for (size_t i = next++; i < tasks.size(); i = next++) {
      const bool ran = worker.suite->RunFile(i, tasks[i].report);
      const std::scoped_lock hold(mutex);
      tasks[i].result = &worker.suite->file(i);
      cancelled = cancelled || !ran;
      done.notify_all();
    }
  };
  std::vector<std::jthread> threads;
  for (const auto& worker : workers_) {
    threads.emplace_back([&work, &worker] { work(*worker); });
  }
  suite::SuiteResult all;
  all.status = suite::Status::kPass;
  for (FileTask& task : tasks) {
    {
      std::unique_lock hold(mutex);
      done.wait(hold, [&] { return task.result != nullptr || cancelled; });
    }
    if (cancelled) {
      return std::nullopt;
    }
    task.report.Replay(report);
    all.status = Merge(all.status, task.result->status);
    all.files.push_back(std::move(*task.result));
  }
  return all;
}

}  // namespace kinu::cli
