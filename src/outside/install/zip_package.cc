#include "install/zip_package.h"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/mode_mask.h"
#include "codec/hash.h"
#include "codec/zip.h"
#include "install/package_runtime.h"
#include "install/package_writer.h"
#include "json/mapped_file.h"

namespace kinu::install {
namespace {

/// Contents from this size on are unpacked into the mapped file, smaller ones into a buffer.
constexpr size_t kMapped = size_t{1} << 20;

struct EntryKind {
  bool is_directory = false;
  unsigned mode = 0644;
};

/// As libarchive reads the attributes; nothing for those of other systems than Unix and MS-DOS.
std::optional<EntryKind> KindOf(const ZipReader::Entry& entry) {
  constexpr uint8_t kDos = 0;
  constexpr uint8_t kUnix = 3;
  constexpr uint32_t kReadOnly = 0x01;
  constexpr uint32_t kDosDirectory = 0x10;
  constexpr unsigned kPermissions = 0777;
  constexpr unsigned kNoMode = 0664;
  if (entry.is_directory()) {
    return EntryKind{.is_directory = true};
  }
  if (entry.system == kDos) {
    const unsigned denied = (entry.attributes & kReadOnly) != 0 ? 0222 : 0;
    return EntryKind{(entry.attributes & kDosDirectory) != 0, kNoMode & ~denied};
  }
  if (entry.system != kUnix) {
    return std::nullopt;
  }
  const uint32_t mode = entry.attributes >> 16;
  if (mode == 0) {
    return EntryKind{.mode = kNoMode};
  }
  // A link is unpacked as a file that has the link's target as its content.
  const unsigned permissions = S_ISLNK(mode) ? kPermissions : mode & kPermissions;
  return EntryKind{S_ISDIR(mode), permissions == 0 ? 0644 : permissions};
}

/// A file that is mapped to be written. Its place on the disk is reserved, so that no write to the
/// memory can fail.
class MappedContent {
 public:
  MappedContent(const WrittenFile& file, size_t size) : size_(size) {
    if (fallocate(file.fd(), 0, 0, static_cast<off_t>(size)) != 0) {
      error_ = errno;
      return;
    }
    data_ = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.fd(), 0);
    error_ = data_ == MAP_FAILED ? errno : 0;
  }
  MappedContent(const MappedContent&) = delete;
  MappedContent& operator=(const MappedContent&) = delete;
  ~MappedContent() {
    if (error_ == 0) {
      munmap(data_, size_);
    }
  }
  int error() const { return error_; }
  /// Whether the file system cannot do this.
  bool is_unsupported() const {
    return error_ == EOPNOTSUPP || error_ == ENOSYS || error_ == ENODEV || error_ == EINVAL;
  }
  std::span<char> content() const { return {static_cast<char*>(data_), size_}; }

 private:
  size_t size_;
  void* data_ = nullptr;
  int error_ = 0;
};

/// Unpacks the entries of an archive that ZipReader can read.
class ZipUnpacker {
 public:
  ZipUnpacker(const ZipReader& reader, const std::string& archive, const std::string& directory,
              FileDigests* digests)
      : reader_(reader),
        archive_(archive),
        directory_(directory),
        writer_(directory, ModeMask()),
        digests_(digests) {}

  /// Returns the number of files; nothing if the file system does not have what this needs.
  Result<std::optional<size_t>> Run() {
    size_t files = 0;
    for (const ZipReader::Entry& entry : reader_.entries()) {
      const EntryKind kind = *KindOf(entry);
      KINU_TRY(const std::string path, writer_.MakePath(entry.name, kind.is_directory));
      if (path.empty()) {
        continue;
      }
      KINU_TRY(const bool written, WriteFile(entry, path, kind.mode));
      if (!written) {
        return std::nullopt;
      }
      ++files;
    }
    return files;
  }

 private:
  Result<bool> WriteFile(const ZipReader::Entry& entry, const std::string& path, unsigned mode) {
    KINU_TRY(WrittenFile file, writer_.Create(path, mode));
    const auto done =
        entry.size < kMapped ? WriteBuffered(entry, path, file) : WriteMapped(entry, path, file);
    if (!done || !*done) {
      return done;
    }
    auto closed = file.Close();
    return closed ? Result<bool>(true) : std::unexpected(closed.error());
  }

  Result<bool> WriteBuffered(const ZipReader::Entry& entry, const std::string& path,
                             WrittenFile& file) {
    buffer_.resize(kMapped);
    const std::span content(buffer_.data(), entry.size);
    if (auto done = Read(entry, path, content); !done) {
      return std::unexpected(done.error());
    }
    auto written = file.Write(content.data(), content.size());
    return written ? Result<bool>(true) : std::unexpected(written.error());
  }

  Result<bool> WriteMapped(const ZipReader::Entry& entry, const std::string& path,
                           const WrittenFile& file) {
    const MappedContent mapped(file, entry.size);
    if (mapped.is_unsupported()) {
      return false;
    }
    if (mapped.error() != 0) {
      return Fail(ErrorCode::kIo, "write " + path + ": " + SystemMessage(mapped.error()));
    }
    auto done = Read(entry, path, mapped.content());
    return done ? Result<bool>(true) : std::unexpected(done.error());
  }

  Result<void> Read(const ZipReader::Entry& entry, const std::string& path,
                    std::span<char> content) {
    if (auto done = reader_.ReadInto(entry, content); !done) {
      return Fail(done.error().code,
                  "cannot read the archive " + archive_ + ": " + done.error().message);
    }
    if (digests_ != nullptr) {
      (*digests_)[path.substr(directory_.size() + 1)] =
          HexDigest(HashKind::kSha256, {content.data(), content.size()});
    }
    return {};
  }

  const ZipReader& reader_;
  const std::string& archive_;
  const std::string& directory_;
  PackageWriter writer_;
  FileDigests* digests_;
  std::vector<char> buffer_;
};

/// The bytes of a file, mapped if it is large.
struct ArchiveBytes {
  std::unique_ptr<json::MappedFile> mapped;
  std::string read;
  std::string_view view() const { return mapped ? mapped->text() : std::string_view(read); }

  static Result<ArchiveBytes> Open(const std::string& path) {
    ArchiveBytes bytes;
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
      bytes.mapped = json::MappedFile::Open(fd);
      close(fd);
    }
    if (!bytes.mapped) {
      KINU_TRY(bytes.read, ReadFile(path));
    }
    return bytes;
  }
};

/// Whether ZipUnpacker can unpack all entries. kInvalid: one of them is damaged.
Result<bool> IsOrdinary(const ZipReader& reader) {
  for (const ZipReader::Entry& entry : reader.entries()) {
    KINU_TRY(const bool can_read, reader.CanRead(entry));
    if (!can_read || !KindOf(entry) || entry.name.find('\\') != std::string::npos) {
      return false;
    }
  }
  return true;
}

/// The number of files; nothing if the archive is not an ordinary zip archive.
Result<std::optional<size_t>> UnpackZip(const std::string& archive, const std::string& directory,
                                        FileDigests* digests) {
  KINU_TRY(const ArchiveBytes bytes, ArchiveBytes::Open(archive));
  if (!bytes.view().starts_with("PK")) {
    return std::nullopt;
  }
  const auto reader = ZipReader::Open(bytes.view());
  const Result<bool> is_ordinary =
      reader ? IsOrdinary(*reader) : Result<bool>(std::unexpected(reader.error()));
  if (!is_ordinary && is_ordinary.error().code == ErrorCode::kInvalid) {
    return Fail(ErrorCode::kInvalid,
                "cannot read the archive " + archive + ": " + is_ordinary.error().message);
  }
  if (!is_ordinary.value_or(false)) {
    return std::nullopt;
  }
  return ZipUnpacker(*reader, archive, directory, digests).Run();
}

}  // namespace

Result<size_t> UnpackPackage(const std::string& archive, const std::string& directory,
                             std::string_view extension, FileDigests* digests) {
  if (extension.empty() || extension == "zip") {
    KINU_TRY(const std::optional<size_t> files, UnpackZip(archive, directory, digests));
    if (files) {
      return *files;
    }
    if (digests != nullptr) {
      digests->clear();
    }
  }
  KINU_TRY(PackageRuntime * runtime, LoadPackageRuntime());
  return runtime->Unpack(archive, directory, ModeMask(), extension);
}

}  // namespace kinu::install
