// That nothing but the method `unencrypted` lets a document through, whatever goes wrong before.
#include <gtest/gtest.h>

#include "encryption/encryption.h"
#include "encryption/key_provider.h"

namespace kinu::encryption {
namespace {

/// A configuration whose checks find nothing, so that only the sealers stand in the way.
class UncheckedSource final : public Source {
 public:
  config::Encryption block_;
  bool has_methods = true;
  bool evaluates = true;

  config::EncryptionPart& Declare(const std::string& type) {
    config::EncryptionPart part;
    part.type = type;
    part.name = "m";
    block_.methods.push_back(std::move(part));
    return block_.methods.back();
  }
  const config::Encryption& block() const override { return block_; }
  std::optional<config::TargetMethods> Methods(const config::EncryptionTarget&,
                                               Diagnostics&) const override {
    if (!has_methods) {
      return std::nullopt;
    }
    config::TargetMethods methods{block_.methods.front(), {}};
    for (size_t i = 1; i < block_.methods.size(); ++i) {
      methods.fallbacks.push_back(&block_.methods[i]);
    }
    return methods;
  }
  std::optional<config::PartValues> Evaluate(const config::EncryptionPart& method,
                                             const config::KeyMaker&, Diagnostics&) const override {
    if (!evaluates) {
      return std::nullopt;
    }
    config::PartValues values;
    values.part = &method;
    values.arguments.emplace("keys",
                             ToValue({.encryption = std::string(32, 'k'), .decryption = {}}));
    return values;
  }
};

class TargetSealerTest : public ::testing::Test {
 protected:
  static constexpr std::string_view kDocument = R"({"terraform_version":"1","secret":"hunter2"})";

  TargetSealerTest() { source_->block_.state.emplace(); }
  std::optional<EncryptionRef> SetUpSource() { return Encryption::SetUp(source_, diags_); }
  /// The state's sealer lets nothing through that it does not encrypt.
  static void ExpectSealed(const EncryptionRef& encryption) {
    EXPECT_FALSE(encryption->state()->clear());
    const auto stored = encryption->state()->Seal(std::string(kDocument), nullptr);
    EXPECT_TRUE(!stored || (stored->encrypted() && !stored->bytes().contains("hunter2")));
  }

  std::shared_ptr<UncheckedSource> source_ = std::make_shared<UncheckedSource>();
  Diagnostics diags_;
};

TEST_F(TargetSealerTest, AMethodThatEncryptsLetsNothingThrough) {
  source_->Declare("aes_gcm");
  const auto encryption = SetUpSource();
  ASSERT_TRUE(encryption);
  ExpectSealed(*encryption);
  EXPECT_TRUE((*encryption)->state()->encrypts());
  EXPECT_FALSE((*encryption)->state()->Open(std::string(kDocument)));
  // What the block does not speak of is stored as it is, as the reference does.
  EXPECT_TRUE((*encryption)->plan()->clear());
}

TEST_F(TargetSealerTest, ATargetWithoutMethodsIsAnError) {
  source_->has_methods = false;
  EXPECT_FALSE(SetUpSource());
}

TEST_F(TargetSealerTest, AMethodOfNoTypeIsAnError) {
  source_->Declare("rot13");
  EXPECT_FALSE(SetUpSource());
  EXPECT_TRUE(diags_.has_errors());
}

TEST_F(TargetSealerTest, AFallbackOfNoTypeIsAnError) {
  source_->block_.methods.reserve(2);
  source_->Declare("aes_gcm");
  source_->Declare("rot13");
  EXPECT_FALSE(SetUpSource());
}

TEST_F(TargetSealerTest, AMethodWithoutArgumentsIsAnError) {
  source_->Declare("aes_gcm");
  source_->evaluates = false;
  EXPECT_FALSE(SetUpSource());
}

TEST_F(TargetSealerTest, WhatFailsLaterIsNotStored) {
  source_->Declare("aes_gcm");
  const auto encryption = SetUpSource();
  ASSERT_TRUE(encryption);
  source_->evaluates = false;
  EXPECT_FALSE((*encryption)->state()->Seal(std::string(kDocument), nullptr));
}

TEST_F(TargetSealerTest, UnencryptedLetsThroughByName) {
  source_->Declare("unencrypted");
  const auto encryption = SetUpSource();
  ASSERT_TRUE(encryption);
  EXPECT_TRUE((*encryption)->state()->configured());
  EXPECT_EQ((*encryption)->state()->Seal(std::string(kDocument), nullptr)->bytes(), kDocument);
}

TEST_F(TargetSealerTest, EnforcementHoldsWhereBytesLeave) {
  source_->Declare("unencrypted");
  source_->block_.state->enforced = true;
  const auto encryption = SetUpSource();
  ASSERT_TRUE(encryption);  // the check of the configuration would have refused it
  EXPECT_FALSE((*encryption)->state()->clear());
  EXPECT_FALSE((*encryption)->state()->Seal(std::string(kDocument), nullptr));
}

TEST(Sealers, OneThatNobodyChoseStoresAndReadsNothing) {
  const EncryptionRef undecided = Encryption::Undecided();
  for (const state::SealerRef& sealer :
       {undecided->state(), undecided->plan(), undecided->RemoteState("x")}) {
    EXPECT_FALSE(sealer->clear());
    EXPECT_FALSE(sealer->Seal("{}", nullptr));
    EXPECT_FALSE(sealer->Open("{}"));
  }
  EXPECT_TRUE(Encryption::None()->state()->clear());
}

TEST(Sealers, AreNotLostWhenTheyAreMoved) {
  EncryptionRef one = Encryption::None();
  const EncryptionRef other = std::move(one);
  EXPECT_TRUE(one->state()->clear());  // NOLINT(bugprone-use-after-move)
  EXPECT_TRUE(other->state()->clear());
}

}  // namespace
}  // namespace kinu::encryption
