// Manifests in OCI registries: indexes, which list an image manifest for each platform, and image
// manifests, which list the archives. Ref: OCI image specification; opentofu internal/getproviders
// oci_registry_mirror_source.go, internal/getmodules oci_getter.go.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kinu::install {

inline constexpr std::string_view kOciIndexType = "application/vnd.oci.image.index.v1+json";
inline constexpr std::string_view kOciImageType = "application/vnd.oci.image.manifest.v1+json";
inline constexpr std::string_view kOciProviderType = "application/vnd.opentofu.provider";
inline constexpr std::string_view kOciProviderTargetType =
    "application/vnd.opentofu.provider-target";
inline constexpr std::string_view kOciModuleType = "application/vnd.opentofu.modulepkg";
/// The only media type of packages.
inline constexpr std::string_view kOciArchiveType = "archive/zip";

struct OciPlatform {
  std::string os;
  std::string os_version;
  std::string architecture;
};

/// What a manifest says about a manifest or blob.
struct OciDescriptor {
  std::string media_type;
  std::string artifact_type;
  std::string digest;  ///< as it was written: CheckOciDigest() says whether it is one
  int64_t size = 0;    ///< in bytes
  std::optional<OciPlatform> platform;
};

struct OciManifest {
  std::string media_type;
  std::string artifact_type;
  /// The manifests of an index, or the layers of an image manifest.
  std::vector<OciDescriptor> entries;
};

/// Reads a manifest and checks that it is of these types. kOciIndexType: an index; otherwise an
/// image manifest.
Result<OciManifest> ReadOciManifest(std::string_view json, std::string_view media_type,
                                    std::string_view artifact_type);

/// The image manifest of an index that has a provider's package for a platform ("linux_amd64").
/// Nothing: there are such manifests, but for other platforms only.
Result<std::optional<OciDescriptor>> SelectOciProvider(const OciManifest& index,
                                                       std::string_view platform);
/// The archive in an image manifest. `what` ("provider packages") is for messages.
Result<OciDescriptor> SelectOciArchive(const OciManifest& image, std::string_view what);

}  // namespace kinu::install
