#include <gtest/gtest.h>

#include "ide/answers.h"
#include "ide/testing/texts.h"

namespace kinu::ide {
namespace {

using testing::Texts;

/// "text -> target", one a line.
std::string Links(const Texts& texts) {
  std::string out;
  for (const Link& link : DocumentLinks(texts.snapshot(), texts.path())) {
    out.append(texts.Slice(link.span)).append(" -> ").append(link.target).append("\n");
  }
  return out;
}

TEST(DocumentLinks, LocalModule) {
  EXPECT_EQ(Links({{"main.tf", "module \"a\" {\n  source = \"./m‸\"\n}\n"},
                   {"m/a.tf", ""},
                   {"m/main.tf", ""}}),
            "./m -> /w/m/main.tf\n");
  EXPECT_EQ(Links({{"main.tf", "module \"a\" {\n  source = \"./m‸\"\n}\n"}, {"m/b.tf", ""}}),
            "./m -> /w/m/b.tf\n");
  EXPECT_EQ(Links({{"main.tf", "module \"a\" {\n  source = \"./m‸\"\n}\n"}}), "");
}

TEST(DocumentLinks, RegistryModule) {
  EXPECT_EQ(Links({{"main.tf",
                    "module \"a\" {\n  source = \"x/y/z//sub\"\n  version = \"1.2.3\"\n}\n"
                    "module \"b\" {\n  source = \"x/y/z\"\n  version = \"~> 1.2\"\n}\n"
                    "module \"c\" {\n  source = \"example.com/x/y/z\"\n}\n"}}),
            "x/y/z//sub -> https://search.opentofu.org/module/x/y/z/v1.2.3\n"
            "x/y/z -> https://search.opentofu.org/module/x/y/z/latest\n");
}

TEST(DocumentLinks, Repository) {
  EXPECT_EQ(Links({{"main.tf",
                    "module \"a\" {\n  source = \"git::https://example.com/a/b.git//c?ref=d\"\n}\n"
                    "module \"b\" {\n  source = \"git::https://u:p@example.com/b.git\"\n}\n"}}),
            "git::https://example.com/a/b.git//c?ref=d -> https://example.com/a/b\n");
}

TEST(DocumentLinks, ProvidersAndTypes) {
  EXPECT_EQ(Links({{"main.tf",
                    "terraform {\n  required_providers {\n    aws = {\n      source = \"x/aws\"\n"
                    "    }\n  }\n}\nresource \"aws_vpc\" \"a\" {}\ndata \"aws_ami\" \"b\" {}\n"
                    "resource \"google_x\" \"c\" {}\n"}}),
            "x/aws -> https://search.opentofu.org/provider/x/aws/latest\n"
            "aws_vpc -> https://search.opentofu.org/provider/x/aws/latest/docs/resources/vpc\n"
            "aws_ami -> https://search.opentofu.org/provider/x/aws/latest/docs/datasources/ami\n");
}

TEST(DocumentLinks, Files) {
  EXPECT_EQ(Links({{"main.tf",
                    "locals {\n  a = file(\"x.tf\")\n  b = file(\"${path.module}/x.tf\")\n"
                    "  c = templatefile(\"./x.tf\", {})\n  d = file(\"none.tf\")\n"
                    "  e = file(\"/etc/passwd\")\n  f = upper(\"x.tf\")\n‸}\n"},
                   {"x.tf", ""}}),
            "x.tf -> /w/x.tf\n${path.module}/x.tf -> /w/x.tf\n./x.tf -> /w/x.tf\n");
}

TEST(DocumentLinks, FilesOfACalledModule) {
  const std::pair<std::string, std::string_view> call{"main.tf",
                                                      "module \"a\" {\n  source = \"./m\"\n}\n"};
  EXPECT_EQ(Links({call,
                   {"m/main.tf",
                    "locals {\n  a = file(\"${path.module}/x.tf\")\n"
                    "  b = file(\"x.tf\")\n  c = file(\"${path.root}/y.tf\")\n‸}\n"},
                   {"m/x.tf", ""},
                   {"y.tf", ""}}),
            "${path.module}/x.tf -> /w/m/x.tf\n${path.root}/y.tf -> /w/y.tf\n");
}

TEST(DocumentLinks, Json) {
  EXPECT_EQ(
      Links({{"main.tf.json",
              R"({"module": {"a": {"source": "./m"}}, "locals": {"b": "${file(\"x.tf\")}"}}‸)"},
             {"m/main.tf", ""},
             {"x.tf", ""}}),
      "./m -> /w/m/main.tf\n${file(\\\"x.tf\\\")} -> /w/x.tf\n");
}

}  // namespace
}  // namespace kinu::ide
