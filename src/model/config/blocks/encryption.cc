// `encryption` blocks: encryption of state and plan files. Ref: opentofu
// internal/encryption/config.
#include <algorithm>

#include "config/blocks/blocks.h"

namespace kinu::config {
namespace {

constexpr std::string_view kPartLabels[] = {"type", "name"};
constexpr std::string_view kRemoteLabels[] = {"name"};
constexpr hcl::BlockSchema kBlocks[] = {{"key_provider", kPartLabels},
                                        {"method", kPartLabels},
                                        {"state"},
                                        {"plan"},
                                        {"remote_state_data_sources"}};
constexpr hcl::BlockSchema kRemoteBlocks[] = {{"default"},
                                              {"remote_state_data_source", kRemoteLabels}};
constexpr hcl::AttributeSchema kTargetArguments[] = {{"method"}};
constexpr hcl::AttributeSchema kEnforceableArguments[] = {{"enforced"}, {"method"}};
constexpr hcl::BlockSchema kTargetBlocks[] = {{"fallback"}};
constexpr hcl::AttributeSchema kKeyProviderArguments[] = {{"encrypted_metadata_alias"}};

class EncryptionReader {
 public:
  explicit EncryptionReader(Diagnostics& diags) : diags_(diags) {}

  Encryption Read(const hcl::Body& body, const SourceRange& range) {
    Encryption out;
    out.range = range;
    const hcl::BodyContent content =
        body.Content({.blocks = kBlocks}, hcl::Strictness::kExact, diags_);
    for (const hcl::Block& nested : content.blocks) {
      if (nested.type == "key_provider") {
        out.key_providers.push_back(ReadKeyProvider(nested));
      } else if (nested.type == "method") {
        out.methods.push_back(
            {std::string(nested.labels[0]), std::string(nested.labels[1]), nested.body, {}});
      }
    }
    out.state = ReadTarget(content, "state", true);
    out.plan = ReadTarget(content, "plan", true);
    if (const hcl::Block* remote = OnlyBlock(content, "remote_state_data_sources")) {
      const hcl::BodyContent inside =
          remote->body->Content({.blocks = kRemoteBlocks}, hcl::Strictness::kExact, diags_);
      out.remote_default = ReadTarget(inside, "default", false);
      for (const hcl::Block& nested : inside.blocks) {
        if (nested.type == "remote_state_data_source") {
          out.remotes.emplace_back(nested.labels[0], ReadTarget(nested, false));
        }
      }
    }
    return out;
  }

 private:
  EncryptionPart ReadKeyProvider(const hcl::Block& block) {
    const hcl::BodyContent content = block.body->Content({.attributes = kKeyProviderArguments},
                                                         hcl::Strictness::kPartial, diags_);
    const std::string type(block.labels[0]);
    const std::string name(block.labels[1]);
    std::string metadata_key;
    if (const hcl::Attribute* alias = content.Find("encrypted_metadata_alias")) {
      ReadString(*alias->expr, metadata_key, diags_);
    }
    if (metadata_key.empty()) {
      metadata_key = "key_provider." + type + "." + name;
    }
    return {type, name, block.body, metadata_key};
  }

  /// The only block of a type; null if there is none. Reports repeated blocks.
  const hcl::Block* OnlyBlock(const hcl::BodyContent& content, std::string_view type) {
    const hcl::Block* first = nullptr;
    for (const hcl::Block& block : content.blocks) {
      if (block.type != type) {
        continue;
      }
      if (first != nullptr) {
        diags_.Error("Duplicate " + std::string(type) + " block",
                     "Only one " + std::string(type) +
                         " block is allowed. Another was defined at " + ToText(first->def_range) +
                         ".",
                     block.def_range);
        return nullptr;
      }
      first = &block;
    }
    return first;
  }

  std::optional<EncryptionTarget> ReadTarget(const hcl::BodyContent& content, std::string_view type,
                                             bool enforceable) {
    const hcl::Block* block = OnlyBlock(content, type);
    return block == nullptr ? std::nullopt : std::optional(ReadTarget(*block, enforceable));
  }

  /// Reads a target and its fallbacks, which nest inside each other.
  EncryptionTarget ReadTarget(const hcl::Block& block, bool enforceable) {
    EncryptionTarget out;
    const hcl::Block* at = &block;
    hcl::BodyContent content;
    while (at != nullptr) {
      const bool is_first = at == &block;
      const hcl::Body& body = *at->body;  // which outlives the content that has the block
      const bool with_enforced = enforceable && is_first;
      content = body.Content(
          {.attributes = with_enforced
                             ? std::span<const hcl::AttributeSchema>(kEnforceableArguments)
                             : std::span<const hcl::AttributeSchema>(kTargetArguments),
           .blocks = kTargetBlocks},
          hcl::Strictness::kExact, diags_);
      if (const hcl::Attribute* enforced = content.Find("enforced")) {
        ReadBool(*enforced->expr, out.enforced, diags_);
      }
      const hcl::Attribute* given = content.Find("method");
      const EncryptionTarget::Method method = {given == nullptr ? nullptr : given->expr,
                                               body.MissingItemRange()};
      if (is_first) {
        out.method = method;
      } else {
        out.fallbacks.push_back(method);
      }
      at = OnlyBlock(content, "fallback");
    }
    return out;
  }

  Diagnostics& diags_;
};

/// Ref: keyprovider.NewAddr, method.NewAddr.
void CheckPartName(std::string_view text, const std::string& what, Diagnostics& diags) {
  const bool valid = !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
  if (!valid) {
    diags.Error("The provided " + what + " is invalid",
                "The supplied " + what + " (" + std::string(text) +
                    ") does not match the required form of ^([a-zA-Z_0-9-]+)$.");
  }
}

void CheckParts(const Encryption& encryption, const std::vector<EncryptionPart>& parts,
                std::string_view block_type, const std::string& noun, Diagnostics& diags) {
  for (const EncryptionPart& part : parts) {
    const auto same = std::ranges::count_if(parts, [&](const EncryptionPart& other) {
      return other.type == part.type && other.name == part.name;
    });
    if (same > 1) {
      diags.Error("Duplicate " + std::string(block_type),
                  "Found multiple instances of " + std::string(block_type) + "." + part.type + "." +
                      part.name,
                  encryption.range);
    }
    CheckPartName(part.type, noun + " type", diags);
    CheckPartName(part.name, noun + " name", diags);
  }
}

}  // namespace

std::optional<Encryption> ReadEncryption(const hcl::Body& body, const SourceRange& range,
                                         Diagnostics& diags) {
  const size_t errors = diags.error_count();
  Encryption encryption = EncryptionReader(diags).Read(body, range);
  if (diags.error_count() != errors) {
    return std::nullopt;
  }
  CheckParts(encryption, encryption.key_providers, "key_provider", "key provider", diags);
  CheckParts(encryption, encryption.methods, "method", "encryption method", diags);
  for (const auto& [name, target] : encryption.remotes) {
    const auto same = std::ranges::count_if(encryption.remotes,
                                            [&](const auto& other) { return other.first == name; });
    if (same > 1) {
      diags.Error("Duplicate remote_data_source",
                  "Found multiple instances of remote_data_source." + name, encryption.range);
    }
  }
  return diags.error_count() == errors ? std::optional(std::move(encryption)) : std::nullopt;
}

void ReadEncryptionBlock(BlockReader& reader, const hcl::Block& block) {
  if (auto encryption = ReadEncryption(*block.body, block.def_range, reader.diags)) {
    reader.out.encryptions.push_back(*std::move(encryption));
  }
}

}  // namespace kinu::config
