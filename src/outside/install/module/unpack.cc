#include "install/module/unpack.h"

#include <memory>
#include <vector>

#include <archive.h>
#include <archive_entry.h>

#include "install/package_writer.h"

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

class Unpacker {
 public:
  Unpacker(archive* reader, const std::string& path, const std::string& directory, unsigned umask)
      : reader_(reader), path_(path), writer_(directory, umask) {}

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
    const char* name = archive_entry_pathname(entry);
    const auto type = archive_entry_filetype(entry);
    KINU_TRY(const std::string path,
             writer_.MakePath(name == nullptr ? "" : name, type == AE_IFDIR));
    if (path.empty()) {
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

  Result<bool> WriteText(const std::string& path, std::string_view text) {
    KINU_TRY(WrittenFile file, writer_.Create(path, 0777));
    if (auto written = file.Write(text.data(), text.size()); !written) {
      return std::unexpected(written.error());
    }
    auto closed = file.Close();
    return closed ? Result<bool>(true) : std::unexpected(closed.error());
  }

  Result<bool> WriteFile(const std::string& path, archive_entry* entry) {
    const auto mode = static_cast<unsigned>(archive_entry_perm(entry)) & 0777U;
    KINU_TRY(WrittenFile file, writer_.Create(path, mode == 0 ? 0644 : mode));
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
      if (auto done = file.Write(buffer.data(), static_cast<size_t>(size)); !done) {
        return std::unexpected(done.error());
      }
    }
    if (limited && total < limit) {
      return Fail(ErrorCode::kInvalid, "the archive " + path_ + " ends too early");
    }
    auto closed = file.Close();
    return closed ? Result<bool>(true) : std::unexpected(closed.error());
  }

  archive* reader_;
  const std::string& path_;
  PackageWriter writer_;
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
