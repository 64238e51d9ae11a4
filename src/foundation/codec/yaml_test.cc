#include "codec/yaml.h"

#include <gtest/gtest.h>

namespace kinu {
namespace {

// The events of a text in short: scalars with a letter for their style, brackets for collections.
std::string Describe(std::string_view text) {
  using Kind = YamlEvent::Kind;
  YamlReader reader(text);
  std::string out;
  for (;;) {
    const Result<YamlEvent> event = reader.Next();
    if (!event) {
      return out + "!";
    }
    switch (event->kind) {
      case Kind::kStreamEnd:
        return out;
      case Kind::kScalar:
        out += "pqb"[static_cast<size_t>(event->style)];
        out += event->anchor.empty() ? "" : "&" + event->anchor;
        out += event->tag.empty() ? "" : "<" + event->tag + ">";
        out += "'" + event->text + "' ";
        break;
      case Kind::kAlias:
        out += "*" + event->anchor + " ";
        break;
      case Kind::kSequenceStart:
        out += "[";
        break;
      case Kind::kSequenceEnd:
        out += "]";
        break;
      case Kind::kMappingStart:
        out += "{";
        break;
      case Kind::kMappingEnd:
        out += "}";
        break;
      default:
        break;
    }
  }
}

TEST(YamlReader, Events) {
  EXPECT_EQ(Describe("a: [1, 'x', \"y\"]\nb: |\n  t\n"), "{p'a' [p'1' q'x' q'y' ]p'b' b't\n' }");
  EXPECT_EQ(Describe("- &n 1\n- *n\n- !!str 2\n"), "[p&n'1' *n p<tag:yaml.org,2002:str>'2' ]");
  EXPECT_EQ(Describe(""), "");
  EXPECT_EQ(Describe("[1"), "[p'1' !");
  EXPECT_EQ(Describe("\xFF"), "!");
}

TEST(YamlReader, NestingIsLimited) {
  EXPECT_TRUE(Describe(std::string(5000, '[')).ends_with('!'));
}

TEST(YamlWriter, DocumentEndsOnlyBehindPlainScalars) {
  struct Case {
    std::string_view text;
    YamlStyle style;
    std::string_view want;
  };
  const Case cases[] = {
      {"5", YamlStyle::kPlain, "5\n...\n"},
      {"a: b", YamlStyle::kQuoted, "\"a: b\"\n"},
      {"a\nb\n", YamlStyle::kBlock, "|\n  a\n  b\n"},
      {"a\n\n", YamlStyle::kBlock, "|+\n  a\n\n"},
  };
  for (const Case& c : cases) {
    YamlWriter writer;
    writer.Scalar(c.text, c.style);
    EXPECT_EQ(writer.Finish(), c.want);
  }
}

TEST(YamlWriter, Collections) {
  YamlWriter writer;
  writer.BeginMapping();
  writer.Scalar("list", YamlStyle::kQuoted);
  writer.BeginSequence();
  writer.Scalar("1", YamlStyle::kPlain);
  writer.BeginMapping();
  writer.EndMapping();
  writer.EndSequence();
  writer.EndMapping();
  EXPECT_EQ(writer.Finish(), "\"list\":\n- 1\n- {}\n");
}

}  // namespace
}  // namespace kinu
