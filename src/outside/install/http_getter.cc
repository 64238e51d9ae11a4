// Packages as archives: over HTTP, or files of this machine. Ref: hashicorp/go-getter get_http.go,
// get_file_unix.go, checksum.go, decompress.go.
#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_replacement.h"
#include "base/files.h"
#include "codec/base64.h"
#include "codec/hash.h"
#include "config/module_source.h"
#include "install/module_getters.h"
#include "install/module_installer.h"
#include "install/module_packages.h"
#include "install/netrc.h"
#include "install/zip_package.h"

namespace kinu::install {
namespace {

/// Extensions of archives, longer ones first. The last three are of single files.
constexpr std::array<std::string_view, 10> kExtensions = {
    "tar.bz2", "tar.tbz2", "tar.gz", "tar.xz", "tgz", "txz", "zip", "bz2", "gz", "xz"};

bool IsSingleFile(const std::string& extension) {
  return extension == "gz" || extension == "bz2" || extension == "xz";
}

/// A file that is removed with this object.
class DownloadedFile {
 public:
  explicit DownloadedFile(std::string path) : path_(std::move(path)) {}
  DownloadedFile(const DownloadedFile&) = delete;
  DownloadedFile& operator=(const DownloadedFile&) = delete;
  ~DownloadedFile() { unlink(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct ChecksumKind {
  std::string_view name;
  size_t digits;
  HashKind kind;
};
constexpr std::array<ChecksumKind, 4> kChecksums = {{{"md5", 32, HashKind::kMd5},
                                                     {"sha1", 40, HashKind::kSha1},
                                                     {"sha256", 64, HashKind::kSha256},
                                                     {"sha512", 128, HashKind::kSha512}}};

/// A checksum that a file must have.
struct Checksum {
  HashKind kind = HashKind::kSha256;
  std::string digits;  ///< lower case
};

/// Reads "KIND:HEX" or "HEX".
Result<Checksum> ParseChecksum(const std::string& text) {
  std::string name;
  std::string digits = text;
  if (const size_t colon = text.find(':'); colon != std::string::npos) {
    name = text.substr(0, colon);
    digits = text.substr(colon + 1);
  }
  const auto* kind = std::ranges::find_if(kChecksums, [&](const ChecksumKind& each) {
    return name.empty() ? each.digits == digits.size() : each.name == name;
  });
  if (kind == kChecksums.end()) {
    return Fail(ErrorCode::kUnsupported, "invalid checksum: unsupported checksum type: " + name);
  }
  const auto wanted = DecodeHex(digits);
  if (!wanted || digits.size() != kind->digits) {
    return Fail(ErrorCode::kInvalid, "invalid checksum: " + text);
  }
  return Checksum{kind->kind, EncodeHex(*wanted)};
}

Result<void> CheckFile(const std::string& path, const Checksum& wanted) {
  KINU_TRY(const std::string content, ReadFile(path));
  const std::string found = HexDigest(wanted.kind, content);
  if (found != wanted.digits) {
    return Fail(ErrorCode::kInvalid, "Checksums did not match for " + path +
                                         ".\nExpected: " + wanted.digits + "\nGot: " + found);
  }
  return {};
}

/// The checksum in a document of checksums ("file:URL") for a file name.
Result<std::string> ChecksumFromFile(const std::string& reference, const std::string& name,
                                     Network& network) {
  net::HttpRequest request;
  request.url = reference;
  KINU_TRY(const net::HttpResponse response, network.client().Send(request));
  if (!response.ok()) {
    return Fail(ErrorCode::kUnavailable,
                "bad response code: " + std::to_string(response.status) + " for the checksums");
  }
  std::string_view rest = response.body;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const size_t space = line.find_first_of(" \t");
    std::string_view file =
        space == std::string_view::npos ? std::string_view() : line.substr(space);
    file.remove_prefix(std::min(file.find_first_not_of(" \t*"), file.size()));
    while (file.ends_with('\r')) {
      file.remove_suffix(1);
    }
    if (file == name || file.ends_with("/" + name)) {
      return std::string(line.substr(0, space));
    }
  }
  return Fail(ErrorCode::kNotFound, "no checksum found in: " + reference);
}

bool EqualWords(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(a, b, [&](char x, char y) { return lower(x) == lower(y); });
}

/// Takes the next attribute of a tag, with its value in quotes or without; false at the end.
bool TakeAttribute(std::string_view& tag, std::string_view& name, std::string_view& value) {
  constexpr std::string_view kSpace = " \t\r\n/";
  tag.remove_prefix(std::min(tag.find_first_not_of(kSpace), tag.size()));
  const size_t end = std::min(tag.find_first_of(" \t\r\n/="), tag.size());
  name = tag.substr(0, end);
  value = {};
  tag.remove_prefix(end);
  if (!tag.starts_with('=')) {
    return !name.empty();
  }
  tag.remove_prefix(1);
  const bool quoted = tag.starts_with('"') || tag.starts_with('\'');
  const std::string_view stop = quoted ? tag.substr(0, 1) : std::string_view(" \t\r\n");
  tag.remove_prefix(quoted ? 1 : 0);
  size_t size = std::min(tag.find_first_of(stop), tag.size());
  value = tag.substr(0, size);
  tag.remove_prefix(std::min(size + 1, tag.size()));
  if (!quoted && value.ends_with('/') && tag.empty()) {
    value.remove_suffix(1);
  }
  return true;
}

/// The content of the first <meta name="terraform-get"> in the head of a page; empty if none.
std::string MetaSource(std::string_view page) {
  for (size_t at = page.find('<'); at != std::string_view::npos; at = page.find('<', at + 1)) {
    std::string_view tag = page.substr(at + 1, page.find('>', at) - at - 1);
    const std::string_view kind = tag.substr(0, tag.find_first_of(" \t\r\n/", 1));
    if (EqualWords(kind, "/head") || EqualWords(kind, "body")) {
      return {};
    }
    if (!EqualWords(kind, "meta")) {
      continue;
    }
    tag.remove_prefix(kind.size());
    bool is_source = false;
    std::string content;
    std::string_view name;
    std::string_view value;
    while (TakeAttribute(tag, name, value)) {
      is_source = is_source || (EqualWords(name, "name") && value == "terraform-get");
      content = EqualWords(name, "content") ? std::string(value) : content;
    }
    if (is_source) {
      for (size_t amp = content.find("&amp;"); amp != std::string::npos;
           amp = content.find("&amp;", amp + 1)) {
        content.erase(amp + 1, 4);
      }
      return content;
    }
  }
  return {};
}

/// Fetches a package beside the target, and moves one of its directories there.
Result<void> GetDirectory(const PackageFetch& fetch, const config::PackageAndDirectory& source) {
  const std::string whole = fetch.target + '.' + RandomUuid().substr(0, 8) + ".new";
  std::error_code error;
  auto done = GetPackage(source.package, whole, fetch.network, fetch.cache, fetch.hops + 1);
  if (done) {
    auto directory = FindPackageDirectory(whole, source.directory);
    done = directory ? CopyModuleFiles(*directory, fetch.target)
                     : Result<void>(std::unexpected(directory.error()));
  }
  std::filesystem::remove_all(whole, error);
  return done;
}

/// A request of the fetch, with the credentials of its host.
Result<net::HttpRequest> RequestFor(const PackageFetch& fetch, const net::Url& url) {
  net::HttpRequest request;
  request.url = url.ToText();
  if (fetch.hops > 0) {
    request.headers.Set("User-Agent", "Go-http-client/1.1");
  }
  if (auto added = AddNetrcCredentials(request); !added) {
    return std::unexpected(std::move(added).error());
  }
  return request;
}

/// Asks a server where a package is.
Result<void> FollowTerraformGet(const PackageFetch& fetch, net::Url url) {
  constexpr int kMaxHops = 10;
  if (fetch.hops >= kMaxHops) {
    return Fail(ErrorCode::kInvalid, "too many Terraform Gets");
  }
  url.SetArgument("terraform-get", "1");
  KINU_TRY(const net::HttpRequest request, RequestFor(fetch, url));
  KINU_TRY(const net::HttpResponse response, fetch.network.client().Send(request));
  if (!response.ok()) {
    return Fail(ErrorCode::kUnavailable, "bad response code: " + std::to_string(response.status));
  }
  std::string source(response.headers.Get("X-Terraform-Get"));
  if (source.empty()) {
    source = MetaSource(response.body);
  }
  if (source.empty()) {
    return Fail(ErrorCode::kNotFound, "no source URL was returned");
  }
  if (source.find("://") == std::string::npos) {
    return Fail(ErrorCode::kInvalid, "invalid source string: " + source);
  }
  const config::PackageAndDirectory split = config::SplitModuleSource(source);
  if (split.directory.empty()) {
    return GetPackage(source, fetch.target, fetch.network, fetch.cache, fetch.hops + 1);
  }
  return GetDirectory(fetch, split);
}

}  // namespace

Result<void> DownloadFile(const std::string& path, net::HttpRequest request, Network& network,
                          const ArchiveOptions& options) {
  const int fd =
      open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, options.mode);
  if (fd < 0) {
    return Fail(ErrorCode::kIo, "open " + path + ": " + SystemMessage(errno));
  }
  int write_error = 0;
  int64_t size = 0;
  request.sink = [&](std::string_view piece) {
    size += static_cast<int64_t>(piece.size());
    if (options.size >= 0 && size > options.size) {
      return false;
    }
    const bool written = WriteWhole(fd, piece);
    write_error = written ? 0 : errno;
    return written;
  };
  const auto response = options.send ? options.send(request) : network.client().Send(request);
  close(fd);
  if (options.size >= 0 && size > options.size) {
    return Fail(ErrorCode::kInvalid,
                "the archive is longer than " + std::to_string(options.size) + " bytes");
  }
  if (write_error != 0) {
    return Fail(ErrorCode::kIo, "write " + path + ": " + SystemMessage(write_error));
  }
  if (!response) {
    return std::unexpected(response.error());
  }
  if (!response->ok()) {
    return Fail(ErrorCode::kUnavailable, "bad response code: " + std::to_string(response->status));
  }
  return {};
}

std::string ArchiveExtension(std::string_view path) {
  const auto* it = std::ranges::find_if(kExtensions, [&](std::string_view extension) {
    return path.size() > extension.size() && path.ends_with(extension) &&
           path[path.size() - extension.size() - 1] == '.';
  });
  return it == kExtensions.end() ? std::string() : std::string(*it);
}

std::string TakeArchiveArgument(net::Url& url) {
  if (!url.HasArgument("archive")) {
    return ArchiveExtension(url.path);
  }
  const std::string given = url.Argument("archive");
  url.RemoveArgument("archive");
  return std::ranges::find(kExtensions, given) == kExtensions.end() ? "false" : given;
}

Result<void> UnpackModule(const std::string& archive, const std::string& target,
                          const std::string& extension) {
  if (IsSingleFile(extension)) {
    return Fail(ErrorCode::kInvalid,
                extension + "-compressed files can only unarchive to a single file");
  }
  if (auto made = MakeDirectories(target); !made) {
    return made;
  }
  KINU_TRY(const size_t files, UnpackPackage(archive, target, extension));
  return files > 0 ? Result<void>() : Fail(ErrorCode::kInvalid, "empty archive: " + archive);
}

bool UnpackFromCache(const PackageFetch& fetch, const ArchiveOptions& options) {
  const auto file = options.fixed ? fetch.cache.Find(*options.fixed) : nullptr;
  if (file == nullptr ||
      (options.size >= 0 && file->bytes().size() != static_cast<uint64_t>(options.size))) {
    return false;
  }
  if (UnpackModule(file->path(), fetch.target, options.extension)) {
    return true;
  }
  std::error_code ignored;
  std::filesystem::remove_all(fetch.target, ignored);
  return false;
}

Result<void> FetchArchive(const PackageFetch& fetch, net::HttpRequest request,
                          const ArchiveOptions& options) {
  if (UnpackFromCache(fetch, options)) {
    return {};
  }
  if (auto made = MakeDirectories(DirName(fetch.target)); !made) {
    return made;
  }
  const DownloadedFile file(fetch.target + '.' + RandomUuid().substr(0, 8) + ".new");
  const auto url = net::Url::Parse(request.url);
  std::string wanted = options.checksum;
  if (wanted.starts_with("file:")) {
    KINU_TRY(wanted,
             ChecksumFromFile(wanted.substr(5), url ? BaseName(url->path) : "", fetch.network));
  }
  std::optional<Checksum> checksum;
  if (!wanted.empty()) {
    KINU_TRY(checksum, ParseChecksum(wanted));
  }
  if (auto done = DownloadFile(file.path(), std::move(request), fetch.network, options); !done) {
    return done;
  }
  if (checksum) {
    if (auto done = CheckFile(file.path(), *checksum); !done) {
      return done;
    }
  }
  auto unpacked = UnpackModule(file.path(), fetch.target, options.extension);
  if (unpacked && options.fixed) {
    fetch.cache.StoreFile(*options.fixed, file.path());
  }
  return unpacked;
}

Result<void> GetHttp(const PackageFetch& fetch) {
  KINU_TRY(net::Url url, net::Url::Parse(fetch.address));
  const std::string extension = TakeArchiveArgument(url);
  const std::string checksum = url.Argument("checksum");
  if (url.HasArgument("checksum")) {
    url.RemoveArgument("checksum");
  }
  if (extension.empty() || extension == "false") {
    if (!checksum.empty()) {
      return Fail(ErrorCode::kInvalid, "checksum cannot be specified for directory download");
    }
    return FollowTerraformGet(fetch, std::move(url));
  }
  KINU_TRY(net::HttpRequest request, RequestFor(fetch, url));
  return FetchArchive(
      fetch, std::move(request),
      {.checksum = checksum, .extension = extension, .fixed = ContentDigest::Parse(checksum)});
}

Result<void> GetFile(const PackageFetch& fetch) {
  KINU_TRY(net::Url url, net::Url::Parse(fetch.address));
  const std::string extension = TakeArchiveArgument(url);
  const std::string checksum = url.Argument("checksum");
  const std::string path = net::PercentDecode(url.path);
  if (!extension.empty() && extension != "false" && !IsDirectory(path)) {
    if (!FileExists(path)) {
      return Fail(ErrorCode::kNotFound,
                  "source path error: stat " + path + ": no such file or directory");
    }
    if (!checksum.empty()) {
      KINU_TRY(const Checksum wanted, ParseChecksum(checksum));
      if (auto done = CheckFile(path, wanted); !done) {
        return done;
      }
    }
    return UnpackModule(path, fetch.target, extension);
  }
  if (!FileExists(path)) {
    return Fail(ErrorCode::kNotFound,
                "source path error: stat " + path + ": no such file or directory");
  }
  if (!IsDirectory(path)) {
    return Fail(ErrorCode::kInvalid, "source path must be a directory");
  }
  if (auto made = MakeDirectories(DirName(fetch.target)); !made) {
    return made;
  }
  if (symlink(path.c_str(), fetch.target.c_str()) != 0) {
    return Fail(ErrorCode::kIo, "symlink " + fetch.target + ": " + SystemMessage(errno));
  }
  return {};
}

}  // namespace kinu::install
