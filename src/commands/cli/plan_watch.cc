#include "cli/plan_watch.h"

#include <chrono>
#include <ctime>
#include <optional>
#include <utility>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/disk_watcher.h"
#include "cli/plan_difference_report.h"
#include "config/parsed_files.h"
#include "operation/watched_files.h"
#include "plan/plan_difference.h"
#include "session/kept_providers.h"
#include "terminal/interrupts.h"

namespace kinu::cli {
namespace {

using operation::WatchedFiles;

/// Saves that follow each other this fast are one.
constexpr int kSettleMilliseconds = 10;
/// Nobody waits longer than this for the end of many saves.
constexpr int kMostSettles = 50;

std::string TimeOfDay() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  char text[16];
  std::strftime(text, sizeof text, "%H:%M:%S", &local);
  return text;
}

/// Diagnostics as one text. Equal texts mean that nothing new was found.
std::string TextOf(const Diagnostics& diags) {
  std::string out;
  for (const Diagnostic& problem : diags) {
    out += problem.summary + '\0' + problem.detail + '\0' + problem.address + '\0';
  }
  return out;
}

class PlanWatch {
 public:
  PlanWatch(OperationRun& run, PlanRequest& request)
      : run_(run),
        request_(request),
        watcher_([](std::string_view) { return true; }),
        watched_(run.invocation.workspace, request),
        wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    request_.again = true;
    request_.files = &files_;
    request_.may_run_remotely = true;
  }
  PlanWatch(const PlanWatch&) = delete;
  PlanWatch& operator=(const PlanWatch&) = delete;
  ~PlanWatch() {
    kept_.reset();
    if (wake_ >= 0) {
      ::close(wake_);
    }
  }

  int Run();

 private:
  enum class Opened : uint8_t { kPlans, kFails, kRunsElsewhere };

  static bool stopping() { return terminal::StopRequested().load(); }
  /// Waits until a plan could be another one. False: the user ends the watch.
  bool Wait();
  /// Plans once. False if the workspace cannot be watched.
  bool Round();
  Opened Open();
  Opened OpenAll();
  /// Plans, after Open(). Nothing after an error.
  std::optional<plan::Plan> MakePlan();
  void Show(plan::Plan plan);
  void ShowProblems();

  OperationRun& run_;
  PlanRequest& request_;
  config::ParsedFiles files_;
  std::optional<session::KeptProviders> kept_;
  DiskWatcher watcher_;
  WatchedFiles watched_;
  const int wake_;  // readable once the user interrupts
  bool opened_ = false;
  WatchedFiles::Change next_ = WatchedFiles::Change::kAll;  // why there is a round
  std::optional<plan::Plan> last_;                          // the last one without errors
  std::string warned_;                                      // what was warned of last
  size_t round_ = 0;
  bool lost_ = false;  // the last plan failed where a process may have died before it
};

int PlanWatch::Run() {
  if (wake_ < 0 || watcher_.descriptor() < 0) {
    return run_.Fail("Files cannot be watched",
                     "The system has no room for another watcher of files (inotify).");
  }
  terminal::CatchInterrupts(
      [this] {
        const uint64_t one = 1;
        [[maybe_unused]] const ssize_t written = ::write(wake_, &one, sizeof one);
        run_.operation.pool.StopAll();
      },
      [] {});
  do {
    if (!Round()) {
      return 1;
    }
  } while (Wait());
  run_.operation.Forget();
  return 0;
}

bool PlanWatch::Wait() {
  watcher_.Watch(watched_.Directories());
  // What was saved during the round was perhaps not watched yet.
  next_ = watched_.Compare();
  while (next_ == WatchedFiles::Change::kNone && !stopping()) {
    pollfd sources[] = {{.fd = watcher_.descriptor(), .events = POLLIN, .revents = 0},
                        {.fd = wake_, .events = POLLIN, .revents = 0},
                        {.fd = STDOUT_FILENO, .events = 0, .revents = 0}};
    (void)::poll(sources, 3, -1);
    if (sources[2].revents != 0) {
      return false;  // nobody reads any more
    }
    for (int i = 0; i < kMostSettles && !stopping(); ++i) {
      (void)watcher_.Read();
      if (::poll(sources, 2, kSettleMilliseconds) == 0) {
        break;
      }
    }
    next_ = watched_.Compare();
  }
  return !stopping();
}

PlanWatch::Opened PlanWatch::OpenAll() {
  kept_.reset();
  run_.operation.Forget();
  opened_ = run_.Open(request_);
  if (!opened_) {
    return run_.operation.remote_runs == nullptr ? Opened::kFails : Opened::kRunsElsewhere;
  }
  kept_.emplace(run_.operation.providers->source());
  return Opened::kPlans;
}

PlanWatch::Opened PlanWatch::Open() {
  run_.operation.Unload();
  run_.operation.workspace.kept->Clear();
  files_.Begin();
  if (!opened_ || next_ == WatchedFiles::Change::kAll) {
    return OpenAll();
  }
  switch (run_.operation.OpenAgain(request_, *run_.audience, run_.diags)) {
    case Operation::Again::kOpen:
      return Opened::kPlans;
    case Operation::Again::kFailed:
      return Opened::kFails;
    case Operation::Again::kChanged:
      break;
  }
  return OpenAll();
}

std::optional<plan::Plan> PlanWatch::MakePlan() {
  Operation& operation = run_.operation;
  operation.input.providers = &*kept_;
  if (round_ > 1) {  // what it does is not worth a line
    operation.input.events = nullptr;
    operation.status = nullptr;
  }
  plan::Plan plan = operation::RunPlanning(operation, run_.diags);
  (void)operation.RequireStoredProviders(plan, run_.diags);
  const bool good = !plan.rejected && !plan.errored && !run_.diags.has_errors();
  operation.Close(run_.diags);
  operation.GiveUp();
  lost_ = kept_->EndPlan(good) && !good;
  return good ? std::optional(std::move(plan)) : std::nullopt;
}

void PlanWatch::ShowProblems() {
  if (run_.diags.has_errors()) {
    run_.audience->Show(run_.diags);
    return;
  }
  std::string now = TextOf(run_.diags);
  if (now == warned_) {
    run_.diags = Diagnostics();
  } else {
    warned_ = std::move(now);
    run_.audience->Show(run_.diags);
  }
}

void PlanWatch::Show(plan::Plan plan) {
  const DifferenceReport report{.audience = *run_.audience,
                                .invocation = run_.invocation,
                                .operation = run_.operation,
                                .show_sensitive = run_.flags.Bool("show-sensitive"),
                                .round = round_,
                                .time = TimeOfDay()};
  if (last_) {
    report.Show(*last_, plan);
  } else {
    run_.ShowPlan(plan, {.may_page = false});
    report.ShowFirst();
  }
  last_ = std::move(plan);
  // A plan for a file would need them.
  last_->configuration = config::SourceSnapshot();
  last_->prior_state = last_->previous_state = state::State();
}

bool PlanWatch::Round() {
  ++round_;
  watched_.Begin();
  const Opened opened = Open();
  if (opened == Opened::kRunsElsewhere) {
    run_.diags.Error("Plans cannot be watched",
                     "The service plans this workspace, and would do so after each save.");
    run_.Fail();
    return false;
  }
  std::optional<plan::Plan> plan;
  if (opened == Opened::kPlans) {
    plan = MakePlan();
    if (lost_ && !stopping()) {
      run_.diags = Diagnostics();
      next_ = WatchedFiles::Change::kConfiguration;
      plan = Open() == Opened::kPlans ? MakePlan() : std::nullopt;
    }
  } else {
    run_.operation.Close(run_.diags);
    run_.operation.GiveUp();
  }
  watched_.Finish(files_, run_.operation, opened_);
  if (stopping()) {
    return true;
  }
  if (plan) {
    Show(*std::move(plan));
  }
  const bool failed = run_.diags.has_errors();
  ShowProblems();
  if (failed) {
    ShowFailedRound(*run_.audience, round_, TimeOfDay(), last_.has_value());
  }
  return true;
}

}  // namespace

void CheckWatchFlags(const Flags& flags, const PlanRequest& request, Diagnostics& diags) {
  for (const std::string_view flag :
       {"out", "generate-config-out", "detailed-exitcode", "refresh-only", "offline", "summary",
        "actions", "risks", "pager"}) {
    if (flags.IsSet(flag)) {
      diags.Error("Incompatible plan options",
                  "The -watch option prints plans again and again, "
                  "and ends when you end it: it cannot be used with -" +
                      std::string(flag) + ".");
    }
  }
  for (const config::VariableArgument& argument : request.variables) {
    struct stat found{};
    if (argument.is_file && ::stat(argument.text.c_str(), &found) == 0 && !S_ISREG(found.st_mode)) {
      diags.Error("Incompatible plan options",
                  "With -watch, variable files are read after each save: " + argument.text +
                      " is no file that can be read twice.");
    }
  }
}

int WatchPlan(OperationRun& run, PlanRequest& request) {
  return PlanWatch(run, request).Run();
}

}  // namespace kinu::cli
