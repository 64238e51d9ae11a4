// Packages in git and Mercurial repositories, by the programs of their users: their configuration,
// credential helpers and keys apply. Ref: hashicorp/go-getter get_git.go, get_hg.go.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>

#include <fcntl.h>
#include <unistd.h>

#include "base/capture.h"
#include "base/environment.h"
#include "base/file_replacement.h"
#include "base/files.h"
#include "codec/base64.h"
#include "install/git_index.h"
#include "install/module_address.h"
#include "install/module_getters.h"
#include "install/stored_clone.h"

namespace kinu::install {
namespace {

std::string WithoutLineEnd(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) {
    text.pop_back();
  }
  return text;
}

/// A private key in a file that only this user can read, removed with this object.
class KeyFile {
 public:
  KeyFile() = default;
  KeyFile(const KeyFile&) = delete;
  KeyFile& operator=(const KeyFile&) = delete;
  ~KeyFile() {
    if (!path_.empty()) {
      unlink(path_.c_str());
    }
  }
  Result<void> Write(std::string_view key) {
    const std::string_view base = Environment("TMPDIR");
    path_ = JoinPath(base.empty() ? "/tmp" : base, "kinu-key-XXXXXX");
    const int fd = mkostemp(path_.data(), O_CLOEXEC);  // mode 0600
    if (fd < 0) {
      path_.clear();
      return Fail(ErrorCode::kIo, "cannot make a temporary file: " + SystemMessage(errno));
    }
    const bool written = WriteWhole(fd, key);
    close(fd);
    return written ? Result<void>() : Fail(ErrorCode::kIo, "cannot write " + path_);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// The program of a version control system, as one getter runs it.
class Repository {
 public:
  Repository(std::string program, const PackageFetch& fetch)
      : program_(std::move(program)), fetch_(fetch) {}

  void UseKey(const std::string& path) {
    const std::string_view command = Environment("GIT_SSH_COMMAND");
    key_command_ = std::string(command.empty() ? "ssh" : command) + " -i " + path;
  }

  /// Runs the program; `arguments` follow its name. Fails with what it printed.
  Result<std::string> Run(std::vector<std::string> arguments, const std::string& directory = "",
                          bool with_key = false) const {
    arguments.insert(arguments.begin(), program_);
    CaptureRequest request;
    request.arguments = std::move(arguments);
    request.working_directory = directory;
    request.merge_errors = true;
    request.stop = fetch_.network.stop();
    if (with_key && !key_command_.empty()) {
      request.environment.emplace_back("GIT_SSH_COMMAND", key_command_);
    }
    KINU_TRY(Captured captured, CaptureCommand(request));
    if (captured.exit_code != 0) {
      const auto url = net::Url::Parse(fetch_.address);
      HidePassword(captured.output);
      return Fail(ErrorCode::kUnavailable,
                  "error downloading '" + (url ? url->Redacted() : fetch_.address) +
                      "': " + program_ + " exited with " + std::to_string(captured.exit_code) +
                      ": " + captured.output);
    }
    return std::move(captured.output);
  }

 private:
  /// Removes the address's password from what a program printed.
  void HidePassword(std::string& output) const {
    const std::string password = PasswordOf(fetch_.address);
    for (size_t at = output.find(password); !password.empty() && at != std::string::npos;
         at = output.find(password, at)) {
      output.replace(at, password.size(), "***");
      at += 3;
    }
  }

  std::string program_;
  const PackageFetch& fetch_;
  std::string key_command_;
};

/// The commit that a reference means in a clone: a commit, a branch of the origin, or a tag.
Result<std::string> ResolveReference(const Repository& git, const std::string& directory,
                                     const std::string& reference) {
  for (const char* prefix : {"", "refs/remotes/origin/", "refs/tags/"}) {
    auto commit = git.Run(
        {"rev-parse", "--verify", "--quiet", "--end-of-options", prefix + reference + "^{commit}"},
        directory);
    if (commit) {
      return WithoutLineEnd(*std::move(commit));
    }
    if (commit.error().code == ErrorCode::kCancelled) {
      return commit;
    }
  }
  return Fail(ErrorCode::kNotFound, "invalid ref: \"" + reference + '"');
}

Result<void> Checkout(const Repository& git, const std::string& directory,
                      const std::string& reference) {
  KINU_TRY(const std::string commit, ResolveReference(git, directory, reference));
  auto done = git.Run({"checkout", commit}, directory);
  return done ? Result<void>() : std::unexpected(done.error());
}

/// The branch that HEAD of a remote repository names.
std::string DefaultBranch(const Repository& git, const std::string& url) {
  constexpr std::string_view kStart = "ref: refs/heads/";
  const auto listed = git.Run({"ls-remote", "--symref", "--", url, "HEAD"});
  if (listed && listed->starts_with(kStart)) {
    return listed->substr(kStart.size(), listed->find_first_of("\t\n ") == std::string::npos
                                             ? std::string::npos
                                             : listed->find('\t') - kStart.size());
  }
  return "master";
}

/// Whether a reference may be a commit, which a shallow clone cannot begin with.
bool LooksLikeCommit(std::string_view reference) {
  constexpr size_t kShortest = 7;
  constexpr size_t kWhole = 40;
  return reference.size() >= kShortest && reference.size() <= kWhole &&
         std::ranges::all_of(reference, [](unsigned char c) { return std::isxdigit(c) != 0; });
}

Result<void> CloneShallow(const Repository& git, const PackageFetch& fetch, const std::string& url,
                          const std::string& reference, const std::string& depth) {
  const std::string branch = reference.empty() ? DefaultBranch(git, url) : reference;
  if (branch.starts_with('-')) {
    return Fail(ErrorCode::kInvalid, "invalid ref: \"" + branch + '"');
  }
  auto cloned =
      git.Run({"clone", "--depth", depth, "--branch", branch, "--", url, fetch.target}, "", true);
  if (!cloned) {
    return Fail(
        cloned.error().code,
        cloned.error().message + (!LooksLikeCommit(reference)
                                      ? ""
                                      : " (note that setting 'depth' requires 'ref' to be a "
                                        "branch or tag name)"));
  }
  return reference.empty() ? Result<void>() : Checkout(git, fetch.target, reference);
}

/// The depth of a clone that an address asks for; 0 for a whole one. What is no number is ignored.
int64_t DepthOf(std::string_view text) {
  text.remove_prefix(text.starts_with('+') && !text.starts_with("+-") ? 1 : 0);
  int64_t depth = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), depth);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  return is_number ? std::max<int64_t>(depth, 0) : 0;
}

/// Whether `git submodule update` has anything to do or to complain about. It is a script that
/// starts a dozen programs, and most repositories have no submodules.
Result<bool> HasSubmodules(const Repository& git, const std::string& directory) {
  constexpr std::string_view kLink = "160000 ";  // the mode of a submodule's commit
  if (FileExists(JoinPath(directory, ".gitmodules"))) {
    return true;
  }
  if (const auto index = ReadFile(JoinPath(directory, ".git/index"))) {
    if (const std::optional<bool> known = ListsSubmodules(*index)) {
      return *known;
    }
  }
  KINU_TRY(const std::string entries, git.Run({"ls-files", "--stage"}, directory));
  return entries.starts_with(kLink) || entries.contains('\n' + std::string(kLink));
}

}  // namespace

Result<void> GetGit(const PackageFetch& fetch) {
  const std::string program = FindProgram("git");
  if (program.empty()) {
    return Fail(ErrorCode::kNotFound, "git must be available and on the PATH");
  }
  KINU_TRY(net::Url url, net::Url::Parse(fetch.address));
  const std::string reference = url.Argument("ref");
  const int64_t wanted_depth = DepthOf(url.Argument("depth"));
  const std::string depth = std::to_string(wanted_depth);
  const std::string key = url.Argument("sshkey");
  for (const char* name : {"ref", "depth", "sshkey"}) {
    if (!url.query.empty()) {
      url.RemoveArgument(name);
    }
  }
  const std::string remote = url.ToText();
  const bool is_shallow = wanted_depth > 0;
  const auto fixed = is_shallow ? std::nullopt : FixedClone::Of(url, reference);
  KINU_TRY(const std::string key_text, DecodeBase64(key));
  if (fixed && RestoreClone(fetch.cache, *fixed, fetch.target)) {
    return {};
  }
  Repository git(program, fetch);
  KeyFile key_file;
  if (!key.empty()) {
    if (auto written = key_file.Write(key_text); !written) {
      return written;
    }
    git.UseKey(key_file.path());
  }
  std::vector<std::string> submodules = {"submodule", "update", "--init", "--recursive"};
  if (is_shallow) {
    if (auto cloned = CloneShallow(git, fetch, remote, reference, depth); !cloned) {
      return cloned;
    }
    submodules.insert(submodules.end(), {"--depth", depth});
  } else {
    if (auto cloned = git.Run({"clone", "--", remote, fetch.target}, "", true); !cloned) {
      return std::unexpected(cloned.error());
    }
    if (!reference.empty()) {
      if (auto done = Checkout(git, fetch.target, reference); !done) {
        return done;
      }
    }
  }
  KINU_TRY(const bool has_submodules, HasSubmodules(git, fetch.target));
  if (!has_submodules) {
    if (fixed) {
      StoreClone(fetch.cache, *fixed, fetch.target);
    }
    return {};
  }
  auto updated = git.Run(submodules, fetch.target, true);
  return updated ? Result<void>() : std::unexpected(updated.error());
}

Result<void> GetMercurial(const PackageFetch& fetch) {
  const std::string program = FindProgram("hg");
  if (program.empty()) {
    return Fail(ErrorCode::kNotFound, "hg must be available and on the PATH");
  }
  KINU_TRY(net::Url url, net::Url::Parse(fetch.address));
  const std::string revision = url.Argument("rev");
  if (url.HasArgument("rev")) {
    url.RemoveArgument("rev");
  }
  if (revision.starts_with('-')) {
    return Fail(ErrorCode::kInvalid, "invalid revision: \"" + revision + '"');
  }
  const Repository hg(program, fetch);
  if (auto cloned = hg.Run({"clone", "-U", "--", url.ToText(), fetch.target}); !cloned) {
    return std::unexpected(cloned.error());
  }
  if (auto pulled = hg.Run({"pull"}, fetch.target); !pulled) {
    return std::unexpected(pulled.error());
  }
  std::vector<std::string> update = {"update"};
  if (!revision.empty()) {
    update.insert(update.end(), {"--", revision});
  }
  auto updated = hg.Run(update, fetch.target);
  return updated ? Result<void>() : std::unexpected(updated.error());
}

}  // namespace kinu::install
