#include "install/module/unpack.h"

#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kinu::install {
namespace {

struct ArchiveDeleter {
  void operator()(archive* reader) const { archive_read_free(reader); }
};
using Reader = std::unique_ptr<archive, ArchiveDeleter>;

constexpr size_t kBlock = size_t{64} * 1024;

std::unexpected<Error> ReaderFailure(archive* reader, const std::string& path) {
  const char* why = archive_error_string(reader);
  return Fail(ErrorCode::kInvalid,
              "cannot read the archive " + path + ": " + (why == nullptr ? "damaged" : why));
}

std::unexpected<Error> SystemFailure(const std::string& action, const std::string& path) {
  return Fail(ErrorCode::kIo, action + ' ' + path + ": " + std::strerror(errno));
}

/// A descriptor that closes itself.
class File {
 public:
  explicit File(int fd) : fd_(fd) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (fd_ >= 0) {
      close(fd_);
    }
  }
  int get() const { return fd_; }
  /// Closes; false if the system reports a failed write.
  bool Close() {
    const int fd = fd_;
    fd_ = -1;
    return close(fd) == 0;
  }

 private:
  int fd_;
};

bool WriteAll(int fd, const char* data, size_t size) {
  while (size > 0) {
    const ssize_t done = write(fd, data, size);
    if (done < 0) {
      if (errno == EINTR) {
        continue;
      }
      return false;
    }
    data += done;
    size -= static_cast<size_t>(done);
  }
  return true;
}

/// The parts of a name, without empty parts and "."; fails for "..".
Result<std::vector<std::string>> NameParts(const std::string& name) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= name.size();) {
    const size_t end = std::min(name.find('/', at), name.size());
    std::string part = name.substr(at, end - at);
    at = end + 1;
    if (part == "..") {
      return Fail(ErrorCode::kInvalid, "entry contains '..': " + name);
    }
    if (!part.empty() && part != ".") {
      parts.push_back(std::move(part));
    }
  }
  return parts;
}

/// Unpacks one archive. All directories below the target were made by this object, and no link is
/// ever made, so no path can leave the target.
class Unpacker {
 public:
  Unpacker(archive* reader, const std::string& path, const std::string& directory, unsigned umask)
      : reader_(reader), path_(path), directory_(directory), umask_(umask) {}

  Result<size_t> Run() {
    size_t files = 0;
    for (;;) {
      archive_entry* entry = nullptr;
      const int status = archive_read_next_header(reader_, &entry);
      if (status == ARCHIVE_EOF) {
        return files;
      }
      if (status < ARCHIVE_WARN) {
        return ReaderFailure(reader_, path_);
      }
      KINU_TRY(const bool is_file, WriteEntry(entry));
      files += is_file ? 1 : 0;
    }
  }

 private:
  Result<bool> WriteEntry(archive_entry* entry) {
    const char* raw = archive_entry_pathname(entry);
    const std::string name = raw == nullptr ? "" : raw;
    KINU_TRY(const std::vector<std::string> parts, NameParts(name));
    const auto type = archive_entry_filetype(entry);
    std::string path = directory_;
    for (size_t i = 0; i < parts.size(); ++i) {
      path += '/' + parts[i];
      if (i + 1 == parts.size() && type != AE_IFDIR) {
        break;
      }
      if (mkdir(path.c_str(), 0777) != 0 && errno != EEXIST) {
        return SystemFailure("mkdir", path);
      }
    }
    if (parts.empty() || type == AE_IFDIR) {
      return false;
    }
    if (type == AE_IFLNK) {
      const char* target = archive_entry_symlink(entry);
      // Of a tar archive the entry has no content, of a zip archive its target.
      const bool zip = (archive_format(reader_) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_ZIP;
      return WriteText(path, zip && target != nullptr ? target : "");
    }
    if (type != AE_IFREG && type != 0) {
      return false;  // devices, pipes and sockets
    }
    return WriteFile(path, entry);
  }

  Result<bool> WriteText(const std::string& path, const std::string& text) {
    File file(Create(path, 0777));
    if (file.get() < 0 || !WriteAll(file.get(), text.data(), text.size()) || !file.Close()) {
      return SystemFailure("write", path);
    }
    return true;
  }

  Result<bool> WriteFile(const std::string& path, archive_entry* entry) {
    const auto mode = static_cast<unsigned>(archive_entry_perm(entry)) & 0777U;
    File file(Create(path, mode == 0 ? 0644 : mode));
    if (file.get() < 0) {
      return SystemFailure("open", path);
    }
    const bool limited = archive_entry_size_is_set(entry) != 0;
    const int64_t limit = archive_entry_size(entry);
    int64_t total = 0;
    std::vector<char> buffer(kBlock);
    for (;;) {
      const la_ssize_t size = archive_read_data(reader_, buffer.data(), buffer.size());
      if (size < 0) {
        return ReaderFailure(reader_, path_);
      }
      if (size == 0) {
        break;
      }
      total += size;
      if (limited && total > limit) {
        return Fail(ErrorCode::kInvalid,
                    "the archive " + path_ + " has an entry that is longer than it claims");
      }
      if (!WriteAll(file.get(), buffer.data(), static_cast<size_t>(size))) {
        return SystemFailure("write", path);
      }
    }
    if (limited && total < limit) {
      return Fail(ErrorCode::kInvalid, "the archive " + path_ + " ends too early");
    }
    if (!file.Close()) {
      return SystemFailure("write", path);
    }
    return true;
  }

  /// A later entry of the same name replaces the earlier one.
  int Create(const std::string& path, unsigned mode) const {
    unlink(path.c_str());
    const int fd =
        open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode & ~umask_);
    if (fd >= 0) {
      fchmod(fd, mode & ~umask_);
    }
    return fd;
  }

  archive* reader_;
  const std::string& path_;
  const std::string& directory_;
  unsigned umask_;
};

}  // namespace

Result<size_t> UnpackArchive(const std::string& path, const std::string& directory, unsigned umask,
                             std::string_view extension) {
  const Reader reader(archive_read_new());
  const auto accepts = [extension](std::string_view full, std::string_view brief) {
    return extension.empty() || extension == full || extension == brief;
  };
  if (accepts("zip", "zip")) {
    archive_read_support_format_zip_seekable(reader.get());
  }
  if (extension != "zip") {
    archive_read_support_format_tar(reader.get());
  }
  if (accepts("tar.gz", "tgz")) {
    archive_read_support_filter_gzip(reader.get());
  }
  if (accepts("tar.bz2", "tbz2") || extension == "tar.tbz2") {
    archive_read_support_filter_bzip2(reader.get());
  }
  if (accepts("tar.xz", "txz")) {
    archive_read_support_filter_xz(reader.get());
  }
  if (archive_read_open_filename(reader.get(), path.c_str(), kBlock) != ARCHIVE_OK) {
    return ReaderFailure(reader.get(), path);
  }
  return Unpacker(reader.get(), path, directory, umask).Run();
}

}  // namespace kinu::install
