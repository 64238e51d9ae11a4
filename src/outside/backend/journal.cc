#include "backend/journal.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_replacement.h"
#include "base/files.h"
#include "base/flat_map.h"
#include "codec/protowire.h"
#include "state/paths.h"

namespace kinu::backend {
namespace {

// The digits are the version of the format. Whatever an older program would misread is a new
// version: it refuses that.
constexpr std::string_view kMagic = "KINUJNL1";
constexpr size_t kMagicName = 7;
constexpr size_t kFrameHead = 12;  // u32 length, u64 hash, little endian

// Fields of a frame's message.
enum Field : uint32_t {
  kLineage = 1,   // header
  kSerial = 2,    // header
  kSnapshot = 3,  // snapshot: its serial
  kStep = 4,
  kAddress = 5,
  kProvider = 6,  // with the instance key, as state files have it
  kDeposed = 7,
  kObject = 8,
  kSealedKey = 9,  // header of an encrypted journal: JournalCipher::sealed_key()
};
enum ObjectField : uint32_t {
  kTainted = 1,
  kCreateBeforeDestroy = 2,
  kSkipDestroy = 3,
  kSchemaVersion = 4,
  kAttributes = 5,
  kAttributesFlat = 6,
  kSensitive = 7,
  kPrivate = 8,
  kDependency = 9,
  kIdentity = 10,
  kIdentityVersion = 11,
};

void AppendLittle(std::string& out, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) {
    out += static_cast<char>(value >> (8 * i) & 0xFF);
  }
}

uint64_t ReadLittle(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | static_cast<uint8_t>(bytes[i]);
  }
  return value;
}

void AppendFrame(std::string& out, std::string_view payload) {
  AppendLittle(out, payload.size(), 4);
  AppendLittle(out, HashBytes(payload), 8);
  out += payload;
}

/// The payload of the whole frame at the front of `bytes`; nothing when it is torn or damaged.
std::optional<std::string_view> FrontFrame(std::string_view bytes) {
  if (bytes.size() < kFrameHead) {
    return std::nullopt;
  }
  const uint64_t length = ReadLittle(bytes.substr(0, 4));
  if (length > bytes.size() - kFrameHead) {
    return std::nullopt;
  }
  const std::string_view payload = bytes.substr(kFrameHead, length);
  return HashBytes(payload) == ReadLittle(bytes.substr(4, 8)) ? std::optional(payload)
                                                              : std::nullopt;
}

/// The version of the format of a journal that this program does not know; empty if it knows it.
std::string_view UnknownFormat(std::string_view bytes) {
  if (!bytes.starts_with(kMagic.substr(0, kMagicName)) || bytes.starts_with(kMagic)) {
    return {};
  }
  const std::string_view version = bytes.substr(kMagicName, kMagic.size() - kMagicName);
  const bool is_number = std::ranges::all_of(version, [](char c) { return c >= '0' && c <= '9'; });
  return is_number ? version : std::string_view();
}

struct FrameList {
  std::vector<std::string_view> payloads;  ///< of the whole frames, in their order
  size_t damaged = 0;                      ///< bytes that stand before or between whole frames
  bool has_header = false;                 ///< the first frame of the file is whole
};

/// Reads the frames behind the magic bytes. A torn tail is left out; damaged bytes with whole
/// frames behind them are skipped and counted.
FrameList ReadFrames(std::string_view bytes) {
  FrameList frames;
  size_t skipped = 0;
  frames.has_header = FrontFrame(bytes).has_value();
  while (bytes.size() >= kFrameHead) {
    if (const std::optional<std::string_view> payload = FrontFrame(bytes)) {
      frames.payloads.push_back(*payload);
      frames.damaged += std::exchange(skipped, 0);
      bytes.remove_prefix(kFrameHead + payload->size());
    } else {
      ++skipped;
      bytes.remove_prefix(1);
    }
  }
  return frames;
}

void WriteObject(ProtoWriter& out, const Program& program, const state::Object& object) {
  out.Bool(kTainted, object.status == state::ObjectStatus::kTainted);
  out.Bool(kCreateBeforeDestroy, object.create_before_destroy);
  out.Bool(kSkipDestroy, object.skip_destroy);
  out.Uint(kSchemaVersion, object.schema_version);
  out.Bytes(kAttributes, object.attributes);
  out.Bytes(kAttributesFlat, object.attributes_flat);
  if (!object.sensitive.empty()) {
    std::string paths;
    state::AppendPathsJson(paths, object.sensitive);
    out.Bytes(kSensitive, paths);
  } else {
    out.Bytes(kSensitive, object.sensitive_paths);
  }
  out.Bytes(kPrivate, object.private_data);
  if (object.dependencies != nullptr) {
    for (const ConfigResource& dependency : *object.dependencies) {
      out.AlwaysBytes(kDependency, program.ToText(dependency));
    }
  }
  out.Bytes(kIdentity, object.identity);
  if (object.identity_schema_version) {
    out.AlwaysUint(kIdentityVersion, *object.identity_schema_version);
  }
}

bool ReadObject(std::string_view message, Program& program, state::Object& object) {
  state::Object views;
  std::vector<ConfigResource> dependencies;
  ProtoReader reader(message);
  ProtoField field;
  while (reader.Next(field)) {
    switch (field.number) {
      case kTainted:
        views.status =
            field.as_bool() ? state::ObjectStatus::kTainted : state::ObjectStatus::kReady;
        break;
      case kCreateBeforeDestroy:
        views.create_before_destroy = field.as_bool();
        break;
      case kSkipDestroy:
        views.skip_destroy = field.as_bool();
        break;
      case kSchemaVersion:
        views.schema_version = field.scalar;
        break;
      case kAttributes:
        views.attributes = field.bytes;
        break;
      case kAttributesFlat:
        views.attributes_flat = field.bytes;
        break;
      case kSensitive:
        views.sensitive_paths = field.bytes;
        break;
      case kPrivate:
        views.private_data = field.bytes;
        break;
      case kDependency: {
        ConfigResource dependency;
        if (!program.ParseConfigResource(field.bytes, &dependency)) {
          return false;
        }
        dependencies.push_back(dependency);
        break;
      }
      case kIdentity:
        views.identity = field.bytes;
        break;
      case kIdentityVersion:
        views.identity_schema_version = field.scalar;
        break;
      default:
        break;
    }
  }
  if (!dependencies.empty()) {
    views.dependencies =
        std::make_shared<const std::vector<ConfigResource>>(std::move(dependencies));
  }
  object = state::Detach(views);
  return !reader.failed();
}

bool ReadRecord(std::string_view message, Program& program, state::ObjectRecord& record) {
  ProtoReader reader(message);
  ProtoField field;
  bool has_step = false;
  bool has_address = false;
  bool has_provider = false;
  while (reader.Next(field)) {
    switch (field.number) {
      case kStep:
        has_step = field.scalar >= 1 && field.scalar <= 4;
        record.step = static_cast<state::ObjectRecord::Step>(field.scalar);
        break;
      case kAddress:
        has_address = program.ParseResourceInstance(field.bytes, &record.address);
        break;
      case kProvider:
        has_provider =
            program.ParseProviderConfig(field.bytes, &record.provider, &record.provider_key);
        break;
      case kDeposed:
        record.deposed = field.bytes;
        break;
      case kObject:
        if (!ReadObject(field.bytes, program, record.object)) {
          return false;
        }
        break;
      default:
        break;
    }
  }
  bool stores = has_step && record.step == state::ObjectRecord::Step::kStore;
  return !reader.failed() && has_step && has_address && (has_provider || !stores);
}

std::unexpected<Error> SystemFailure(std::string_view what, const std::string& path) {
  return Fail(ErrorCode::kIo, std::string(what) + ' ' + path + ": " + SystemMessage(errno));
}

/// Whether the path still names this open file. Links are not followed.
bool HasName(int fd, const std::string& path) {
  struct stat open_file{};
  struct stat named{};
  return ::fstat(fd, &open_file) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         open_file.st_dev == named.st_dev && open_file.st_ino == named.st_ino;
}

/// Opens a journal, but never through a symbolic link, which might point anywhere: returns -1 with
/// ENOENT then.
int OpenExisting(const std::string& path, int mode) {
  const int fd = ::open(path.c_str(), mode | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0 && errno == ELOOP) {
    errno = ENOENT;
  }
  return fd;
}

Result<std::string> ReadAll(int fd, const std::string& path) {
  std::string text;
  char buffer[65536];
  for (;;) {
    const ssize_t n = ::pread(fd, buffer, sizeof buffer, static_cast<off_t>(text.size()));
    if (n < 0 && errno != EINTR) {
      return SystemFailure("read", path);
    }
    if (n == 0) {
      return text;
    }
    text.append(buffer, n < 0 ? 0 : static_cast<size_t>(n));
  }
}

}  // namespace

Result<Journal> Journal::Open(std::string path, const state::Snapshot& snapshot,
                              const state::Sealer& sealer) {
  Journal journal(std::move(path));
  std::string header;
  ProtoWriter writer(header);
  writer.Bytes(kLineage, snapshot.lineage);
  writer.Uint(kSerial, snapshot.serial);
  if (!sealer.clear()) {
    KINU_TRY(journal.cipher_, JournalCipher::Make(sealer, snapshot));
    writer.Bytes(kSealedKey, journal.cipher_->sealed_key());
  }
  journal.pending_ = kMagic;
  AppendFrame(journal.pending_, header);
  return journal;
}

Journal::Journal(Journal&& other) noexcept
    : path_(std::move(other.path_)),
      cipher_(std::move(other.cipher_)),
      pending_(std::move(other.pending_)),
      encrypted_(std::move(other.encrypted_)),
      committed_(other.committed_),
      fd_(std::exchange(other.fd_, -1)),
      unsynced_(other.unsynced_),
      named_(other.named_) {
}

Journal& Journal::operator=(Journal&& other) noexcept {
  if (this != &other) {
    Close();
    path_ = std::move(other.path_);
    cipher_ = std::move(other.cipher_);
    pending_ = std::move(other.pending_);
    encrypted_ = std::move(other.encrypted_);
    committed_ = other.committed_;
    fd_ = std::exchange(other.fd_, -1);
    unsynced_ = other.unsynced_;
    named_ = other.named_;
  }
  return *this;
}

Journal::~Journal() {
  Close();
}

void Journal::Close() {
  if (fd_ >= 0) {
    ::close(fd_);
    fd_ = -1;
  }
}

void Journal::Append(const Program& program, const state::ObjectRecord& record) {
  std::string message;
  ProtoWriter writer(message);
  writer.AlwaysUint(kStep, static_cast<uint64_t>(record.step));
  writer.AlwaysBytes(kAddress, program.ToText(record.address));
  if (!record.provider.provider.empty()) {
    writer.Bytes(kProvider, program.ToText(record.provider) + program.ToText(record.provider_key));
  }
  writer.Bytes(kDeposed, record.deposed);
  if (record.step == state::ObjectRecord::Step::kStore) {
    size_t object = writer.Begin(kObject);
    WriteObject(writer, program, record.object);
    writer.End(object);
  }
  AppendMessage(message);
}

void Journal::AppendMessage(std::string_view message) {
  if (!cipher_) {
    AppendFrame(pending_, message);
    return;
  }
  if (Result<std::string> bytes = cipher_->Encrypt(message)) {
    AppendFrame(pending_, *bytes);
  } else {
    encrypted_ = std::unexpected(std::move(bytes).error());
  }
}

void Journal::AppendSnapshot(uint64_t serial) {
  std::string message;
  ProtoWriter writer(message);
  writer.AlwaysUint(kSnapshot, serial);
  AppendMessage(message);
}

Result<void> Journal::Create() {
  while (fd_ < 0) {
    const int fd = ::open(path_.c_str(),
                          O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_APPEND | O_CLOEXEC, 0600);
    if (fd >= 0) {
      // Another process that recovers journals may remove the file between opening and locking.
      const bool locked = LockWholeFile(fd) || (errno != EAGAIN && errno != EACCES);
      if (locked && HasName(fd, path_)) {
        fd_ = fd;
        break;
      }
      ::close(fd);
      continue;
    }
    if (errno != EEXIST) {
      auto failure = SystemFailure("create", path_);
      if (errno == EACCES || errno == EPERM || errno == EROFS) {
        failure.error().code = ErrorCode::kUnavailable;
      }
      return failure;
    }
    KINU_TRY(std::optional<LeftJournal> left, LeftJournal::Claim(path_));
    if (::unlink(path_.c_str()) != 0 && errno != ENOENT) {
      return SystemFailure("remove", path_);
    }
  }
  committed_ = 0;
  return Commit(state::Durability::kKill);
}

Result<void> Journal::Commit(state::Durability durability) {
  if (!encrypted_) {
    return encrypted_;
  }
  bool sync = durability == state::Durability::kPowerLoss;
  if (pending_.empty() && !(sync && unsynced_)) {
    return {};
  }
  if (fd_ < 0) {
    if (Result<void> created = Create(); !created) {
      return created;
    }
  }
  std::string_view rest = pending_;
  while (!rest.empty()) {
    ssize_t n = ::write(fd_, rest.data(), rest.size());
    if (n < 0 && errno != EINTR) {
      auto failure = SystemFailure("write", path_);
      // Half a frame would hide all that come after it.
      (void)!::ftruncate(fd_, static_cast<off_t>(committed_));
      return failure;
    }
    rest.remove_prefix(n < 0 ? 0 : static_cast<size_t>(n));
  }
  committed_ += pending_.size();
  pending_.clear();
  unsynced_ = !sync;
  if (sync && ::fdatasync(fd_) != 0) {
    return SystemFailure("sync", path_);
  }
  if (sync && !std::exchange(named_, true)) {
    int dir = ::open(DirName(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir >= 0) {
      (void)::fsync(dir);
      ::close(dir);
    }
  }
  return {};
}

Result<void> Journal::Remove() {
  pending_.clear();
  Close();
  if (::unlink(path_.c_str()) == 0 || errno == ENOENT) {
    return {};
  }
  // In a directory that has become read-only, an empty journal counts as none.
  auto failure = SystemFailure("remove", path_);
  if (::truncate(path_.c_str(), 0) == 0) {
    return {};
  }
  return failure;
}

namespace {

struct Header {
  std::string lineage;
  uint64_t serial = 0;
  std::string_view sealed_key;  ///< empty: the records are not encrypted
};

Header ReadHeader(std::string_view message) {
  Header header;
  ProtoField field;
  for (ProtoReader reader(message); reader.Next(field);) {
    if (field.number == kLineage) {
      header.lineage = field.bytes;
    } else if (field.number == kSerial) {
      header.serial = field.scalar;
    } else if (field.number == kSealedKey) {
      header.sealed_key = field.bytes;
    }
  }
  return header;
}

/// Replaces the payloads behind the header by what they encrypt, which is returned. Those that
/// cannot be decrypted are left out and counted as damaged.
Result<std::vector<std::string>> DecryptRecords(FrameList& frames, std::string_view sealed_key,
                                                const state::Sealer& sealer) {
  if (!sealer.configured()) {
    return Fail(ErrorCode::kInvalid, "the configuration has no encryption for the state");
  }
  KINU_TRY(const JournalCipher cipher, JournalCipher::Open(sealer, sealed_key));
  std::vector<std::string> messages;
  messages.reserve(frames.payloads.size());
  for (size_t i = 1; i < frames.payloads.size(); ++i) {
    if (Result<std::string> message = cipher.Decrypt(frames.payloads[i])) {
      messages.push_back(*std::move(message));
    } else {
      frames.damaged += frames.payloads[i].size();
    }
  }
  frames.payloads.resize(1);
  frames.payloads.insert(frames.payloads.end(), messages.begin(), messages.end());
  return messages;
}

}  // namespace

Journal::Replayed Journal::ReplayBytes(std::string_view bytes, state::State& state,
                                       const state::Sealer& sealer) {
  Replayed result;
  const bool has_magic = bytes.starts_with(kMagic);
  FrameList frames = ReadFrames(bytes.substr(std::min(bytes.size(), kMagic.size())));
  result.damaged = frames.damaged;
  if (!has_magic || !frames.has_header) {
    result.records = frames.payloads.size() - (frames.has_header ? 1 : 0);
    result.outcome = result.records == 0 ? Outcome::kNothing : Outcome::kNoHeader;
    return result;
  }
  const Header header = ReadHeader(frames.payloads[0]);
  std::vector<std::string> messages;  // what the payloads view
  const bool sealed = !header.sealed_key.empty();
  if ((sealed || !sealer.reads_clear()) && frames.payloads.size() > 1) {
    Result<std::vector<std::string>> decrypted =
        sealed ? DecryptRecords(frames, header.sealed_key, sealer)
               : Fail(ErrorCode::kInvalid,
                      "they are not encrypted, and the configuration does not allow that");
    if (!decrypted) {
      result.records = frames.payloads.size() - 1;
      result.outcome = Outcome::kSealed;
      result.problem = std::move(decrypted).error().message;
      return result;
    }
    messages = *std::move(decrypted);
    result.damaged = frames.damaged;
  }
  bool nothing_stored = state.lineage.empty() && state.serial == 0 && state.empty();
  bool continues = (state.lineage == header.lineage && state.serial == header.serial) ||
                   (nothing_stored && header.serial == 0);
  result.outcome = continues ? Outcome::kReplayed : Outcome::kForeign;
  for (size_t i = 1; i < frames.payloads.size(); ++i) {
    ProtoReader peek(frames.payloads[i]);
    ProtoField field;
    if (peek.Next(field) && field.number == kSnapshot) {
      if (!continues && state.lineage == header.lineage && state.serial == field.scalar) {
        result.outcome = Outcome::kStored;
      }
      continue;
    }
    state::ObjectRecord record;
    if (!ReadRecord(frames.payloads[i], *state.program, record)) {
      result.damaged += frames.payloads[i].size();
      break;
    }
    ++result.records;
    if (continues) {
      state::Apply(record, state, state::Husks::kLeave);
    }
  }
  state::DropHusks(state);
  if (result.records == 0) {
    result.outcome = Outcome::kNothing;
  } else if (continues) {
    state.lineage = header.lineage;
  }
  return result;
}

std::string Journal::Replayed::NotApplied(std::string_view path, std::string_view foreign) const {
  std::string why = "its header is damaged";
  if (outcome == Outcome::kForeign) {
    why = foreign;
  } else if (outcome == Outcome::kSealed) {
    why = "they cannot be decrypted (" + problem + ")";
  }
  return "The file " + std::string(path) + " holds " + std::to_string(records) +
         " completed steps of it, but " + why + ". They were not applied.";
}

Result<Journal::Replayed> Journal::ReplayFile(const std::string& path, std::string_view bytes,
                                              state::State& state, const state::Sealer& sealer) {
  if (const std::string_view format = UnknownFormat(bytes); !format.empty()) {
    return Fail(ErrorCode::kUnsupported,
                "The journal " + path + " has format " + std::string(format) +
                    ", and this version of kinu reads format " +
                    std::string(kMagic.substr(kMagicName)) +
                    ". A newer version wrote it, and the state does not have the steps that it "
                    "holds. Use that version; to give these steps up, move the file away.");
  }
  return ReplayBytes(bytes, state, sealer);
}

Result<Journal::Replayed> Journal::Replay(const std::string& path, state::State& state,
                                          const state::Sealer& sealer) {
  const int fd = OpenExisting(path, O_RDONLY);
  if (fd < 0) {
    return errno == ENOENT ? Result<Replayed>(Replayed{}) : SystemFailure("open", path);
  }
  Result<std::string> bytes = ReadAll(fd, path);
  ::close(fd);
  if (!bytes) {
    return std::unexpected(std::move(bytes).error());
  }
  return ReplayFile(path, *bytes, state, sealer);
}

Result<std::optional<LeftJournal>> LeftJournal::Claim(const std::string& path) {
  for (;;) {
    const int fd = OpenExisting(path, O_RDWR);
    if (fd < 0) {
      return errno == ENOENT ? Result<std::optional<LeftJournal>>(std::nullopt)
                             : SystemFailure("open", path);
    }
    if (!LockWholeFile(fd) && (errno == EAGAIN || errno == EACCES)) {
      ::close(fd);
      return Fail(ErrorCode::kExists, "another run is changing this state: its journal is " + path);
    }
    if (HasName(fd, path)) {
      return LeftJournal(path, fd);
    }
    ::close(fd);
  }
}

LeftJournal::LeftJournal(LeftJournal&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {
}

LeftJournal& LeftJournal::operator=(LeftJournal&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(fd_, other.fd_);
  return *this;
}

LeftJournal::~LeftJournal() {
  if (fd_ >= 0) {
    ::close(fd_);
  }
}

Result<Journal::Replayed> LeftJournal::Replay(state::State& state,
                                              const state::Sealer& sealer) const {
  KINU_TRY(std::string bytes, ReadAll(fd_, path_));
  return Journal::ReplayFile(path_, bytes, state, sealer);
}

void LeftJournal::Remove() const {
  if (::unlink(path_.c_str()) != 0) {
    // In a directory that has become read-only, an empty journal counts as none.
    (void)!::ftruncate(fd_, 0);
  }
}

void LeftJournal::RemoveOrKeep(const Journal::Replayed& replayed) const {
  if (replayed.outcome == Journal::Outcome::kNothing && replayed.damaged > 0) {
    (void)SetAside();
  } else {
    Remove();
  }
}

namespace {

/// A name beside the journal that no file has.
std::string FreeNameBeside(const std::string& path) {
  const std::string base = path + '.' + std::to_string(std::time(nullptr));
  std::string free = base;
  for (int i = 1; FileExists(free); ++i) {
    free = base + '-' + std::to_string(i);
  }
  return free;
}

}  // namespace

std::string LeftJournal::SetAside() const {
  const std::string aside = FreeNameBeside(path_);
  return ::rename(path_.c_str(), aside.c_str()) == 0 ? aside : std::string();
}

std::string LeftJournal::KeepCopy() const {
  const std::string copy = FreeNameBeside(path_);
  return ::link(path_.c_str(), copy.c_str()) == 0 ? copy : std::string();
}

}  // namespace kinu::backend
