// The manifest of installed modules, read and written, and the sources of a configuration as plan
// files have them.
#include <algorithm>

#include "addrs/version.h"
#include "base/files.h"
#include "config/load.h"
#include "config/module_source.h"
#include "config/module_test_file.h"
#include "json/expected.h"
#include "json/reader.h"
#include "json/writer.h"

namespace kinu::config {
namespace {

constexpr json::Expected::Member kRecordMembers[] = {{"Key", &json::kExpectedText},
                                                     {"Source", &json::kExpectedText},
                                                     {"Version", &json::kExpectedText},
                                                     {"Dir", &json::kExpectedText}};
constexpr json::Expected kRecord{
    .type = json::Expected::Type::kObject, .name = "modsdir.Record", .members = kRecordMembers};
constexpr json::Expected kRecords{
    .type = json::Expected::Type::kList, .name = "[]modsdir.Record", .element = &kRecord};
constexpr json::Expected::Member kManifestMembers[] = {{"Modules", &kRecords}};
constexpr json::Expected kManifest{.type = json::Expected::Type::kObject,
                                   .name = "modsdir.manifestSnapshotFile",
                                   .members = kManifestMembers};

InstalledModule ModuleOf(const JsonNode& record) {
  const auto text_of = [&record](std::string_view name) {
    const JsonNode* value = json::FindInAnyCase(record, name);
    return value != nullptr && value->is_string() ? std::string(value->text()) : std::string();
  };
  const std::string dir = text_of("Dir");
  InstalledModule module{dir.empty() ? dir : CleanPath(dir), text_of("Source"), text_of("Version")};
  if (Result<ModuleSource> source = ParseModuleSource(module.source, false)) {
    module.source = source->text;
  }
  return module;
}

}  // namespace

std::map<std::string, InstalledModule, std::less<>> ReadModuleManifest(const std::string& path,
                                                                       Diagnostics& diags) {
  std::map<std::string, InstalledModule, std::less<>> out;
  const auto report = [&diags](const std::string& problem) {
    diags.Error("failed to read module manifest: " + problem, "");
  };
  Result<std::string> text = ReadFile(path);
  if (!text) {
    if (text.error().code != ErrorCode::kNotFound) {
      report(text.error().message);
    }
    return out;
  }
  if (text->empty()) {
    return out;  // as OpenTofu does, for those who make it with "touch"
  }
  const JsonDocument document = ParseJson(*text);
  if (const std::string problem = json::ProblemOf(*text, document, kManifest); !problem.empty()) {
    report("error unmarshalling snapshot: " + problem);
    return out;
  }
  const JsonNode* records = json::FindInAnyCase(document.root(), "Modules");
  for (const JsonNode& record : records != nullptr ? records->elements() : std::span<JsonNode>()) {
    const JsonNode* name = json::FindInAnyCase(record, "Key");
    const std::string key(name != nullptr ? name->text() : "");
    InstalledModule module = ModuleOf(record);
    if (auto version = Version::Parse(module.version); !module.version.empty() && !version) {
      report("invalid version \"" + module.version + "\" for " + key + ": " +
             version.error().message);
      return {};
    }
    if (!out.emplace(key, std::move(module)).second) {
      report("snapshot file contains two records for path " + key);
      return {};
    }
  }
  return out;
}

namespace {

/// "a.b" for the module that is called as b in the module that is called as a.
std::string DottedPath(const Program& program, ModuleId module) {
  std::string path;
  for (; !module.is_root(); module = program.Parent(module)) {
    const std::string name(program.Text(program.CallName(module)));
    path.insert(0, path.empty() ? name : name + ".");
  }
  return path;
}

std::string ManifestText(const std::map<std::string, InstalledModule, std::less<>>& entries) {
  std::string text;
  JsonWriter out(text);
  out.BeginObject();
  out.Key("Modules");
  out.BeginArray();
  for (const auto& [key, module] : entries) {
    out.BeginObject();
    out.Member("Key", key);
    out.Member("Source", WithoutSecrets(module.source));
    if (!module.version.empty()) {
      out.Member("Version", module.version);
    }
    out.Member("Dir", module.dir);
    out.EndObject();
  }
  out.EndArray();
  out.EndObject();
  return text;
}

}  // namespace

std::string ModuleManifest(const Config& config) {
  // Of several run blocks with one name in a file, the last one is recorded.
  std::map<std::string, InstalledModule, std::less<>> entries;
  const auto add_tree = [&](const Config& tree, const std::string& prefix) {
    for (const auto& node : tree.nodes) {
      std::string path = DottedPath(*tree.program, node->path);
      if (!prefix.empty()) {
        path = path.empty() ? prefix : prefix + "." + path;
      }
      // A local directory that does not exist has a record, too.
      for (size_t i = 0; i < node->module->calls.size(); ++i) {
        const ModuleCall& call = node->module->calls[i];
        if (node->children[i] == nullptr && call.source.starts_with('.')) {
          const std::string name(tree.program->Text(call.name));
          entries[path.empty() ? name : path + "." + name] = {"", call.source, ""};
        }
      }
      entries[std::move(path)] = {node->source_dir, node->source, node->version};
    }
  };
  add_tree(config, "");
  if (config.tests != nullptr) {
    for (const TestFile& file : config.tests->files) {
      for (const TestRun& run : file.runs) {
        if (run.config != nullptr) {
          add_tree(*run.config, RunModuleKey(*config.program, file, run));
        }
      }
    }
  }
  return ManifestText(entries);
}

std::string ModuleManifest(const std::map<std::string, InstalledModule, std::less<>>& modules) {
  auto entries = modules;
  entries[""] = {".", "", ""};
  return ManifestText(entries);
}

SourceSnapshot TakeSnapshot(const Config& config) {
  SourceSnapshot snapshot;
  for (const auto& node : config.nodes) {
    SnapshotModule module{
        DottedPath(*config.program, node->path), node->source_dir, node->source, node->version, {}};
    for (const ParsedSource& file : node->module->files) {
      module.files.push_back({BaseName(file.source->name()), file.source});
    }
    snapshot.modules.push_back(std::move(module));
  }
  std::sort(snapshot.modules.begin(), snapshot.modules.end(),
            [](const auto& a, const auto& b) { return a.key < b.key; });
  return snapshot;
}

}  // namespace kinu::config
