// Packages of modules in OCI registries: the only layer of an image manifest. Ref: opentofu
// internal/getmodules/oci_getter.go.
#include "install/module_getters.h"
#include "install/oci_registry.h"

namespace kinu::install {
namespace {

constexpr const char* kExtension = "zip";

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

/// The archive that a manifest names.
Result<OciDescriptor> ArchiveOf(const std::string& manifest_text) {
  KINU_TRY(const OciManifest manifest,
           ReadOciManifest(manifest_text, kOciImageType, kOciModuleType));
  KINU_TRY(OciDescriptor archive, SelectOciArchive(manifest, "module packages"));
  if (auto checked = CheckOciDigest(archive.digest); !checked) {
    return std::unexpected(checked.error());
  }
  return archive;
}

/// Installs a package whose manifest and archive the cache has.
bool UnpackCachedManifest(const PackageFetch& fetch, const ContentDigest& digest) {
  const auto text = fetch.cache.Find(digest);
  const auto archive = text != nullptr ? ArchiveOf(std::string(text->bytes()))
                                       : Fail(ErrorCode::kNotFound, "no manifest");
  return archive && UnpackFromCache(fetch, {.extension = kExtension,
                                            .size = archive->size,
                                            .fixed = ContentDigest::Parse(archive->digest)});
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
  const auto digest = ContentDigest::Parse(reference);
  if (digest && UnpackCachedManifest(fetch, *digest)) {
    return {};
  }
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
  KINU_TRY(const OciDescriptor archive, ArchiveOf(text));
  auto done = FetchArchive(
      fetch, (*store)->BlobRequest(archive),
      {.checksum = archive.digest,
       .extension = kExtension,
       .size = archive.size,
       .fixed = digest ? ContentDigest::Parse(archive.digest) : std::nullopt,
       .send = [store = *store](const net::HttpRequest& request) { return store->Send(request); }});
  if (done && digest) {
    fetch.cache.Store(*digest, text);
  }
  return done;
}

}  // namespace kinu::install
