#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <ctime>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/local.h"
#include "base/files.h"

namespace kinu::backend {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kFirstDelay{1000};
constexpr milliseconds kLongestDelay{16000};
constexpr milliseconds kSlow{400};
constexpr milliseconds kPoll{20};

/// Left in a file that lost its name, for a program that still waits for that file's lock: it must
/// not take the old state for the current one.
constexpr std::string_view kRetiredText =
    "{\"version\":\"this file was replaced while its lock was waited for; run the command "
    "again\"}\n";

/// More than one intermediate snapshot in a while is rare; this bounds the open files of a long
/// run.
constexpr size_t kMostRetired = 64;

std::unexpected<Error> SystemFailure(std::string_view what, const std::string& path) {
  int err = errno;
  return Fail(err == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
              std::string(what) + ' ' + path + ": " + SystemMessage(err));
}

bool WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0) {
      if (errno == EINTR) {
        continue;
      }
      return false;
    }
    text.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

/// Takes the write lock of a whole file without waiting. The lock belongs to the open file, not to
/// the process, so opening and closing the file elsewhere does not drop it; it conflicts with the
/// process locks that OpenTofu takes. Where that kind is missing, a process lock is taken.
bool LockFile(int fd) {
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (::fcntl(fd, F_OFD_SETLK, &lock) == 0) {
    return true;
  }
  return errno == EINVAL && ::fcntl(fd, F_SETLK, &lock) == 0;
}

bool SameFile(int fd, const std::string& path) {
  struct stat open_file{};
  struct stat named{};
  return ::fstat(fd, &open_file) == 0 && ::stat(path.c_str(), &named) == 0 &&
         open_file.st_dev == named.st_dev && open_file.st_ino == named.st_ino;
}

/// The path with symbolic links followed, so that replacing a linked state replaces its target.
std::string FollowLinks(const std::string& path) {
  char* real = ::realpath(path.c_str(), nullptr);
  if (real == nullptr) {
    return path;
  }
  std::string out = real;
  std::free(real);  // NOLINT: realpath allocates with malloc
  return out;
}

/// ".NAME" + suffix beside the file; a leading dot of the name is dropped first.
std::string Beside(const std::string& path, std::string_view suffix) {
  std::string name = BaseName(path);
  if (name.starts_with('.')) {
    name.erase(0, 1);
  }
  return JoinPath(DirName(path), '.' + name + std::string(suffix));
}

}  // namespace

std::string LocalStore::LockInfoPath(const std::string& state_path) {
  return Beside(state_path, ".lock.info");
}
std::string LocalStore::JournalPath(const std::string& state_path) {
  return Beside(state_path, ".journal");
}

LocalStore::LocalStore(LocalPaths paths, std::shared_ptr<Program> program)
    : paths_(std::move(paths)), program_(std::move(program)) {
}

LocalStore::~LocalStore() {
  if (locked_) {
    (void)Unlock();
  }
  CloseRetired();
  CloseFile();
}

void LocalStore::CloseFile() {
  if (fd_ >= 0) {
    ::close(fd_);
    fd_ = -1;
  }
}

void LocalStore::CloseRetired() {
  for (int fd : retired_) {
    struct stat info{};
    if (::fstat(fd, &info) == 0 && info.st_nlink == 0 && ::ftruncate(fd, 0) == 0) {
      (void)::pwrite(fd, kRetiredText.data(), kRetiredText.size(), 0);
    }
    ::close(fd);
  }
  retired_.clear();
}

Result<void> LocalStore::OpenFile() {
  if (fd_ >= 0) {
    return {};
  }
  target_ = FollowLinks(paths_.write);
  bool existed = FileExists(target_);
  if (Result<void> made = MakeDirectories(DirName(target_)); !made) {
    return made;
  }
  fd_ = ::open(target_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd_ < 0) {
    return SystemFailure("open", paths_.write);
  }
  created_ = created_ || !existed;
  return {};
}

Result<LocalStore::Text> LocalStore::ReadOpenFile() const {
  struct stat info{};
  if (::fstat(fd_, &info) != 0) {
    return SystemFailure("read", target_);
  }
  int error = 0;
  std::string text;
  text.resize_and_overwrite(static_cast<size_t>(info.st_size), [&](char* data, size_t size) {
    size_t have = 0;
    while (have < size) {
      const ssize_t n = ::pread(fd_, data + have, size - have, static_cast<off_t>(have));
      if (n == 0 || (n < 0 && errno != EINTR)) {
        error = n < 0 ? errno : 0;
        break;
      }
      have += n > 0 ? static_cast<size_t>(n) : 0;
    }
    return have;
  });
  if (error != 0) {
    errno = error;
    return SystemFailure("read", target_);
  }
  return text.empty() ? Text() : std::make_shared<const std::string>(std::move(text));
}

Result<void> LocalStore::TryLock(bool* held_by_other) {
  *held_by_other = false;
  for (;;) {
    if (Result<void> opened = OpenFile(); !opened) {
      return opened;
    }
    if (!LockFile(fd_)) {
      if (errno == EAGAIN || errno == EACCES) {
        *held_by_other = true;
        return {};
      }
      return SystemFailure("lock", paths_.write);
    }
    if (SameFile(fd_, target_)) {
      return {};
    }
    // Somebody replaced the file between opening and locking: this one has no name any more.
    CloseFile();
  }
}

std::string LocalStore::ConflictMessage() const {
  std::string message = "resource temporarily unavailable";
  std::string path = LockInfoPath(paths_.write);
  Result<std::string> text = ReadFile(path);
  Result<state::LockInfo> info =
      text ? state::LockInfo::FromJson(*text) : std::unexpected(text.error());
  if (info) {
    return message + '\n' + info->ToText();
  }
  std::string why =
      text ? "state file \"" + paths_.read +
                 "\" locked, but could not unmarshal lock info: " + info.error().message
           : info.error().message;
  return "2 errors occurred:\n\t* " + message + "\n\t* " + why + "\n\n";
}

Result<void> LocalStore::Lock(const state::LockRequest& request) {
  if (locked_) {
    return Fail(ErrorCode::kExists, "state \"" + paths_.write + "\" already locked");
  }
  const steady_clock::time_point start = steady_clock::now();
  const steady_clock::time_point deadline = start + request.timeout;
  milliseconds delay = kFirstDelay;
  bool told_slow = false;
  for (;;) {
    bool held = false;
    if (Result<void> tried = TryLock(&held); !tried) {
      return tried;
    }
    if (!held) {
      return AfterLock(request);
    }
    const steady_clock::time_point retry = steady_clock::now() + delay;
    for (;;) {
      steady_clock::time_point now = steady_clock::now();
      if (now >= deadline || (request.cancelled && request.cancelled())) {
        std::string message = ConflictMessage();
        CloseFile();
        return Fail(ErrorCode::kExists, std::move(message));
      }
      if (!told_slow && request.on_slow && now - start >= kSlow) {
        told_slow = true;
        request.on_slow();
      }
      if (now >= retry) {
        break;
      }
      std::this_thread::sleep_for(
          std::min({milliseconds(kPoll), std::chrono::ceil<milliseconds>(deadline - now),
                    std::chrono::ceil<milliseconds>(retry - now)}));
    }
    delay = std::min(delay * 2, kLongestDelay);
  }
}

Result<void> LocalStore::TakeOriginal() {
  Result<Text> text = ReadOpenFile();
  if (!text) {
    return std::unexpected(std::move(text).error());
  }
  original_ = *std::move(text);
  if (original_ != nullptr) {
    Result<state::State> parsed = state::ReadState(program_, original_);
    if (!parsed) {
      return std::unexpected(std::move(parsed).error());
    }
    parsed_ = *std::move(parsed);
  }
  return {};
}

Result<void> LocalStore::AfterLock(const state::LockRequest& request) {
  locked_ = true;
  auto give_up = [&](std::string message) {
    locked_ = false;
    CloseFile();
    return Fail(ErrorCode::kInvalid, std::move(message));
  };
  original_ = nullptr;
  base_loaded_ = false;
  parsed_.reset();
  part_.reset();
  if (request.only != nullptr && paths_.read == paths_.write &&
      !FileExists(JournalPath(paths_.write))) {
    part_ = state::ReadStateResources(program_, fd_, *request.only);
  }
  in_part_ = part_.has_value();
  if (!in_part_) {
    if (Result<void> taken = TakeOriginal(); !taken) {
      return give_up("failed to write backup file: " + taken.error().message);
    }
  }
  state::LockInfo info = state::NewLockInfo(request.operation);
  info.info = request.info;
  info.path = paths_.read;
  std::string info_path = LockInfoPath(paths_.write);
  int fd = ::open(info_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0 || !WriteAll(fd, info.ToJson())) {
    std::string why = SystemFailure(fd < 0 ? "open" : "write", info_path).error().message;
    if (fd >= 0) {
      ::close(fd);
    }
    return give_up("could not write lock info for \"" + paths_.read + "\": " + why);
  }
  // Of use only as long as this process lives, so it need not be synced.
  ::close(fd);
  return {};
}

Result<void> LocalStore::Unlock() {
  if (!locked_) {
    return Fail(ErrorCode::kInvalid, "LocalState not locked");
  }
  (void)::unlink(LockInfoPath(paths_.write).c_str());
  locked_ = false;
  CloseRetired();
  struct stat info{};
  bool remove = created_ && ::stat(target_.c_str(), &info) == 0 && info.st_size == 0;
  if (remove) {
    (void)::unlink(target_.c_str());
  }
  CloseFile();
  return {};
}

Result<void> LocalStore::LoadBase(const std::shared_ptr<Program>& program) {
  if (base_loaded_ && locked_) {
    return {};
  }
  bool same_path = paths_.read == paths_.write;
  if (same_path && locked_) {
    base_text_ = original_;
  } else {
    parsed_.reset();
    Result<std::string> text = ReadFile(paths_.read);
    if (text) {
      base_text_ = text->empty() ? Text() : std::make_shared<const std::string>(*std::move(text));
    } else if (text.error().code == ErrorCode::kNotFound) {
      base_text_ = nullptr;
    } else {
      return std::unexpected(std::move(text).error());
    }
  }
  if (!parsed_ || parsed_->program != program || parsed_->buffer != base_text_) {
    parsed_.reset();
    Result<state::State> parsed = base_text_ == nullptr ? state::ReadState(program, std::string())
                                                        : state::ReadState(program, base_text_);
    if (!parsed) {
      return std::unexpected(std::move(parsed).error());
    }
    parsed_ = *std::move(parsed);
  }
  lineage_ = parsed_->lineage;
  serial_ = parsed_->serial;
  base_is_written_ = same_path && base_text_ != nullptr;
  base_loaded_ = true;
  return {};
}

Result<state::State> LocalStore::Read(std::shared_ptr<Program> program) {
  if (part_ && part_->program == program) {
    return *std::exchange(part_, std::nullopt);
  }
  if (std::exchange(in_part_, false)) {
    part_.reset();
    if (Result<void> taken = TakeOriginal(); !taken) {
      return std::unexpected(std::move(taken).error());
    }
  }
  if (Result<void> loaded = LoadBase(program); !loaded) {
    return std::unexpected(std::move(loaded).error());
  }
  if (!parsed_) {
    Result<state::State> parsed = base_text_ == nullptr ? state::ReadState(program, std::string())
                                                        : state::ReadState(program, base_text_);
    if (!parsed) {
      return parsed;
    }
    parsed_ = *std::move(parsed);
  }
  state::State state = *std::exchange(parsed_, std::nullopt);
  if (paths_.read == paths_.write) {
    if (Result<void> recovered = RecoverJournal(state); !recovered) {
      return std::unexpected(std::move(recovered).error());
    }
  }
  return state;
}

template <typename Reader>
auto LocalStore::ViewFile(const Reader& read) -> decltype(read(0)) {
  if (locked_ || FileExists(JournalPath(paths_.write))) {
    return std::nullopt;
  }
  const int fd = ::open(paths_.read.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return std::nullopt;
  }
  auto out = read(fd);
  ::close(fd);
  return out;
}

Result<state::State> LocalStore::View(std::shared_ptr<Program> program) {
  if (auto state = ViewFile([&](int fd) { return state::ReadLargeState(program, fd); })) {
    return *std::move(state);
  }
  return Read(std::move(program));
}

Result<state::State> LocalStore::ViewOutputs(std::shared_ptr<Program> program) {
  if (auto state = ViewFile([&](int fd) { return state::ReadStateOutputs(program, fd); })) {
    return *std::move(state);
  }
  return Read(std::move(program));
}

Result<state::State> LocalStore::ViewResource(std::shared_ptr<Program> program,
                                              const AbsResource& address) {
  if (auto state =
          ViewFile([&](int fd) { return state::ReadStateResource(program, fd, address); })) {
    return *std::move(state);
  }
  return Read(std::move(program));
}

std::optional<state::StateNames> LocalStore::ViewNames(std::shared_ptr<Program> program) {
  return ViewFile([&](int fd) { return state::ReadStateNames(program, fd); });
}

Result<void> LocalStore::RecoverJournal(state::State& state) {
  std::string path = JournalPath(paths_.write);
  if (journal_ || !FileExists(path)) {
    return {};
  }
  Result<Journal::Replayed> replayed = Journal::Replay(path, state);
  if (!replayed) {
    return std::unexpected(std::move(replayed).error());
  }
  std::string count = std::to_string(replayed->records);
  switch (replayed->outcome) {
    case Journal::Outcome::kReplayed:
      recovery_note_ = "An earlier run was interrupted before it could save the state. " + count +
                       " completed steps were recovered from " + path + ".";
      return locked_ ? Write(state) : Result<void>{};
    case Journal::Outcome::kForeign:
      recovery_note_ = "The file " + path + " holds " + count +
                       " completed steps of an interrupted run, but the state has been replaced by "
                       "another program since. They were not applied.";
      if (locked_) {
        std::string aside = path + '.' + std::to_string(std::time(nullptr));
        if (::rename(path.c_str(), aside.c_str()) == 0) {
          recovery_note_ += " The file was renamed to " + aside + ".";
        }
      }
      return {};
    case Journal::Outcome::kNothing:
    case Journal::Outcome::kStored:
      if (locked_) {
        (void)::unlink(path.c_str());
      }
      return {};
  }
  return {};
}

Result<void> LocalStore::WriteBackup(const state::State& state, const state::State& base) {
  if (backup_done_ || paths_.backup.empty() || original_ == nullptr) {
    return {};
  }
  Result<state::State> parsed = state::State{};
  const state::State* original = &base;
  if (original_ != base_text_) {
    parsed = state::ReadState(state.program, original_);
    if (!parsed) {
      return std::unexpected(std::move(parsed).error());
    }
    original = &*parsed;
  }
  if (state::SameContent(state, *original)) {
    return {};
  }
  Result<void> written =
      ReplaceFile(paths_.backup, state::WriteState(*original, state::Layout::kCompact));
  if (!written) {
    return Fail(written.error().code,
                "failed to create local state backup file: " + written.error().message);
  }
  backup_done_ = true;
  return {};
}

Result<void> LocalStore::Write(state::State& state) {
  if (!base_loaded_) {
    if (Result<void> loaded = LoadBase(state.program); !loaded) {
      return loaded;
    }
  }
  Result<state::State> base = base_text_ == nullptr ? state::ReadState(state.program, std::string())
                                                    : state::ReadState(state.program, base_text_);
  if (!base) {
    return std::unexpected(std::move(base).error());
  }
  bool changed = base_text_ == nullptr || !state::SameContent(state, *base);
  if (base_text_ == nullptr && lineage_.empty()) {
    lineage_ = RandomUuid();
  }
  if (Result<void> opened = OpenFile(); !opened) {
    return opened;
  }
  if (!locked_ && original_ == nullptr) {
    Result<Text> text = ReadOpenFile();
    if (!text) {
      return std::unexpected(std::move(text).error());
    }
    original_ =
        base_text_ != nullptr && *text != nullptr && **text == *base_text_ ? base_text_ : *text;
  }
  if (Result<void> backed_up = WriteBackup(state, *base); !backed_up) {
    return backed_up;
  }
  return Persist(state, lineage_, serial_ + (changed ? 1 : 0), changed);
}

Result<void> LocalStore::Replace(state::State& state, bool force) {
  if (!base_loaded_) {
    if (Result<void> loaded = LoadBase(state.program); !loaded) {
      return loaded;
    }
  }
  if (!force && base_text_ != nullptr) {
    Result<state::State> base = state::ReadState(state.program, base_text_);
    if (!base) {
      return std::unexpected(std::move(base).error());
    }
    if (Result<void> allowed = state::CheckReplacement(state, *base); !allowed) {
      return allowed;
    }
  }
  lineage_ = state.lineage;
  serial_ = state.serial;
  return Write(state);
}

Result<void> LocalStore::Persist(state::State& state, std::string lineage, uint64_t serial,
                                 bool changed) {
  state.lineage = std::move(lineage);
  state.serial = serial;
  if (Result<void> writable = state::CheckWritable(state); !writable) {
    return writable;
  }
  auto text =
      std::make_shared<const std::string>(state::WriteState(state, state::Layout::kIndented));
  if (changed || !base_is_written_ || base_text_ == nullptr || *base_text_ != *text) {
    if (journal_) {
      // Where the journal cannot grow, the whole state may still find its place.
      journal_->AppendSnapshot(serial);
      (void)journal_->Commit();
    }
    if (Result<void> swapped = SwapIn(*text); !swapped) {
      return swapped;
    }
  }
  base_text_ = std::move(text);
  base_is_written_ = true;
  lineage_ = state.lineage;
  serial_ = serial;
  parsed_.reset();
  if (journal_) {
    Result<void> removed = journal_->Remove();
    journal_.reset();
    return removed;
  }
  if (paths_.read == paths_.write && !recovery_note_.empty() && locked_) {
    (void)::unlink(JournalPath(paths_.write).c_str());
  }
  return {};
}

Result<void> LocalStore::SwapIn(std::string_view text) {
  if (Result<void> opened = OpenFile(); !opened) {
    return opened;
  }
  // Under the lock one name is enough, and what a kill leaves is overwritten by the next run.
  std::string fresh =
      Beside(target_, locked_ ? std::string(".new") : '.' + RandomUuid().substr(0, 8) + ".new");
  int fd = ::open(fresh.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) {
    return errno == EACCES || errno == EPERM || errno == EROFS ? OverwriteInPlace(text)
                                                               : SystemFailure("open", fresh);
  }
  struct stat info{};
  if (::fstat(fd_, &info) == 0) {
    (void)::fchmod(fd, info.st_mode & 07777);
    if (info.st_uid != ::geteuid() || info.st_gid != ::getegid()) {
      (void)!::fchown(fd, info.st_uid, info.st_gid);
    }
  }
  auto fail = [&](std::string_view what) {
    auto failure = SystemFailure(what, fresh);
    ::close(fd);
    (void)::unlink(fresh.c_str());
    return failure;
  };
  if (!WriteAll(fd, text)) {
    return fail("write");
  }
  if (::fsync(fd) != 0) {
    return fail("sync");
  }
  if (locked_ && !LockFile(fd)) {
    return fail("lock");
  }
  if (::rename(fresh.c_str(), target_.c_str()) != 0) {
    bool in_place = errno == EBUSY || errno == EXDEV || errno == EACCES || errno == EPERM;
    auto failure = fail("rename");
    return in_place ? OverwriteInPlace(text) : failure;
  }
  int dir = ::open(DirName(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (dir >= 0) {
    (void)::fsync(dir);
    ::close(dir);
  }
  if (locked_) {
    if (retired_.size() >= kMostRetired) {
      CloseRetired();
    }
    retired_.push_back(fd_);
  } else {
    ::close(fd_);
  }
  fd_ = fd;
  return {};
}

/// For a file whose name cannot be given to another file (its directory is read-only, or it is a
/// mount point of its own). The new text is written before the rest is cut off.
Result<void> LocalStore::OverwriteInPlace(std::string_view text) {
  if (::lseek(fd_, 0, SEEK_SET) != 0 || !WriteAll(fd_, text) ||
      ::ftruncate(fd_, static_cast<off_t>(text.size())) != 0 || ::fsync(fd_) != 0) {
    return SystemFailure("write", target_);
  }
  return {};
}

Result<void> LocalStore::Record(const state::ObjectRecord& record) {
  if (!journal_) {
    if (!base_loaded_) {
      if (Result<void> loaded = LoadBase(program_); !loaded) {
        return loaded;
      }
    }
    if (paths_.read != paths_.write && !base_is_written_) {
      // A journal continues the snapshot beside it, so that must be there first.
      Result<state::State> base = base_text_ == nullptr ? state::ReadState(program_, std::string())
                                                        : state::ReadState(program_, base_text_);
      if (!base) {
        return std::unexpected(std::move(base).error());
      }
      if (Result<void> written = Write(*base); !written) {
        return written;
      }
    }
    if (base_text_ == nullptr && lineage_.empty()) {
      lineage_ = RandomUuid();
    }
    journal_ = Journal::Open(JournalPath(paths_.write), lineage_, serial_);
  }
  journal_->Append(*program_, record);
  return {};
}

Result<void> LocalStore::Flush(state::Durability durability) {
  return journal_ ? journal_->Commit(durability) : Result<void>{};
}

}  // namespace kinu::backend
