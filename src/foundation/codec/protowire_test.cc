#include "codec/protowire.h"

#include <gtest/gtest.h>

namespace kinu {
namespace {

using std::string_literals::operator""s;

TEST(ProtoWriter, EncodesTheDocumentedExamples) {
  std::string out;
  ProtoWriter writer(out);
  writer.Int(1, 150);
  writer.Bytes(2, "testing");
  size_t nested = writer.Begin(3);
  writer.Int(1, 150);
  writer.End(nested);
  EXPECT_EQ(out, "\x08\x96\x01\x12\x07testing\x1a\x03\x08\x96\x01"s);
}

TEST(ProtoWriter, LeavesOutDefaultsUnlessToldOtherwise) {
  std::string out;
  ProtoWriter writer(out);
  writer.Int(1, 0);
  writer.Bool(2, false);
  writer.Bytes(3, "");
  EXPECT_EQ(out, "");
  writer.AlwaysInt(1, 0);
  writer.AlwaysBytes(3, "");
  EXPECT_EQ(out, "\x08\x00\x1a\x00"s);
}

TEST(ProtoWriter, NegativeIntegersTakeTenBytes) {
  std::string out;
  ProtoWriter(out).Int(1, -1);
  EXPECT_EQ(out, "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
}

TEST(ProtoWriter, NestedLengthsOfEverySize) {
  for (size_t size : {0, 1, 127, 128, 16383, 16384, 3000000}) {
    std::string text(size, 'x');
    std::string out;
    ProtoWriter writer(out);
    size_t outer = writer.Begin(500000000);
    size_t inner = writer.Begin(1);
    writer.AlwaysBytes(2, text);
    writer.End(inner);
    writer.End(outer);
    writer.Uint(7, 9);

    ProtoReader reader(out);
    ProtoField field;
    ASSERT_TRUE(reader.Next(field));
    EXPECT_EQ(field.number, 500000000U);
    ProtoReader in_outer(field.bytes);
    ProtoField middle;
    ASSERT_TRUE(in_outer.Next(middle));
    ProtoReader in_inner(middle.bytes);
    ProtoField leaf;
    ASSERT_TRUE(in_inner.Next(leaf));
    EXPECT_EQ(leaf.bytes, text);
    ASSERT_TRUE(reader.Next(field));
    EXPECT_EQ(field.scalar, 9U);
    EXPECT_FALSE(reader.Next(field));
    EXPECT_FALSE(reader.failed());
  }
}

TEST(ProtoReader, ReadsFixedNumbers) {
  std::string bytes = "\x0d\x01\x00\x00\x00\x11\x02\x00\x00\x00\x00\x00\x00\x80"s;
  ProtoReader reader(bytes);
  ProtoField field;
  ASSERT_TRUE(reader.Next(field));
  EXPECT_EQ(field.scalar, 1U);
  ASSERT_TRUE(reader.Next(field));
  EXPECT_EQ(field.scalar, 0x8000000000000002U);
}

TEST(ProtoReader, RejectsMalformedBytes) {
  const std::string cases[] = {
      "\x08"s,                                              // a tag without value
      "\x08\xff"s,                                          // an unfinished varint
      "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s,  // an endless varint
      "\x12\x05"s
      "abc",                                        // fewer bytes than announced
      "\x0b"s,                                      // a group
      "\x00\x00"s,                                  // field 0
      "\x0d\x01"s,                                  // an unfinished fixed32
      "\x12\xff\xff\xff\xff\xff\xff\xff\xff\x7f"s,  // a length beyond all memory
  };
  for (const std::string& bytes : cases) {
    ProtoReader reader(bytes);
    ProtoField field;
    while (reader.Next(field)) {
    }
    EXPECT_TRUE(reader.failed()) << testing::PrintToString(bytes);
  }
}

TEST(ProtoReader, MapEntryInAnyOrder) {
  ProtoMapEntry entry;
  ASSERT_TRUE(ReadProtoMapEntry("\x12\x01v\x0a\x01k", entry));
  EXPECT_EQ(entry.key, "k");
  EXPECT_EQ(entry.value, "v");
  EXPECT_FALSE(ReadProtoMapEntry("\x12\x09v", entry));
}

}  // namespace
}  // namespace kinu
