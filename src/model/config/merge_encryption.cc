// Puts an `encryption` configuration over another: that of an override file, or of the environment.
#include <algorithm>

#include "config/blocks/blocks.h"
#include "config/decode.h"
#include "config/merged_body.h"
#include "config/state_blocks.h"
#include "hcl/parse.h"

namespace kinu::config {

namespace {

/// A target that only one side has is that side's.
std::optional<EncryptionTarget> Merged(const std::optional<EncryptionTarget>& base,
                                       const std::optional<EncryptionTarget>& over) {
  if (!base || !over) {
    return base ? base : over;
  }
  EncryptionTarget out = *base;
  out.enforced = base->enforced || over->enforced;
  // A missing argument replaces too, as null does. Fallbacks are replaced as a whole.
  out.method = over->method;
  if (!over->fallbacks.empty()) {
    out.fallbacks = over->fallbacks;
  }
  return out;
}

/// A range in a file of which only the name is known.
SourceRange Nowhere(Module& module, std::string_view name) {
  const Ref<const SourceFile> file = SourceFile::Make(std::string(name), std::string());
  return {.file = module.tree->KeepSource(file)};
}

}  // namespace

/// Ref: opentofu internal/encryption/config/config_merge.go.
void MergeEncryption(Module& module, const Encryption& over) {
  if (!module.encryption) {
    module.encryption = over;
    return;
  }
  Encryption& base = *module.encryption;
  const auto merge_parts = [&](std::vector<EncryptionPart>& parts,
                               const std::vector<EncryptionPart>& others) {
    for (const EncryptionPart& other : others) {
      const auto same = std::ranges::find_if(parts, [&](const EncryptionPart& part) {
        return part.type == other.type && part.name == other.name;
      });
      if (same == parts.end()) {
        parts.push_back(other);
      } else {
        same->body = module.tree->Own(std::make_unique<OverriddenBody>(same->body, other.body));
      }
    }
  };
  merge_parts(base.key_providers, over.key_providers);
  merge_parts(base.methods, over.methods);
  base.state = Merged(base.state, over.state);
  base.plan = Merged(base.plan, over.plan);
  base.remote_default = Merged(base.remote_default, over.remote_default);
  for (const auto& [name, target] : over.remotes) {
    const auto same = std::ranges::find_if(
        base.remotes, [&](const auto& remote) { return remote.first == name; });
    if (same == base.remotes.end()) {
      base.remotes.emplace_back(name, target);
    } else {
      same->second = *Merged(same->second, target);
    }
  }
  base.range = SourceRange::Nowhere();  // OpenTofu loses the range here
}

void MergeEncryptionText(Module& module, std::string_view name, std::string_view text,
                         Diagnostics& diags) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == text.npos) {
    return;
  }
  text.remove_prefix(begin);
  const Ref<const SourceFile> file = SourceFile::Make(std::string(name), std::string(text));
  module.tree->KeepSource(file);
  const size_t errors = diags.error_count();
  const hcl::Body* body = text.front() == '{' ? hcl::ParseJson(file.get(), *module.tree, diags)
                                              : hcl::ParseNative(file.get(), *module.tree, diags);
  std::optional<Encryption> over;
  if (body != nullptr) {
    over = ReadEncryption(*body, Nowhere(module, name), diags);
  }
  if (over && diags.error_count() == errors) {
    MergeEncryption(module, *over);
  } else {
    module.encryption_unknown = true;
  }
}

}  // namespace kinu::config
