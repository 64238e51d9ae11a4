#include "encryption/encryption.h"

#include <gtest/gtest.h>

#include "encryption/envelope.h"

namespace kinu::encryption {
namespace {

TEST(Envelope, ReadsWhatItWrites) {
  Envelope envelope;
  envelope.metadata["key_provider.pbkdf2.k"] = "{\"salt\":\"eA==\"}";
  envelope.data = std::string("\0\xff", 2);
  envelope.serial = 3;
  envelope.lineage = "l";
  const std::string text = envelope.ToJson(true);
  EXPECT_TRUE(text.starts_with("{\"serial\":3,\"lineage\":\"l\",\"meta\":{"));
  std::string problem;
  const auto read = ReadEnvelope(text, problem);
  ASSERT_TRUE(read && *read);
  EXPECT_EQ((*read)->metadata, envelope.metadata);
  EXPECT_EQ((*read)->data, envelope.data);
  EXPECT_EQ((*read)->serial, 3u);
  EXPECT_EQ((*read)->lineage, "l");
}

TEST(Envelope, AStateSaysWhichItIs) {
  const auto read = [](const std::string& text) {
    const StateNumber number = ReadStateNumber(text);
    return std::to_string(number.serial.value_or(99)) + number.lineage +
           (number.is_state ? "" : " none");
  };
  EXPECT_EQ(read(R"({"version":4,"terraform_version":"1","serial":3,"lineage":"l","outputs":{"o":)"
                 R"({"serial":7}}})"),
            "3l");
  EXPECT_EQ(read(R"({"serial":3,"lineage":"\u006c"})"), "3l none");
  EXPECT_EQ(read(R"({"serial":-1,"lineage":null,"terraform_version":"1"})"), "99");
  EXPECT_EQ(read(R"({"serial":3,"lineage":"l","terraform_version":"1"} x)"), "99 none");
  for (const char* text : {"", "[]", "{", "PK", R"({"serial":3,)"}) {
    EXPECT_EQ(read(text), "99 none") << text;
  }
}

TEST(Envelope, DamageIsFound) {
  Envelope envelope;
  envelope.metadata["k"] = "{}";
  envelope.data = "abc";
  const std::string good = envelope.ToJson(true);
  std::string problem;
  for (size_t i = 0; i < good.size(); ++i) {
    for (const char change : {'\x01', '\x20', '\x80', '\xff'}) {
      std::string text = good;
      text[i] = static_cast<char>(text[i] ^ change);
      (void)ReadEnvelope(text, problem);  // fails or reads; it does not crash
    }
    EXPECT_FALSE(ReadEnvelope(good.substr(0, i), problem).value_or(std::nullopt)) << i;
  }
  EXPECT_FALSE(ReadEnvelope("PK", problem).value_or(std::nullopt));
  EXPECT_NE(problem, "");
  EXPECT_EQ(ReadEnvelope(R"({"encryption_version":"v1"})", problem).error().message,
            "invalid encrypted payload version: v1 != v0");
}

TEST(Envelope, OtherFormsAreNoEnvelope) {
  struct Row {
    const char* text;
    const char* problem;
  };
  // Each answer was given by Go's encoding/json.
  constexpr Row kRows[] = {
      {R"({"encryption_version":1})",
       "json: cannot unmarshal number into Go struct field basedata.encryption_version of type "
       "string"},
      {R"({"encryption_version":"v0","meta":1})",
       "json: cannot unmarshal number into Go struct field basedata.meta of type "
       "encryption.keyProviderMetamap"},
      {R"({"encryption_version":"v0","meta":{"k":1}})",
       "json: cannot unmarshal number into Go struct field basedata.meta of type []uint8"},
      {R"({"encryption_version":"v0","encrypted_data":"%"})",
       "illegal base64 data at input byte 0"},
  };
  for (const Row& row : kRows) {
    std::string problem;
    EXPECT_FALSE(ReadEnvelope(row.text, problem).value_or(std::nullopt)) << row.text;
    EXPECT_EQ(problem, row.problem) << row.text;
  }
}

TEST(Envelope, OtherFormsOfNumbersAreReported) {
  EXPECT_EQ(ProblemOfNumber(R"({"serial":1.5})"),
            "json: cannot unmarshal number 1.5 into Go struct field statedata.serial of type int");
  EXPECT_EQ(ProblemOfNumber(R"({"serial":-1,"lineage":null})"), "");
  EXPECT_FALSE(ReadStateNumber(R"({"serial":1,"lineage":5})").fits);
  EXPECT_TRUE(ReadStateNumber(R"({"serial":null})").fits);
}

}  // namespace
}  // namespace kinu::encryption
