// Packages of modules in OCI registries: the only layer of an image manifest. Ref: opentofu
// internal/getmodules/oci_getter.go.
#include "install/module_getters.h"
#include "install/oci_registry.h"

namespace kinu::install {
namespace {

/// The tag or digest that the arguments of an address select.
Result<std::string> ReferenceOf(const net::Url& url) {
  std::string tag;
  std::string digest;
  std::string unknown;
  int unknown_count = 0;
  for (const auto& [name, value] : net::ParseQuery(url.query)) {
    if (name != "tag" && name != "digest") {
      unknown += (unknown.empty() ? "" : ", ") + name;
      ++unknown_count;
      continue;
    }
    std::string& target = name == "tag" ? tag : digest;
    if (!target.empty()) {
      return Fail(ErrorCode::kInvalid, "too many \"" + name + "\" arguments");
    }
    if (value.empty()) {
      return Fail(ErrorCode::kInvalid, name + " argument must not be empty");
    }
    target = value;
  }
  if (unknown_count > 0) {
    return Fail(ErrorCode::kInvalid, unknown_count == 1 ? "unsupported argument \"" + unknown + '"'
                                                        : "unsupported arguments: " + unknown);
  }
  if (!tag.empty() && !digest.empty()) {
    return Fail(ErrorCode::kInvalid, "cannot set both \"tag\" and \"digest\" arguments");
  }
  if (!digest.empty()) {
    auto checked = CheckOciDigest(digest);
    return checked ? Result<std::string>(digest)
                   : Fail(ErrorCode::kInvalid, "invalid digest: " + checked.error().message);
  }
  if (!tag.empty() && !IsOciTag(tag)) {
    return Fail(ErrorCode::kInvalid, "invalid reference: invalid tag \"" + tag + '"');
  }
  return tag.empty() ? "latest" : tag;
}

}  // namespace

Result<void> GetOci(const PackageFetch& fetch) {
  KINU_TRY(const net::Url url, net::Url::Parse(fetch.address));
  if (fetch.hops > 0) {
    return Fail(ErrorCode::kUnsupported, "download not supported for scheme 'oci'");
  }
  if (url.HasArgument("archive")) {
    return Fail(ErrorCode::kInvalid,
                "the \"archive\" argument is not allowed for OCI sources, "
                "because the manifest says what the format is");
  }
  const OciRepository repository{url.host, url.path.empty() ? "" : url.path.substr(1)};
  if (url.scheme != "oci" || !IsOciDomain(repository.domain)) {
    return Fail(ErrorCode::kInvalid, "invalid reference: invalid registry \"" + url.host + '"');
  }
  if (!IsOciName(repository.name)) {
    return Fail(ErrorCode::kInvalid,
                "invalid reference: invalid repository \"" + repository.name + '"');
  }
  KINU_TRY(const std::string reference, ReferenceOf(url));
  auto store = fetch.network.oci().Open(repository);
  if (!store) {
    return Fail(store.error().code,
                "configuring client for " + repository.ToText() + ": " + store.error().message);
  }
  auto resolved = (*store)->Resolve(reference);
  if (!resolved) {
    return Fail(
        resolved.error().code,
        (reference.find(':') == std::string::npos ? "resolving tag: " : "resolving digest: ") +
            resolved.error().message);
  }
  if (resolved->media_type != kOciImageType) {
    return Fail(ErrorCode::kInvalid, "selected object is not an OCI image manifest");
  }
  KINU_TRY(const std::string text, (*store)->Manifest(*resolved));
  KINU_TRY(const OciManifest manifest, ReadOciManifest(text, kOciImageType, kOciModuleType));
  KINU_TRY(const OciDescriptor archive, SelectOciArchive(manifest, "module packages"));
  if (auto checked = CheckOciDigest(archive.digest); !checked) {
    return checked;
  }
  return FetchArchive(
      fetch, (*store)->BlobRequest(archive),
      {.checksum = archive.digest,
       .extension = "zip",
       .size = archive.size,
       .send = [store = *store](const net::HttpRequest& request) { return store->Send(request); }});
}

}  // namespace kinu::install
