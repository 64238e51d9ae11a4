#include "ide/validation.h"

#include "base/flat_map.h"
#include "config/module_test_file.h"
#include "engine/plan.h"

namespace kinu::ide {
namespace {

bool CheckConfiguration(const config::Config& config, const ValidationSources& sources,
                        Diagnostics& diags) {
  if (!sources.require_providers(config, diags)) {
    return false;
  }
  engine::ProviderPool pool;
  return engine::Validate(sources.request(config, pool), diags);
}

/// Whether a run's module was not found, which only an incomplete configuration has.
bool LacksModule(const config::TestRun& run) {
  return run.module && run.config == nullptr;
}

}  // namespace

bool Validate(const session::Loaded& loaded, const ValidationSources& sources, Diagnostics& diags) {
  bool is_whole = CheckConfiguration(*loaded.config, sources, diags);
  if (loaded.config->tests == nullptr || loaded.config->root().module->has_gaps) {
    return is_whole;
  }
  FlatSet<std::string> checked;
  for (const config::TestFile& file : loaded.config->tests->files) {
    config::CheckTestFile(*loaded.program, file, diags);
    for (const config::TestRun& run : file.runs) {
      // Modules from elsewhere are checked by their authors.
      if (run.config != nullptr && run.module->source.kind == config::ModuleSourceKind::kLocal &&
          checked.insert(run.module->source.text).second) {
        is_whole = CheckConfiguration(*run.config, sources, diags) && is_whole;
      }
      if (!LacksModule(run)) {
        config::CheckTestRun(*loaded.program, run, diags);
      }
    }
  }
  return is_whole;
}

}  // namespace kinu::ide
