// The source that asks an OCI registry: tags are versions, an index has an image manifest for each
// platform, and its only layer is the package. Ref: opentofu internal/getproviders
// oci_registry_mirror_source.go, package_location_oci_blob_archive.go.
#include <algorithm>

#include "addrs/provider_source.h"
#include "install/oci_config.h"
#include "install/oci_registry.h"
#include "install/sources.h"

namespace kinu::install {
namespace {

std::string Replaced(std::string text, char from, char to) {
  std::ranges::replace(text, from, to);
  return text;
}

class OciMirror final : public PackageSource {
 public:
  OciMirror(const InstallMethod& method, Network& network)
      : repository_template_(method.location), network_(network) {}

  SourceResult<OfferedVersions> Versions(const std::string& address) override {
    KINU_TRY(OciStore * store, Open(address));
    const auto tags = store->Tags();
    if (!tags) {
      return std::unexpected(MissingOr("listing tags from OCI repository: ", tags.error()));
    }
    OfferedVersions out;
    for (const std::string& tag : *tags) {
      if (auto version = Version::ParseExact(Replaced(tag, '_', '+'))) {
        out.versions.push_back(*std::move(version));
      }
    }
    return out;
  }

  SourceResult<PackageOffer> Package(const std::string& address, const Version& version,
                                     const std::string& platform) override {
    KINU_TRY(OciStore * store, Open(address));
    auto archive = FindArchive(*store, Replaced(version.ToText(), '+', '_'), platform);
    if (!archive) {
      return std::unexpected(RequestError("", archive.error()));
    }
    if (!*archive) {
      return std::unexpected(SourceError{.problem = SourceProblem::kPlatform});
    }
    PackageOffer offer;
    offer.version = version;
    offer.platform = platform;
    offer.form = PackageForm::kRemote;
    offer.request = store->BlobRequest(**archive);
    offer.send = [store](const net::HttpRequest& request) { return store->Send(request); };
    constexpr std::string_view kOnlyKind = "sha256:";
    offer.evidence.mirror =
        MirrorEvidence{.hashes = {"zh:" + (*archive)->digest.substr(kOnlyKind.size())}};
    return offer;
  }

  std::string Name(const std::string&) const override { return "OCI registry provider mirror"; }

 private:
  static SourceError MissingOr(const std::string& prefix, const Error& error) {
    return error.code == ErrorCode::kNotFound ? SourceError{.problem = SourceProblem::kNotFound}
                                              : RequestError(prefix, error);
  }

  SourceResult<OciStore*> Open(const std::string& address) {
    const auto repository = ExpandOciTemplate(repository_template_, address);
    if (!repository) {
      return std::unexpected(
          RequestError("selecting OCI repository address: ", repository.error()));
    }
    auto store = network_.oci().Open(*repository);
    if (!store) {
      return std::unexpected(
          MissingOr("accessing OCI registry at " + repository->domain + ": ", store.error()));
    }
    return *store;
  }

  /// The archive of a tag for a platform; nothing if there are only other platforms.
  static Result<std::optional<OciDescriptor>> FindArchive(OciStore& store, const std::string& tag,
                                                          const std::string& platform) {
    auto resolved = store.Resolve(tag);
    if (!resolved) {
      return Fail(resolved.error().code,
                  "resolving tag \"" + tag + "\": " + resolved.error().message);
    }
    if (resolved->media_type != kOciIndexType) {
      return Fail(
          ErrorCode::kInvalid,
          resolved->media_type == kOciImageType
              ? "selected an OCI image manifest directly, but providers must be selected "
                "through a multi-platform index manifest"
              : "unsupported media type \"" + resolved->media_type + "\" for OCI index manifest");
    }
    KINU_TRY(const std::string index_text, store.Manifest(*resolved));
    KINU_TRY(const OciManifest index, ReadOciManifest(index_text, kOciIndexType, kOciProviderType));
    KINU_TRY(const std::optional<OciDescriptor> target, SelectOciProvider(index, platform));
    if (!target) {
      return std::optional<OciDescriptor>();
    }
    KINU_TRY(const std::string image_text, store.Manifest(*target));
    KINU_TRY(const OciManifest image,
             ReadOciManifest(image_text, kOciImageType, kOciProviderTargetType));
    KINU_TRY(OciDescriptor archive, SelectOciArchive(image, "provider packages"));
    if (auto checked = CheckOciDigest(archive.digest); !checked) {
      return std::unexpected(checked.error());
    }
    if (!archive.digest.starts_with("sha256:")) {
      return Fail(ErrorCode::kUnsupported, "unsupported digest algorithm in \"" + archive.digest +
                                               "\": packages of providers have sha256 digests");
    }
    return archive;
  }

  std::string repository_template_;
  Network& network_;
};

}  // namespace

std::unique_ptr<PackageSource> MakeOciMirror(const InstallMethod& method, Network& network) {
  return std::make_unique<OciMirror>(method, network);
}

}  // namespace kinu::install
