// What packages in object stores have in common. Ref: hashicorp/go-getter client.go, get_s3.go,
// get_gcs.go.
#include <algorithm>

#include "base/files.h"
#include "codec/xml.h"
#include "install/module_getters.h"

namespace kinu::install {
namespace {

/// The path of a key below a directory; nothing for keys beside it, keys of directories, and paths
/// that would leave the target.
std::optional<std::string> PathBelow(const std::string& directory, const std::string& key) {
  const std::string prefix =
      directory.empty() || directory.ends_with('/') ? directory : directory + '/';
  if (!key.starts_with(prefix) || key.size() == prefix.size() || key.ends_with('/')) {
    return std::nullopt;
  }
  std::string path = key.substr(prefix.size());
  const std::string slashes = '/' + path + '/';
  if (slashes.find("/../") != std::string::npos || slashes.find("//") != std::string::npos ||
      slashes.find("/./") != std::string::npos || path.find('\0') != std::string::npos) {
    return std::nullopt;
  }
  return path;
}

/// Sends a request for an object. A refusal is an error with what the store says about it.
Result<net::HttpResponse> SendToStore(const net::HttpClient& client,
                                      const net::HttpRequest& request) {
  auto response = client.Send(request);
  if (!response || response->ok()) {
    return response;
  }
  const auto document = ReadXml(response->body);
  return Fail(ErrorCode::kUnavailable, "bad response code: " + response->StatusText() +
                                           (document && document->name == "Error"
                                                ? ": " + std::string(document->Text("Code")) +
                                                      ": " + std::string(document->Text("Message"))
                                                : ""));
}

}  // namespace

Result<void> FetchFromBucket(const PackageFetch& fetch, net::Url url, const std::string& key,
                             Bucket& bucket) {
  const std::string extension = TakeArchiveArgument(url);
  const std::string checksum = url.Argument("checksum");
  const auto send = [&fetch](const net::HttpRequest& request) {
    return SendToStore(fetch.network.client(), request);
  };
  if (!extension.empty() && extension != "false") {
    KINU_TRY(net::HttpRequest request, bucket.ObjectRequest(key));
    return FetchArchive(fetch, std::move(request),
                        {.checksum = checksum,
                         .extension = extension,
                         .fixed = ContentDigest::Parse(checksum),
                         .send = send});
  }
  if (!checksum.empty()) {
    return Fail(ErrorCode::kInvalid, "checksum cannot be specified for directory download");
  }
  KINU_TRY(const std::vector<std::string> keys, bucket.List(key));
  size_t files = 0;
  for (const std::string& each : keys) {
    const auto path = PathBelow(key, each);
    if (!path) {
      continue;
    }
    const std::string target = JoinPath(fetch.target, *path);
    if (auto made = MakeDirectories(DirName(target)); !made) {
      return made;
    }
    KINU_TRY(net::HttpRequest request, bucket.ObjectRequest(each));
    if (auto done =
            DownloadFile(target, std::move(request), fetch.network, {.mode = 0666, .send = send});
        !done) {
      return done;
    }
    ++files;
  }
  return files > 0 ? Result<void>()
                   : Fail(ErrorCode::kNotFound, "the bucket has no objects below \"" + key + '"');
}

}  // namespace kinu::install
