#include "install/oci_manifest.h"

#include <charconv>

#include "json/reader.h"

namespace kinu::install {
namespace {

Result<OciDescriptor> ReadDescriptor(const JsonNode& node) {
  if (!node.is_object()) {
    return Fail(ErrorCode::kInvalid, "invalid manifest content: a descriptor is no object");
  }
  OciDescriptor out{.media_type = node.TextOf("mediaType"),
                    .artifact_type = node.TextOf("artifactType"),
                    .digest = node.TextOf("digest"),
                    .platform = {}};
  if (const JsonNode* size = node.Find("size"); size != nullptr) {
    const std::string_view text = size->text();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out.size);
    if (!size->is_number() || error != std::errc() || end != text.data() + text.size() ||
        out.size < 0) {
      return Fail(ErrorCode::kInvalid, "invalid manifest content: a size is no number of bytes");
    }
  }
  if (const JsonNode* platform = node.Find("platform");
      platform != nullptr && platform->is_object()) {
    out.platform = OciPlatform{.os = platform->TextOf("os"),
                               .os_version = platform->TextOf("os.version"),
                               .architecture = platform->TextOf("architecture")};
  }
  return out;
}

std::string QuotedText(std::string_view text) {
  return '"' + std::string(text) + '"';
}

}  // namespace

Result<OciManifest> ReadOciManifest(std::string_view json, std::string_view media_type,
                                    std::string_view artifact_type) {
  const JsonDocument document = ParseJson(json);
  if (!document.ok() || !document.root().is_object()) {
    return Fail(ErrorCode::kInvalid,
                "invalid manifest content: " +
                    (document.ok() ? "no JSON object" : document.problems()[0].message));
  }
  const JsonNode& root = document.root();
  OciManifest out{.media_type = root.TextOf("mediaType"),
                  .artifact_type = root.TextOf("artifactType"),
                  .entries = {}};
  if (out.media_type != media_type) {
    return Fail(ErrorCode::kInvalid, "unexpected manifest media type " +
                                         QuotedText(out.media_type) + ", instead of " +
                                         QuotedText(media_type));
  }
  if (out.artifact_type != artifact_type) {
    return Fail(ErrorCode::kInvalid, "unexpected artifact type " + QuotedText(out.artifact_type) +
                                         ", instead of " + QuotedText(artifact_type));
  }
  const JsonNode* entries = root.Find(media_type == kOciIndexType ? "manifests" : "layers");
  if (entries == nullptr || entries->is_null()) {
    return out;
  }
  if (!entries->is_array()) {
    return Fail(ErrorCode::kInvalid, "invalid manifest content: the descriptors are no array");
  }
  for (const JsonNode& node : entries->elements()) {
    KINU_TRY(OciDescriptor descriptor, ReadDescriptor(node));
    out.entries.push_back(std::move(descriptor));
  }
  return out;
}

Result<std::optional<OciDescriptor>> SelectOciProvider(const OciManifest& index,
                                                       std::string_view platform) {
  const size_t underscore = platform.find('_');
  const std::string_view os = platform.substr(0, underscore);
  const std::string_view architecture = platform.substr(underscore + 1);
  std::optional<OciDescriptor> selected;
  bool other_platforms = false;
  std::string other_type;
  for (const OciDescriptor& entry : index.entries) {
    if (entry.artifact_type != kOciProviderTargetType) {
      other_type = entry.artifact_type.empty() ? other_type : entry.artifact_type;
      continue;
    }
    if (entry.media_type != kOciImageType) {
      return Fail(ErrorCode::kInvalid,
                  "the provider's image manifest has the unsupported media "
                  "type " +
                      QuotedText(entry.media_type));
    }
    if (!entry.platform) {
      return Fail(ErrorCode::kInvalid, "the provider's image manifest does not name a platform");
    }
    if (!entry.platform->os_version.empty() || entry.platform->os != os ||
        entry.platform->architecture != architecture) {
      other_platforms = true;
      continue;
    }
    if (selected) {
      return Fail(ErrorCode::kInvalid, "ambiguous manifest has multiple descriptors for platform " +
                                           std::string(platform));
    }
    selected = entry;
  }
  if (selected || other_platforms) {
    return selected;
  }
  return Fail(ErrorCode::kInvalid,
              other_type.empty()
                  ? "the index has no provider packages; is it that of a container image?"
                  : "the index has artifacts of the unsupported type " + QuotedText(other_type) +
                        " and no provider packages");
}

Result<OciDescriptor> SelectOciArchive(const OciManifest& image, std::string_view what) {
  const OciDescriptor* selected = nullptr;
  for (const OciDescriptor& layer : image.entries) {
    if (layer.media_type != kOciArchiveType) {
      continue;
    }
    if (selected != nullptr) {
      return Fail(ErrorCode::kInvalid, "the image manifest has multiple layers with media type " +
                                           QuotedText(kOciArchiveType));
    }
    selected = &layer;
  }
  if (selected == nullptr) {
    return Fail(ErrorCode::kInvalid,
                "the image manifest contains no layers of a type supported as " +
                    std::string(what) +
                    (image.entries.empty()
                         ? ""
                         : ", but has other formats; this artifact may be meant for another "
                           "version of OpenTofu"));
  }
  return *selected;
}

}  // namespace kinu::install
