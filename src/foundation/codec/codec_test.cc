#include <gtest/gtest.h>

#include "codec/base64.h"
#include "codec/certificate.h"
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

// A self-signed certificate with its RSA key; the password is "secret".
constexpr std::string_view kPkcs12 =
    "MIIGfwIBAzCCBjUGCSqGSIb3DQEHAaCCBiYEggYiMIIGHjCCAuIGCSqGSIb3DQEHBqCCAtMwggLPAgEAMIICyAYJ"
    "KoZIhvcNAQcBMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhXrwLApGdT+wICCAAwDAYIKoZIhvcNAgkF"
    "ADAdBglghkgBZQMEASoEEEy84SBnMjoaCUUPOTIZaiaAggJg8U+UbG5QAXM4aTjgE8fPMzwcGdu7b2z6uHJxhh1i"
    "cNjcRJFj6glMpqPpDp260i/X7I6pqUPs5M8990ga5gEKFCQnDAQzVEVBfPW1aC5OBdcZPS4wfYSdL41DUTG7pRE1"
    "WOyy3CIoE+ToPVrtgDFWtaUrEJMiO2iPaPd4AOFFPGwBGSoWAro/py3kB1L79eGd14T1y3iG4uY0A6SQdoPJuVTW"
    "ucVy4JQ7jhzEnZBSGUq7/XWH/GXAH+Fx8Bg/PS4IL8deuutVkVV3sULO/GAoPsoIawfkvoN+zXarjC7fK52FAhsu"
    "IZAG1eogg8l/ABbXC2VjWqkV2tAw300/EIOCU0egSTz2HmwtaicxVJbUekM+Fir09o3ENyAmMkQwptHpHm3l9x4z"
    "MqNrESIkitR5BDpzORxfWZAaL2VTh61Qox/O9gLIub+FGP+G5KO2PH20A3UnD4KdOoXQNBYgxLtS0RQIc9mdck/w"
    "2uoDPtvwAuXeyN96LTIKaqtuxKhS0/elKFad1pYFiZyMajccQ2I1w79tuwkpyznciLIDruJ5tF0x3wqG7DYMq8hS"
    "K0flQFGsmgy3EuOTM5n44ULZc7PKp+ZZu1d7QatDjDJmC72j3hwNn8nJvk7ChvOs8zjvk0fmNPkOl7L2VL9UoYjh"
    "Lg29yj2wjVwfxtyYGZ37fvap2S6SKbQ7Y2zqjC8RF2tazZtSPBDsQXJaSAFtEGZNz5eBzrKalSNhub5uLmFCog2c"
    "RR/9TuXGuB5AITLnXmt7K45rXtJDX9bDjFwYD2AVYO2vO7ofmP8X7d8jb57fPo86XugwggM0BgkqhkiG9w0BBwGg"
    "ggMlBIIDITCCAx0wggMZBgsqhkiG9w0BDAoBAqCCAuEwggLdMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAc"
    "BAgRtiLHyg1KUgICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEFfIYc1VEte6T+rbNVqylvwEggKAlqVA"
    "55BJiqIw9DmLr+UD2MAYAH5uovfdM/EoNOWg1Q5EUpq+4udgHOkS3ojScxFpWPtIKLiGqJ0naeIg6YCcxKEEUBaK"
    "6opuVnQiAvqmi+2Fni8Gb/nDIljvroCr4O7wmSabaDYYbFYr7AUynU7PJhgCrkMh/bvg7gwMcUE6XhsVeD94v+z8"
    "eV9yy1QnD8fJ1ONffu4+b/1Ave/g9NaAUVLVr4TegjxejSOEn8oFsIkrqCbKvMtJksaQ1pEOyEGID6A5HJXBWE8Q"
    "eV0pU2qW3LCwuTmjGtnE0xFXYQFtVzgvY2vhDMde/CS2kNzVZr80EkRuae9a+auNVKSrhaEeL1uEH9zQ63o95qI5"
    "+NwZIAtvccGjr/bQM/VTiPYKLRGWsPQEG27GQGLlESawWg7ZQY1jh6OiewwPTtd4Pm9GJwV9pPKet+ujhVJdNC8t"
    "42CyjxStLwgWfzPGI9whhwXkIxE1xvt5Y6LHIWlAyLAe52/fNS1WHSyq6HWWZc83z+0qzYNLUu+CBrat0VQuah6F"
    "zWEC2v8GrmX3Ii7YYbPW5DaxjDFgDGOqt9XuNRHBYsr5ibBzsGNQnWRUkJKak1dykfDe5IJBW3XK7ITKSb/cyPsy"
    "tUcRP4bE0dz+cT+8lSVxbJxQKfkawz502a3FtnDReJKPuud6uj+AcKj1VcU1Aoj7//E468JNB5WMT8MB5Rxk+Rdv"
    "aTHX963lM+E/RWTeKpmlKDb4dpzILbXtvPsgSaeZSu9qAnHI98OtttsnB0T/zH7CY3d/o7Tpg1LDWw80biasGukA"
    "1yC6nuP9ORyX63yK1PIGr1dKkQKvk9WtOJGyBI7QVXXPvDcU0y/+tS3IVDElMCMGCSqGSIb3DQEJFTEWBBTqhV5s"
    "9DyIqMnKwWLqniQleXCl8zBBMDEwDQYJYIZIAWUDBAIBBQAEICqHye9ecUDkzJ55XJs+Edb3FKM58fy2rnhv77Jd"
    "v1tVBAizlUPD8f3phwICCAA=";

TEST(Certificates, AreReadWithTheirKeys) {
  const std::string file = DecodeBase64(kPkcs12).value();
  const auto read = ReadPkcs12(file, "secret");
  ASSERT_TRUE(read);
  EXPECT_EQ(EncodeBase64(Digest(HashKind::kSha256, read->certificate)),
            "mS9H24w5dNxXSk7XYGmhQtP8YpNL5T+tWBpb5ADfEo4=");
  const auto signature = SignPs256(read->private_key, "text");
  ASSERT_TRUE(signature);
  EXPECT_EQ(signature->size(), 128U);
  EXPECT_NE(*signature, SignPs256(read->private_key, "text").value());  // it is salted
}

TEST(Certificates, MayBeUnusable) {
  const std::string file = DecodeBase64(kPkcs12).value();
  EXPECT_NE(ReadPkcs12(file, "other").error().message.find("password"), std::string::npos);
  EXPECT_FALSE(ReadPkcs12(file.substr(0, 100), "secret"));
  EXPECT_FALSE(ReadPkcs12("", ""));
  EXPECT_FALSE(SignPs256("no key", "text"));
}

}  // namespace
}  // namespace kinu
