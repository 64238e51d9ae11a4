#include "hcl/writer/editor.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hcl/parse.h"
#include "hcl/writer/format.h"

namespace kinu::hcl::writer {
namespace {

using Labels = std::vector<std::string>;

std::unique_ptr<Document> Read(std::string_view text) {
  const auto source = SourceFile::Make("test.tf", std::string(text));
  Diagnostics diags;
  auto document = Document::Parse(source.get(), diags);
  EXPECT_TRUE(diags.empty()) << text;
  return document;
}

struct EditCase {
  std::string_view name;
  std::string_view before;
  void (*edit)(EditableBody& body);
  std::string_view after;
};

void ExpectAll(std::span<const EditCase> cases) {
  for (const EditCase& test : cases) {
    const auto document = Read(test.before);
    ASSERT_NE(document, nullptr);
    EXPECT_EQ(document->Text(), test.before) << test.name << ", before";
    test.edit(document->body());
    EXPECT_EQ(document->Text(), test.after) << test.name;
    Read(document->Text());
  }
}

constexpr std::string_view kFile =
    "# head\n\na  =  1 # one\n\n# two\nb=[ 2 ]\n\nr \"x\"   \"y\" { // open\n\n  c = 3\n  # "
    "end\n}\n";

TEST(Editor, SetsAttributes) {
  constexpr EditCase kCases[] = {
      {"keeps the rest of the line", kFile,
       [](EditableBody& body) { body.SetAttribute("a", "x.y"); },
       "# head\n\na  =  x.y # one\n\n# two\nb=[ 2 ]\n\nr \"x\"   \"y\" { // open\n\n  c = 3\n  # "
       "end\n}\n"},
      {"appends behind everything", "a = 1\n# end\n",
       [](EditableBody& body) { body.SetAttribute("b", "2"); }, "a = 1\n# end\nb = 2\n"},
      {"in an empty file", "", [](EditableBody& body) { body.SetAttribute("b", "2"); }, "b = 2\n"},
      {"without a final newline", "a = 1", [](EditableBody& body) { body.SetAttribute("b", "2"); },
       "a = 1\nb = 2\n"},
      {"behind a comment without a final newline", "a = 1\n# c",
       [](EditableBody& body) { body.SetAttribute("b", "2"); }, "a = 1\n# c\nb = 2\n"},
      {"behind blanks", "a = 1\n  ", [](EditableBody& body) { body.SetAttribute("b", "2"); },
       "a = 1\nb = 2\n"},
      {"with the file's line ends", "a {\r\n}\r\n",
       [](EditableBody& body) {
         EXPECT_TRUE(body.Blocks()[0]->body().SetAttributeValue(
             "b", Value::Object({{"c", Value::Int(1)}})));
       },
       "a {\r\n  b = {\r\n    c = 1\r\n  }\r\n}\r\n"},
      {"indented as the neighbours", "a {\n\tb = 1\n}\n",
       [](EditableBody& body) { body.Blocks()[0]->body().SetAttribute("c", "2"); },
       "a {\n\tb = 1\n\tc = 2\n}\n"},
      {"in an empty block", "a {\n  b {}\n}\n",
       [](EditableBody& body) {
         body.Blocks()[0]->body().Blocks()[0]->body().SetAttribute("c", "2");
       },
       "a {\n  b {\n    c = 2\n  }\n}\n"},
      {"in a block of one line", "a { b = 1 }\n",
       [](EditableBody& body) { body.Blocks()[0]->body().SetAttribute("c", "2"); },
       "a {\n  b = 1\n  c = 2\n}\n"},
      {"in place in a block of one line", "a { b = 1 }\n",
       [](EditableBody& body) { body.Blocks()[0]->body().SetAttribute("b", "2"); },
       "a { b = 2 }\n"},
      {"a reference", "a = 1\n",
       [](EditableBody& body) {
         const auto step = TraversalStep::Attribute(0, 0, "x");
         EXPECT_TRUE(body.SetAttributeTraversal("a", "var", std::span(&step, 1)));
       },
       "a = var.x\n"},
      {"behind a byte order mark",
       "\xEF\xBB\xBF"
       "a = 1\n",
       [](EditableBody& body) { body.RemoveAttribute("a"); }, "\xEF\xBB\xBF"},
  };
  ExpectAll(kCases);
}

TEST(Editor, RefusesValuesWithoutText) {
  const auto document = Read("a = 1\n");
  EXPECT_FALSE(document->body().SetAttributeValue("a", Value::DynamicUnknown()));
  EXPECT_FALSE(document->body().SetAttributeValue("b", Value::DynamicUnknown()));
  EXPECT_EQ(document->Text(), "a = 1\n");
}

TEST(Editor, RemovesAttributes) {
  constexpr EditCase kCases[] = {
      {"with its comments", "a = 1\n# one\n// two\nb = 2 # three\nc = 3\n",
       [](EditableBody& body) { EXPECT_TRUE(body.RemoveAttribute("b")); }, "a = 1\nc = 3\n"},
      {"not with comments further above", "# far\n\n# near\na = 1\nb = 2\n",
       [](EditableBody& body) { body.RemoveAttribute("a"); }, "# far\n\nb = 2\n"},
      {"one lot of blank lines stays", "a = 1\n\nb = 2\n\nc = 3\n",
       [](EditableBody& body) { body.RemoveAttribute("b"); }, "a = 1\n\nc = 3\n"},
      {"paragraphs stay apart", "a = 1\n\nb = 2\nc = 3\n",
       [](EditableBody& body) { body.RemoveAttribute("b"); }, "a = 1\n\nc = 3\n"},
      {"no blank line first in a block", "r {\n  a = 1\n\n  b = 2\n}\n",
       [](EditableBody& body) { body.Blocks()[0]->body().RemoveAttribute("a"); },
       "r {\n  b = 2\n}\n"},
      {"no blank line last in a block", "r {\n  a = 1\n\n  b = 2\n}\n",
       [](EditableBody& body) { body.Blocks()[0]->body().RemoveAttribute("b"); },
       "r {\n  a = 1\n}\n"},
      {"from a block of one line", "r { a = 1 }\n",
       [](EditableBody& body) { body.Blocks()[0]->body().RemoveAttribute("a"); }, "r {}\n"},
      {"what is not there", "a = 1\n",
       [](EditableBody& body) { EXPECT_FALSE(body.RemoveAttribute("b")); }, "a = 1\n"},
      {"and sets it again", "a = 1\nb = 2\n",
       [](EditableBody& body) {
         body.RemoveAttribute("a");
         EXPECT_EQ(body.AttributeText("a"), std::nullopt);
         body.SetAttribute("a", "3");
       },
       "b = 2\na = 3\n"},
  };
  ExpectAll(kCases);
}

TEST(Editor, RenamesAttributes) {
  constexpr EditCase kCases[] = {
      {"in place", "a  = 1 # x\nb = 2\n",
       [](EditableBody& body) {
         EXPECT_TRUE(body.RenameAttribute("a", "long"));
         EXPECT_EQ(body.AttributeText("long"), "1");
       },
       "long  = 1 # x\nb = 2\n"},
      {"not to a name that exists", "a = 1\nb = 2\n",
       [](EditableBody& body) { EXPECT_FALSE(body.RenameAttribute("a", "b")); }, "a = 1\nb = 2\n"},
      {"not what does not exist", "a = 1\n",
       [](EditableBody& body) { EXPECT_FALSE(body.RenameAttribute("c", "b")); }, "a = 1\n"},
  };
  ExpectAll(kCases);
}

TEST(Editor, EditsBlocks) {
  constexpr EditCase kCases[] = {
      {"new labels", kFile,
       [](EditableBody& body) {
         EditableBlock* block = body.FindBlock("r", Labels{"x", "y"});
         ASSERT_NE(block, nullptr);
         block->SetLabels(Labels{"${q}"});
         EXPECT_EQ(block->labels(), Labels{"${q}"});
       },
       "# head\n\na  =  1 # one\n\n# two\nb=[ 2 ]\n\nr \"$${q}\" { // open\n\n  c = 3\n  # "
       "end\n}\n"},
      {"another type, no labels", "a \"b\" {}\n",
       [](EditableBody& body) {
         body.Blocks()[0]->SetType("c");
         body.Blocks()[0]->SetLabels({});
       },
       "c {}\n"},
      {"appends blocks", "a {\n}\n",
       [](EditableBody& body) {
         body.AppendBlankLine();
         EditableBlock& block = body.AppendBlock("r", Labels{"x", "y z"});
         EXPECT_TRUE(block.body().SetAttributeValue("b", Value::Tuple({Value::Int(1)})));
         block.body().AppendBlock("n", {}).body().SetAttribute("c", "2");
       },
       "a {\n}\n\nr \"x\" \"y z\" {\n  b = [1]\n  n {\n    c = 2\n  }\n}\n"},
      {"comments", "a {\n}\n",
       [](EditableBody& body) {
         body.AppendComment("one\n\ntwo");
         body.Blocks()[0]->body().AppendComment("three");
         body.SetAttribute("b", "1");
       },
       "a {\n  # three\n}\n# one\n#\n# two\nb = 1\n"},
      {"removes a block with its comment", "a {}\n\n# b\nb \"x\" {\n  c = 1\n} # end\n\nd {}\n",
       [](EditableBody& body) {
         EXPECT_TRUE(body.RemoveBlock(body.FindBlock("b", Labels{"x"})));
         EXPECT_FALSE(body.RemoveBlock(nullptr));
       },
       "a {}\n\nd {}\n"},
      {"finds only blocks with all labels", "a \"b\" {}\na \"b\" \"c\" {}\n",
       [](EditableBody& body) {
         EXPECT_EQ(body.FindBlock("a", {}), nullptr);
         EXPECT_EQ(body.FindBlock("a", Labels{"b", "c"}), body.Blocks()[1]);
       },
       "a \"b\" {}\na \"b\" \"c\" {}\n"},
  };
  ExpectAll(kCases);
}

TEST(Editor, MakesFiles) {
  Document document;
  document.body().AppendComment("made");
  document.body().AppendBlankLine();
  EditableBlock& block = document.body().AppendBlock("resource", Labels{"a", "b"});
  EXPECT_TRUE(block.body().SetAttributeValue("name", Value::String("x\ny")));
  EXPECT_TRUE(block.body().SetAttributeValue(
      "tags", Value::Object({{"a b", Value::Null(Type::String())}})));
  EXPECT_EQ(document.Text(),
            "# made\n\nresource \"a\" \"b\" {\n  name = \"x\\ny\"\n  tags = {\n    \"a b\" = "
            "null\n  }\n}\n");
  EXPECT_EQ(Format(document.Text()), document.Text());
}

TEST(Editor, RefusesBrokenFiles) {
  const auto source = SourceFile::Make("test.tf", "a = \n");
  Diagnostics diags;
  EXPECT_EQ(Document::Parse(source.get(), diags), nullptr);
  EXPECT_TRUE(diags.has_errors());
}

/// An edit changes no line but its own.
TEST(EditorProperties, TheRestIsUntouched) {
  std::mt19937 random(11);
  for (int round = 0; round < 500; ++round) {
    std::string before;
    std::vector<std::string> lines;
    for (int i = 0; i < 6; ++i) {
      static constexpr std::string_view kForms[] = {"  %  =1 ", "%= [ 1,\n 2 ]", "% {\n\tx=1\n }",
                                                    "%\t = <<E\n a\nE", "% \"l\" { y = 2 }"};
      std::string line(kForms[random() % std::size(kForms)]);
      line.replace(line.find('%'), 1, "n" + std::to_string(i));
      line += random() % 2 == 0 || line.ends_with('E') ? "\n" : " # c\n";
      lines.push_back(line);
      before += line;
    }
    const auto document = Read(before);
    const size_t chosen = random() % lines.size();
    const std::string name = "n" + std::to_string(chosen);
    if (!document->body().RemoveAttribute(name)) {
      for (EditableBlock* block : document->body().Blocks()) {
        if (block->type() == name) {
          document->body().RemoveBlock(block);
          break;
        }
      }
    }
    std::string after;
    for (size_t i = 0; i < lines.size(); ++i) {
      after += i == chosen ? "" : lines[i];
    }
    EXPECT_EQ(document->Text(), after) << before;
  }
}

}  // namespace
}  // namespace kinu::hcl::writer
