#include <gtest/gtest.h>

#include "codec/base64.h"
#include "codec/hash.h"
#include "crypto/certificate.h"
#include "crypto/cipher.h"
#include "crypto/rsa.h"

namespace kinu::crypto {
namespace {

TEST(Cipher, AesGcmHasNonceBytesAndTag) {
  const std::string key(32, 'k');
  const auto sealed = EncryptAesGcm(key, "aad", "hello");
  ASSERT_TRUE(sealed);
  EXPECT_EQ(sealed->size(), 12u + 5 + 16);
  EXPECT_EQ(DecryptAesGcm(key, "aad", *sealed).value_or(""), "hello");
  EXPECT_FALSE(DecryptAesGcm(key, "other", *sealed));
  EXPECT_FALSE(DecryptAesGcm(std::string(32, 'x'), "aad", *sealed));
  for (size_t i = 0; i < sealed->size(); ++i) {
    std::string damaged = *sealed;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    EXPECT_FALSE(DecryptAesGcm(key, "aad", damaged)) << i;
  }
  EXPECT_FALSE(EncryptAesGcm("short", "", "x"));
  EXPECT_EQ(DecryptAesGcm(key, "", *EncryptAesGcm(key, "", "")).value_or("x"), "");
}

TEST(Cipher, DeriveKeyIsPbkdf2) {
  // RFC 7914, section 11.
  EXPECT_EQ(EncodeHex(DeriveKey(KeyDigest::kSha256, "passwd", "salt", 1, 16).value()),
            "55ac046e56e3089fec1691c22544b605");
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
  EXPECT_FALSE(SignRs256("", "text"));
}

}  // namespace
}  // namespace kinu::crypto
