// Packages in S3 and in stores that speak its protocol. Ref: hashicorp/go-getter get_s3.go.
#include <algorithm>

#include "base/environment.h"
#include "cloud/aws_credentials.h"
#include "codec/xml.h"
#include "install/module_getters.h"

namespace kinu::install {
namespace {

constexpr std::string_view kDomains[] = {"amazonaws.com", "amazonaws.com.cn", "amazonaws.eu",
                                         "c2s.ic.gov",    "sc2s.sgov.gov",    "csp.hci.ic.gov",
                                         "cloud.adc-e.uk"};

/// Where an object is.
struct S3Place {
  std::string endpoint;  ///< scheme and host
  std::string region;
  std::string bucket;
  std::string key;
};

std::vector<std::string> SplitDots(std::string_view text) {
  std::vector<std::string> parts;
  for (;;) {
    const size_t dot = text.find('.');
    parts.emplace_back(text.substr(0, dot));
    if (dot == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(dot + 1);
  }
}

/// The region in a label "s3" or "s3-REGION"; nothing if it is another one.
std::optional<std::string> RegionOfLabel(std::string_view label) {
  if (label == "s3") {
    return "us-east-1";
  }
  return label.starts_with("s3-") ? std::optional(std::string(label.substr(3))) : std::nullopt;
}

/// Splits "/BUCKET/KEY".
Result<void> TakeBucket(const std::string& path, S3Place& place) {
  const size_t slash = path.find('/', 1);
  if (!path.starts_with('/') || slash == std::string::npos || slash == 1) {
    return Fail(ErrorCode::kInvalid, "URL is not a valid S3 URL");
  }
  place.bucket = path.substr(1, slash - 1);
  place.key = path.substr(slash + 1);
  return {};
}

/// The address of AWS's own service for a region.
std::string OwnEndpoint(const std::string& region, std::string_view domain) {
  std::string url = cloud::ConfiguredAwsEndpoint(cloud::LoadAwsProfiles(), "", "s3");
  return !url.empty() ? url : "https://s3." + region + '.' + std::string(domain);
}

Result<S3Place> ParsePlace(const net::Url& url) {
  const std::string path = net::PercentDecode(url.path);
  S3Place place;
  const auto* domain = std::ranges::find_if(
      kDomains, [&](std::string_view each) { return url.host.ends_with("." + std::string(each)); });
  if (domain == std::end(kDomains)) {
    place.endpoint = url.scheme + "://" + url.host;
    place.region = url.Argument("region").empty() ? "us-east-1" : url.Argument("region");
    if (auto taken = TakeBucket(path, place); !taken) {
      return std::unexpected(taken.error());
    }
    return place;
  }
  const std::vector<std::string> labels =
      SplitDots(std::string_view(url.host).substr(0, url.host.size() - domain->size() - 1));
  const auto first = RegionOfLabel(labels[0]);
  const auto second = labels.size() > 1 ? RegionOfLabel(labels[1]) : std::nullopt;
  bool has_bucket = false;
  if (labels.size() == 1 && first) {
    place.region = *first;
  } else if (labels.size() == 2 && labels[0] == "s3") {
    place.region = labels[1];
  } else if (labels.size() == 2 && second) {
    place.region = *second;
    has_bucket = true;
  } else if (labels.size() == 3 && labels[1] == "s3") {
    place.region = labels[2];
    has_bucket = true;
  } else {
    return Fail(ErrorCode::kInvalid, "URL is not a valid S3 URL");
  }
  if (has_bucket) {
    place.bucket = labels[0];
    place.key = path.empty() ? "" : path.substr(1);
  } else if (auto taken = TakeBucket(path, place); !taken) {
    return std::unexpected(taken.error());
  }
  place.endpoint = OwnEndpoint(place.region, *domain);
  return place;
}

std::unexpected<Error> ServiceError(const std::string& what, const net::HttpResponse& response) {
  const auto document = ReadXml(response.body);
  return Fail(ErrorCode::kUnavailable, what + ": " + response.StatusText() +
                                           (document && document->name == "Error"
                                                ? ": " + std::string(document->Text("Code")) +
                                                      ": " + std::string(document->Text("Message"))
                                                : ""));
}

class S3Bucket final : public Bucket {
 public:
  S3Bucket(S3Place place, std::string version, const net::HttpClient& client,
           std::optional<cloud::AwsCredentials> given, cloud::AwsCredentialOptions options)
      : place_(std::move(place)),
        version_(std::move(version)),
        client_(client),
        given_(std::move(given)),
        identity_(client, std::move(options)) {}

  Result<std::vector<std::string>> List(const std::string& prefix) override {
    constexpr int kMaxPages = 10'000;
    std::vector<std::string> keys;
    std::string next;
    for (int page = 0; page < kMaxPages; ++page) {
      net::HttpRequest request;
      request.url = place_.endpoint + '/' + cloud::AwsEscape(place_.bucket) +
                    "?list-type=2&prefix=" + cloud::AwsEscape(prefix) +
                    (next.empty() ? "" : "&continuation-token=" + cloud::AwsEscape(next));
      if (auto done = Sign(request); !done) {
        return std::unexpected(done.error());
      }
      KINU_TRY(const net::HttpResponse response, client_.Send(request));
      if (response.status != 200) {
        return ServiceError("listing the bucket " + place_.bucket, response);
      }
      KINU_TRY(const XmlElement list, ReadXml(response.body));
      for (const XmlElement& child : list.children) {
        if (child.name == "Contents") {
          keys.emplace_back(child.Text("Key"));
        }
      }
      next = list.Text("NextContinuationToken");
      if (list.Text("IsTruncated") != "true" || next.empty()) {
        return keys;
      }
    }
    return Fail(ErrorCode::kInvalid, "the list of objects of " + place_.bucket + " does not end");
  }

  Result<net::HttpRequest> ObjectRequest(const std::string& key) override {
    net::HttpRequest request;
    request.url = place_.endpoint + '/' + cloud::AwsEscape(place_.bucket) + '/' +
                  cloud::AwsEscape(key, true) +
                  (version_.empty() ? "" : "?versionId=" + cloud::AwsEscape(version_));
    if (auto done = Sign(request); !done) {
      return std::unexpected(done.error());
    }
    return request;
  }

 private:
  Result<void> Sign(net::HttpRequest& request) {
    request.max_redirects = 0;
    cloud::AwsCredentials credentials;
    if (given_) {
      credentials = *given_;
    } else {
      KINU_TRY(credentials, identity_.Get());
    }
    return cloud::SignAws(request, credentials, {.region = place_.region, .service = "s3"});
  }

  S3Place place_;
  std::string version_;
  const net::HttpClient& client_;
  std::optional<cloud::AwsCredentials> given_;
  cloud::AwsIdentity identity_;
};

}  // namespace

Result<void> GetS3(const PackageFetch& fetch) {
  KINU_TRY(const net::Url url, net::Url::Parse(fetch.address));
  KINU_TRY(S3Place place, ParsePlace(url));
  std::optional<cloud::AwsCredentials> given;
  for (const char* name : {"aws_access_key_id", "aws_access_key_secret", "aws_access_token"}) {
    if (url.HasArgument(name)) {
      given = {.access_key = url.Argument("aws_access_key_id"),
               .secret_key = url.Argument("aws_access_key_secret"),
               .session_token = url.Argument("aws_access_token"),
               .expires = {}};
    }
  }
  cloud::AwsCredentialOptions options{.profile = url.Argument("aws_profile"),
                                      .region = place.region,
                                      .metadata_endpoint = {},
                                      .stop = fetch.network.stop()};
  if (!options.profile.empty()) {
    given.reset();
    if (std::string region = cloud::ConfiguredAwsRegion(options.profile); !region.empty()) {
      place.region = std::move(region);
    }
  } else {
    options.metadata_endpoint = Environment("AWS_METADATA_URL");
  }
  const std::string key = place.key;
  S3Bucket bucket(std::move(place), url.Argument("version"), fetch.network.client(),
                  std::move(given), std::move(options));
  return FetchFromBucket(fetch, url, key, bucket);
}

}  // namespace kinu::install
