#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/files.h"
#include "codec/base64.h"
#include "codec/hash.h"
#include "install/oci_config.h"
#include "install/oci_registry.h"
#include "install/package_source.h"
#include "net/testing/scripted_transport.h"

namespace kinu::install {
namespace {

using net::ScriptedTransport;

std::string DigestOf(const std::string& bytes) {
  return "sha256:" + HexDigest(HashKind::kSha256, bytes);
}

TEST(OciReference, Names) {
  for (const char* name : {"a", "a/b", "a1.b_c__d-e--f/g"}) {
    EXPECT_TRUE(IsOciName(name)) << name;
  }
  for (const char* name : {"", "/", "A", "a/", "/a", "a..b", "a___b", "-a", "a-", "a//b", "a:b"}) {
    EXPECT_FALSE(IsOciName(name)) << name;
  }
  for (const char* domain : {"ghcr.io", "localhost:5000", "[::1]:443", "127.0.0.1"}) {
    EXPECT_TRUE(IsOciDomain(domain)) << domain;
  }
  for (const char* domain : {"", "a b", "user@host", "host:x", "host/x", "[::1", "[]"}) {
    EXPECT_FALSE(IsOciDomain(domain)) << domain;
  }
  EXPECT_TRUE(IsOciTag("1.0.0_build"));
  EXPECT_FALSE(IsOciTag(".hidden"));
  EXPECT_FALSE(IsOciTag("a/b"));
  EXPECT_TRUE(ParseOciRepository("ghcr.io/acme/x"));
  EXPECT_FALSE(ParseOciRepository("ghcr.io/acme/x:1"));
  EXPECT_FALSE(ParseOciRepository("not a reference/x"));
}

TEST(OciReference, Digests) {
  EXPECT_TRUE(CheckOciDigest("sha256:" + std::string(64, 'a')));
  EXPECT_FALSE(CheckOciDigest("sha256:" + std::string(64, 'A')));
  EXPECT_FALSE(CheckOciDigest("sha256:" + std::string(63, 'a')));
  EXPECT_FALSE(CheckOciDigest("md5:" + std::string(32, 'a')));
  EXPECT_FALSE(CheckOciDigest("nothing"));
  EXPECT_TRUE(MatchesOciDigest("x", DigestOf("x")));
  EXPECT_FALSE(MatchesOciDigest("y", DigestOf("x")));
}

TEST(OciChallenge, Headers) {
  const OciChallenge full = ParseOciChallenge(
      R"(Bearer realm="https://auth.test/token?a=b",service="r\"s",scope="repository:a:pull")");
  EXPECT_EQ(full.scheme, "bearer");
  EXPECT_EQ(full.realm, "https://auth.test/token?a=b");
  EXPECT_EQ(full.service, "r\"s");
  EXPECT_EQ(full.scope, "repository:a:pull");
  EXPECT_EQ(ParseOciChallenge("BASIC").scheme, "basic");
  EXPECT_EQ(ParseOciChallenge("Digest realm=x").scheme, "");
  EXPECT_EQ(ParseOciChallenge("Bearer realm=\"open").realm, "");
}

TEST(OciChallenge, Realms) {
  EXPECT_TRUE(CheckOciRealm("https://auth.test/token", "reg.test"));
  EXPECT_TRUE(CheckOciRealm("https://127.0.0.1:99/token", "127.0.0.1:5000"));
  for (const char* realm : {"http://auth.test/", "file:///x", "https://169.254.169.254/",
                            "https://10.0.0.1/", "https://[::1]/", "token", ""}) {
    EXPECT_FALSE(CheckOciRealm(realm, "reg.test")) << realm;
  }
}

TEST(OciPrefixes, TheLongestPathWins) {
  const OciRepository repository{"ghcr.io", "acme/modules/net"};
  EXPECT_EQ(OciPrefixRank("ghcr.io", repository), 2);
  EXPECT_EQ(OciPrefixRank("ghcr.io/acme", repository), 3);
  EXPECT_EQ(OciPrefixRank("ghcr.io/acme/modules/net", repository), 5);
  for (const char* prefix : {"docker.io", "ghcr.io/ac", "ghcr.io/acme/modules/net/x", "ghcr.io/",
                             "", "https://ghcr.io"}) {
    EXPECT_EQ(OciPrefixRank(prefix, repository), 0) << prefix;
  }
}

OciDescriptor Target(const std::string& os) {
  return {.media_type = std::string(kOciImageType),
          .artifact_type = std::string(kOciProviderTargetType),
          .digest = DigestOf(os),
          .platform = OciPlatform{.os = os, .os_version = "", .architecture = "amd64"}};
}

TEST(OciManifests, SelectsAPlatform) {
  OciManifest index{.entries = {Target("linux"), Target("darwin")}};
  const auto found = SelectOciProvider(index, "linux_amd64");
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->digest, DigestOf("linux"));
  const auto other = SelectOciProvider(index, "windows_amd64");
  ASSERT_TRUE(other);
  EXPECT_FALSE(*other);
  index.entries.push_back(Target("linux"));
  EXPECT_FALSE(SelectOciProvider(index, "linux_amd64"));
  index.entries = {Target("linux")};
  index.entries[0].artifact_type = "application/other";
  EXPECT_FALSE(SelectOciProvider(index, "linux_amd64"));
  index.entries = {Target("linux")};
  index.entries[0].platform.reset();
  EXPECT_FALSE(SelectOciProvider(index, "linux_amd64"));
  EXPECT_FALSE(SelectOciProvider({}, "linux_amd64"));
}

TEST(OciManifests, Reads) {
  const std::string head = R"({"mediaType":"application/vnd.oci.image.manifest.v1+json",)"
                           R"("artifactType":"application/vnd.opentofu.modulepkg")";
  const auto read = [](const std::string& text) {
    return ReadOciManifest(text, kOciImageType, kOciModuleType);
  };
  const auto good = read(head + R"(,"layers":[{"mediaType":"archive/zip","size":3}]})");
  ASSERT_TRUE(good);
  EXPECT_TRUE(SelectOciArchive(*good, "module packages"));
  for (const char* rest : {R"(,"layers":[1]})", R"(,"layers":{}})", R"(,"layers":[{"size":-1}]})",
                           R"(,"layers":[{"size":"x"}]})", ""}) {
    EXPECT_FALSE(read(head + rest)) << rest;
  }
  EXPECT_FALSE(read("{}"));
  for (const char* rest :
       {"}", R"(,"layers":[{"mediaType":"archive/tar"}]})",
        R"(,"layers":[{"mediaType":"archive/zip"},{"mediaType":"archive/zip"}]})"}) {
    const auto manifest = read(head + rest);
    ASSERT_TRUE(manifest) << rest;
    EXPECT_FALSE(SelectOciArchive(*manifest, "module packages")) << rest;
  }
}

TEST(OciTemplates, Problems) {
  struct Case {
    std::string text;
    std::vector<std::string> include;
    size_t errors;
  };
  const Case cases[] = {
      {"r.test/${hostname}/${namespace}/${type}", {}, 0},
      {"r.test/${namespace}/${type}", {"a.test/*/*"}, 0},
      {"r.test/x", {"acme/thing"}, 0},
      {"r.test/${namespace}/${type}", {}, 1},
      {"r.test/x", {}, 3},
      {"r.test/${other}/${hostname}/${namespace}/${type}", {}, 1},
      {"r.test/${hostname}/${namespace}/${type", {}, 1},
      {"r.test/${upper(hostname)}/${namespace}/${type}", {}, 1},
      {"r.test/A${hostname}/${namespace}/${type}", {}, 1},
      {"r.test/${hostname}/${namespace}/${type}:latest", {}, 1},
  };
  for (const Case& each : cases) {
    InstallMethod method;
    method.location = each.text;
    method.include = each.include;
    CliConfig config;
    Diagnostics diags;
    CheckOciTemplate(method, "1:1", config, diags);
    EXPECT_EQ(diags.error_count(), each.errors) << each.text;
    if (each.text == "r.test/x" && each.errors > 0) {
      EXPECT_EQ(diags.list()[0].summary, "Invalid oci_mirror repository template");
    }
  }
  const auto repository = ExpandOciTemplate("r.test/${namespace}/${type}", "h.test/acme/thing");
  ASSERT_TRUE(repository);
  EXPECT_EQ(repository->ToText(), "r.test/acme/thing");
  EXPECT_FALSE(ExpandOciTemplate("r.test", "h.test/acme/thing"));
}

class OciBlocks : public testing::Test {
 protected:
  size_t Errors(const std::string& text) {
    const std::string path = testing::TempDir() + "/oci-blocks.tofurc";
    EXPECT_TRUE(ReplaceFile(path, text));
    config_ = {};
    Diagnostics diags;
    ReadCliConfigFile(path, config_, diags);
    CheckCliBlocks(config_, diags);
    summary_ = diags.empty() ? "" : diags.list().back().summary;
    return diags.error_count();
  }
  CliConfig config_;
  std::string summary_;
};

TEST_F(OciBlocks, Valid) {
  EXPECT_EQ(Errors(R"(
oci_default_credentials {
  docker_style_config_files = ["auth.json", "/etc/auth.json"]
  docker_credentials_helper = "store"
}
oci_credentials "ghcr.io/acme" {
  username = "u"
  password = "p"
}
oci_credentials "ghcr.io" {
  docker_credentials_helper = "pass"
}
oci_credentials "r.test" {
  access_token  = "a"
  refresh_token = "r"
}
)"),
            0U);
  ASSERT_EQ(config_.oci_credentials.size(), 3U);
  EXPECT_EQ(config_.oci_credentials[0].password, "p");
  EXPECT_EQ(config_.oci_credentials[1].helper, "pass");
  EXPECT_EQ(config_.oci_default_credentials->files->at(1), "/etc/auth.json");
  EXPECT_EQ(config_.oci_default_credentials->files->at(0),
            AbsolutePath(testing::TempDir()) + "/auth.json");
  EXPECT_EQ(Errors(R"({"oci_credentials": {"ghcr.io": {"username": "u", "password": "p"}}})"), 0U);
  EXPECT_EQ(config_.oci_credentials.size(), 1U);
}

TEST_F(OciBlocks, Problems) {
  for (const char* text : {
           "oci_default_credentials \"x\" {}",
           "oci_default_credentials {}\noci_default_credentials {}",
           "oci_default_credentials {\n  docker_credentials_helper = \"a/b\"\n}",
           "oci_default_credentials {\n  docker_style_config_files = \"x\"\n}",
           "oci_default_credentials {\n  discover_ambient_credentials = false\n"
           "  docker_style_config_files = []\n}",
           "oci_credentials {}",
           "oci_credentials \"ghcr.io\" {}",
           "oci_credentials \"ghcr.io:x\" {\n  username = \"u\"\n  password = \"p\"\n}",
           "oci_credentials \"ghcr.io\" {\n  username = \"u\"\n}",
           "oci_credentials \"ghcr.io\" {\n  access_token = \"u\"\n}",
           "oci_credentials \"ghcr.io\" {\n  username = [\"u\"]\n  password = \"p\"\n}",
           "oci_credentials \"ghcr.io\" {\n  username = \"u\"\n  password = \"p\"\n"
           "  docker_credentials_helper = \"x\"\n}",
           "oci_default_credentials {\n  discover_ambient_credentials = \"true\"\n}",
           "oci_credentials \"ghcr.io\" {\n  username = true\n  password = \"p\"\n}",
           "oci_credentials \"ghcr.io\" = {\n  username = \"u\"\n  password = \"p\"\n}",
           "{\"oci_default_credentials\": [{}, {}]}",
           "provider_installation {\n  direct {\n    include = \"a/b\"\n  }\n}",
           "oci_credentials \"ghcr.io/a\" {\n  docker_credentials_helper = \"x\"\n}",
           "oci_credentials \"a.io\" {\n  docker_credentials_helper = \"x\"\n}\n"
           "oci_credentials \"a.io\" {\n  docker_credentials_helper = \"y\"\n}",
       }) {
    EXPECT_EQ(Errors(text), 1U) << text;
  }
}

TEST_F(OciBlocks, Repeated) {
  EXPECT_EQ(Errors("oci_default_credentials {}\noci_default_credentials {}"), 1U);
  EXPECT_EQ(summary_, "No more than one oci_default_credentials block may be specified");
  const std::string block = "oci_credentials \"a.io\" {\n  docker_credentials_helper = \"x\"\n}\n";
  EXPECT_EQ(Errors(block + block), 1U);
  EXPECT_EQ(summary_, "Duplicate oci_credentials block for \"a.io\"");
}

class OciAccess : public testing::Test {
 protected:
  OciAccess() { config_.oci_default_credentials = OciDefaultCredentials{.discover = false}; }
  Result<std::vector<std::string>> Tags() {
    const net::HttpClient client(transport_);
    OciStores stores(client, config_);
    KINU_TRY(OciStore * store, stores.Open({"r.test", "acme/net"}));
    return store->Tags();
  }
  void On(const std::string& line, int status, const std::string& body,
          std::vector<net::Header> headers = {}) {
    transport_.On(line, ScriptedTransport::Make(status, body, std::move(headers)));
  }
  std::string Sent(size_t index, const std::string& header) {
    const auto requests = transport_.requests();
    return index < requests.size() ? std::string(requests[index].headers.Get(header)) : "none";
  }

  CliConfig config_;
  ScriptedTransport transport_;
};

constexpr const char* kRoot = "GET https://r.test/v2/";
constexpr const char* kTags = "GET https://r.test/v2/acme/net/tags/list";

TEST_F(OciAccess, Pages) {
  On(kRoot, 200, "{}");
  On(kTags, 200, R"({"tags":["1.0.0"]})", {{"Link", "</v2/acme/net/tags/list?n=1>; rel=next"}});
  On(std::string(kTags) + "?n=1", 200, R"({"tags":["2.0.0"]})");
  const auto tags = Tags();
  ASSERT_TRUE(tags) << tags.error().message;
  EXPECT_EQ(*tags, (std::vector<std::string>{"1.0.0", "2.0.0"}));
}

TEST_F(OciAccess, Failures) {
  On(kRoot, 404, "");
  auto tags = Tags();
  ASSERT_FALSE(tags);
  EXPECT_EQ(tags.error().code, ErrorCode::kNotFound);
  struct Case {
    int status;
    std::string body;
    ErrorCode code;
  };
  const Case cases[] = {
      {404, "", ErrorCode::kNotFound},
      {404, R"({"errors":[{"code":"NAME_UNKNOWN","message":"x"}]})", ErrorCode::kNotFound},
      {404, R"({"errors":[{"code":"OTHER"}]})", ErrorCode::kUnavailable},
      {401, "", ErrorCode::kUnavailable},
      {500, "", ErrorCode::kUnavailable},
      {200, "[]", ErrorCode::kInvalid},
  };
  for (const Case& each : cases) {
    ScriptedTransport fresh;
    fresh.On(kRoot, ScriptedTransport::Make(200, "{}"));
    fresh.On(kTags, ScriptedTransport::Make(each.status, each.body));
    const net::HttpClient client(fresh);
    OciStore store(client, {"r.test", "acme/net"}, {});
    tags = store.Tags();
    ASSERT_FALSE(tags);
    EXPECT_EQ(tags.error().code, each.code) << each.status << each.body;
  }
}

TEST_F(OciAccess, BasicCredentials) {
  config_.oci_credentials.push_back({.prefix = "r.test", .username = "u", .password = "p"});
  config_.oci_credentials.push_back({.prefix = "r.test/acme", .username = "acme", .password = "q"});
  transport_.On(kRoot, ScriptedTransport::Make(401, "", {{"WWW-Authenticate", "Basic"}}));
  transport_.On(kRoot, ScriptedTransport::Make(200, "{}"));
  On(kTags, 200, R"({"tags":[]})");
  ASSERT_TRUE(Tags());
  EXPECT_EQ(Sent(0, "Authorization"), "");
  EXPECT_EQ(Sent(1, "Authorization"), "Basic " + EncodeBase64("acme:q"));
  EXPECT_EQ(Sent(2, "Authorization"), "Basic " + EncodeBase64("acme:q"));
}

TEST_F(OciAccess, NoCredentials) {
  On(kRoot, 401, "", {{"WWW-Authenticate", "Basic realm=\"x\""}});
  const auto tags = Tags();
  ASSERT_FALSE(tags);
  EXPECT_NE(tags.error().message.find("requires credentials"), std::string::npos);
  EXPECT_EQ(transport_.Lines().size(), 1U);
}

TEST_F(OciAccess, BearerTokens) {
  config_.oci_credentials.push_back({.prefix = "r.test", .username = "u", .password = "p"});
  const std::string challenge = "Bearer realm=\"https://auth.test/token\",service=\"r\"";
  transport_.On(kRoot, ScriptedTransport::Make(401, "", {{"WWW-Authenticate", challenge}}));
  transport_.On(kRoot, ScriptedTransport::Make(200, "{}"));
  transport_.On(kTags, ScriptedTransport::Make(401, "", {{"WWW-Authenticate", challenge}}));
  transport_.On(kTags, ScriptedTransport::Make(200, R"({"tags":["1.0.0"]})"));
  On("GET https://auth.test/token?service=r", 200, R"({"token":"first"})");
  On("GET https://auth.test/token?scope=repository%3Aacme%2Fnet%3Apull&service=r", 200,
     R"({"access_token":"second"})");
  const auto tags = Tags();
  ASSERT_TRUE(tags) << tags.error().message;
  EXPECT_EQ(Sent(1, "Authorization"), "Basic " + EncodeBase64("u:p"));
  EXPECT_EQ(Sent(2, "Authorization"), "Bearer first");
  EXPECT_EQ(Sent(5, "Authorization"), "Bearer second");
}

TEST_F(OciAccess, RefreshTokens) {
  const net::HttpClient client(transport_);
  OciStore store(client, {"r.test", "acme/net"}, {.refresh_token = "keep"});
  transport_.On(kRoot,
                ScriptedTransport::Make(
                    401, "", {{"WWW-Authenticate", "Bearer realm=\"https://auth.test/t\""}}));
  transport_.On(kRoot, ScriptedTransport::Make(200, "{}"));
  On("POST https://auth.test/t", 200, R"({"access_token":"new"})");
  ASSERT_TRUE(store.Ping());
  EXPECT_NE(transport_.requests()[1].body.find("refresh_token=keep"), std::string::npos);
  EXPECT_EQ(Sent(2, "Authorization"), "Bearer new");
}

TEST_F(OciAccess, TokensMayBeForARepositoryOnly) {
  const auto challenge = [] {
    return ScriptedTransport::Make(
        401, "", {{"WWW-Authenticate", "Bearer realm=\"https://auth.test/t\",service=\"r\""}});
  };
  const net::HttpClient client(transport_);
  OciStore store(client, {"r.test", "acme/net"}, {.username = "u", .password = "p"});
  transport_.On(kRoot, challenge());
  transport_.On(kRoot, challenge());  // whatever the token
  On("GET https://auth.test/t?service=r", 200, R"({"token":"useless"})");
  EXPECT_TRUE(store.Ping());
  transport_.On(kTags, challenge());
  transport_.On(kTags, ScriptedTransport::Make(200, R"({"tags":["1.0.0"]})"));
  On("GET https://auth.test/t?scope=repository%3Aacme%2Fnet%3Apull&service=r", 200,
     R"({"token":"good"})");
  const auto tags = store.Tags();
  ASSERT_TRUE(tags) << tags.error().message;
  EXPECT_EQ(transport_.requests().back().headers.Get("Authorization"), "Bearer good");
}

TEST(OciUriTemplate, MeansATemplate) {
  EXPECT_EQ(TemplateOfUri("r.test/{namespace}/{type}"), "r.test/${namespace}/${type}");
  EXPECT_EQ(TemplateOfUri("r.test/$%{type}"), "r.test/$$%%${type}");
  EXPECT_EQ(UriTemplateProblem("r.test/{hostname}/{namespace}/{type}"), "");
  EXPECT_EQ(UriTemplateProblem(""), "");
  EXPECT_NE(UriTemplateProblem("r.test/{type"), "");
  EXPECT_NE(UriTemplateProblem("r.test/type}"), "");
  EXPECT_EQ(TemplateOfUri("r.test/{version}{type}"), "r.test/${type}");
  EXPECT_EQ(UriTemplateProblem("r.test/{version}"), "");
  EXPECT_NE(UriTemplateProblem("r.test/{+version}"), "");
  EXPECT_NE(UriTemplateProblem("r.test/{}"), "");
}

TEST_F(OciAccess, AccessTokens) {
  const net::HttpClient client(transport_);
  OciStore store(client, {"r.test", "acme/net"}, {.access_token = "mine", .refresh_token = "r"});
  transport_.On(kRoot, ScriptedTransport::Make(
                           401, "", {{"WWW-Authenticate", "Bearer realm=\"http://x.test\""}}));
  transport_.On(kRoot, ScriptedTransport::Make(200, "{}"));
  ASSERT_TRUE(store.Ping());
  EXPECT_EQ(Sent(1, "Authorization"), "Bearer mine");
}

TEST_F(OciAccess, CredentialsStayWithTheRegistry) {
  const net::HttpClient client(transport_);
  OciStore store(client, {"r.test", "acme/net"}, {.username = "u", .password = "p"});
  transport_.On(kRoot, ScriptedTransport::Make(401, "", {{"WWW-Authenticate", "Basic"}}));
  transport_.On(kRoot, ScriptedTransport::Make(200, "{}"));
  ASSERT_TRUE(store.Ping());
  On("GET https://r.test/v2/acme/net/blobs/x", 307, "", {{"Location", "https://r.test:444/x"}});
  On("GET https://r.test:444/x", 401, "", {{"WWW-Authenticate", "Basic"}});
  net::HttpRequest request;
  request.url = "https://r.test/v2/acme/net/blobs/x";
  const auto response = store.Send(request);
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 401);
  EXPECT_NE(Sent(2, "Authorization"), "");
  EXPECT_EQ(Sent(3, "Authorization"), "");
  EXPECT_EQ(transport_.Lines().size(), 4U);
}

TEST_F(OciAccess, Resolves) {
  const net::HttpClient client(transport_);
  OciStore store(client, {"r.test", "acme/net"}, {});
  const std::string image(kOciImageType);
  const std::string text = "{}";
  const auto resolve = [&](const std::string& tag, std::vector<net::Header> headers) {
    On("HEAD https://r.test/v2/acme/net/manifests/" + tag, 200, "", std::move(headers));
    return store.Resolve(tag);
  };
  auto found = resolve("good", {{"Content-Type", image},
                                {"Content-Length", "2"},
                                {"Docker-Content-Digest", DigestOf(text)}});
  ASSERT_TRUE(found) << found.error().message;
  On("GET https://r.test/v2/acme/net/manifests/" + DigestOf(text), 200, text,
     {{"Content-Type", image + "; charset=utf-8"}});
  EXPECT_TRUE(store.Manifest(*found));
  found->size = 3;
  EXPECT_FALSE(store.Manifest(*found));
  EXPECT_FALSE(resolve("typeless", {{"Content-Length", "2"}}));
  EXPECT_FALSE(resolve("sizeless", {{"Content-Type", image}}));
  EXPECT_FALSE(resolve("nameless", {{"Content-Type", image}, {"Content-Length", "2"}}));
  EXPECT_TRUE(resolve(DigestOf("a"), {{"Content-Type", image}, {"Content-Length", "2"}}));
  EXPECT_FALSE(resolve(DigestOf("b"), {{"Content-Type", image},
                                       {"Content-Length", "2"},
                                       {"Docker-Content-Digest", DigestOf("a")}}));
  EXPECT_FALSE(store.Resolve("missing"));
  On("GET https://r.test/v2/acme/net/manifests/" + DigestOf("c"), 200, "d",
     {{"Content-Type", image}});
  const auto wrong =
      store.Manifest({.media_type = image, .digest = DigestOf("c"), .size = 1, .platform = {}});
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("does not match digest"), std::string::npos);
  EXPECT_FALSE(store.Manifest({.digest = DigestOf("c"), .size = int64_t{5} << 20, .platform = {}}));
}

TEST(OciCredentialFiles, DockerStyle) {
  const std::string directory = testing::TempDir() + "/oci-credentials";
  ASSERT_TRUE(MakeDirectories(directory));
  const std::string file = directory + "/auth.json";
  ASSERT_TRUE(
      ReplaceFile(file, R"({"auths":{"r.test/acme":{"auth":")" + EncodeBase64("a:b:c") +
                            R"("},"r.test":{"auth":")" + EncodeBase64("u:p") +
                            R"("},"empty.test":{}},"credHelpers":{"h.test":"kinu-none"}})"));
  CliConfig config;
  config.oci_default_credentials = OciDefaultCredentials{.files = std::vector<std::string>{file}};
  OciCredentials credentials(config);
  const auto exact = credentials.For({"r.test", "acme/net"});
  ASSERT_TRUE(exact);
  EXPECT_EQ(exact->username, "a");
  EXPECT_EQ(exact->password, "b:c");
  EXPECT_EQ(credentials.For({"r.test", "other"})->username, "u");
  EXPECT_TRUE(credentials.For({"empty.test", "x"})->empty());
  EXPECT_FALSE(credentials.For({"h.test", "x"}));  // there is no such helper
  for (const char* text : {"[]", R"({"auths":{"r.test":{"auth":"?"}}})"}) {
    ASSERT_TRUE(ReplaceFile(file, text));
    EXPECT_FALSE(OciCredentials(config).For({"r.test", "x"})) << text;
  }
  ASSERT_TRUE(
      ReplaceFile(file, R"({"auths":{"r.test":{"auth":")" + EncodeBase64("nocolon") + R"("}}})"));
  EXPECT_FALSE(OciCredentials(config).For({"r.test", "x"}));
  EXPECT_TRUE(OciCredentials(config).For({"other.test", "x"}));
  config.oci_default_credentials->files->push_back(directory + "/missing");
  EXPECT_FALSE(OciCredentials(config).For({"other.test", "x"}));
}

}  // namespace
}  // namespace kinu::install
