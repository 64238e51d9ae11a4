#include "ide/local_states.h"

#include <charconv>
#include <optional>

#include <sys/stat.h>

#include "backend/local.h"
#include "base/files.h"
#include "ide/check_root.h"
#include "ide/described_values.h"
#include "json/tree.h"
#include "plan_json/value.h"
#include "schema/marks.h"
#include "session/backend_record.h"

namespace kinu::ide {
namespace {

constexpr off_t kLargestState = off_t{256} << 20;

/// The file that has the state of the selected workspace; empty: it is elsewhere.
std::string StatePath(const std::string& root, const install::CliConfig& cli_config) {
  const session::Workspace workspace = OpenRoot(root, cli_config);
  const auto record = session::ReadBackendRecord(workspace.data_directory);
  if (!record || (!record->empty() && record->type != "local")) {
    return {};
  }
  backend::LocalBackend local({});
  if (!record->empty()) {
    provider::Problems ignored;
    const Result<Value> settings = record->Settings();
    if (!settings) {
      return {};
    }
    local.Configure(*settings, ignored);
  }
  const auto files = local.Files(workspace.Name());
  return files ? PathIn(root, files->read) : std::string();
}

/// Visits the states of the root modules whose calls lead to the module.
template <typename Visit>
void ForEachState(const ModuleNames& names, const Visit& visit) {
  const Snapshot::Parts& parts = names.parts();
  for (const std::string& root : names.roots()) {
    if (const auto found = parts.states->Find(root, *parts.cli_config)) {
      visit(root, *found);
    }
  }
}

/// The value that one step leads to; null: there is none.
const Value* Step(const Value& value, const PathStep& step) {
  const Type type = value.type();
  if (value.IsNull() || !value.IsKnown()) {
    return nullptr;
  }
  if (type.is_object() || type.is_map()) {
    return value.Find(step.name);
  }
  size_t index = 0;
  const char* const number_end = step.number.data() + step.number.size();
  const auto [end, error] = std::from_chars(step.number.data(), number_end, index);
  const bool is_element = (type.is_list() || type.is_tuple()) && error == std::errc() &&
                          end == number_end && index < value.size();
  return is_element ? &value.elements()[index] : nullptr;
}

/// Whether a value without marks has a text that is sensitive elsewhere in the state: providers
/// copy what they are given.
bool HasSecret(const LocalState& state, const Value& value) {
  const auto document = json::Document::Parse(view::ValueText(value));
  bool found = !document;
  if (document) {
    state.source->redaction().ForEachLeaf((*document)->root(), {},
                                          [&](const auto& leaf) { found = found || leaf.hidden; });
  }
  return found;
}

/// What is shown of a value: empty if it is sensitive, nothing if it is absent or long.
std::optional<std::string> ShownText(const LocalState& state, const Value& object,
                                     std::span<const PathStep> steps) {
  const Value* at = &object;
  bool is_sensitive = at->IsMarked();
  for (const PathStep& step : steps) {
    at = Step(*at, step);
    if (at == nullptr) {
      return std::nullopt;
    }
    is_sensitive = is_sensitive || at->IsMarked();
  }
  if (is_sensitive || at->ContainsMarked() || HasSecret(state, *at)) {
    return "";
  }
  return at->IsNull() ? std::nullopt : LineOfValue(*at);
}

/// A resource that a path names, and what is behind its name.
struct NamedResource {
  ResourceMode mode = ResourceMode::kManaged;
  std::string_view type;
  std::string_view name;
  std::optional<PathStep> key;  ///< nothing: any
  std::span<const PathStep> attribute;
};

std::optional<NamedResource> ResourceOf(std::span<const PathStep> path) {
  NamedResource out;
  if (!path.empty() && path[0].name == "data") {
    out.mode = ResourceMode::kData;
    path = path.subspan(1);
  }
  if (path.size() < 2 || path[0].is_index || path[1].is_index) {
    return std::nullopt;
  }
  out.type = path[0].name;
  out.name = path[1].name;
  path = path.subspan(2);
  if (!path.empty() && path[0].is_index) {
    if (!path[0].name.empty() || !path[0].number.empty()) {
      out.key = path[0];
    }
    path = path.subspan(1);
  }
  out.attribute = path;
  return out;
}

bool IsNamed(const Program& program, const state::Resource& resource, const NamedResource& wanted) {
  const ResourceName& name = resource.address.resource;
  return name.mode == wanted.mode && program.Text(name.type) == wanted.type &&
         program.Text(name.name) == wanted.name;
}

/// Whether the calls from the root module lead from there to the directory of the names.
bool IsInModule(const ModuleNames& names, const std::string& root, const Program& program,
                const state::Resource& resource) {
  const std::string calls = CallsTo(program, program.ModuleOf(resource.address.module));
  return names.parts().Follow(root, calls).contains(names.directory());
}

/// Whether the key of an instance is what an index says.
bool IsKey(const Program& program, const InstanceKey& key, const PathStep& index) {
  if (key.kind() == InstanceKey::Kind::kString) {
    return program.Text(key.symbol()) == index.name;
  }
  return key.kind() == InstanceKey::Kind::kInt && std::to_string(key.index()) == index.number;
}

void AddValues(const LocalState& state, const state::Resource& resource,
               const NamedResource& wanted, const schema::ResourceSchema& schema,
               std::vector<StateValue>& out) {
  const Program& program = *state.state.program;
  for (const state::Instance& instance : resource.instances) {
    const state::Object* object = instance.current.get();
    const bool is_chosen = !wanted.key || IsKey(program, instance.key, *wanted.key);
    // Of another version of the type nobody knows what is sensitive.
    if (object == nullptr || !is_chosen ||
        object->schema_version != static_cast<uint64_t>(schema.version)) {
      continue;
    }
    const auto value = state::DecodeObject(*object, schema.block.implied_type());
    if (!value || value->IsNull()) {
      continue;
    }
    if (auto text =
            ShownText(state, schema::MarkSensitive(schema.block, *value), wanted.attribute)) {
      out.push_back(
          {program.ToText(ResourceInstance{resource.address, instance.key}), *std::move(text)});
    }
  }
}

/// Null: it cannot be read, because it is encrypted, of another version, or no state.
std::shared_ptr<const LocalState> ReadLocalState(const std::string& path) {
  const Result<std::string> text = ReadFile(path);
  if (!text) {
    return nullptr;
  }
  auto state = state::ReadState(std::make_shared<Program>(), *text);
  auto source = table::Source::Read(path, *text, {});
  return state && source ? std::make_shared<const LocalState>(*std::move(state), *std::move(source))
                         : nullptr;
}

}  // namespace

std::string FileVersion(const std::string& path) {
  struct stat found{};
  if (path.empty() || ::stat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode) ||
      found.st_size > kLargestState) {
    return {};
  }
  return std::to_string(found.st_ino) + " " + std::to_string(found.st_size) + " " +
         std::to_string(found.st_mtim.tv_sec) + "." + std::to_string(found.st_mtim.tv_nsec);
}

std::string CallsTo(const Program& program, ModuleId module) {
  std::string out;
  for (; !module.is_root(); module = program.Parent(module)) {
    out.insert(0, std::string(program.Text(program.CallName(module))) + (out.empty() ? "" : "."));
  }
  return out;
}

std::shared_ptr<const LocalState> LocalStates::Find(const std::string& root,
                                                    const install::CliConfig& cli_config) {
  const std::string path = StatePath(root, cli_config);
  const std::string version = FileVersion(path);
  const std::scoped_lock lock(mutex_);
  Known& known = roots_[root];
  if (version.empty()) {
    known = {};
  } else if (known.path != path || known.version != version) {
    known = {.path = path, .version = version};
    known.state = ReadLocalState(path);
  }
  return known.state;
}

std::vector<StateValue> ValuesInStates(ModuleNames& names, std::span<const PathStep> path) {
  std::vector<StateValue> out;
  const auto wanted = ResourceOf(path);
  if (!wanted || wanted->attribute.empty()) {
    return out;
  }
  const schema::ResourceSchema* schema =
      names.ResourceSchemaOf(wanted->mode, wanted->type, wanted->name);
  if (schema == nullptr) {
    return out;
  }
  ForEachState(names, [&](const std::string& root, const LocalState& local) {
    const Program& program = *local.state.program;
    for (const state::Resource* resource : local.state.Sorted()) {
      if (IsNamed(program, *resource, *wanted) && IsInModule(names, root, program, *resource)) {
        AddValues(local, *resource, *wanted, *schema, out);
      }
    }
  });
  return out;
}

std::vector<StateValue> OutputsInStates(ModuleNames& names, std::string_view output) {
  std::vector<StateValue> out;
  ForEachState(names, [&](const std::string& root, const LocalState& local) {
    const state::OutputValue* found =
        root == names.directory() ? local.state.FindOutput(output) : nullptr;
    if (found == nullptr) {
      return;
    }
    if (auto text = found->sensitive ? std::optional<std::string>("")
                                     : ShownText(local, found->value, {})) {
      out.push_back({"output." + found->name, *std::move(text)});
    }
  });
  return out;
}

}  // namespace kinu::ide
