#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "addrs/provider_source.h"
#include "base/files.h"
#include "codec/base64.h"
#include "codec/hash.h"
#include "codec/zip.h"
#include "install/cli_config.h"
#include "install/hcl1.h"
#include "install/lock_file.h"
#include "install/package_hash.h"
#include "install/package_source.h"
#include "install/provider_installer.h"
#include "install/provider_locator.h"
#include "net/testing/scripted_transport.h"
#include "provider/wire_schema.h"

namespace kinu::install {
namespace {

/// A temporary directory for each test.
class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "/kinu-install-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  std::string Path(const std::string& name) const { return JoinPath(root_, name); }
  std::string Write(const std::string& name, const std::string& content) const {
    std::string path = Path(name);
    EXPECT_TRUE(MakeDirectories(DirName(path)));
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }

  std::string root_;
};

// --- The lock file. ---

TEST(LockFile, ReadsAndWritesTheSameBytes) {
  const std::string text = R"(# This file is maintained automatically by "tofu init".
# Manual edits may be lost in future updates.

provider "example.com/a/thing" {
  version = "0.1.0-beta1"
}

provider "registry.opentofu.org/hashicorp/aws" {
  version     = "5.100.0"
  constraints = ">= 5.0.0, ~> 5.1"
  hashes = [
    "h1:edXOJWE4ORX8Fm+dpVpICzMZJat4AX0VRCAy/xkcOc0=",
    "zh:0011",
  ]
}

provider "registry.opentofu.org/hashicorp/aws-extra" {
  version = "1.0.0"
  hashes = [
    "h1:x=",
  ]
}
)";
  Diagnostics diags;
  LockFile file = LockFile::Parse("f", text, diags);
  EXPECT_TRUE(diags.empty());
  EXPECT_EQ(file.ToText(), text);
  ASSERT_EQ(file.providers.size(), 3U);
  const ProviderLock* aws = file.Find("registry.opentofu.org/hashicorp/aws");
  ASSERT_NE(aws, nullptr);
  EXPECT_EQ(aws->version.ToText(), "5.100.0");
  EXPECT_EQ(aws->PreferredHashes().size(), 1U);
}

TEST(LockFile, EmptyOne) {
  EXPECT_EQ(LockFile().ToText(),
            "# This file is maintained automatically by \"tofu init\".\n"
            "# Manual edits may be lost in future updates.\n");
}

TEST(LockFile, Problems) {
  struct Case {
    const char* text;
    const char* summary;
  };
  const Case cases[] = {
      {R"(provider "a.b/c/d" { version = "1" })", "Invalid provider version number"},
      {R"(provider "a.b/c/d" { version = "x" })", "Invalid provider version number"},
      {R"(provider "a.b/c/d" {})", "Missing required argument"},
      {R"(provider "hashicorp/aws" { version = "1.0.0" })",
       "Non-normalized provider source address"},
      {R"(provider "terraform.io/builtin/terraform" { version = "1.0.0" })",
       "Invalid provider source address"},
      {R"(provider "x y" { version = "1.0.0" })", "Invalid provider source address"},
      {"provider \"a.b/c/d\" {\n version = \"1.0.0\"\n constraints = \">= 1\"\n}",
       "Invalid provider version constraints"},
      {"provider \"a.b/c/d\" {\n version = \"1.0.0\"\n hashes = []\n}",
       "Invalid provider hash set"},
      {"provider \"a.b/c/d\" {\n version = \"1.0.0\"\n hashes = [\"x\"]\n}",
       "Invalid provider hash string"},
      {"provider \"a.b/c/d\" {\n version = \"1.0.0\"\n}\nprovider \"a.b/c/d\" {\n version = "
       "\"1.0.0\"\n}",
       "Duplicate provider lock"},
      {"module \"x\" {}", "Dependency locks for modules are not yet supported"},
      {"other {}", "Unsupported block type"},
  };
  for (const Case& c : cases) {
    Diagnostics diags;
    LockFile::Parse("f", c.text, diags);
    ASSERT_FALSE(diags.empty()) << c.text;
    EXPECT_EQ(diags.list()[0].summary, c.summary) << c.text;
  }
}

// --- Hashes of packages. ---

TEST_F(Files, PackageHash) {
  Write("p/b.txt", "bee");
  Write("p/a/z", "");
  Write("p/LICENSE", "l");
  // Sorted by name: LICENSE, a/z, b.txt.
  std::string listing;
  for (auto [name, content] :
       {std::pair<const char*, const char*>{"LICENSE", "l"}, {"a/z", ""}, {"b.txt", "bee"}}) {
    listing += HexDigest(HashKind::kSha256, content) + "  " + name + '\n';
  }
  auto hash = HashPackage(Path("p"));
  ASSERT_TRUE(hash) << hash.error().message;
  EXPECT_EQ(*hash, "h1:" + EncodeBase64(Digest(HashKind::kSha256, listing)));
  // A symbolic link to the package has the same hash.
  ASSERT_EQ(symlink(Path("p").c_str(), Path("link").c_str()), 0);
  EXPECT_EQ(*HashPackage(Path("link")), *hash);
  Write("p/b.txt", "bees");
  EXPECT_NE(*HashPackage(Path("p")), *hash);
  EXPECT_FALSE(HashPackage(Path("nothing")));
}

TEST_F(Files, RememberedHashSeesChanges) {
  Write("p/file", "one");
  provider::SchemaCache cache(Path("cache"));
  std::string first = *RememberedPackageHash(Path("p"), cache);
  usleep(80'000);  // longer than "changed just now" (ChangedJustNow)
  EXPECT_EQ(*RememberedPackageHash(Path("p"), cache), first);
  EXPECT_FALSE(ListDirectory(Path("cache"))->empty());
  EXPECT_EQ(*RememberedPackageHash(Path("p"), cache), first);
  // What another version may have written under the same key is no hash.
  const std::vector<std::string> names = ListDirectory(Path("cache")).value();
  for (const std::string& name : names) {
    std::string note = *ReadFile(Path("cache/" + name));
    note.replace(note.find("h1:"), 3, "h9:");
    ASSERT_TRUE(ReplaceFile(Path("cache/" + name), note, 0600));
  }
  EXPECT_EQ(*RememberedPackageHash(Path("p"), cache), first);
  Write("p/file", "two");
  EXPECT_NE(*RememberedPackageHash(Path("p"), cache), first);
}

TEST_F(Files, TheNewestSchemaOfAProviderIsRemembered) {
  const provider::SchemaCache cache(Path("cache"));
  constexpr std::string_view kAddress = "registry.opentofu.org/hashicorp/aws";
  EXPECT_EQ(NewestKnownSchema(kAddress, Path("cache")), nullptr);
  cache.Store("h1:old", {.protocol = 5});
  cache.Store("h1:new", {.protocol = 6});
  const auto newest = [&] {
    const auto schema = NewestKnownSchema(kAddress, Path("cache"));
    return schema == nullptr ? 0 : provider::RawSchemaOf(*schema)->protocol;
  };
  RememberSchema(cache, kAddress, *Version::ParseExact("5.9.0"), "h1:old");
  EXPECT_EQ(newest(), 5);
  RememberSchema(cache, kAddress, *Version::ParseExact("5.10.0"), "h1:new");
  EXPECT_EQ(newest(), 6);
  RememberSchema(cache, kAddress, *Version::ParseExact("5.9.1"), "h1:old");
  EXPECT_EQ(newest(), 6);
  EXPECT_EQ(NewestKnownSchema("registry.opentofu.org/hashicorp/other", Path("cache")), nullptr);
}

TEST_F(Files, HashesOfUnpackedPackagesAreRemembered) {
  provider::SchemaCache cache(Path("cache"));
  UnpackedHashes hashes(cache);
  Write("a/file", "one");
  Write("b/file", "one");
  const std::string given = "h1:" + EncodeBase64(Digest(HashKind::kSha256, "given"));
  hashes.Add(Path("a"), given);
  hashes.Add(Path("b"), given);
  usleep(20'000);  // longer than a tick of the clock of files
  Write("b/file", "two");
  hashes.Store();  // waits for "changed just now" to pass
  EXPECT_EQ(*RememberedPackageHash(Path("a"), cache), given);
  EXPECT_NE(*RememberedPackageHash(Path("b"), cache), given);
}

// --- The CLI configuration. ---

TEST(Hcl1, Syntax) {
  auto root = ParseHcl1(R"(
# comment
plugin_cache_dir = "/a\"b" // more
/* and
   more */
n = -1.5
list = ["a", "b",]
host "h" { services = { "x.v1" = "https://y/" } }
"quoted" = true
text = <<EOT
one
two
EOT
)");
  ASSERT_TRUE(root) << root.error().message;
  EXPECT_EQ(root->Find("plugin_cache_dir")->text, "/a\"b");
  EXPECT_EQ(root->Find("n")->text, "-1.5");
  EXPECT_EQ(root->Find("list")->list.size(), 2U);
  EXPECT_EQ(root->Find("quoted")->text, "true");
  EXPECT_EQ(root->Find("text")->text, "one\ntwo\n");
  ASSERT_EQ(root->items[3].labels().size(), 1U);
  EXPECT_EQ(root->items[3].labels()[0].text, "h");
  EXPECT_EQ(root->items[3].value.Find("services")->Find("x.v1")->text, "https://y/");
}

TEST(Hcl1, Errors) {
  for (const char* text : {"a = \"x", "a = <<E\nx\n", "a = \"\\q\""}) {
    auto root = ParseHcl1(text);
    ASSERT_FALSE(root) << text;
    EXPECT_TRUE(root.error().message.starts_with("At ")) << root.error().message;
  }
  const std::pair<const char*, const char*> kErrors[] = {
      {"a", "1:3: key 'a' expected start of object ('{') or assignment ('=')"},
      {"a\n", "2:1: key 'a' expected start of object ('{') or assignment ('=')"},
      {"a \"b\"", "1:6: key 'a \"b\"' expected start of object ('{') or assignment ('=')"},
      {"= 1", "1:1: no object keys found!"},
      {"{}} ", "1:1: expected: IDENT | STRING got: LBRACE"},
      {"a {}}", "1:5: expected: IDENT | STRING | ASSIGN | LBRACE got: RBRACE"},
      {"a b = 1", "1:5: nested object expected: LBRACE got: ASSIGN"},
      {"a = b", "1:5: Unknown token: 1:5 IDENT b"},
      {"a = ]", "1:5: Unknown token: 1:5 RBRACK ]"},
      {"a = [\n", "2:1: unexpected token while parsing list: EOF"},
      {"a = [1\n", "2:1: error parsing list, expected comma or list end, got: EOF"},
      {"/*\n", "2:1: comment not terminated"},
      {"a {\n", "2:2: object expected closing RBRACE got: EOF"},
      {"a {\n  b {\n  }\n", "4:2: object expected closing RBRACE got: EOF"},
      {"a {\n  \n\n", "4:2: object expected closing RBRACE got: EOF"},
      {"a {\n  x = 1", "2:11: object expected closing RBRACE got: EOF"},
      {"a {\n  x = \"é\"", "2:11: object expected closing RBRACE got: EOF"},
  };
  for (const auto& [text, message] : kErrors) {
    auto root = ParseHcl1(text);
    ASSERT_FALSE(root) << text;
    EXPECT_EQ(root.error().message, std::string("At ") + message) << text;
  }
  EXPECT_TRUE(ParseHcl1("a =\n")) << "the end of the text ends the arguments";
  std::string deep;
  for (int i = 0; i < 10'000; ++i) {
    deep += "a {";
  }
  EXPECT_FALSE(ParseHcl1(deep));
}

class CliConfigFiles : public Files {
 protected:
  CliConfig Read(const std::string& text, const std::string& name = "tofurc") {
    CliConfig config;
    ReadCliConfigFile(Write(name, text), config, diags_);
    CheckCliBlocks(config, diags_);
    return config;
  }
  Diagnostics diags_;
};

TEST_F(CliConfigFiles, ProviderInstallation) {
  CliConfig config = Read(R"(
plugin_cache_dir = "$KINU_TEST_NONE/cache"
credentials "example.com" { token = "secret" }
provider_installation {
  dev_overrides {
    "hashicorp/aws" = "/dev/./aws"
    "example.com/a/b" = "/dev/b"
  }
  filesystem_mirror {
    path    = "/mirror"
    include = ["example.com/*/*", "hashicorp/time"]
    exclude = ["example.com/bad/*"]
  }
  network_mirror { url = "https://m.example/" }
  direct {}
}
)");
  EXPECT_TRUE(diags_.empty());
  EXPECT_EQ(config.plugin_cache_dir, "/cache");
  EXPECT_EQ(config.credentials["example.com"], "secret");
  ASSERT_TRUE(config.installation);
  EXPECT_EQ(config.dev_overrides().at("registry.opentofu.org/hashicorp/aws"), "/dev/aws");
  EXPECT_EQ(config.dev_overrides().at("example.com/a/b"), "/dev/b");
  ASSERT_EQ(config.installation->methods.size(), 3U);
  const InstallMethod& mirror = config.installation->methods[0];
  EXPECT_EQ(mirror.location, "/mirror");
  EXPECT_TRUE(MethodApplies(mirror, "example.com/good/x"));
  EXPECT_FALSE(MethodApplies(mirror, "example.com/bad/x"));
  EXPECT_TRUE(MethodApplies(mirror, "registry.opentofu.org/hashicorp/time"));
  EXPECT_FALSE(MethodApplies(mirror, "registry.opentofu.org/hashicorp/aws"));
}

TEST_F(CliConfigFiles, JsonSyntax) {
  CliConfig config = Read(R"({"provider_installation": {
      "filesystem_mirror": {"path": "/m", "include": ["*/*/*"]}}})",
                          "x.tfrc.json");
  EXPECT_TRUE(diags_.empty());
  ASSERT_TRUE(config.installation);
  EXPECT_EQ(config.installation->methods[0].location, "/m");
}

TEST_F(CliConfigFiles, Problems) {
  struct Case {
    const char* text;
    const char* summary;
  };
  const Case cases[] = {
      {"provider_installation = {}", "Invalid provider_installation block"},
      {"provider_installation \"x\" {}", "Invalid provider_installation block"},
      {"provider_installation { direct = {} }", "Invalid provider_installation method block"},
      {"provider_installation { filesystem_mirror {} }",
       "Invalid provider_installation method block"},
      {"provider_installation { other {} }", "Invalid provider_installation method block"},
      {"provider_installation {\n direct {}\n dev_overrides {}\n}",
       "Invalid provider_installation method block"},
      {"provider_installation { dev_overrides { \"a b\" = \"/x\" } }",
       "Invalid provider installation dev overrides"},
      {"provider_installation {}\nprovider_installation {}",
       "No more than one provider_installation block may be specified"},
      {"provider_installation { direct { include = [\"aws\"] } }",
       "Invalid provider source inclusion patterns"},
  };
  for (const Case& c : cases) {
    diags_ = {};
    Read(c.text);
    ASSERT_FALSE(diags_.empty()) << c.text;
    EXPECT_EQ(diags_.list()[0].summary, c.summary) << c.text;
  }
}

TEST_F(CliConfigFiles, Discovery) {
  for (const char* name :
       {"TF_CLI_CONFIG_FILE", "TERRAFORM_CONFIG", "XDG_CONFIG_HOME", "TF_PLUGIN_CACHE_DIR"}) {
    unsetenv(name);
  }
  setenv("HOME", root_.c_str(), 1);
  EXPECT_FALSE(LoadCliConfig(diags_).installation);
  Write(".terraform.d/extra.tfrc", "provider_installation { filesystem_mirror { path = \"/x\" } }");
  Write(".terraform.d/ignored.txt", "not = [");
  Write(".terraformrc", "credentials \"old\" { token = \"t\" }");
  CliConfig config = LoadCliConfig(diags_);
  EXPECT_TRUE(config.installation);
  EXPECT_TRUE(config.credentials.contains("old"));
  Write(".tofurc", "credentials \"new\" { token = \"t\" }");
  EXPECT_TRUE(LoadCliConfig(diags_).credentials.contains("new"));
  EXPECT_TRUE(diags_.empty());
  setenv("TF_CLI_CONFIG_FILE", Path("none").c_str(), 1);
  config = LoadCliConfig(diags_);
  EXPECT_FALSE(config.installation);
  ASSERT_EQ(diags_.size(), 1U);
  EXPECT_EQ(diags_.list()[0].summary, "Unable to open CLI configuration file");
  EXPECT_EQ(diags_.list()[0].severity, Severity::kWarning);
  unsetenv("TF_CLI_CONFIG_FILE");
}

// --- Installation. ---

class Installation : public Files {
 protected:
  void SetUp() override {
    Files::SetUp();
    options_.providers_directory = Path("data/providers");
    options_.cache_directory = Path("cache");
    events_.query = [this](const std::string& address, const VersionConstraints&, bool locked) {
      log_.push_back((locked ? "reuse " : "find ") + ProviderForDisplay(address));
    };
    events_.installing = [this](const std::string& address, const Version& version, bool) {
      log_.push_back("installing " + ProviderForDisplay(address) + ' ' + version.ToText());
    };
    events_.already_installed = [this](const std::string& address, const Version& version, bool) {
      log_.push_back("have " + ProviderForDisplay(address) + ' ' + version.ToText());
    };
  }
  /// Adds an unpacked package to the mirror.
  void Unpacked(const std::string& version, const std::string& content = "#!/bin/sh\n") const {
    std::string path = Write("mirror/" + std::string(kAddress) + '/' + version + '/' +
                                 CurrentPlatform() + "/terraform-provider-p_v" + version,
                             content);
    chmod(path.c_str(), 0755);
  }
  InstallResult Run(const std::string& constraints, const LockFile& locks = {}) {
    CliConfig config;
    ProviderInstallation installation;
    InstallMethod mirror;
    mirror.kind = InstallMethodKind::kFilesystemMirror;
    mirror.location = Path("mirror");
    installation.methods.push_back(mirror);
    config.installation = installation;
    ProviderRequirements requirements;
    requirements[std::string(kAddress)] = *VersionConstraints::ParseForProviders(constraints);
    Network network(config,
                    {.transport = &transport_, .version = "1.0.0", .stop = nullptr, .wait = {}});
    SourceSet source(config, {}, root_, network);
    return InstallProviders(requirements, locks, source, network, options_, events_);
  }

  static constexpr std::string_view kAddress = "registry.opentofu.org/test/p";
  net::ScriptedTransport transport_;
  InstallOptions options_;
  InstallEvents events_;
  std::vector<std::string> log_;
};

TEST_F(Installation, NewestAllowedVersionIsLinked) {
  Unpacked("1.0.0");
  Unpacked("1.5.0");
  Unpacked("1.6.0-beta1");
  Unpacked("2.0.0");
  InstallResult result = Run("~> 1.0");
  EXPECT_TRUE(result.errors.empty());
  const ProviderLock* lock = result.locks.Find(kAddress);
  ASSERT_NE(lock, nullptr);
  EXPECT_EQ(lock->version.ToText(), "1.5.0");
  EXPECT_EQ(lock->constraints.ToCanonicalText(), "~> 1.0");
  ASSERT_EQ(lock->hashes.size(), 1U);
  EXPECT_TRUE(lock->hashes[0].starts_with("h1:"));
  std::string directory = PackageDirectory(options_.providers_directory, kAddress, lock->version);
  struct stat info = {};
  ASSERT_EQ(lstat(directory.c_str(), &info), 0);
  EXPECT_TRUE(S_ISLNK(info.st_mode));
  EXPECT_TRUE(FindExecutable(directory, "p"));
  EXPECT_EQ(log_, (std::vector<std::string>{"find test/p", "installing test/p 1.5.0"}));

  // A second run does nothing: without -upgrade, newer packages are ignored.
  log_.clear();
  Unpacked("1.7.0");
  InstallResult again = Run("~> 1.0", result.locks);
  EXPECT_EQ(log_, (std::vector<std::string>{"reuse test/p", "have test/p 1.5.0"}));
  EXPECT_TRUE(again.locks == result.locks);
  options_.upgrade = true;
  EXPECT_EQ(Run("~> 1.0", result.locks).locks.Find(kAddress)->version.ToText(), "1.7.0");
}

TEST_F(Installation, PackedPackage) {
  ZipWriter zip;
  zip.Add("terraform-provider-p_v1.2.3", "#!/bin/sh\n");
  zip.Add("docs/README", "text");
  std::string archive = zip.Finish();
  Write("mirror/" + std::string(kAddress) + "/terraform-provider-p_1.2.3_" + CurrentPlatform() +
            ".zip",
        archive);
  InstallResult result = Run("");
  EXPECT_TRUE(result.errors.empty());
  const ProviderLock* lock = result.locks.Find(kAddress);
  ASSERT_NE(lock, nullptr);
  EXPECT_EQ(lock->hashes.size(), 1U);
  std::string directory = PackageDirectory(options_.providers_directory, kAddress, lock->version);
  EXPECT_EQ(ReadFile(directory + "/docs/README").value_or(""), "text");
  EXPECT_EQ(*HashPackage(directory), lock->hashes[0]);
}

TEST_F(Installation, SharedCache) {
  Unpacked("1.0.0");
  options_.plugin_cache_directory = Path("shared");
  InstallResult result = Run("");
  EXPECT_TRUE(result.errors.empty());
  std::string directory =
      PackageDirectory(options_.providers_directory, kAddress, *Version::Parse("1.0.0"));
  EXPECT_EQ(std::filesystem::read_symlink(directory).string(),
            PackageDirectory(Path("shared"), kAddress, *Version::Parse("1.0.0")));
  EXPECT_EQ(*HashPackage(directory), result.locks.Find(kAddress)->hashes[0]);
}

TEST_F(Installation, ArchiveMayNotLeaveItsDirectory) {
  ZipWriter zip;
  zip.Add("../evil", "x");
  Write("mirror/" + std::string(kAddress) + "/terraform-provider-p_1.0.0_" + CurrentPlatform() +
            ".zip",
        zip.Finish());
  EXPECT_FALSE(Run("").errors.empty());
  EXPECT_FALSE(FileExists(Path("data/providers/registry.opentofu.org/test/p/1.0.0/evil")));
}

TEST_F(Installation, Failures) {
  Unpacked("1.0.0");
  std::string address(kAddress);
  EXPECT_TRUE(Run(">= 2.0").errors[address].starts_with("no available releases match"));
  LockFile locks;
  locks.Set(address, *Version::Parse("1.0.0"), {}, {"h1:wrong="});
  EXPECT_TRUE(Run("> 1.0", locks).errors[address].starts_with("locked provider"));
  EXPECT_NE(Run("", locks).errors[address].find("doesn't match any of the checksums"),
            std::string::npos);
  locks.Set(address, *Version::Parse("0.9.0"), {}, {});
  EXPECT_NE(Run("", locks).errors[address].find("no longer available"), std::string::npos);
}

// --- From a lock file to a running provider. ---

class Locator : public Installation {
 protected:
  ProviderLocator::Options Options(LockFile locks) const {
    ProviderLocator::Options options;
    options.providers_directory = options_.providers_directory;
    options.locks = std::move(locks);
    options.cache_directory = Path("cache");
    return options;
  }
};

TEST_F(Locator, ExplainsWhatIsMissing) {
  Unpacked("1.0.0");
  InstallResult installed = Run("");
  ProviderLocator locator(Options(installed.locks));
  EXPECT_TRUE(locator.Schema(kBuiltInProvider));
  EXPECT_FALSE(locator.Missing(kBuiltInProvider));
  EXPECT_FALSE(locator.Missing(kAddress));
  EXPECT_TRUE(locator.Missing("registry.opentofu.org/test/q"));
  EXPECT_EQ(locator.Schema("registry.opentofu.org/test/q").error().code, ErrorCode::kNotFound);
  // The file is not a provider.
  EXPECT_NE(locator.Schema(kAddress).error().message.find("the provider " + std::string(kAddress)),
            std::string::npos);
  EXPECT_NE(locator.Schema(kAddress).error().message.find("plugin exited before we could connect"),
            std::string::npos);
  Unpacked("1.0.0", "changed");
  ProviderLocator strict(Options(installed.locks));
  EXPECT_NE(strict.Start(kAddress).error().message.find("does not match any of the checksums"),
            std::string::npos);
  std::filesystem::remove_all(options_.providers_directory);
  EXPECT_NE(ProviderLocator(Options(installed.locks))
                .Schema(kAddress)
                .error()
                .message.find("there is no package for"),
            std::string::npos);
}

TEST_F(Locator, RealProviderAndItsCache) {
  std::string mirror = KINU_TEST_MIRROR;
  std::string address = "registry.opentofu.org/kinu/kinutest";
  if (!IsDirectory(mirror + '/' + address)) {
    GTEST_SKIP() << "the test providers are not built (tests/providers/build.sh)";
  }
  CliConfig config;
  ProviderRequirements requirements;
  requirements[address] = {};
  Network network(config,
                  {.transport = &transport_, .version = "1.0.0", .stop = nullptr, .wait = {}});
  SourceSet source(config, {mirror}, root_, network);
  InstallResult installed = InstallProviders(requirements, {}, source, network, options_, events_);
  ASSERT_TRUE(installed.errors.empty()) << installed.errors.begin()->second;
  {
    ProviderLocator cold(Options(installed.locks));
    auto schema = cold.Schema(address);
    ASSERT_TRUE(schema) << schema.error().message;
    EXPECT_NE((*schema)->FindResource("kinutest_thing"), nullptr);
    auto provider = cold.Start(address);
    ASSERT_TRUE(provider) << provider.error().message;
    provider::Problems problems;
    (*provider)->Configure((*schema)->provider_config().block.EmptyValue(), problems);
    EXPECT_TRUE(problems.empty());
    (*provider)->Close();
  }
  // With a warm cache the schema needs no process: the executable could be missing.
  ProviderLocator warm(Options(installed.locks));
  auto schema = warm.Schema(address);
  ASSERT_TRUE(schema) << schema.error().message;
  EXPECT_NE((*schema)->FindResource("kinutest_thing"), nullptr);
  warm.Prepare(address);
  auto provider = warm.Start(address);
  ASSERT_TRUE(provider) << provider.error().message;
  provider::Problems problems;
  (*provider)->Configure((*schema)->provider_config().block.EmptyValue(), problems);
  EXPECT_TRUE(problems.empty());
}

}  // namespace
}  // namespace kinu::install
