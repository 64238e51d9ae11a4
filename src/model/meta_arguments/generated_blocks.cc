#include "meta_arguments/generated_blocks.h"

#include "hcl/parse.h"

namespace kinu::meta_arguments {

const hcl::Body* GeneratedBlocks::Parse(std::string content) {
  const std::string name = content.empty() ? "" : "generated.tf";
  auto tree = std::make_unique<hcl::SyntaxTree>();
  auto file = SourceFile::Make(name, std::move(content));
  Diagnostics none;
  const hcl::Body* body = hcl::ParseNative(file.get(), *tree, none);
  std::lock_guard lock(mutex_);
  trees_.push_back(std::move(tree));
  sources_.push_back(std::move(file));
  return body;
}

void GeneratedBlocks::AddBlocks(const config::Config& config) {
  const config::Module& root = *config.root().module;
  std::vector<config::Resource> added;
  const hcl::Body* empty = Parse("");
  for (const config::Import& import : root.imports) {
    if (!import.target.module.is_root() || root.FindResource(import.target.resource) >= 0 ||
        !names_.insert(import.target.resource).second) {
      continue;
    }
    config::Resource resource;
    resource.name = import.target.resource;
    resource.range = import.range;
    resource.type_begin = import.range.begin;
    resource.type_end = import.range.end;
    resource.body = empty;
    resource.provider_ref = import.provider_ref;
    if (resource.provider_ref) {
      resource.provider_ref->key = nullptr;  // an import block cannot choose an instance
    }
    resource.provider = import.provider;
    added.push_back(std::move(resource));
  }
  config_ = config.WithRootResources(std::move(added));
}

}  // namespace kinu::meta_arguments
