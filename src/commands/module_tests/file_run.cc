#include "module_tests/file_run.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "backend/state_file.h"
#include "base/files.h"
#include "compatibility/level.h"
#include "engine/apply.h"
#include "engine/plan.h"
#include "meta_arguments/conditions.h"
#include "module_tests/assertions.h"
#include "module_tests/expected_failures.h"
#include "operation/apply.h"
#include "terminal/interrupts.h"

namespace kinu::module_tests {
namespace {

std::string_view TextOf(const hcl::TraversalExpr& traversal) {
  return traversal.file()->text().substr(traversal.begin, traversal.end - traversal.begin);
}

}  // namespace

FileRun::FileRun(const SuiteRequest& suite, FileResult& result, const std::atomic<bool>& cancelled)
    : suite_(suite), result_(result), cancelled_(cancelled) {
}

FileRun::KeyedState& FileRun::StateOf(const config::TestRun& run) {
  const std::string key = run.module ? run.module->source.text : std::string();
  const auto found = std::ranges::find(states_, key, [](const auto& keyed) { return keyed->key; });
  if (found != states_.end()) {
    return **found;
  }
  auto made = std::make_unique<KeyedState>();
  made->key = key;
  made->state.program = suite_.loaded.program;
  const std::scoped_lock hold(mutex_);
  return *states_.emplace_back(std::move(made));
}

Value FileRun::Outputs() const {
  std::vector<std::pair<std::string, Value>> runs;
  for (const auto& keyed : states_) {
    if (keyed->run == nullptr) {
      continue;
    }
    std::vector<std::pair<std::string, Value>> outputs;
    for (const state::OutputValue& output : keyed->state.outputs) {
      outputs.emplace_back(output.name, output.value.UnmarkDeep());
    }
    runs.emplace_back(keyed->run->name, Value::Object(std::move(outputs)));
  }
  return Value::Object(std::move(runs));
}

void FileRun::SetRunning(const RunResult* run, const plan::Plan* plan) {
  std::vector<std::string> creating;
  if (plan != nullptr) {
    for (const plan::ResourceChange& change : plan->changes) {
      if (change.action == plan::Action::kCreate) {
        creating.push_back(program().ToText(change.address));
      }
    }
  }
  const std::scoped_lock hold(mutex_);
  running_ = run;
  creating_ = std::move(creating);
}

Abandoned FileRun::Abandon() const {
  const std::scoped_lock hold(mutex_);
  Abandoned out;
  out.file = &result_;
  out.run = running_;
  out.creating = creating_;
  for (const auto& keyed : states_) {
    std::vector<ObjectName> objects = ObjectsOf(keyed->state);
    if (keyed->key.empty()) {
      out.of_root = std::move(objects);
    } else if (!objects.empty()) {
      out.of_modules.push_back({keyed->run->name, keyed->key, std::move(objects)});
    }
  }
  return out;
}

void FileRun::Watch(const RunResult& run, bool running) const {
  if (suite_.watch) {
    suite_.watch(result_, run, running);
  }
}

void FileRun::Execute() {
  result_.status = Status::kPass;
  bool any = false;
  size_t index = 0;
  for (RunResult& run : result_.runs) {
    if (cancelled_) {
      return;
    }
    if (terminal::StopRequested() || result_.status == Status::kError) {
      run.status = Status::kSkip;
    } else {
      const auto start = std::chrono::steady_clock::now();
      Watch(run, true);
      ExecuteRun(run, index);
      run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      result_.status = Merge(result_.status, run.status);
      any = true;
    }
    Watch(run, false);
    ++index;
  }
  SetRunning(nullptr, nullptr);
  if (!any && !result_.runs.empty()) {
    result_.status = Status::kPending;  // an interrupt came first
  }
}

void FileRun::ReadPlanOptions(const config::TestRun& run, engine::Options& options,
                              Diagnostics& diags) {
  options.mode = run.options.mode == config::TestMode::kRefreshOnly ? plan::Mode::kRefreshOnly
                                                                    : plan::Mode::kNormal;
  options.refresh = run.options.refresh;
  for (const hcl::TraversalExpr* traversal : run.options.target) {
    TargetAddress target;
    if (ParseTarget(program(), TextOf(*traversal), &target)) {
      options.targets.push_back(target);
    } else {
      diags.Error("Invalid address",
                  "Resource specification must include a resource type and name.",
                  traversal->range());
    }
  }
  for (const hcl::TraversalExpr* traversal : run.options.replace) {
    TargetAddress target;
    if (!ParseTarget(program(), TextOf(*traversal), &target) || !target.resource) {
      diags.Error("Invalid address",
                  "A resource instance address is required here. The module path must be followed "
                  "by a resource instance specification.",
                  traversal->range());
      continue;
    }
    const ResourceInstance address{{target.module, *target.resource}, target.key};
    if (target.resource->mode != ResourceMode::kManaged) {
      diags.Error("Can only target managed resources for forced replacements.",
                  program().ToText(address), traversal->range());
      continue;
    }
    options.force_replace.push_back(address);
  }
}

std::unique_ptr<FileRun::Setup> FileRun::Prepare(const config::TestRun& run,
                                                 const state::State& state,
                                                 std::shared_ptr<const RunValues> values,
                                                 Diagnostics& diags) {
  const size_t errors = diags.error_count();
  auto setup = std::make_unique<Setup>();
  setup->values = std::move(values);
  setup->config = std::make_unique<RunConfig>(RunConfigInput{.config = ModuleUnderTest(run),
                                                             .file = *result_.file,
                                                             .run = run,
                                                             .values = setup->values,
                                                             .evaluated = evaluated_},
                                              diags);
  if (diags.error_count() == errors) {
    suite_.providers.RequirePlugins(setup->config->config(), diags);
  }
  if (diags.error_count() != errors) {
    return nullptr;
  }
  engine::Options options;
  options.plan_timestamp = operation::Timestamp();
  engine::Request& request = setup->request;
  request =
      operation::MakeRequest(suite_.workspace, setup->config->config(), setup->values->inputs(),
                             suite_.providers, suite_.pool, std::move(options));
  request.prior_state = &state;
  if (!setup->config->mocks().empty()) {
    request.substitutes = &setup->config->mocks();
  }
  request.coverage = suite_.coverage;
  return setup;
}

void FileRun::ExecuteRun(RunResult& result, size_t index) {
  const config::TestRun& run = *result.run;
  SetRunning(&result, nullptr);
  result.status = Status::kError;
  config::CheckTestFile(program(), *result_.file, result.diags);
  if (result.diags.has_errors()) {
    return;
  }
  config::CheckTestRun(program(), run, result.diags);
  if (result.diags.has_errors()) {
    return;
  }
  KeyedState& state = StateOf(run);
  const RunSources sources = SourcesOf(run);
  auto values = std::make_shared<const RunValues>(sources, result.diags);
  if (result.diags.has_errors()) {
    return;
  }
  const std::unique_ptr<Setup> setup = Prepare(run, state.state, std::move(values), result.diags);
  if (setup == nullptr) {
    return;
  }
  setup->of_assertions = setup->values->ForAssertions(sources);
  Diagnostics of_options;
  ReadPlanOptions(run, setup->request.options, of_options);
  if (of_options.has_errors()) {
    RefuseOptions(*setup, std::move(of_options), result);
    return;
  }
  result.status = run.command == config::TestCommand::kPlan ? Plan(*setup, result)
                                                            : Apply(*setup, result, state, index);
}

void FileRun::RefuseOptions(const Setup& setup, Diagnostics refused, RunResult& result) {
  if (!engine::Validate(setup.request, result.diags)) {
    return;
  }
  if (result.run->command == config::TestCommand::kPlan) {
    ExpectedFailures expected(program(), *setup.request.config->root().module, *result.run);
    refused = expected.Apply(std::move(refused));
  }
  result.diags.Append(std::move(refused));
}

Status FileRun::Plan(Setup& setup, RunResult& result) {
  Assertions assertions(*result.run, std::move(setup.of_assertions));
  setup.request.inspector = &assertions;
  Diagnostics found;
  plan::Plan plan = engine::MakePlan(setup.request, found);
  if (plan.invalid) {
    result.diags.Append(std::move(found));  // nothing was checked that could have failed
    return Status::kError;
  }
  ExpectedFailures expected(program(), *setup.request.config->root().module, *result.run);
  result.diags.Append(expected.Apply(std::move(found)));
  if (result.diags.has_errors() || !assertions.evaluated()) {
    return Status::kError;
  }
  return Judge(std::move(plan), nullptr, assertions, result);
}

/// The status of a run by its assertions and the request's judge.
Status FileRun::Judge(plan::Plan plan, const state::State* state, Assertions& assertions,
                      RunResult& result) {
  result.status = assertions.status();
  result.diags.Append(std::move(assertions.diags()));
  if (!suite_.verbose && !suite_.judge) {
    return result.status;
  }
  result.plan = std::move(plan);
  result.config = &ModuleUnderTest(*result.run);
  if (state != nullptr) {
    result.state = state->Clone();
    result.state->terraform_version = compatibility::Release();
  }
  if (suite_.judge && result.status != Status::kError) {
    suite_.judge(result);
  }
  if (!suite_.verbose) {
    result.state.reset();
  }
  if (!suite_.verbose || state != nullptr) {
    result.plan.reset();
  }
  return result.status;
}

Status FileRun::Apply(Setup& setup, RunResult& result, KeyedState& state, size_t index) {
  ExpectedFailures expected(program(), *setup.request.config->root().module, *result.run);
  Diagnostics found;
  plan::Plan plan = engine::MakePlan(setup.request, found);
  expected.WarnOfPlan(found);
  result.diags.Append(std::move(found));
  if (result.diags.has_errors()) {
    return Status::kError;
  }
  meta_arguments::DropCheckResults(result.diags);
  Assertions assertions(*result.run, std::move(setup.of_assertions));
  setup.request.inspector = &assertions;
  setup.request.prior_state = &plan.prior_state;
  SetRunning(&result, &plan);
  engine::ApplyResult applied = engine::Apply(setup.request, plan, nullptr, found = {});
  operation::ReportRemains(applied, plan, operation::ForgetErrors::kReported, found);
  {
    const std::scoped_lock hold(mutex_);
    state.state = std::move(applied.state);
    state.run = &result;
    state.values = setup.values;
    state.index = index;
    creating_.clear();
  }
  result.diags.Append(expected.Apply(std::move(found)));
  if (auto writable = state::CheckWritable(state.state); !writable) {
    result.diags.Error("Failure during state serialization", writable.error().message);
  }
  if (result.diags.has_errors() || !assertions.evaluated()) {
    return Status::kError;
  }
  return Judge(std::move(plan), &state.state, assertions, result);
}

void FileRun::Destroy(KeyedState& state, Diagnostics& diags) {
  const std::unique_ptr<Setup> setup = Prepare(*state.run->run, state.state, state.values, diags);
  if (setup == nullptr || state.state.empty()) {
    return;
  }
  setup->request.options.mode = plan::Mode::kDestroy;
  setup->request.validated = true;  // by the run that made the objects
  const plan::Plan plan = engine::MakePlan(setup->request, diags);
  if (diags.has_errors()) {
    return;
  }
  setup->request.prior_state = &plan.prior_state;
  engine::ApplyResult applied = engine::Apply(setup->request, plan, nullptr, diags);
  operation::ReportRemains(applied, plan, operation::ForgetErrors::kReported, diags);
  const std::scoped_lock hold(mutex_);
  state.state = std::move(applied.state);
}

/// Saves the state of a test that ends, which begins a history of its own.
static Result<void> SaveLeftOver(const std::string& path, state::State& state) {
  state.lineage = RandomUuid();
  state.serial = 0;
  return backend::SaveStateIn(path, state, state::NoSealing());
}

void FileRun::KeepLeftOver(KeyedState& state, Report& report) {
  Diagnostics diags;
  std::string text;
  if (auto written = SaveLeftOver(kErroredState, state.state); !written) {
    text = state::WriteState(state.state, state::Layout::kIndented);
    diags.Error("Failed to persist state",
                "The state could not be written to " + std::string(kErroredState) + ": " +
                    written.error().message +
                    ".\n\nIt is printed above, as JSON. Copy it from the first { to the last } "
                    "into a file of that name.");
  }
  report.Stored(result_, *state.run, diags, text);
}

std::vector<std::string> FileRun::KeepStates() {
  std::vector<std::string> files;
  const std::scoped_lock hold(mutex_);
  for (const auto& keyed : states_) {
    if (ObjectsOf(keyed->state).empty()) {
      continue;
    }
    const std::string name =
        keyed->key.empty() ? kErroredState : "errored_test." + keyed->run->name + ".tfstate";
    if (SaveLeftOver(name, keyed->state)) {
      files.push_back(name);
    }
  }
  return files;
}

void FileRun::Cleanup(Report& report) {
  std::vector<KeyedState*> order;
  for (const auto& keyed : states_) {
    if (keyed->run != nullptr) {
      order.push_back(keyed.get());
    }
  }
  std::ranges::stable_sort(order, std::ranges::greater(), &KeyedState::index);
  for (KeyedState* state : order) {
    Diagnostics diags;
    Destroy(*state, diags);
    const std::vector<ObjectName> left = ObjectsOf(state->state);
    report.Cleanup(result_, *state->run, diags, left);
    if (!left.empty()) {
      KeepLeftOver(*state, report);
    }
  }
}

}  // namespace kinu::module_tests
