// MarkedWorkspace: a workspace in a directory of its own, with texts that mark the cursor by `|`.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/files.h"
#include "ide/answers.h"
#include "ide/workspace.h"
#include "provider/schema_table.h"

namespace kinu::ide::testing {

/// Providers that are schemas alone. Asked for `aws` and for nothing else.
class SchemaOnly final : public provider::ProviderSource {
 public:
  SchemaOnly() {
    schema::Block& provider = table_.provider.block;
    Add(provider, "region", Type::String(), false);
    schema::Block& vpc = table_.resources["aws_vpc"].block;
    vpc.description = "A network.";
    Add(vpc, "cidr_block", Type::String(), true);
    Add(vpc, "enable_dns", Type::Bool(), false);
    Add(vpc, "tags", Type::Map(Type::String()), false);
    Add(vpc, "arn", Type::String(), false, true);
    Add(vpc, "id", Type::String(), false, true);
    const Type::Attribute members[] = {{.name = "cidr", .type = Type::String()},
                                       {.name = "zone", .type = Type::String()}};
    Add(vpc, "ranges", Type::List(Type::Object(members)), false, true);
    schema::Block& group = table_.resources["aws_group"].block;
    Add(group, "name", Type::String(), true);
    Add(group, "id", Type::String(), false, true);
    schema::NestedBlock rule;
    rule.name = "ingress";
    Add(rule.block, "from_port", Type::Number(), true);
    Add(rule.block, "protocol", Type::String(), false);
    group.blocks.push_back(std::move(rule));
    schema::NestedBlock timeouts;
    timeouts.name = "timeouts";
    timeouts.nesting = schema::Nesting::kSingle;
    Add(timeouts.block, "create", Type::String(), false);
    group.blocks.push_back(std::move(timeouts));
    schema::Block& image = table_.data["aws_image"].block;
    Add(image, "owner", Type::String(), true);
    Add(image, "image_id", Type::String(), false, true);
    schema::Block& secret = table_.data["aws_secret"].block;
    Add(secret, "arn", Type::String(), false, true);
    Add(secret, "password", Type::String(), false, true);
    secret.attributes.back().sensitive = true;
    schema::FunctionSignature& function = table_.functions["arn_parse"];
    function.name = "arn_parse";
    function.summary = "Splits an ARN.";
    function.return_type = Type::Map(Type::String());
    schema::FunctionParameter parameter;
    parameter.name = "arn";
    parameter.type = Type::String();
    function.parameters.push_back(std::move(parameter));
    AddObjects();
    table_.Finish();
  }

  Result<const schema::ProviderSchema*> Schema(std::string_view address) override {
    if (address.ends_with("/hashicorp/aws")) {
      return &table_;
    }
    return Fail(ErrorCode::kNotFound, "no such schema");
  }
  Result<std::unique_ptr<provider::Provider>> Start(std::string_view) override {
    return Fail(ErrorCode::kNotFound, "nothing starts");
  }

 private:
  static void Add(schema::Block& block, const char* name, const Type& type, bool required,
                  bool computed = false) {
    schema::Attribute attribute;
    attribute.name = name;
    attribute.type = type;
    attribute.required = required;
    attribute.optional = !required && !computed;
    attribute.computed = computed;
    attribute.description = std::string("About ") + name + ".";
    block.attributes.push_back(std::move(attribute));
  }

  /// Arguments whose values are objects.
  void AddObjects() {
    schema::Block& list = table_.resources["aws_acl"].block;
    const Type::Attribute rule_members[] = {
        {.name = "cidr", .type = Type::String()},
        {.name = "ports",
         .type = Type::List(Type::Object({{{.name = "from", .type = Type::Number()}}}))}};
    Add(list, "rule", Type::Set(Type::Object(rule_members)), false);
    Add(list, "seen", Type::List(Type::Object(rule_members)), false, true);
    schema::Block& app = table_.resources["aws_app"].block;
    Add(app, "disks", Type(), false);
    app.attributes.back().nested = std::make_unique<schema::NestedAttributes>();
    schema::NestedAttributes& disks = *app.attributes.back().nested;
    disks.nesting = schema::Nesting::kList;
    schema::Block parts;
    Add(parts, "id", Type::String(), false, true);
    Add(parts, "size", Type::Number(), true);
    Add(parts, "speed", Type(), false);
    parts.attributes.back().nested = std::make_unique<schema::NestedAttributes>();
    schema::Block limits;
    Add(limits, "burst", Type::Bool(), false);
    parts.attributes.back().nested->attributes = std::move(limits.attributes);
    disks.attributes = std::move(parts.attributes);
    Add(app, "rule", Type::Set(Type::Object(rule_members)), false);
  }

  provider::SchemaTable table_;
};

class MarkedWorkspace : public ::testing::Test {
 protected:
  MarkedWorkspace()
      : root_(std::filesystem::temp_directory_path() /
              ("kinu-ide-" + std::to_string(getpid()) + "-" +
               ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::create_directories(root_);
    workspace_.SetFolders({root_});
    workspace_.SetProviders(std::make_shared<SchemaOnly>());
  }
  ~MarkedWorkspace() override {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }

  /// Writes a file before the first snapshot.
  void Write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(DirName(root_ + "/" + name));
    ASSERT_TRUE(ReplaceFile(root_ + "/" + name, text));
  }
  /// The cursor at the mark in a text that the file has from now on.
  Cursor Open(const std::string& name, std::string text) {
    const size_t mark = text.find('|');
    if (mark != std::string::npos) {
      text.erase(mark, 1);
    }
    workspace_.SetText(root_ + "/" + name, std::move(text));
    return {root_ + "/" + name, static_cast<uint32_t>(mark)};
  }
  Completions Complete(const std::string& text, const std::string& name = "main.tf") {
    const Cursor cursor = Open(name, text);
    return CompletionsAt(*workspace_.Take(), cursor);
  }
  /// Labels in the order in which an editor shows them, each with a space behind it.
  std::string Labels(const std::string& text, const std::string& name = "main.tf") {
    return LabelsOf(Complete(text, name));
  }
  static std::string LabelsOf(const Completions& completions) {
    std::map<std::string, std::string> sorted;
    for (const Completion& item : completions.items) {
      sorted[item.sort_key] = item.label;
    }
    std::string out;
    for (const auto& [key, label] : sorted) {
      out += label + " ";
    }
    return out;
  }
  static const Completion* FindItem(const Completions& completions, std::string_view label) {
    for (const Completion& item : completions.items) {
      if (item.label == label) {
        return &item;
      }
    }
    return nullptr;
  }
  std::string Hovered(const std::string& text, const std::string& name = "main.tf") {
    const Cursor cursor = Open(name, text);
    const auto hover = HoverAt(*workspace_.Take(), cursor);
    return hover ? hover->markdown : "";
  }

  const std::string root_;
  Workspace workspace_{Settings()};
};

}  // namespace kinu::ide::testing
