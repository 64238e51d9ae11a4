#include "cli/module_test_workers.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace kinu::cli {
namespace {

/// Keeps what is reported of one file until it is its turn.
class KeptReport final : public module_tests::Report {
 public:
  void File(module_tests::FileResult& file) override {
    calls_.emplace_back([&file](module_tests::Report& report) { report.File(file); });
  }
  void Cleanup(const module_tests::FileResult& file, const module_tests::RunResult& run,
               Diagnostics& diags, const std::vector<module_tests::ObjectName>& left) override {
    auto kept = std::make_shared<Diagnostics>(std::exchange(diags, {}));
    calls_.emplace_back([&file, &run, kept, left](module_tests::Report& report) {
      report.Cleanup(file, run, *kept, left);
    });
  }
  void Stored(const module_tests::FileResult& file, const module_tests::RunResult& run,
              Diagnostics& diags, const std::string& text) override {
    auto kept = std::make_shared<Diagnostics>(std::exchange(diags, {}));
    calls_.emplace_back([&file, &run, kept, text](module_tests::Report& report) {
      report.Stored(file, run, *kept, text);
    });
  }

  void Replay(module_tests::Report& report) const {
    for (const auto& call : calls_) {
      call(report);
    }
  }

 private:
  std::vector<std::function<void(module_tests::Report&)>> calls_;
};

/// One file of the suite.
struct FileTask {
  KeptReport report;
  module_tests::FileResult* result = nullptr;  ///< null: not done
};

}  // namespace

std::optional<module_tests::SuiteResult> TestWorkers::Run(module_tests::Report& report) {
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
  module_tests::SuiteResult all;
  all.status = module_tests::Status::kPass;
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
