// Packages in Google Cloud Storage. Ref: hashicorp/go-getter get_gcs.go;
// cloud.google.com/go/storage http_client.go.
#include <algorithm>

#include "base/environment.h"
#include "cloud/aws_sigv4.h"
#include "cloud/google_tokens.h"
#include "install/module_getters.h"
#include "json/reader.h"

namespace kinu::install {
namespace {

/// Where the service is: Google's address, or that of an emulator, which wants no token.
struct GcsService {
  std::string base = "https://storage.googleapis.com";
  bool is_emulator = false;

  GcsService() {
    std::string host(Environment("STORAGE_EMULATOR_HOST"));
    if (host.empty()) {
      return;
    }
    while (host.ends_with('/')) {
      host.pop_back();
    }
    base = host.find("://") == std::string::npos ? "http://" + host : host;
    is_emulator = true;
  }
};

class GcsBucket final : public Bucket {
 public:
  GcsBucket(std::string name, std::string generation, const net::HttpClient& client)
      : name_(std::move(name)),
        generation_(std::move(generation)),
        client_(client),
        identity_(client, "https://www.googleapis.com/auth/devstorage.read_only") {}

  Result<std::vector<std::string>> List(const std::string& prefix) override {
    constexpr int kMaxPages = 10'000;
    std::vector<std::string> names;
    std::string next;
    for (int page = 0; page < kMaxPages; ++page) {
      net::HttpRequest request;
      request.url = service_.base + "/storage/v1/b/" + cloud::AwsEscape(name_) +
                    "/o?prefix=" + net::QueryEscape(prefix) +
                    (next.empty() ? "" : "&pageToken=" + net::QueryEscape(next));
      if (auto done = Authorize(request); !done) {
        return std::unexpected(done.error());
      }
      KINU_TRY(const net::HttpResponse response, client_.Send(request));
      if (response.status != 200) {
        return Fail(ErrorCode::kUnavailable,
                    "listing the bucket " + name_ + ": " + response.StatusText());
      }
      const JsonDocument document = ParseJson(response.body);
      if (!document.ok() || !document.root().is_object()) {
        return Fail(ErrorCode::kInvalid,
                    "listing the bucket " + name_ + ": the response is no JSON object");
      }
      if (const JsonNode* items = document.root().Find("items"); items != nullptr) {
        for (const JsonNode& item : items->elements()) {
          const JsonNode* name = item.Find("name");
          names.emplace_back(name == nullptr ? "" : name->text());
        }
      }
      const JsonNode* token = document.root().Find("nextPageToken");
      next = token == nullptr ? "" : token->text();
      if (next.empty()) {
        return names;
      }
    }
    return Fail(ErrorCode::kInvalid, "the list of objects of " + name_ + " does not end");
  }

  Result<net::HttpRequest> ObjectRequest(const std::string& key) override {
    net::HttpRequest request;
    request.url = service_.base + '/' + cloud::AwsEscape(name_) + '/' +
                  cloud::AwsEscape(key, true) +
                  (generation_.empty() ? "" : "?generation=" + generation_);
    if (auto done = Authorize(request); !done) {
      return std::unexpected(done.error());
    }
    return request;
  }

 private:
  Result<void> Authorize(net::HttpRequest& request) {
    request.same_origin_credentials = true;
    request.retry.retries = 2;
    if (service_.is_emulator) {
      return {};
    }
    std::string token(Environment("GOOGLE_OAUTH_ACCESS_TOKEN"));
    if (token.empty()) {
      KINU_TRY(token, identity_.Token());
    }
    request.headers.Set("Authorization", "Bearer " + token);
    return {};
  }

  GcsService service_;
  std::string name_;
  std::string generation_;
  const net::HttpClient& client_;
  cloud::GoogleIdentity identity_;
};

}  // namespace

Result<void> GetGcs(const PackageFetch& fetch) {
  KINU_TRY(net::Url url, net::Url::Parse(fetch.address));
  const std::string path = net::PercentDecode(url.path);
  // "/storage/VERSION/BUCKET/OBJECT" at "NAME.googleapis.com".
  std::vector<std::string> parts;
  for (size_t at = 1; parts.size() < 3 && at <= path.size();) {
    const size_t slash = path.find('/', at);
    parts.push_back(path.substr(at, slash - at));
    at = slash == std::string::npos ? path.size() + 1 : slash + 1;
  }
  size_t start = 0;
  for (const std::string& part : parts) {
    start += part.size() + 1;
  }
  if (!url.host.ends_with(".googleapis.com") || std::ranges::count(url.host, '.') != 2 ||
      parts.size() != 3 || start >= path.size() || parts[2].empty()) {
    return Fail(ErrorCode::kInvalid, "URL is not a valid GCS URL");
  }
  const std::string generation = url.fragment;
  if (generation.find_first_not_of("0123456789") != std::string::npos) {
    return Fail(ErrorCode::kInvalid, "the generation \"" + generation + "\" is no number");
  }
  GcsBucket bucket(parts[2], generation, fetch.network.client());
  return FetchFromBucket(fetch, std::move(url), path.substr(start + 1), bucket);
}

}  // namespace kinu::install
