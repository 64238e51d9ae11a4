// providers: which providers each module needs.
#include <algorithm>
#include <filesystem>
#include <map>

#include "addrs/version.h"
#include "cli/flag_groups.h"
#include "cli/state_session.h"
#include "config/module_test_file.h"
#include "config/requirements.h"

namespace kinu::cli {
namespace {

/// A line of the tree with its children.
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

using Needs = std::map<std::string, VersionConstraints>;

void Constrain(std::string_view address, const std::string& text, const SourceRange& range,
               Needs& needed, Diagnostics& diags) {
  auto parsed = VersionConstraints::ParseForProviders(text);
  if (!parsed) {
    diags.Error("Invalid version constraint", parsed.error().message, range);
    return;
  }
  needed[std::string(address)].Append(*parsed);
}

Branch BranchOf(const Needs& needed) {
  Branch branch;
  for (const auto& [address, constraints] : needed) {
    std::string versions = constraints.empty() ? "" : " " + constraints.ToCanonicalText();
    branch.branches.push_back({"provider[" + address + "]" + versions, {}});
  }
  return branch;
}

Branch BranchOf(const Program& program, const config::Config& config,
                const config::ConfigNode& node, Diagnostics& diags);

/// The requirements of a test file and of the modules of its run blocks.
Branch BranchOf(const Program& program, const config::Config& config, const config::TestFile& file,
                Diagnostics& diags) {
  constexpr std::string_view kExtension = ".tftest.hcl";
  const config::Module& root = *config.root().module;
  Needs needed;
  for (const config::ProviderBlock& block : file.providers) {
    Constrain(program.Text(config.ProviderAddress(root, block.local_name)), block.version,
              block.range, needed, diags);
  }
  Branch branch = BranchOf(needed);
  branch.label = "test." + file.name;
  if (branch.label.ends_with(kExtension)) {
    branch.label.resize(branch.label.size() - kExtension.size());
  }
  std::ranges::replace(branch.label, '/', '.');
  for (const config::TestRun& run : file.runs) {
    if (run.config != nullptr) {
      Branch called = BranchOf(program, *run.config, run.config->root(), diags);
      called.label = "run." + std::string(program.Text(run.name));
      branch.branches.push_back(std::move(called));
    }
  }
  return branch;
}

Branch BranchOf(const Program& program, const config::Config& config,
                const config::ConfigNode& node, Diagnostics& diags) {
  const config::Module& module = *node.module;
  Needs needed;
  for (const config::RequiredProvider& required : module.required_providers) {
    Constrain(program.Text(required.provider), required.version, required.range, needed, diags);
  }
  for (const config::ProviderBlock& block : module.providers) {
    Constrain(program.Text(config.ProviderAddress(module, block.local_name)), block.version,
              block.range, needed, diags);
  }
  for (const config::Resource& resource : module.resources) {
    needed[std::string(program.Text(resource.provider))];
  }
  for (const config::Import& import : module.imports) {
    if (!import.provider.empty()) {
      needed[std::string(program.Text(import.provider))];
    }
    config::CheckImportProvider(module, import, diags);
  }
  Branch branch = BranchOf(needed);
  if (node.parent == nullptr && config.tests != nullptr) {
    for (const config::TestFile& file : config.tests->files) {
      branch.branches.push_back(BranchOf(program, config, file, diags));
    }
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

static int RunProviders(Invocation& invocation) {
  StateSession session(invocation);
  session.warns_of_configuration = true;
  session.Parse();
  if (!session.HasNoWords()) {
    return session.Usage();
  }
  if (!config::IsConfigDir(".")) {
    return session.Fail("No configuration files", "The directory " +
                                                      std::filesystem::current_path().string() +
                                                      " contains no OpenTofu configuration files.");
  }
  auto arguments = VariableArguments(session.flags);
  OpenWorkspace open(invocation.workspace);
  if (!open.LoadModules(
          {.variables = arguments, .test_directory = session.flags.String("test-directory")},
          session.diags)) {
    return session.Fail();
  }
  const Loaded& loaded = open.loaded;
  Branch root = BranchOf(*loaded.program, *loaded.config, loaded.config->root(), session.diags);
  session.unopened = {"Failed loading state", "Failed to load state: "};
  session.unreadable = {"Failed refreshing the state", "Failed to refresh state: "};
  if (session.diags.has_errors() || !session.Open({}, &open)) {
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

constexpr auto kProvidersFlags = JoinFlags(kTestDirectory, kBackendVariables);

extern constexpr CommandSpec kProvidersCommand{
    .name = "providers",
    .synopsis = "Show information about required providers",
    .group = CommandGroup::kSetup,
    .usage = "tofu [global options] providers [options]",
    .description = R"(Shows which providers each module of the configuration requires, and which
the state has objects of.)",
    .flags = kProvidersFlags,
    .lists_subcommands = true,
    .run = RunProviders,
    .on_misuse = MisuseAnswer::kHelp,
    .newline_after_diagnostics = true,
};

}  // namespace kinu::cli
