#include <algorithm>
#include <functional>
#include <latch>

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/testing/source_directory.h"
#include "install/mirror_writer.h"
#include "install/network.h"
#include "install/ordered_jobs.h"
#include "install/package_runtime.h"
#include "install/package_source.h"
#include "net/testing/scripted_transport.h"

namespace kinu::install {
namespace {

using net::ScriptedTransport;

constexpr const char* kPlain = "registry.example.test/acme/plain";

class Sources : public testing::Test {
 protected:
  Sources() { config_.hosts["registry.example.test"]["providers.v1"] = "http://r/v1/providers/"; }

  Network MakeNetwork() {
    return Network(config_, {.transport = &transport_,
                             .version = "1.2.3",
                             .stop = nullptr,
                             .wait = [](std::chrono::milliseconds) { return true; }});
  }
  void Answer(const std::string& url, int status, const std::string& body,
              const std::string& type = "application/json") {
    transport_.On("GET " + url, ScriptedTransport::Make(status, body, {{"Content-Type", type}}));
  }
  SourceResult<OfferedVersions> Versions(const std::string& address = kPlain) {
    Network network = MakeNetwork();
    return SourceSet(config_, {}, "/nowhere", network).Versions(address);
  }
  SourceResult<PackageOffer> Package(const std::string& version) {
    Network network = MakeNetwork();
    return SourceSet(config_, {}, "/nowhere", network)
        .Package(kPlain, *Version::ParseExact(version), "linux_amd64");
  }

  CliConfig config_;
  ScriptedTransport transport_;
};

TEST_F(Sources, RegistryListsVersions) {
  config_.installation.emplace().methods.emplace_back();
  config_.credentials["registry.example.test"] = "secret";
  Answer("http://r/v1/providers/acme/plain/versions", 200,
         R"({"versions":[{"version":"1.0.0"},{"version":"2.0.0-beta1"}],"warnings":["moved"]})");
  const auto versions = Versions();
  ASSERT_TRUE(versions);
  EXPECT_EQ(versions->versions.size(), 2U);
  EXPECT_EQ(versions->warnings, (std::vector<std::string>{"moved"}));
  const auto sent = transport_.requests();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].headers.Get("Authorization"), "Bearer secret");
  EXPECT_EQ(sent[0].headers.Get("X-Terraform-Version"), "1.2.3");
  EXPECT_EQ(sent[0].headers.Get("User-Agent").substr(0, 14), "OpenTofu/1.2.3");
}

TEST_F(Sources, RegistryFailures) {
  config_.installation.emplace().methods.emplace_back();
  struct Case {
    int status;
    std::string body;
    SourceProblem problem;
    std::string message;
  };
  const Case cases[] = {
      {404, "", SourceProblem::kUnknownProvider, "does not have a provider named"},
      {401, "", SourceProblem::kFailed, "requires authentication credentials"},
      {500, "", SourceProblem::kFailed, "giving up after 2 attempt(s): 500"},
      {200, "<html>", SourceProblem::kFailed, "could not query provider registry"},
      {200, R"({"versions":[{"version":"one"}]})", SourceProblem::kFailed, "invalid version"},
      {200, R"({"versions":[]})", SourceProblem::kNotFound, "was not found in any"},
      {200, "null", SourceProblem::kNotFound, "was not found in any"},
      {200, R"({"versions":"1.0.0"})", SourceProblem::kFailed, "cannot unmarshal string"},
      {200, R"({"versions":[{"version":"1.0.0","protocols":"5.0"}]})", SourceProblem::kFailed,
       "cannot unmarshal string"},
      {200, R"({"versions":[],"warnings":[true]})", SourceProblem::kFailed,
       "cannot unmarshal bool"},
  };
  for (const Case& each : cases) {
    ScriptedTransport fresh;
    fresh.On("GET http://r/v1/providers/acme/plain/versions",
             ScriptedTransport::Make(each.status, each.body));
    Network network(config_, {.transport = &fresh,
                              .version = "1.2.3",
                              .stop = nullptr,
                              .wait = [](std::chrono::milliseconds) { return true; }});
    const auto versions = SourceSet(config_, {}, "/nowhere", network).Versions(kPlain);
    ASSERT_FALSE(versions) << each.message;
    EXPECT_EQ(versions.error().problem, each.problem) << versions.error().message;
    EXPECT_NE(versions.error().message.find(each.message), std::string::npos)
        << versions.error().message;
  }
}

TEST_F(Sources, RegistryDescribesPackages) {
  config_.installation.emplace().methods.emplace_back();
  const std::string sum(64, 'a');
  Answer("http://r/v1/providers/acme/plain/1.0.0/download/linux/amd64", 200,
         R"({"protocols":["5.0"],"os":"linux","arch":"amd64","filename":"f.zip",)"
         R"("download_url":"https://cdn/f.zip","shasum":")" +
             sum +
             R"(","shasums_url":"/sums","shasums_signature_url":"/sums.sig",)"
             R"("signing_keys":{"gpg_public_keys":[{"ascii_armor":"KEY"}]}})");
  Answer("http://r/sums", 200, sum + "  f.zip\n", "text/plain");
  Answer("http://r/sums.sig", 200, "SIG", "text/plain");
  const auto offer = Package("1.0.0");
  ASSERT_TRUE(offer) << offer.error().message;
  EXPECT_EQ(offer->request.url, "https://cdn/f.zip");
  EXPECT_EQ(offer->request.headers.Find("Authorization"), nullptr);
  EXPECT_EQ(offer->evidence.registry->keys, (std::vector<std::string>{"KEY"}));
  EXPECT_EQ(offer->evidence.registry->signature, "SIG");
}

TEST_F(Sources, RegistrySuggestsAVersionWithAKnownProtocol) {
  config_.installation.emplace().methods.emplace_back();
  Answer("http://r/v1/providers/acme/plain/2.0.0/download/linux/amd64", 200,
         R"({"protocols":["7.0"],"os":"linux","arch":"amd64"})");
  Answer("http://r/v1/providers/acme/plain/versions", 200,
         R"({"versions":[{"version":"1.0.0","protocols":["5.0"]},)"
         R"({"version":"1.5.0","protocols":["5.1","7.0"]},)"
         R"({"version":"2.0.0","protocols":["7.0"]}]})");
  const auto offer = Package("2.0.0");
  ASSERT_FALSE(offer);
  EXPECT_EQ(offer.error().problem, SourceProblem::kProtocol);
  EXPECT_EQ(offer.error().suggestion->ToText(), "1.5.0");
}

TEST_F(Sources, DiscoveryFindsTheRegistry) {
  config_.hosts.clear();
  config_.installation.emplace().methods.emplace_back();
  Answer("https://registry.example.test/.well-known/terraform.json", 200,
         R"({"providers.v1":"/providers"})");
  Answer("https://registry.example.test/acme/plain/versions", 200,
         R"({"versions":[{"version":"1.0.0"}]})");
  EXPECT_TRUE(Versions());
  const auto other = Versions("github.com/acme/plain");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().problem, SourceProblem::kNoRegistry);
}

TEST_F(Sources, NetworkMirror) {
  InstallMethod method;
  method.kind = InstallMethodKind::kNetworkMirror;
  method.location = "https://m/base/";
  config_.installation.emplace().methods.push_back(method);
  Answer("https://m/base/registry.example.test/acme/plain/index.json", 200,
         R"({"versions":{"1.0.0":{},"nonsense":{}}})", "application/json; charset=utf-8");
  Answer("https://m/base/registry.example.test/acme/plain/1.0.0.json", 200,
         R"({"archives":{"linux_amd64":{"url":"../f.zip","hashes":["zh:1"]},)"
         R"("windows_amd64":{"url":"w.zip","hashes":["zh:2"]}}})");
  const auto versions = Versions();
  ASSERT_TRUE(versions);
  EXPECT_EQ(versions->versions.size(), 1U);
  auto offer = Package("1.0.0");
  ASSERT_TRUE(offer);
  EXPECT_EQ(offer->request.url, "https://m/base/registry.example.test/acme/f.zip");
  EXPECT_EQ(offer->evidence.mirror->hashes, (std::vector<std::string>{"zh:1"}));
  config_.installation->methods[0].trust_all_hashes = true;
  offer = Package("1.0.0");
  ASSERT_TRUE(offer);
  EXPECT_EQ(offer->evidence.mirror->hashes, (std::vector<std::string>{"zh:1", "zh:2"}));
}

TEST_F(Sources, NetworkMirrorOfAnotherForm) {
  InstallMethod method;
  method.kind = InstallMethodKind::kNetworkMirror;
  method.location = "https://m/";
  config_.installation.emplace().methods.push_back(method);
  const std::pair<const char*, const char*> archives[] = {
      {R"({"archives":{"linux_amd64":{"url":"f.zip","hashes":"zh:1"}}})",
       "cannot unmarshal string"},
      {R"({"archives":{"linux_amd64":{"url":1}}})", "cannot unmarshal number"},
      {R"({"archives":{"linux_amd64":{"url":"f.zip","hashes":["x"]}}})",
       "invalid provider hash \"x\""},
      {R"({"archives":[]})", "cannot unmarshal array"},
  };
  int patch = 0;
  for (const auto& [body, message] : archives) {
    const std::string version = "1.0." + std::to_string(patch++);
    Answer("https://m/" + std::string(kPlain) + '/' + version + ".json", 200, body);
    const auto offer = Package(version);
    ASSERT_FALSE(offer) << body;
    EXPECT_NE(offer.error().message.find(message), std::string::npos) << offer.error().message;
  }
  Answer("https://m/" + std::string(kPlain) + "/index.json", 200, R"({"Versions":{"1.0":{}}})");
  const auto versions = Versions();
  ASSERT_TRUE(versions) << versions.error().message;
  EXPECT_EQ(versions->versions.at(0).ToText(), "1.0.0");
}

TEST_F(Sources, MirrorOfAPlatformThatTheRegistryLacks) {
  config_.installation.emplace().methods.emplace_back();
  Answer("http://r/v1/providers/acme/plain/versions", 200, R"({"versions":[{"version":"1.0.0"}]})");
  Network network = MakeNetwork();
  SourceSet source(config_, {}, "/nowhere", network);
  Diagnostics diags;
  MirrorWriter(source, network, "/nowhere")
      .Add(kPlain, {}, nullptr, {"plan9_amd64"},
           {.selected = [](const Version&, const VersionConstraints&, bool) {},
            .downloading = [](const Version&, const std::string&) {},
            .downloaded = [](const Version&, const std::string&, const PackageTrust&) {},
            .warn = [](const std::string&) {}},
           diags);
  ASSERT_EQ(diags.size(), 1U);
  EXPECT_EQ(diags.list()[0].summary, "Provider release not available");
}

// --- What packages can be trusted for. ---

ArrivedPackage Arrived(char digit) {
  return {.address = "registry.opentofu.org/acme/plain",
          .platform = "linux_amd64",
          .checksum = std::string(64, digit),
          .size = 10,
          .content_hash = [] { return Result<std::string>("h1:content"); }};
}

PackageEvidence Registered(char digit) {
  RegistryEvidence registry;
  registry.filename = "f.zip";
  registry.checksum = std::string(64, digit);
  registry.checksums = std::string(64, digit) + "  f.zip\n" + std::string(64, 'c') + "  g.zip\n";
  return {.registry = registry, .mirror = std::nullopt};
}

std::string Problem(const PackageEvidence& evidence, const ArrivedPackage& package) {
  const auto trust = Authenticate(evidence, package, [](const std::string&) {});
  return trust ? "" : trust.error().message;
}

TEST(Trust, ChecksumsOfARegistryWithoutKeys) {
  const auto trust = Authenticate(Registered('a'), Arrived('a'), [](const std::string&) {});
  ASSERT_TRUE(trust);
  EXPECT_EQ(trust->Summary(), "signing skipped");
  EXPECT_EQ(trust->hashes.size(), 2U);
  EXPECT_EQ(Problem(Registered('a'), Arrived('b')),
            "archive has incorrect checksum zh:" + std::string(64, 'b') +
                " (expected zh:" + std::string(64, 'a') + ")");
  PackageEvidence unlisted = Registered('a');
  unlisted.registry->filename = "h.zip";
  EXPECT_EQ(Problem(unlisted, Arrived('a')), "checksum list has no SHA-256 hash for \"h.zip\"");
  PackageEvidence other = Registered('a');
  other.registry->checksum = std::string(64, 'b');
  EXPECT_NE(Problem(other, Arrived('b')).find("unexpected SHA-256 hash"), std::string::npos);
}

TEST(Trust, OtherHostsMustSign) {
  ArrivedPackage package = Arrived('a');
  package.address = kPlain;
  EXPECT_NE(Problem(Registered('a'), package).find("signature from unknown issuer"),
            std::string::npos);
}

TEST(Trust, PackagesOfTheRegistryResponse) {
  PackageEvidence evidence = Registered('a');
  evidence.registry->packages["linux_amd64"] = {{"zh:" + std::string(64, 'a'), "h1:x"}, 10};
  evidence.registry->packages["windows_amd64"] = {{"h1:y"}, 11};
  const auto trust = Authenticate(evidence, Arrived('a'), [](const std::string&) {});
  ASSERT_TRUE(trust);
  EXPECT_TRUE(trust->hashes.contains("h1:y"));
  ArrivedPackage longer = Arrived('a');
  longer.size = 12;
  EXPECT_EQ(Problem(evidence, longer),
            "registry response indicates a package of size 10, but received a package of size 12");
}

TEST(Trust, MirrorHashes) {
  const auto with = [](std::vector<std::string> hashes, bool all = false) {
    return PackageEvidence{.registry = std::nullopt,
                           .mirror = MirrorEvidence{std::move(hashes), all}};
  };
  EXPECT_EQ(Problem(with({"h1:content"}), Arrived('a')), "");
  EXPECT_EQ(Problem(with({"zh:" + std::string(64, 'a')}), Arrived('a')), "");
  EXPECT_EQ(Problem(with({"zh:0"}), Arrived('a')),
            "provider package doesn't match the expected checksum \"zh:0\"");
  EXPECT_NE(Problem(with({"h9:0"}), Arrived('a')).find("does not support any"), std::string::npos);
  const auto trusted =
      Authenticate(with({"h1:content", "h1:other"}, true), Arrived('a'), [](const std::string&) {});
  EXPECT_EQ(trusted->Summary(), "verified checksum");
  EXPECT_TRUE(trusted->signing_skipped());
}

TEST(Signature, OfAKeyRing) {
  const std::string folder = SourceDirectory() + "/tests/golden/signature/";
  const auto text = [&](const char* name) { return ReadFile(folder + name).value_or(""); };
  const auto runtime = LoadPackageRuntime();
  ASSERT_TRUE(runtime) << runtime.error().message;
  const auto check = [&](const std::string& document, const std::string& signature,
                         const std::string& key) {
    return (*runtime)->VerifySignature(document, signature, key);
  };
  auto result = check(text("SHA256SUMS"), text("SHA256SUMS.sig"), text("key.asc"));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->status, SignatureStatus::kValid) << result->problem;
  EXPECT_EQ(result->key_id, "A03F85257E71C45E");
  result = check(text("SHA256SUMS") + "x", text("SHA256SUMS.sig"), text("key.asc"));
  EXPECT_EQ(result->status, SignatureStatus::kInvalid);
  result = check(text("SHA256SUMS"), text("SHA256SUMS.sig"), text("other.asc"));
  EXPECT_EQ(result->status, SignatureStatus::kUnknownKey);
  result = check(text("SHA256SUMS"), "no signature", text("key.asc"));
  EXPECT_EQ(result->status, SignatureStatus::kInvalid);
  EXPECT_FALSE(check(text("SHA256SUMS"), text("SHA256SUMS.sig"), "no key"));
}

// --- Credentials and jobs. ---

TEST(Credentials, NamesOfTokenVariables) {
  EXPECT_EQ(HostOfTokenVariable("TF_TOKEN_app_example_com"), "app.example.com");
  EXPECT_EQ(HostOfTokenVariable("TF_TOKEN_my__reg_example_com"), "my-reg.example.com");
  EXPECT_EQ(HostOfTokenVariable("TF_TOKEN_"), std::nullopt);
  EXPECT_EQ(HostOfTokenVariable("PATH"), std::nullopt);
}

TEST(OrderedJobs, ReportsComeInTheOrderOfJobs) {
  std::vector<int> seen;
  RunOrdered(40, 4, [&](size_t number, JobReports& reports) {
    for (int step = 0; step < 3; ++step) {
      reports.Post([&seen, number, step] { seen.push_back(static_cast<int>(number) * 3 + step); });
    }
  });
  ASSERT_EQ(seen.size(), 120U);
  EXPECT_TRUE(std::ranges::adjacent_find(seen, std::greater<>()) == seen.end());
}

TEST(OrderedJobs, JobsThatWaitRunAtOnce) {
  std::latch all(4);
  RunOrdered(4, 4, [&](size_t, JobReports&) { all.arrive_and_wait(); });
}

}  // namespace
}  // namespace kinu::install
