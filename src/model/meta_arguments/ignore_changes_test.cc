#include "meta_arguments/ignore_changes.h"

#include <gtest/gtest.h>

#include "hcl/parse.h"

namespace kinu::meta_arguments {
namespace {

Value Text(std::string_view text) {
  return Value::String(text);
}
Value Tags(std::vector<std::pair<std::string, Value>> entries) {
  return Value::Map(Type::String(), std::move(entries));
}

class IgnoredChanges : public ::testing::Test {
 protected:
  /// The value that is planned where the configuration says `config` and the object has `prior`.
  Value With(std::initializer_list<std::string_view> ignored, const Value& prior,
             const Value& config) {
    config::Resource resource;
    resource.ignore = config::IgnoreChanges::kSome;
    for (const std::string_view text : ignored) {
      const hcl::Expr* expr = hcl::ParseExpression(
          tree_.KeepSource(SourceFile::Make("t", std::string(text))), tree_, diags_);
      resource.ignore_changes.push_back(static_cast<const hcl::TraversalExpr*>(expr));
    }
    return IgnoreChanges(resource, nullptr, prior, config);
  }

  hcl::SyntaxTree tree_;
  Diagnostics diags_;
};

TEST_F(IgnoredChanges, KeepAnAttribute) {
  const Value prior = Value::Object({{"a", Text("old")}, {"b", Text("old")}});
  const Value config = Value::Object({{"a", Text("new")}, {"b", Text("new")}});
  EXPECT_PRED2(Value::RawEquals, With({"a"}, prior, config),
               Value::Object({{"a", Text("old")}, {"b", Text("new")}}));
}

TEST_F(IgnoredChanges, KeysOfMapsComeAndGo) {
  const Value with = Value::Object({{"tags", Tags({{"kept", Text("1")}, {"x", Text("2")}})}});
  const Value without = Value::Object({{"tags", Tags({{"kept", Text("1")}})}});
  EXPECT_PRED2(Value::RawEquals, With({"tags[\"x\"]"}, with, without), with);
  EXPECT_PRED2(Value::RawEquals, With({"tags[\"x\"]"}, without, with), without);
}

TEST_F(IgnoredChanges, AKeyIsPutBackIntoAMapThatIsGone) {
  const Value prior = Value::Object({{"tags", Tags({{"x", Text("2")}, {"y", Text("3")}})}});
  const Value config = Value::Object({{"tags", Value::Null(Type::Map(Type::String()))}});
  EXPECT_PRED2(Value::RawEquals, With({"tags[\"x\"]"}, prior, config),
               Value::Object({{"tags", Tags({{"x", Text("2")}})}}));
}

TEST_F(IgnoredChanges, WhatHasNoSuchPlaceStaysAsItIs) {
  const Value prior = Value::Object({{"a", Text("old")}});
  const Value config = Value::Object({{"a", Text("new")}});
  EXPECT_PRED2(Value::RawEquals, With({"gone", "a.b"}, prior, config), config);
}

TEST_F(IgnoredChanges, AllKeepsTheObject) {
  config::Resource resource;
  resource.ignore = config::IgnoreChanges::kAll;
  const Value prior = Value::Object({{"a", Text("old")}});
  const Value config = Value::Object({{"a", Text("new")}});
  EXPECT_PRED2(Value::RawEquals, IgnoreChanges(resource, nullptr, prior, config), prior);
}

TEST_F(IgnoredChanges, AllClearsWhatOnlyTheProviderSets) {
  schema::Block block;
  for (const std::string_view name : {"a", "id"}) {
    schema::Attribute& attribute = block.attributes.emplace_back();
    attribute.name = name;
    attribute.type = Type::String();
    attribute.optional = name == "a";
    attribute.computed = name == "id";
  }
  block.Finish();
  config::Resource resource;
  resource.ignore = config::IgnoreChanges::kAll;
  const Value prior = Value::Object({{"a", Text("old")}, {"id", Text("i-1")}});
  EXPECT_PRED2(Value::RawEquals, IgnoreChanges(resource, &block, prior, prior),
               Value::Object({{"a", Text("old")}, {"id", Value::Null(Type::String())}}));
}

TEST_F(IgnoredChanges, AnObjectThatIsNotThereYetHasNothingToKeep) {
  const Value config = Value::Object({{"a", Text("new")}});
  EXPECT_PRED2(Value::RawEquals, With({"a"}, Value::Null(config.type()), config), config);
}

}  // namespace
}  // namespace kinu::meta_arguments
