// providers: which providers each module needs.
#include <map>

#include "cli/commands/commands.h"
#include "cli/state_session.h"
#include "codec/version.h"

namespace kinu::cli {
namespace {

/// A line of the tree with what hangs below it.
struct Branch {
  std::string label;
  std::vector<Branch> branches;
};

void Render(const Branch& branch, const std::string& prefix, std::string& out) {
  for (size_t i = 0; i < branch.branches.size(); ++i) {
    bool last = i + 1 == branch.branches.size();
    out += prefix + (last ? "└── " : "├── ") + branch.branches[i].label + "\n";
    Render(branch.branches[i], prefix + (last ? "    " : "│   "), out);
  }
}

Branch BranchOf(const Program& program, const config::Config& config,
                const config::ConfigNode& node, Diagnostics& diags) {
  const config::Module& module = *node.module;
  std::map<std::string, VersionConstraints> needed;
  auto constrain = [&](std::string_view address, const std::string& text,
                       const SourceRange& range) {
    auto parsed = VersionConstraints::ParseForProviders(text);
    if (!parsed) {
      diags.Error("Invalid version constraint", parsed.error().message, range);
      return;
    }
    needed[std::string(address)].Append(*parsed);
  };
  for (const config::RequiredProvider& required : module.required_providers) {
    constrain(program.Text(required.provider), required.version, required.range);
  }
  for (const config::ProviderBlock& block : module.providers) {
    constrain(program.Text(config.ProviderAddress(module, block.local_name)), block.version,
              block.range);
  }
  for (const config::Resource& resource : module.resources) {
    needed[std::string(program.Text(resource.provider))];
  }
  Branch branch;
  for (const auto& [address, constraints] : needed) {
    std::string versions = constraints.empty() ? "" : " " + constraints.ToCanonicalText();
    branch.branches.push_back({"provider[" + address + "]" + versions, {}});
  }
  for (size_t i = 0; i < node.children.size(); ++i) {
    if (node.children[i] != nullptr) {
      Branch child = BranchOf(program, config, *node.children[i], diags);
      child.label = "module." + std::string(program.Text(module.calls[i].name));
      branch.branches.push_back(std::move(child));
    }
  }
  return branch;
}

}  // namespace

int RunProviders(Invocation& invocation) {
  static constexpr FlagSpec kFlags[] = {{"test-directory", FlagKind::kString, "tests"}};
  StateSession session(invocation);
  const std::span<const FlagSpec> tables[] = {kFlags, kVariableFlags};
  session.Parse(tables);
  if (session.flags && !session.flags->positionals().empty()) {
    session.diags.Error("Unexpected argument",
                        "Too many command line arguments. Did you mean to use -chdir?");
  }
  if (session.diags.has_errors()) {
    return session.Usage();
  }
  if (!config::IsConfigDir(".")) {
    return session.Fail("No configuration files",
                        "This directory has no configuration, so no providers are required.");
  }
  auto arguments = VariableArguments(*session.flags, session.diags);
  Loaded loaded = LoadWorkingDirectory(invocation, arguments, session.diags);
  if (session.diags.has_errors()) {
    return session.Fail();
  }
  Branch root = BranchOf(*loaded.program, *loaded.config, loaded.config->root(), session.diags);
  if (session.diags.has_errors() || !session.Open()) {
    return session.Fail();
  }
  std::string text = "\nProviders required by configuration:\n.\n";
  Render(root, "", text);
  text += "\n";
  std::map<std::string, bool> stored;
  for (const auto& resource : session.state.resources) {
    stored[std::string(session.program->Text(resource->provider.provider))] = true;
  }
  if (!stored.empty()) {
    text += "Providers required by state:\n\n";
    for (const auto& [address, used] : stored) {
      text += "    provider[" + address + "]\n\n";
    }
  }
  Print(text);
  session.audience->Show(session.diags);
  return 0;
}

}  // namespace kinu::cli
