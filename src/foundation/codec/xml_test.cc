#include "codec/xml.h"

#include <gtest/gtest.h>

namespace kinu {
namespace {

TEST(Xml, Elements) {
  const auto root = ReadXml(
      "<?xml version=\"1.0\"?>\n<!-- c --><s:List xmlns:s='x' a=\"1>2\"><Key>a &amp; b&#x41;&#66;"
      "<![CDATA[<&]]></Key><Key/><Deep><X>1</X></Deep ></s:List>\n");
  ASSERT_TRUE(root) << root.error().message;
  EXPECT_EQ(root->name, "List");
  ASSERT_EQ(root->children.size(), 3U);
  EXPECT_EQ(root->Text("Key"), "a & bAB<&");
  EXPECT_EQ(root->children[1].text, "");
  EXPECT_EQ(root->Find("Deep")->Text("X"), "1");
  EXPECT_EQ(root->Find("None"), nullptr);
  EXPECT_EQ(root->Text("None"), "");
}

TEST(Xml, Attributes) {
  const auto root = ReadXml("<a one='1 &lt; &quot;2' p:two = \"it's\" xmlns:p='x'/>");
  ASSERT_TRUE(root) << root.error().message;
  EXPECT_EQ(root->Attribute("one"), "1 < \"2");
  EXPECT_EQ(root->Attribute("two"), "it's");
  EXPECT_EQ(root->Attribute("three"), "");
}

TEST(Xml, Problems) {
  for (const char* text : {"",
                           "text",
                           "<a>",
                           "<a></b>",
                           "<a",
                           "<a x></a>",
                           "<a x=1></a>",
                           "<a x='1></a>",
                           "<a x='<'/>",
                           "<a x='&y;'/>",
                           "<a>&x;</a>",
                           "<a>&#0;</a>",
                           "<a>&#xD800;</a>",
                           "<a>&amp</a>",
                           "<a/><b/>",
                           "<a/>x",
                           "<!DOCTYPE a><a/>",
                           "<a><!DOCTYPE b></a>",
                           "<a><![CDATA[</a>",
                           "<!-- <a/>",
                           "<a><!-- </a>",
                           "<>x</>"}) {
    EXPECT_FALSE(ReadXml(text)) << text;
  }
  std::string deep;
  for (int i = 0; i < 200; ++i) {
    deep += "<a>";
  }
  EXPECT_FALSE(ReadXml(deep));
}

TEST(Xml, EscapedTextsAreReadBack) {
  EXPECT_EQ(EscapeXml("a<b & \"c\">'"), "a&lt;b &amp; &quot;c&quot;&gt;'");
  EXPECT_EQ(EscapeXml("\"a\" > b", XmlQuotes::kKept), "\"a\" &gt; b");
  const auto element = ReadXml("<a b=\"" + EscapeXml("1 < \"2\"") + "\"/>");
  ASSERT_TRUE(element);
  EXPECT_EQ(element->Attribute("b"), "1 < \"2\"");
}

}  // namespace
}  // namespace kinu
