#include "operation/watched_files.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>

#include <sys/stat.h>

#include "backend/local.h"
#include "base/files.h"

namespace kinu::operation {
namespace {

/// How far below a module's directory files are looked for.
constexpr int kDepth = 3;
/// How many files are looked at in all.
constexpr size_t kMostFiles = 20000;

std::string Identity(const struct stat& found) {
  return std::to_string(found.st_dev) + ':' + std::to_string(found.st_ino);
}

/// What changes when a file is written or replaced; empty: there is no regular file.
std::string StampOf(const std::string& path, const std::set<std::string>& written) {
  struct stat found{};
  if (::stat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode) ||
      written.contains(Identity(found))) {
    return {};
  }
  return Identity(found) + ' ' + std::to_string(found.st_size) + ' ' +
         std::to_string(found.st_mtim.tv_sec) + '.' + std::to_string(found.st_mtim.tv_nsec);
}

/// The files that this process has open: its output may go to one of them.
std::set<std::string> OpenFiles() {
  std::set<std::string> out;
  const auto names = ListDirectory("/proc/self/fd");
  for (const std::string& name : names.value_or(std::vector<std::string>())) {
    int descriptor = -1;
    struct stat found{};
    if (std::from_chars(name.data(), name.data() + name.size(), descriptor).ec == std::errc() &&
        ::fstat(descriptor, &found) == 0 && S_ISREG(found.st_mode)) {
      out.insert(Identity(found));
    }
  }
  return out;
}

constexpr std::array<std::string_view, 6> kSourceEndings = {
    ".tf", ".tofu", ".tf.json", ".tofu.json", ".tfvars", ".tfvars.json"};
/// Of what functions usually read.
constexpr std::array<std::string_view, 7> kDataEndings = {".tpl", ".tftpl", ".tmpl", ".yaml",
                                                          ".yml", ".json",  ".csv"};

bool EndsAsOneOf(std::string_view name, std::span<const std::string_view> endings) {
  return std::ranges::any_of(endings,
                             [&](std::string_view ending) { return name.ends_with(ending); });
}

/// Files of editors and hidden ones.
bool IsIgnored(std::string_view name) {
  return name.empty() || name.starts_with('.') || name.ends_with('~') || name.starts_with('#') ||
         name.ends_with(".tfstate") || name.ends_with(".tfstate.backup");
}

/// The files of a state that lies in the directory; nothing: it is elsewhere.
std::optional<backend::StateFiles> LocalState(const session::Workspace& workspace,
                                              const Operation& operation) {
  if (!operation.backend) {
    return std::nullopt;
  }
  const auto* local = dynamic_cast<const backend::LocalBackend*>(operation.backend->backend.get());
  if (local == nullptr) {
    return std::nullopt;
  }
  return local->Files(workspace.Name());
}

}  // namespace

WatchedFiles::WatchedFiles(const session::Workspace& workspace, const PlanRequest& request) {
  directories_.insert(workspace.directory);
  for (const config::VariableArgument& argument : request.variables) {
    if (argument.is_file) {
      files_.insert(argument.text);
    }
  }
  state_files_ = {workspace.lock_file_path(), workspace.manifest_path(),
                  JoinPath(workspace.data_directory, "environment"),
                  JoinPath(workspace.data_directory, "terraform.tfstate")};
}

void WatchedFiles::Begin() {
  configuration_ = OfConfiguration();
  state_ = OfState();
}

void WatchedFiles::Finish(const config::ParsedFiles& files, const Operation& operation,
                          bool opened) {
  const std::set<std::string> known = directories_;
  sources_ = &files;
  opened_ = opened;
  directories_.insert(files.directories().begin(), files.directories().end());
  if (const auto local = LocalState(operation.workspace, operation)) {
    state_files_.insert(local->read);
    lock_info_ = JoinPath(DirName(local->read), "." + BaseName(local->read) + ".lock.info");
  }
  // What was not looked at before counts as it is now.
  for (auto& [path, stamp] : OfConfiguration()) {
    if (!known.contains(DirName(path))) {
      configuration_.try_emplace(path, stamp);
    }
  }
  for (auto& [path, stamp] : OfState()) {
    state_.try_emplace(path, stamp);
  }
}

WatchedFiles::Change WatchedFiles::Compare() const {
  const bool other_state = OfState() != state_;
  const bool other_sources = HasOtherSources();
  if (other_state && !other_sources && opened_ && !lock_info_.empty() &&
      !StampOf(lock_info_, {}).empty()) {
    return Change::kNone;  // somebody is at work, and will be done
  }
  if (other_state) {
    return Change::kAll;
  }
  return other_sources ? Change::kConfiguration : Change::kNone;
}

bool WatchedFiles::HasOtherSources() const {
  const Stamps now = OfConfiguration();
  const auto differs = [this](const Stamps& these, const Stamps& those) {
    return std::ranges::any_of(these, [&](const auto& entry) {
      const auto found = those.find(entry.first);
      return (found == those.end() || found->second != entry.second) && IsSource(entry.first);
    });
  };
  return differs(now, configuration_) || differs(configuration_, now);
}

bool WatchedFiles::IsSource(const std::string& path) const {
  const std::string name = BaseName(path);
  return files_.contains(path) || EndsAsOneOf(name, kSourceEndings) ||
         EndsAsOneOf(name, kDataEndings) || (sources_ != nullptr && sources_->Mentions(name));
}

void WatchedFiles::AddDirectory(const std::string& directory, int depth,
                                const std::set<std::string>& written, Stamps& out) const {
  const auto names = ListDirectory(directory);
  for (const std::string& name : names.value_or(std::vector<std::string>())) {
    if (IsIgnored(name) || out.size() >= kMostFiles) {
      continue;
    }
    const std::string path = JoinPath(directory, name);
    if (std::string stamp = StampOf(path, written); !stamp.empty()) {
      out.emplace(path, std::move(stamp));
      continue;
    }
    if (depth > 0 && IsDirectory(path)) {
      AddDirectory(path, depth - 1, written, out);
    }
  }
}

WatchedFiles::Stamps WatchedFiles::OfConfiguration() const {
  const std::set<std::string> written = OpenFiles();
  Stamps out;
  for (const std::string& directory : directories_) {
    AddDirectory(directory, kDepth, written, out);
  }
  for (const std::string& file : files_) {
    out[file] = StampOf(file, written);
  }
  return out;
}

WatchedFiles::Stamps WatchedFiles::OfState() const {
  Stamps out;
  for (const std::string& file : state_files_) {
    struct stat found{};
    // Who locks a state that is not there makes an empty file for a moment.
    const bool empty = ::stat(file.c_str(), &found) == 0 && found.st_size == 0;
    out[file] = empty ? std::string() : StampOf(file, {});
  }
  // Somebody else holds the lock: the state can be read once it is gone.
  if (!opened_ && !lock_info_.empty()) {
    out[lock_info_] = StampOf(lock_info_, {});
  }
  return out;
}

std::vector<std::string> WatchedFiles::Directories() const {
  std::set<std::string> out(directories_);
  for (const Stamps* stamps : {&configuration_, &state_}) {
    for (const auto& [path, stamp] : *stamps) {
      out.insert(DirName(path));
    }
  }
  return {out.begin(), out.end()};
}

}  // namespace kinu::operation
