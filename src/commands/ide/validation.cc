#include "ide/validation.h"

#include "base/flat_map.h"
#include "config/module_test_file.h"
#include "engine/plan.h"

namespace kinu::ide {

static void CheckConfiguration(const config::Config& config, const ValidationSources& sources,
                               Diagnostics& diags) {
  if (!sources.require_providers(config, diags)) {
    return;
  }
  engine::ProviderPool pool;
  engine::Validate(sources.request(config, pool), diags);
}

void Validate(const session::Loaded& loaded, const ValidationSources& sources, Diagnostics& diags) {
  CheckConfiguration(*loaded.config, sources, diags);
  if (loaded.config->tests == nullptr) {
    return;
  }
  FlatSet<std::string> checked;
  for (const config::TestFile& file : loaded.config->tests->files) {
    config::CheckTestFile(*loaded.program, file, diags);
    for (const config::TestRun& run : file.runs) {
      // Modules from elsewhere are checked by their authors.
      if (run.config != nullptr && run.module->source.kind == config::ModuleSourceKind::kLocal &&
          checked.insert(run.module->source.text).second) {
        CheckConfiguration(*run.config, sources, diags);
      }
      config::CheckTestRun(*loaded.program, run, diags);
    }
  }
}

}  // namespace kinu::ide
