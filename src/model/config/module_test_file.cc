#include "config/module_test_file.h"

#include "compatibility/features.h"
#include "config/address.h"
#include "config/blocks/blocks.h"

namespace kinu::config {
namespace {

constexpr std::string_view kRunLabel[] = {"name"};
constexpr std::string_view kMockLabel[] = {"type"};
constexpr std::string_view kOverrideResource = "override_resource";
constexpr std::string_view kOverrideData = "override_data";
constexpr std::string_view kOverrideModule = "override_module";
constexpr std::string_view kMockResource = "mock_resource";
constexpr std::string_view kMockData = "mock_data";

constexpr hcl::BlockSchema kFileBlocks[] = {
    {"run", kRunLabel},          {"provider", kRunLabel}, {"variables"},
    {kOverrideResource},         {kOverrideData},         {kOverrideModule},
    {"mock_provider", kRunLabel}};
constexpr hcl::AttributeSchema kRunArguments[] = {{"command"}, {"providers"}, {"expect_failures"}};
constexpr hcl::BlockSchema kRunBlocks[] = {{"plan_options"}, {"assert"},          {"variables"},
                                           {"module"},       {kOverrideResource}, {kOverrideData},
                                           {kOverrideModule}};
constexpr hcl::AttributeSchema kOptionArguments[] = {
    {"mode"}, {"refresh"}, {"replace"}, {"target"}};
constexpr hcl::AttributeSchema kModuleArguments[] = {{"source"}, {"version"}};
constexpr hcl::AttributeSchema kOverrideArguments[] = {{"target", true}, {"values"}};
constexpr hcl::AttributeSchema kOverrideModuleArguments[] = {{"target", true}, {"outputs"}};
constexpr hcl::AttributeSchema kMockProviderArguments[] = {{"alias"}, {"for_each"}};
constexpr hcl::BlockSchema kMockProviderBlocks[] = {
    {kMockResource, kMockLabel}, {kMockData, kMockLabel}, {kOverrideResource}, {kOverrideData}};
constexpr hcl::AttributeSchema kMockArguments[] = {{"defaults"}};

bool IsResourceOverride(const hcl::Block& block) {
  return block.type == kOverrideResource || block.type == kOverrideData;
}

std::string_view BlockName(const ResourceOverride& block) {
  return block.mode == ResourceMode::kManaged ? kOverrideResource : kOverrideData;
}

uint64_t ProviderKey(Symbol local_name, Symbol alias) {
  return uint64_t{local_name.id} << 32 | alias.id;
}

/// Reads one file. A block with errors is dropped, except a provider block.
class TestFileReader {
 public:
  TestFileReader(Program& program, hcl::SyntaxTree& tree, compatibility::Level level,
                 TestFile& file, Diagnostics& diags)
      : file_(file),
        diags_(diags),
        reader_{program, tree, content_, diags, required_versions_},
        has_instances_(compatibility::Has(compatibility::Feature::kOverriddenInstances, level)) {}

  void Read(const hcl::Body& body);

 private:
  void ReadRun(const hcl::Block& block);
  void ReadRunBlock(const hcl::Block& block, TestRun& run);
  void ReadProvider(const hcl::Block& block);
  void ReadMockProvider(const hcl::Block& block);
  void CheckMocks(const MockProvider& provider);
  MockResource ReadMockResource(const hcl::Block& block);
  ResourceOverride ReadResourceOverride(const hcl::Block& block);
  void ReadTarget(const hcl::Expr& expr, ResourceOverride& out);
  ModuleOverride ReadModuleOverride(const hcl::Block& block);
  TestRun::CalledModule ReadModule(const hcl::Block& block);
  void ReadSource(const hcl::Attribute& attribute, TestRun::CalledModule& module, bool has_version);
  TestPlanOptions ReadOptions(const hcl::Block& block);
  void ReadVariables(const hcl::Block& block, std::string_view where, SourceRange& place,
                     std::vector<hcl::Attribute>& variables);
  std::optional<Value> ReadObject(const hcl::Attribute& attribute);
  /// Appends the result of `read` unless it reports errors.
  template <typename T, typename Fn>
  void Keep(std::vector<T>& list, Fn&& read) {
    const size_t errors = diags_.error_count();
    T item = read();
    if (diags_.error_count() == errors) {
      list.push_back(std::move(item));
    }
  }

  TestFile& file_;
  Diagnostics& diags_;
  FileContent content_;
  std::vector<VersionRequirement> required_versions_;
  BlockReader reader_;
  bool has_instances_;  // overrides may name instances
  FlatMap<uint64_t, size_t> provider_index_;
  FlatMap<uint64_t, size_t> mock_index_;
};

void TestFileReader::Read(const hcl::Body& body) {
  const hcl::BodyContent content =
      body.Content({.blocks = kFileBlocks}, hcl::Strictness::kExact, diags_);
  for (const hcl::Block& block : content.blocks) {
    if (block.type == "run") {
      ReadRun(block);
    } else if (block.type == "variables") {
      ReadVariables(block, "test file", file_.variables_range, file_.variables);
    } else if (block.type == "provider") {
      ReadProvider(block);
    } else if (block.type == "mock_provider") {
      ReadMockProvider(block);
    } else if (IsResourceOverride(block)) {
      Keep(file_.overrides, [&] { return ReadResourceOverride(block); });
    } else {
      Keep(file_.module_overrides, [&] { return ReadModuleOverride(block); });
    }
  }
}

void TestFileReader::ReadVariables(const hcl::Block& block, std::string_view where,
                                   SourceRange& place, std::vector<hcl::Attribute>& variables) {
  if (place.valid()) {
    diags_.Error("Multiple \"variables\" blocks",
                 "This " + std::string(where) + " already has a variables block defined at " +
                     ToText(place) + ".",
                 block.def_range);
    return;
  }
  place = block.def_range;
  variables = block.body->JustAttributes({}, diags_);
}

void TestFileReader::ReadProvider(const hcl::Block& block) {
  ReadProviderBlock(reader_, block);
  for (ProviderBlock& provider : content_.providers) {
    auto [place, is_new] = provider_index_.try_emplace(
        ProviderKey(provider.local_name, provider.alias), file_.providers.size());
    if (is_new) {
      file_.providers.push_back(std::move(provider));
    } else {
      file_.providers[place->second] = std::move(provider);
    }
  }
  content_.providers.clear();
}

std::optional<Value> TestFileReader::ReadObject(const hcl::Attribute& attribute) {
  const size_t errors = diags_.error_count();
  Value value = EvaluateConstant(*attribute.expr, diags_);
  if (diags_.error_count() != errors) {
    return std::nullopt;
  }
  if (!value.type().is_object()) {
    diags_.Error("Object expected",
                 "The argument " + Quoted(attribute.name) +
                     " must be an object: { name = value }, without references.",
                 attribute.range);
    return std::nullopt;
  }
  return value;
}

ResourceOverride TestFileReader::ReadResourceOverride(const hcl::Block& block) {
  ResourceOverride out;
  out.mode = block.type == kOverrideData ? ResourceMode::kData : ResourceMode::kManaged;
  const hcl::BodyContent content =
      block.body->Content({.attributes = kOverrideArguments}, hcl::Strictness::kExact, diags_);
  if (const hcl::Attribute* a = content.Find("target")) {
    ReadTarget(*a->expr, out);
  }
  if (const hcl::Attribute* a = content.Find("values")) {
    out.values = ReadObject(*a);
  }
  return out;
}

void TestFileReader::ReadTarget(const hcl::Expr& expr, ResourceOverride& out) {
  const hcl::TraversalExpr* traversal =
      has_instances_ ? ReadTraversalPattern(reader_, expr) : ReadTraversal(reader_, expr);
  if (traversal == nullptr) {
    return;
  }
  AddressReader address(reader_.program, *traversal,
                        has_instances_ ? AddressKeys::kPatterns : AddressKeys::kRefused, diags_);
  std::optional<Endpoint> target = address.ReadEndpoint();
  if (target && target->is_module) {
    diags_.Error(has_instances_ ? "Invalid address" : "Module address is not allowed",
                 "Expected reference to either resource or data block. Provided reference "
                 "appears to be a module.",
                 traversal->range());
  } else if (target) {
    out.target = *std::move(target);
    out.keys = address.keys();
  }
}

ModuleOverride TestFileReader::ReadModuleOverride(const hcl::Block& block) {
  ModuleOverride out;
  const hcl::BodyContent content = block.body->Content({.attributes = kOverrideModuleArguments},
                                                       hcl::Strictness::kExact, diags_);
  if (const hcl::Attribute* a = content.Find("target")) {
    if (const hcl::TraversalExpr* traversal = ReadTraversal(reader_, *a->expr)) {
      out.target = AddressReader(reader_.program, *traversal, AddressKeys::kRefused, diags_)
                       .ReadModule()
                       .value_or(Endpoint());
    }
  }
  if (const hcl::Attribute* a = content.Find("outputs")) {
    out.outputs = ReadObject(*a);
  }
  return out;
}

MockResource TestFileReader::ReadMockResource(const hcl::Block& block) {
  MockResource out;
  out.mode = block.type == kMockData ? ResourceMode::kData : ResourceMode::kManaged;
  out.type = reader_.Intern(block.labels[0]);
  const hcl::BodyContent content =
      block.body->Content({.attributes = kMockArguments}, hcl::Strictness::kExact, diags_);
  if (const hcl::Attribute* a = content.Find("defaults")) {
    out.defaults = ReadObject(*a);
  }
  return out;
}

void TestFileReader::CheckMocks(const MockProvider& provider) {
  FlatSet<uint64_t> types;
  for (const MockResource& mock : provider.resources) {
    const bool is_data = mock.mode == ResourceMode::kData;
    if (!types.insert(uint64_t{mock.type.id} << 1 | (is_data ? 1 : 0)).second) {
      diags_.Error("Duplicated `" + std::string(is_data ? kMockData : kMockResource) + "` block",
                   "This mock_provider block has another one for the type " +
                       Quoted(reader_.program.Text(mock.type)) + ".",
                   provider.range);
    }
  }
  FlatSet<std::string> targets;
  for (const ResourceOverride& block : provider.overrides) {
    const std::string target = TargetText(reader_.program, block);
    if (!targets.insert(target).second) {
      diags_.Error("Duplicated `" + std::string(BlockName(block)) + "` block",
                   "This mock_provider block overrides " + target + " more than once.",
                   provider.range);
    }
  }
}

void TestFileReader::ReadMockProvider(const hcl::Block& block) {
  const size_t errors = diags_.error_count();
  const hcl::BodyContent content =
      block.body->Content({.attributes = kMockProviderArguments, .blocks = kMockProviderBlocks},
                          hcl::Strictness::kExact, diags_);
  if (!CheckProviderName(reader_, block.labels[0], block.def_range)) {
    return;
  }
  MockProvider out;
  out.local_name = reader_.Intern(block.labels[0]);
  out.range = block.def_range;
  out.name_range = block.label_range(0);
  if (const hcl::Attribute* a = content.Find("alias")) {
    std::string alias;
    ReadString(*a->expr, alias, diags_);
    CheckName(reader_, alias, "Invalid mock provider configuration alias", a->expr->range());
    out.alias = reader_.Intern(alias);
  }
  if (const hcl::Attribute* a = content.Find("for_each")) {
    out.for_each = a->expr;
    if (out.alias.empty()) {
      diags_.Error(
          "Alias required when using \"for_each\"",
          "The for_each argument is allowed only for provider configurations with an alias.",
          a->expr->range());
    }
  }
  for (const hcl::Block& nested : content.blocks) {
    if (IsResourceOverride(nested)) {
      Keep(out.overrides, [&] { return ReadResourceOverride(nested); });
    } else {
      Keep(out.resources, [&] { return ReadMockResource(nested); });
    }
  }
  CheckMocks(out);
  if (diags_.error_count() != errors) {
    return;
  }
  auto [place, is_new] =
      mock_index_.try_emplace(ProviderKey(out.local_name, out.alias), file_.mock_providers.size());
  if (!is_new) {
    diags_.Error("Duplicated `mock_provider` block",
                 "The provider is mocked at " + ToText(file_.mock_providers[place->second].range) +
                     " already. Further mocks of it need an \"alias\" of their own.",
                 out.range);
    return;
  }
  file_.mock_providers.push_back(std::move(out));
}

TestPlanOptions TestFileReader::ReadOptions(const hcl::Block& block) {
  TestPlanOptions out;
  out.range = block.def_range;
  const hcl::BodyContent content =
      block.body->Content({.attributes = kOptionArguments}, hcl::Strictness::kExact, diags_);
  if (const hcl::Attribute* a = content.Find("mode")) {
    const std::string_view mode = hcl::AsKeyword(*a->expr, reader_.tree);
    if (mode == "refresh-only") {
      out.mode = TestMode::kRefreshOnly;
    } else if (mode != "normal") {
      diags_.Error("Invalid \"mode\" keyword",
                   "The \"mode\" argument requires one of the following keywords without quotes: "
                   "normal or refresh-only",
                   a->expr->range());
    }
  }
  const hcl::Attribute* refresh = content.Find("refresh");
  if (refresh != nullptr) {
    out.refresh = false;
    ReadBool(*refresh->expr, out.refresh, diags_);
  }
  if (const hcl::Attribute* a = content.Find("replace")) {
    out.replace = ReadDependsOn(reader_, *a);
  }
  if (const hcl::Attribute* a = content.Find("target")) {
    out.target = ReadDependsOn(reader_, *a);
  }
  if (!out.refresh && out.mode == TestMode::kRefreshOnly) {
    diags_.Error("Incompatible plan options",
                 "The \"refresh\" option cannot be set to false when running a test in "
                 "\"refresh-only\" mode.",
                 refresh->range);
  }
  return out;
}

void TestFileReader::ReadSource(const hcl::Attribute& attribute, TestRun::CalledModule& module,
                                bool has_version) {
  module.source_range = attribute.range;
  std::string text;
  if (!ReadString(*attribute.expr, text, diags_)) {
    return;
  }
  if (auto source = ReadModuleSource(text, has_version, module.source_range, diags_)) {
    module.source = *std::move(source);
  }
}

TestRun::CalledModule TestFileReader::ReadModule(const hcl::Block& block) {
  TestRun::CalledModule out;
  out.range = block.def_range;
  const hcl::BodyContent content =
      block.body->Content({.attributes = kModuleArguments}, hcl::Strictness::kExact, diags_);
  const hcl::Attribute* version = content.Find("version");
  if (version != nullptr) {
    out.version = ReadVersionConstraint(*version, diags_).value_or("");
  }
  if (const hcl::Attribute* source = content.Find("source")) {
    ReadSource(*source, out, version != nullptr);
  } else {
    diags_.Error("Missing \"source\" attribute for module block",
                 "You must specify a source attribute when executing alternate modules during test "
                 "executions.",
                 block.def_range);
  }
  return out;
}

void TestFileReader::ReadRunBlock(const hcl::Block& block, TestRun& run) {
  if (block.type == "assert") {
    Keep(run.asserts, [&] { return ReadCondition(reader_, block); });
  } else if (block.type == "variables") {
    ReadVariables(block, "run block", run.variables_range, run.variables);
  } else if (block.type == "plan_options") {
    if (run.options.range.valid()) {
      diags_.Error("Multiple \"plan_options\" blocks",
                   "This run block already has a plan_options block defined at " +
                       ToText(run.options.range) + ".",
                   block.def_range);
      return;
    }
    const size_t errors = diags_.error_count();
    TestPlanOptions options = ReadOptions(block);
    if (diags_.error_count() == errors) {
      run.options = std::move(options);
    }
  } else if (block.type == "module") {
    if (run.module) {
      diags_.Error(
          "Multiple \"module\" blocks",
          "This run block already has a module block defined at " + ToText(run.module->range) + ".",
          block.def_range);
    }
    const size_t errors = diags_.error_count();
    TestRun::CalledModule module = ReadModule(block);
    if (diags_.error_count() == errors) {
      run.module = std::move(module);
    }
  } else if (IsResourceOverride(block)) {
    Keep(run.overrides, [&] { return ReadResourceOverride(block); });
  } else {
    Keep(run.module_overrides, [&] { return ReadModuleOverride(block); });
  }
}

void TestFileReader::ReadRun(const hcl::Block& block) {
  const size_t errors = diags_.error_count();
  const hcl::BodyContent content = block.body->Content(
      {.attributes = kRunArguments, .blocks = kRunBlocks}, hcl::Strictness::kExact, diags_);
  TestRun run;
  run.name = reader_.Intern(block.labels[0]);
  run.range = block.def_range;
  run.name_range = block.label_range(0);
  CheckName(reader_, block.labels[0], "Invalid run block name", run.name_range);
  for (const hcl::Block& nested : content.blocks) {
    ReadRunBlock(nested, run);
  }
  if (const hcl::Attribute* a = content.Find("command")) {
    const std::string_view command = hcl::AsKeyword(*a->expr, reader_.tree);
    if (command == "plan") {
      run.command = TestCommand::kPlan;
    } else if (command != "apply") {
      diags_.Error("Invalid \"command\" keyword",
                   "The \"command\" argument requires one of the following keywords without "
                   "quotes: apply or plan.",
                   a->expr->range());
    }
  }
  if (const hcl::Attribute* a = content.Find("providers")) {
    ReadPassedProviders(reader_, *a, run.providers);
  }
  if (const hcl::Attribute* a = content.Find("expect_failures")) {
    run.expect_failures = ReadDependsOn(reader_, *a);
  }
  if (diags_.error_count() == errors) {
    file_.runs.push_back(std::move(run));
  }
}

}  // namespace

void ReadTestFile(Program& program, hcl::SyntaxTree& tree, const hcl::Body& body,
                  compatibility::Level level, TestFile& file, Diagnostics& diags) {
  TestFileReader(program, tree, level, file, diags).Read(body);
}

std::string TargetText(const Program& program, const ResourceOverride& block) {
  const auto text = [&](const KeyPattern& pattern) {
    return pattern.every ? "[*]" : program.ToText(pattern.key);
  };
  std::string out;
  ModuleId module = program.ModuleOf(block.target.module);
  for (size_t i = block.keys.size() - 1; i-- > 0; module = program.Parent(module)) {
    out.insert(0, "module." + std::string(program.Text(program.CallName(module))) +
                      text(block.keys[i]) + ".");
  }
  return out + program.ToText(block.target.resource) + text(block.keys.back());
}

std::vector<std::string> RunModulePath(const Program& program, const TestFile& file,
                                       const TestRun& run) {
  constexpr std::string_view kExtension = ".tftest.hcl";
  std::vector<std::string> path{"test"};
  std::string_view rest = file.name;
  for (size_t slash = rest.find('/'); slash != rest.npos; slash = rest.find('/')) {
    path.emplace_back(rest.substr(0, slash));
    rest.remove_prefix(slash + 1);
  }
  if (rest.ends_with(kExtension)) {
    rest.remove_suffix(kExtension.size());
  }
  path.emplace_back(rest);
  path.emplace_back(program.Text(run.name));
  return path;
}

std::string RunModuleKey(const Program& program, const TestFile& file, const TestRun& run) {
  std::string key;
  for (const std::string& name : RunModulePath(program, file, run)) {
    key += (key.empty() ? "" : ".") + name;
  }
  return key;
}

}  // namespace kinu::config
