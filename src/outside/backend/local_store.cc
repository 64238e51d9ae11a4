#include <algorithm>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/local.h"
#include "backend/lock_wait.h"
#include "base/file_replacement.h"
#include "base/files.h"
#include "compatibility/features.h"

namespace kinu::backend {
namespace {

/// How long a lock that is held is tried again without being asked to wait: a run that was killed
/// while it started a provider can hold it a moment longer, through the process that is not yet the
/// provider.
constexpr std::chrono::milliseconds kGrace{100};

/// Left in a file that lost its name, for a program that still waits for that file's lock: it must
/// not take the old state for the current one.
constexpr std::string_view kRetiredText =
    "{\"version\":\"this file was replaced while its lock was waited for; run the command "
    "again\"}\n";

/// More than one intermediate snapshot in a while is rare; this bounds the open files of a long
/// run.
constexpr size_t kMostRetired = 64;

std::unexpected<Error> StoreFailure(std::string_view what, const std::string& path) {
  int err = errno;
  return Fail(err == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
              std::string(what) + ' ' + path + ": " + SystemMessage(err));
}

bool SameFile(int fd, const std::string& path) {
  struct stat open_file{};
  struct stat named{};
  return ::fstat(fd, &open_file) == 0 && ::stat(path.c_str(), &named) == 0 &&
         open_file.st_dev == named.st_dev && open_file.st_ino == named.st_ino;
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

LocalStore::LocalStore(StateFiles paths, std::shared_ptr<Program> program, state::SealerRef sealer)
    : paths_(std::move(paths)), sealer_(sealer), program_(std::move(program)) {
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
      // Without this text, who still has the file open finds an empty one.
      [[maybe_unused]] const ssize_t written =
          ::pwrite(fd, kRetiredText.data(), kRetiredText.size(), 0);
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
    return StoreFailure("open", paths_.write);
  }
  created_ = created_ || !existed;
  return {};
}

/// The document in the bytes of a state file; null: it is empty.
Result<LocalStore::Text> LocalStore::Document(std::string bytes) {
  if (bytes.empty()) {
    return Text();
  }
  KINU_TRY(state::Sealer::Opened opened, sealer_->Open(std::move(bytes)));
  outdated_ = opened.outdated;
  return std::make_shared<const std::string>(std::move(opened.document));
}

std::string LocalStore::DocumentOf(const state::State& state) const {
  const bool compact =
      sealer_->encrypts() && !compatibility::Has(compatibility::Feature::kOneNewline);
  return state::WriteState(state, compact ? state::Layout::kCompact : state::Layout::kIndented);
}

/// The bytes to store for a document.
Result<state::StoredBytes> LocalStore::Sealed(const state::State& state,
                                              std::string document) const {
  const state::Snapshot snapshot{state.serial, state.lineage};
  return sealer_->Seal(std::move(document), &snapshot);
}

Result<LocalStore::Text> LocalStore::ReadOpenFile() {
  struct stat info{};
  if (::fstat(fd_, &info) != 0) {
    return StoreFailure("read", target_);
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
    return StoreFailure("read", target_);
  }
  return Document(std::move(text));
}

Result<void> LocalStore::TryLock(bool* held_by_other) {
  *held_by_other = false;
  other_run_ = false;
  for (;;) {
    if (Result<void> opened = OpenFile(); !opened) {
      return opened;
    }
    if (!LockWholeFile(fd_)) {
      if (errno == EAGAIN || errno == EACCES) {
        *held_by_other = true;
        return {};
      }
      return StoreFailure("lock", paths_.write);
    }
    if (SameFile(fd_, target_)) {
      break;
    }
    // Somebody replaced the file between opening and locking: this one has no name any more.
    CloseFile();
  }
  KINU_TRY(const bool claimed, ClaimLeftJournal());
  if (!claimed) {
    *held_by_other = other_run_ = true;
    RemoveIfEmpty();
    CloseFile();
  }
  return {};
}

/// Removes the file of a state that there was none of, and that nobody has written since.
void LocalStore::RemoveIfEmpty() {
  struct stat info{};
  if (created_ && ::stat(target_.c_str(), &info) == 0 && info.st_size == 0) {
    (void)::unlink(target_.c_str());
  }
}

std::string LocalStore::ConflictMessage() const {
  std::string message = "resource temporarily unavailable";
  if (other_run_) {
    return message +
           "\nAnother run is changing this state without a lock (-lock=false). Its journal is " +
           JournalPath(paths_.write) + '.';
  }
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
  Result<void> taken = WaitForLock(
      request, kGrace,
      [&]() -> Result<bool> {
        bool held = false;
        Result<void> tried = TryLock(&held);
        return tried ? Result<bool>(!held) : std::unexpected(std::move(tried).error());
      },
      [&] {
        std::string message = ConflictMessage();
        CloseFile();
        return message;
      });
  return taken ? AfterLock(request) : taken;
}

Result<void> LocalStore::ForceUnlock(std::string_view) {
  return Fail(ErrorCode::kInvalid, "LocalState not locked");
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
    left_journal_.reset();
    CloseFile();
    return Fail(ErrorCode::kInvalid, std::move(message));
  };
  original_ = nullptr;
  base_loaded_ = false;
  parsed_.reset();
  part_.reset();
  RemoveAbandonedFiles(target_);
  if (request.only != nullptr && paths_.read == paths_.write && !left_journal_ &&
      !sealer_->configured()) {
    part_ = state::ReadStateResources(program_, fd_, *request.only);
  }
  in_part_ = part_.has_value();
  if (!in_part_) {
    if (Result<void> taken = TakeOriginal(); !taken) {
      return give_up("failed to write backup file: " + taken.error().message);
    }
  }
  if (Result<void> written = WriteLockInfo(request); !written) {
    return give_up("could not write lock info for \"" + paths_.read +
                   "\": " + written.error().message);
  }
  return {};
}

Result<void> LocalStore::WriteLockInfo(const state::LockRequest& request) const {
  state::LockInfo info = state::NewLockInfo(request.operation);
  info.info = request.info;
  info.path = paths_.read;
  const std::string path = LockInfoPath(paths_.write);
  // What a killed run left goes; a link is not followed.
  (void)::unlink(path.c_str());
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) {
    return StoreFailure("open", path);
  }
  // Of use only as long as this process lives, so it need not be synced.
  const bool written = WriteWhole(fd, info.ToJson());
  const int error = errno;
  ::close(fd);
  errno = error;
  return written ? Result<void>{} : StoreFailure("write", path);
}

Result<void> LocalStore::Unlock() {
  if (!locked_) {
    return Fail(ErrorCode::kInvalid, "LocalState not locked");
  }
  (void)::unlink(LockInfoPath(paths_.write).c_str());
  locked_ = false;
  CloseRetired();
  left_journal_.reset();
  recording_ = false;
  RemoveIfEmpty();
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
      KINU_TRY(base_text_, Document(*std::move(text)));
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
  RecoverUnderLock();
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
  if (locked_ || sealer_->configured()) {
    return std::nullopt;
  }
  RecoverUnderLock();
  if (FileExists(JournalPath(paths_.write))) {
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

namespace {

/// Backups are compact at 1.12, whose state files are not.
state::Layout BackupLayout() {
  return compatibility::Has(compatibility::Feature::kOneNewline) ? state::Layout::kIndented
                                                                 : state::Layout::kCompact;
}

}  // namespace

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
  KINU_TRY(const state::StoredBytes stored,
           Sealed(*original, state::WriteState(*original, BackupLayout())));
  Result<void> written = ReplaceFile(paths_.backup, stored.bytes());
  if (!written) {
    return Fail(written.error().code,
                "failed to create local state backup file: " + written.error().message);
  }
  backup_done_ = true;
  return {};
}

Result<void> LocalStore::Write(state::State& state) {
  return WriteContent(state, Content::kNext);
}

Result<void> LocalStore::WriteContent(state::State& state, Content content) {
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
  if (content == Content::kNext) {
    changed = std::exchange(is_first_, false) || changed;
  }
  if (base_text_ == nullptr && lineage_.empty()) {
    lineage_ = RandomUuid();
  }
  if (Result<void> opened = OpenFile(); !opened) {
    return opened;
  }
  if (!journal_ && paths_.read != paths_.write) {
    if (Result<void> recovered = RecoverTarget(); !recovered) {
      return recovered;
    }
  }
  if (!locked_ && !journal_ && paths_.read == paths_.write) {
    if (Result<void> ours = RequireUnchanged(); !ours) {
      // Who changes nothing may come beside others.
      return state::SameContent(state, seen_ ? *seen_ : *base) ? Result<void>{} : ours;
    }
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
  const bool counts = changed && content == Content::kNext;
  return Persist(state, lineage_, serial_ + (counts ? 1 : 0), changed);
}

Result<void> LocalStore::Adopt(state::State& state) {
  // The write counts, too: the reference counts a copy twice.
  ++state.serial;
  if (Result<void> loaded = NeedBase(state); !loaded) {
    return loaded;
  }
  return Overwrite(state);
}

Result<void> LocalStore::Replace(state::State& state, bool force) {
  if (Result<void> loaded = NeedBase(state); !loaded) {
    return loaded;
  }
  if (base_text_ != nullptr) {
    KINU_TRY(const state::State base, state::ReadState(state.program, base_text_));
    if (!force) {
      if (Result<void> allowed = state::CheckReplacement(state, base); !allowed) {
        return allowed;
      }
    }
    // The write counts, too: the reference counts another content twice.
    state.serial += state::SameContent(state, base) ? 0 : 1;
  }
  return Overwrite(state);
}

Result<void> LocalStore::ReplaceAlone(state::State& state) {
  if (Result<void> loaded = NeedBase(state); !loaded) {
    return loaded;
  }
  return Overwrite(state);
}

Result<void> LocalStore::NeedBase(const state::State& state) {
  return base_loaded_ ? Result<void>{} : LoadBase(state.program);
}

Result<void> LocalStore::Overwrite(state::State& state) {
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
  auto text = std::make_shared<const std::string>(DocumentOf(state));
  if (changed || !base_is_written_ || outdated_ || base_text_ == nullptr || *base_text_ != *text) {
    if (journal_) {
      // Where the journal cannot grow, the whole state may still find its place.
      journal_->AppendSnapshot(serial);
      (void)journal_->Commit();
    }
    if (Result<void> swapped = SwapIn(state, *text); !swapped) {
      return swapped;
    }
    outdated_ = false;
  }
  base_text_ = std::move(text);
  base_is_written_ = true;
  lineage_ = state.lineage;
  serial_ = serial;
  parsed_.reset();
  if (journal_) {
    Result<void> removed = journal_->Remove();
    journal_.reset();
    recording_ = false;
    return removed;
  }
  if (left_journal_ && left_is_replayed_) {
    left_journal_->Remove();
    left_journal_.reset();
  }
  unwritten_.reset();
  return {};
}

bool LocalStore::IsRegular() const {
  struct stat info{};
  return ::fstat(fd_, &info) == 0 && S_ISREG(info.st_mode);
}

Result<void> LocalStore::SwapIn(const state::State& state, const std::string& document) {
  KINU_TRY(state::StoredBytes stored, Sealed(state, document));
  if (stored.encrypted() && !compatibility::Has(compatibility::Feature::kOneNewline)) {
    stored = std::move(stored).Indented();
  }
  if (Result<void> opened = OpenFile(); !opened) {
    return opened;
  }
  // What cannot be cut off holds no state.
  struct stat info{};
  if (::fstat(fd_, &info) != 0 || (!S_ISREG(info.st_mode) && ::ftruncate(fd_, 0) != 0)) {
    return StoreFailure("truncate", paths_.write);
  }
  KINU_TRY(FileReplacement file, FileReplacement::Start(target_, info.st_mode & 07777));
  file.Write(stored.bytes());
  if (Result<void> committed = file.Commit(); !committed) {
    return committed;
  }
  const int fresh = file.TakeFile();
  if (fresh < 0) {
    return {};
  }
  if (locked_) {
    if (retired_.size() >= kMostRetired) {
      CloseRetired();
    }
    retired_.push_back(fd_);
    fd_ = fresh;
  } else {
    ::close(fresh);
    CloseFile();
  }
  return {};
}

}  // namespace kinu::backend
