#include <gtest/gtest.h>

#include "codec/base64.h"
#include "codec/crc.h"
#include "codec/csv.h"
#include "codec/deflate.h"
#include "codec/hash.h"
#include "codec/iconv.h"

namespace kinu {
namespace {

using namespace std::string_literals;  // texts with zero bytes

TEST(Base64, EncodesAndDecodes) {
  struct Case {
    std::string_view bytes;
    std::string_view text;
  };
  const Case cases[] = {
      {"", ""},
      {"f", "Zg=="},
      {"fo", "Zm8="},
      {"foo", "Zm9v"},
      {"foob", "Zm9vYg=="},
      {"\xff\xfe\xfd", "//79"},
      {"fooba", "Zm9vYmE="},
      {"a text that is too long for a short string",
       "YSB0ZXh0IHRoYXQgaXMgdG9vIGxvbmcgZm9yIGEgc2hvcnQgc3RyaW5n"},
      {"0123456789abcdef", "MDEyMzQ1Njc4OWFiY2RlZg=="},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(EncodeBase64(c.bytes), c.text);
    EXPECT_EQ(DecodeBase64(c.text).value_or("?"), c.bytes);
  }
  EXPECT_EQ(DecodeBase64("Zm9v\nYg=\n=\n").value_or("?"), "foob");
  EXPECT_EQ(DecodeBase64("Zm9vZm9vZ\nm9vZm9v").value_or("?"), "foofoofoofoo");
}

TEST(Base64, NamesTheOffsetOfWhatIsWrong) {
  struct Case {
    std::string_view text;
    std::string_view offset;
  };
  const Case cases[] = {{"Zm9v*", "4"},  {"Z===", "1"}, {"Zg==Zg==", "4"}, {"Zg", "0"},
                        {"Zm9vYg", "4"}, {"Zg=", "3"},  {"Zm9v=", "4"}};
  for (const Case& c : cases) {
    const auto result = DecodeBase64(c.text);
    ASSERT_FALSE(result) << c.text;
    EXPECT_EQ(result.error().message, "illegal base64 data at input byte " + std::string(c.offset))
        << c.text;
  }
}

TEST(Hex, BothWays) {
  EXPECT_EQ(EncodeHex(std::string_view("\x00\xab\xff", 3)), "00abff");
  EXPECT_EQ(DecodeHex("00ABff").value_or("?"), std::string("\x00\xab\xff", 3));
  EXPECT_FALSE(DecodeHex("0"));
  EXPECT_FALSE(DecodeHex("0g"));
}

TEST(Hash, KnownDigests) {
  EXPECT_EQ(HexDigest(HashKind::kMd5, "hello"), "5d41402abc4b2a76b9719d911017c592");
  EXPECT_EQ(HexDigest(HashKind::kSha1, "hello"), "aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d");
  EXPECT_EQ(HexDigest(HashKind::kSha256, ""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(HexDigest(HashKind::kSha512, "a").substr(0, 16), "1f40fc92da241694");
  Hasher hasher(HashKind::kSha256);
  hasher.Update("hel");
  hasher.Update("lo");
  EXPECT_EQ(hasher.Finish(), Digest(HashKind::kSha256, "hello"));
}

TEST(Deflate, RoundTripsAndRefusesDamage) {
  std::string text;
  for (int i = 0; i < 50000; ++i) {
    text += std::to_string(i * 7919 % 1000);
  }
  for (const std::string& each : {std::string(), std::string("x"), text}) {
    EXPECT_EQ(Inflate(Deflate(each), each.size()).value_or("?"), each);
    EXPECT_EQ(Gunzip(Gzip(each), each.size()).value_or("?"), each);
  }
  EXPECT_LT(Deflate(text).size(), text.size() / 2);
  EXPECT_FALSE(Inflate(Deflate(text), text.size() - 1));
  EXPECT_FALSE(Inflate(Deflate(text).substr(0, 100), text.size()));
  EXPECT_FALSE(Gunzip("not gzip at all", 1000));
  const std::string gzip = Gzip(text.substr(0, 1000));
  for (size_t size = 0; size < gzip.size(); ++size) {
    EXPECT_FALSE(Gunzip(std::string_view(gzip).substr(0, size), text.size())) << size;
  }
  EXPECT_EQ(Gunzip(Gzip("one") + Gzip("two"), 100).value_or("?"), "onetwo");
  EXPECT_EQ(Gzip("x")[9], '\xff');
}

TEST(Csv, ReadsRows) {
  const auto rows = ParseCsv("a,b\r\n\n1,\"x\"\"y\r\nz\"\n,\r\n");
  ASSERT_TRUE(rows) << rows.error().message;
  const std::vector<CsvRow> want = {{"a", "b"}, {"1", "x\"y\nz"}, {"", ""}};
  EXPECT_EQ(*rows, want);
  EXPECT_TRUE(ParseCsv("")->empty());
  EXPECT_EQ(ParseCsv("a\nb", 1)->size(), 1u);
  for (std::string_view wrong : {"a,b\n1", "a\n\"x", "a\nx\"y\"", "a\n\"x\"y"}) {
    EXPECT_FALSE(ParseCsv(wrong)) << wrong;
  }
}

TEST(Iconv, KnowsIanaNamesAndRefusesWhatDoesNotFit) {
  EXPECT_EQ(EncodeText("é✓", "utf-16le").value_or("?"), "\xE9\x00\x13\x27"s);
  EXPECT_EQ(EncodeText("A", "UTF-16").value_or("?"), "\xFE\xFF\x00\x41"s);
  EXPECT_EQ(DecodeText("\xFF\xFE\x41\x00"s, "UTF-16").value_or("?"), "A");
  EXPECT_EQ(DecodeText("\x93\xFA\x96\x7B", "Shift_JIS").value_or("?"), "日本");
  EXPECT_EQ(EncodeText("ж", "windows-1251").value_or("?"), "\xE6");
  EXPECT_FALSE(EncodeText("日", "windows-1252"));
  EXPECT_FALSE(DecodeText("\xE9", "UTF-8"));
  EXPECT_EQ(EncodingName("bad"), "");
  EXPECT_EQ(EncodingName("windows-1201"), "");
  EXPECT_EQ(EncodingName("Latin-9"), "ISO-8859-15");
}

TEST(Crc, HasItsCheckValues) {
  EXPECT_EQ(Crc64("123456789"), 0x995DC9BBDF1939FA);
  EXPECT_EQ(Crc8(0, "123456789"), 0xF4);
  EXPECT_EQ(Crc8(Crc8(0, "12345"), "6789"), 0xF4);
  EXPECT_EQ(Crc64(""), 0U);
}

TEST(Hash, HmacHasTheValuesOfItsRfcs) {
  // RFC 2202 and RFC 4231, cases 2 and 6.
  constexpr std::string_view kText = "what do ya want for nothing?";
  constexpr std::string_view kLarge = "Test Using Larger Than Block-Size Key - Hash Key First";
  EXPECT_EQ(EncodeHex(Hmac(HashKind::kMd5, "Jefe", kText)), "750c783e6ab0b503eaa86e310a5db738");
  EXPECT_EQ(EncodeHex(Hmac(HashKind::kSha1, "Jefe", kText)),
            "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79");
  EXPECT_EQ(EncodeHex(Hmac(HashKind::kSha256, "Jefe", kText)),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(EncodeHex(Hmac(HashKind::kSha512, "Jefe", kText)).substr(0, 32),
            "164b7a7bfcf819e2e395fbe73b56e0a3");
  EXPECT_EQ(EncodeHex(Hmac(HashKind::kSha256, std::string(131, '\xaa'), kLarge)),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
  EXPECT_EQ(EncodeHex(Hmac(HashKind::kSha512, std::string(131, '\xaa'), kLarge)).substr(0, 32),
            "80b24263c7c1a3ebb71493c1dd7be8b4");
}

TEST(Hash, Md4HasTheValuesOfItsRfc) {
  EXPECT_EQ(EncodeHex(Md4("")), "31d6cfe0d16ae931b73c59d7e0c089c0");
  EXPECT_EQ(EncodeHex(Md4("message digest")), "d9130a8164549fe818874806e1c7014b");
}

}  // namespace
}  // namespace kinu
