// Puts an `encryption` configuration over another: that of an override file, or of the environment.
#include <algorithm>

#include "config/blocks/blocks.h"
#include "config/decode.h"
#include "config/merged_body.h"
#include "config/state_blocks.h"
#include "hcl/parse.h"

namespace kinu::config {

/// Ref: opentofu internal/encryption/config/config_merge.go.
void MergeEncryption(Module& module, Encryption& over) {
  if (!module.encryption) {
    module.encryption = std::move(over);
    return;
  }
  Encryption& base = *module.encryption;
  const auto merge_parts = [&](std::vector<EncryptionPart>& parts,
                               std::vector<EncryptionPart>& others) {
    for (EncryptionPart& other : others) {
      const auto same = std::ranges::find_if(parts, [&](const EncryptionPart& part) {
        return part.type == other.type && part.name == other.name;
      });
      if (same == parts.end()) {
        parts.push_back(std::move(other));
      } else {
        same->body = module.tree->Own(std::make_unique<OverriddenBody>(same->body, other.body));
      }
    }
  };
  const auto merge_targets = [](std::optional<EncryptionTarget>& target,
                                std::optional<EncryptionTarget>& other) {
    if (!target || !other) {
      target = target ? std::move(target) : std::move(other);
      return;
    }
    target->enforced |= other->enforced;
    // A missing argument replaces too, as null does. Fallbacks are replaced as a whole.
    target->methods[0] = other->methods[0];
    if (other->methods.size() > 1) {
      target->methods = std::move(other->methods);
    }
  };
  merge_parts(base.key_providers, over.key_providers);
  merge_parts(base.methods, over.methods);
  merge_targets(base.state, over.state);
  merge_targets(base.plan, over.plan);
  merge_targets(base.remote_default, over.remote_default);
  for (auto& [name, target] : over.remotes) {
    const auto same = std::ranges::find_if(
        base.remotes, [&](const auto& remote) { return remote.first == name; });
    if (same == base.remotes.end()) {
      base.remotes.emplace_back(name, std::move(target));
      continue;
    }
    std::optional<EncryptionTarget> merged = std::move(same->second);
    std::optional<EncryptionTarget> other = std::move(target);
    merge_targets(merged, other);
    same->second = *std::move(merged);
  }
  base.range = {};  // OpenTofu loses the range here
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
  if (body == nullptr || diags.error_count() != errors) {
    return;
  }
  if (auto over = ReadEncryption(*body, SourceRange{.file = file.get()}, diags)) {
    MergeEncryption(module, *over);
  }
}

}  // namespace kinu::config
