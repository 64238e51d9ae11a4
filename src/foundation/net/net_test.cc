#include <gtest/gtest.h>

#include "net/http.h"
#include "net/testing/scripted_transport.h"
#include "net/url.h"

namespace kinu::net {
namespace {

std::string Resolved(const char* base, const char* reference) {
  return Url::Parse(base)->Resolve(reference)->ToText();
}

TEST(Url, ReferencesAreResolvedAsInRfc3986) {
  const char* base = "http://a/b/c/d;p?q";
  EXPECT_EQ(Resolved(base, "g"), "http://a/b/c/g");
  EXPECT_EQ(Resolved(base, "./g"), "http://a/b/c/g");
  EXPECT_EQ(Resolved(base, "g/"), "http://a/b/c/g/");
  EXPECT_EQ(Resolved(base, "/g"), "http://a/g");
  EXPECT_EQ(Resolved(base, "//g"), "http://g");
  EXPECT_EQ(Resolved(base, "?y"), "http://a/b/c/d;p?y");
  EXPECT_EQ(Resolved(base, "g?y"), "http://a/b/c/g?y");
  EXPECT_EQ(Resolved(base, ""), "http://a/b/c/d;p?q");
  EXPECT_EQ(Resolved(base, "."), "http://a/b/c/");
  EXPECT_EQ(Resolved(base, ".."), "http://a/b/");
  EXPECT_EQ(Resolved(base, "../g"), "http://a/b/g");
  EXPECT_EQ(Resolved(base, "../../g"), "http://a/g");
  EXPECT_EQ(Resolved(base, "../../../g"), "http://a/g");
  EXPECT_EQ(Resolved(base, "https://x:8443/y"), "https://x:8443/y");
}

TEST(Url, BaseWithoutFinalSlashLosesItsLastSegment) {
  EXPECT_EQ(Resolved("https://h/v1/providers", "a/b/versions"), "https://h/v1/a/b/versions");
  EXPECT_EQ(Resolved("https://h/v1/providers/", "a/b/versions"),
            "https://h/v1/providers/a/b/versions");
  EXPECT_EQ(Resolved("https://h", "a"), "https://h/a");
}

TEST(Url, PartsAndQueries) {
  auto url = Url::Parse("HTTPS://u:p@Host:8443/a%20b?x=1&token=s%2Fecret#f");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->scheme, "https");
  EXPECT_EQ(url->user, "u:p");
  EXPECT_EQ(url->host, "Host:8443");
  EXPECT_EQ(url->HostName(), "Host");
  EXPECT_EQ(url->Argument("token"), "s/ecret");
  EXPECT_EQ(url->Redacted(), "https://Host:8443/a%20b?x=...&token=...");
  url->RemoveArgument("x");
  url->SetArgument("a", "b c");
  EXPECT_EQ(url->query, "a=b+c&token=s%2Fecret");
  EXPECT_FALSE(Url::Parse("http://a\nb/"));
  EXPECT_FALSE(Url::Parse("http://a b/"));
}

TEST(Url, ProblemsAreThoseOfGo) {
  static const std::pair<const char*, const char*> kCases[] = {
      {"http://h/a?b=%zz", ""},
      {"a/b:c", ""},
      {"mailto:a%zz", ""},
      {"///a:b", ""},
      {"postgres://a:1,b:2/d", ""},
      {"http://[fe80::1%25en0]:80/", ""},
      {"%zz", "parse \"%zz\": invalid URL escape \"%zz\""},
      {"http://h/a#%z", "parse \"http://h/a\": invalid URL escape \"%z\""},
      {"::a", "parse \"::a\": missing protocol scheme"},
      {"1a:b", "parse \"1a:b\": first path segment in URL cannot contain colon"},
      {"http://a b", "parse \"http://a b\": invalid character \" \" in host name"},
      {"http://a%41/", "parse \"http://a%41/\": invalid URL escape \"%41\""},
      {"http://[::1", "parse \"http://[::1\": missing ']' in host"},
      {"http://[1.2.3.4]", "parse \"http://[1.2.3.4]\": invalid IP-literal"},
      {"http://a[::1]", "parse \"http://a[::1]\": invalid IP-literal"},
      {"http://h:p/", "parse \"http://h:p/\": invalid port \":p\" after host"},
      {"http://h:1:2/", "parse \"http://h:1:2/\": invalid port \":1:2\" after host"},
      {"http://h/\x01", "parse \"http://h/\\x01\": net/url: invalid control character in URL"},
      // Secrets are not shown.
      {"http://u:p%@h/?token=s", "parse \"http://...@h/?...\": invalid URL escape \"%\""},
      {"http://u:p|@h/", "parse \"http://...@h/\": net/url: invalid userinfo"},
  };
  for (const auto& [text, problem] : kCases) {
    const Result<Url> url = Url::Parse(text);
    EXPECT_EQ(url ? "" : url.error().message, problem) << text;
  }
}

TEST(Url, SegmentsAndQueriesAreEscaped) {
  EXPECT_EQ(SegmentEscape("a b+c@d=e&f$g,h;i'j(k)~!*/:%"),
            "a%20b+c@d=e&f$g%2Ch%3Bi%27j%28k%29~%21%2A%2F:%25");
  EXPECT_EQ(QueryEscape("a b+c/~"), "a+b%2Bc%2F~");
}

class Client : public testing::Test {
 protected:
  Result<HttpResponse> Send(HttpRequest request) {
    HttpClientOptions options;
    options.user_agent = "test/1";
    options.wait = [this](std::chrono::milliseconds time) {
      waits_.push_back(time.count());
      return true;
    };
    return HttpClient(transport_, options).Send(request);
  }
  ScriptedTransport transport_;
  std::vector<int64_t> waits_;
};

TEST_F(Client, RetriesWhatMayPass) {
  transport_.On("GET http://a/x", ScriptedTransport::Make(500))
      .FailOn("GET http://a/x", {ErrorCode::kUnavailable, "reset"})
      .On("GET http://a/x", ScriptedTransport::Make(503, "", {{"Retry-After", "7"}}))
      .On("GET http://a/x", ScriptedTransport::Make(200, "done"));
  auto response = Send({.url = "http://a/x", .retry = {.retries = 3}});
  ASSERT_TRUE(response);
  EXPECT_EQ(response->body, "done");
  EXPECT_EQ(waits_, (std::vector<int64_t>{1000, 2000, 7000}));
}

TEST_F(Client, ReportsTheLastStatusAfterAllAttempts) {
  transport_.On("GET http://a/x", ScriptedTransport::Make(500));
  auto response = Send({.url = "http://a/x", .retry = {.retries = 1}});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().message,
            "GET http://a/x giving up after 2 attempt(s): 500 Internal Server Error");
}

TEST_F(Client, NeverSendsControlCharactersInHeaders) {
  transport_.On("GET http://a/x", ScriptedTransport::Make(200));
  for (const auto& [value, good] :
       {std::pair("a\tb c\xc3\xa9", true), std::pair("a\nX-Other: b", false),
        std::pair("a\r\n", false), std::pair("\x01", false), std::pair("\x7f", false)}) {
    HttpRequest request{.url = "http://a/x", .retry = {.retries = 3}};
    request.headers.Set("X-Team", value);
    auto response = Send(request);
    ASSERT_EQ(response.has_value(), good) << value;
    if (!good) {
      EXPECT_EQ(response.error().message,
                "Get \"http://a/x\": net/http: invalid header field value for \"X-Team\"");
    }
  }
  EXPECT_EQ(transport_.requests().size(), 1u);
  EXPECT_TRUE(waits_.empty());
}

TEST_F(Client, DoesNotRetryWhatWillNotPass) {
  transport_.FailOn("GET http://a/x", {ErrorCode::kInvalid, "certificate has expired"});
  auto response = Send({.url = "http://a/x?token=1", .retry = {.retries = 3}});
  ASSERT_TRUE(response);
  response = Send({.url = "http://a/x", .retry = {.retries = 3}});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().message, "Get \"http://a/x\": certificate has expired");
  transport_.On("GET http://a/y", ScriptedTransport::Make(501));
  EXPECT_EQ(Send({.url = "http://a/y", .retry = {.retries = 3}})->status, 501);
  EXPECT_TRUE(waits_.empty());
}

TEST_F(Client, FollowsRedirectsAndDropsCredentialsForOtherHosts) {
  transport_.On("GET http://a/1", ScriptedTransport::Make(302, "", {{"Location", "/2"}}))
      .On("GET http://a/2", ScriptedTransport::Make(307, "", {{"location", "http://b/3"}}))
      .On("GET http://b/3", ScriptedTransport::Make(200, "here"));
  HttpRequest request{.url = "http://a/1"};
  request.headers.Set("Authorization", "Bearer secret");
  auto response = Send(request);
  ASSERT_TRUE(response);
  EXPECT_EQ(response->body, "here");
  EXPECT_EQ(response->url, "http://b/3");
  const auto sent = transport_.requests();
  EXPECT_EQ(sent[1].headers.Get("authorization"), "Bearer secret");
  EXPECT_EQ(sent[2].headers.Find("Authorization"), nullptr);
  EXPECT_EQ(sent[2].headers.Get("User-Agent"), "test/1");
}

TEST_F(Client, EndsRedirectLoops) {
  transport_.On("GET http://a/1", ScriptedTransport::Make(302, "", {{"Location", "/1"}}));
  auto response = Send({.url = "http://a/1"});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().message, "Get \"http://a/1\": stopped after 10 redirects");
  EXPECT_EQ(Send({.url = "http://a/1", .max_redirects = 0})->status, 302);
}

TEST_F(Client, RedirectedPostBecomesGet) {
  transport_.On("POST http://a/1", ScriptedTransport::Make(303, "", {{"Location", "/2"}}))
      .On("GET http://a/2", ScriptedTransport::Make(200));
  ASSERT_TRUE(Send({.method = "POST", .url = "http://a/1", .body = "x"}));
  EXPECT_EQ(transport_.requests()[1].body, "");
}

TEST_F(Client, StreamsAndDoesNotRepeatWhatWasReceived) {
  transport_.On("GET http://a/x", ScriptedTransport::Make(200, "content"));
  std::string got;
  ASSERT_TRUE(Send({.url = "http://a/x", .sink = [&](std::string_view piece) {
                      got += piece;
                      return true;
                    }}));
  EXPECT_EQ(got, "content");
  auto refused = Send({.url = "http://a/x",
                       .sink = [](std::string_view) { return false; },
                       .retry = {.retries = 2}});
  ASSERT_FALSE(refused);
  EXPECT_TRUE(waits_.empty());
}

TEST_F(Client, RefusesOtherSchemesAndLongBodies) {
  EXPECT_FALSE(Send({.url = "ftp://a/x"}));
  EXPECT_FALSE(Send({.url = "/x"}));
  transport_.On("GET http://a/x", ScriptedTransport::Make(200, "12345"));
  EXPECT_FALSE(Send({.url = "http://a/x", .max_body = 4}));
}

TEST_F(Client, StopsWhenInterrupted) {
  std::atomic<bool> stop = true;
  HttpClient client(transport_, {.stop = &stop});
  auto response = client.Send({.url = "http://a/x", .retry = {.retries = 3}});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kCancelled);
}

}  // namespace
}  // namespace kinu::net
