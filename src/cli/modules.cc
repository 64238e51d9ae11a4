#include "cli/modules.h"

#include "base/files.h"

namespace kinu::cli {

std::string ModuleLines(const Loaded& loaded) {
  const Program& program = *loaded.program;
  std::string out;
  for (const auto& node : loaded.config->nodes) {
    if (node->parent == nullptr) {
      continue;
    }
    std::string key;
    for (ModuleId id = node->path; !id.is_root(); id = program.Parent(id)) {
      key = std::string(program.Text(program.CallName(id))) + (key.empty() ? "" : "." + key);
    }
    out += "- " + key + " in " + node->source_dir + "\n";
  }
  return out;
}

void WriteModuleManifest(const Invocation& invocation, const Loaded& loaded, Diagnostics& diags) {
  std::string manifest = invocation.data_directory + "/modules/modules.json";
  auto made = MakeDirectories(DirName(manifest));
  auto written = made ? ReplaceFile(manifest, config::ModuleManifest(*loaded.config), 0644) : made;
  if (!written) {
    diags.Error("Failed to update module manifest", written.error().message);
  }
}

}  // namespace kinu::cli
