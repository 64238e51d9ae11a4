#include "codec/zip.h"

#include <string>

#include <gtest/gtest.h>

namespace kinu {
namespace {

std::string Sample() {
  ZipWriter writer;
  writer.Add("tfplan", std::string(100000, 'p'));
  writer.Add("größe/stored", "as it is", ZipMethod::kStored, 1700000000);
  writer.Add("empty", "");
  return writer.Finish();
}

TEST(Zip, ASinkHasTheSameBytes) {
  const std::string large(300000, 'l');
  const std::string_view parts[] = {"start ", large, " end"};
  const auto fill = [&](ZipWriter& zip) {
    zip.Add("small", "some text");
    zip.AddStored("parts", parts, 1700000000);
    for (int i = 0; i < 2000; ++i) {
      zip.Add("entry " + std::to_string(i), "text", ZipMethod::kStored);
    }
  };
  ZipWriter in_memory;
  fill(in_memory);
  std::string bytes;
  ZipWriter given([&](std::string_view piece) { bytes += piece; });
  fill(given);
  EXPECT_EQ(given.Finish(), "");
  EXPECT_EQ(in_memory.Finish(), bytes);
  auto reader = ZipReader::Open(bytes);
  ASSERT_TRUE(reader) << reader.error().message;
  EXPECT_EQ(reader->Read("parts").value_or(""), "start " + large + " end");
  EXPECT_EQ(reader->Read("entry 1999").value_or(""), "text");
}

TEST(Zip, ReadsWhatItWrites) {
  const std::string archive = Sample();
  EXPECT_LT(archive.size(), 1000u);
  auto reader = ZipReader::Open(archive);
  ASSERT_TRUE(reader) << reader.error().message;
  ASSERT_EQ(reader->entries().size(), 3u);
  EXPECT_EQ(reader->entries()[0].name, "tfplan");
  EXPECT_EQ(reader->Read("tfplan").value_or("?"), std::string(100000, 'p'));
  EXPECT_EQ(reader->Read("größe/stored").value_or("?"), "as it is");
  EXPECT_EQ(reader->Read("empty").value_or("?"), "");
  EXPECT_EQ(reader->Read("other").error().code, ErrorCode::kNotFound);
}

TEST(Zip, FindsTheDirectoryBehindAComment) {
  std::string archive = Sample();
  archive[archive.size() - 2] = 5;
  archive += "hello";
  ASSERT_TRUE(ZipReader::Open(archive));
}

TEST(Zip, RefusesDamage) {
  const std::string archive = Sample();
  EXPECT_FALSE(ZipReader::Open(""));
  EXPECT_FALSE(ZipReader::Open("PK\x03\x04 but no more than this"));
  for (size_t size = 0; size < archive.size(); ++size) {
    EXPECT_FALSE(ZipReader::Open(std::string_view(archive).substr(0, size)));
  }
  std::string changed = archive;
  const size_t at = changed.find("as it is");
  changed[at] = 'A';
  auto reader = ZipReader::Open(changed);
  ASSERT_TRUE(reader);
  EXPECT_FALSE(reader->Read("größe/stored"));
  EXPECT_TRUE(reader->Read("tfplan"));
}

TEST(Zip, TheNumberOfEntriesIsThatOfTheDirectory) {
  const std::string sample = Sample();
  const size_t count = sample.size() - 12;
  for (const char given : {2, 4}) {
    std::string lying = sample;
    lying[count] = given;
    const auto opened = ZipReader::Open(lying);
    ASSERT_FALSE(opened) << int{given};
    EXPECT_EQ(opened.error().code, ErrorCode::kInvalid);
  }
  const size_t end = sample.size() - 22;
  const std::string zip64 =
      sample.substr(0, end) + "PK\6\7" + std::string(16, '\0') + sample.substr(end);
  EXPECT_EQ(ZipReader::Open(zip64).error().code, ErrorCode::kUnsupported);
}

TEST(Zip, SizesThatCannotBeTrueAreDamage) {
  ZipWriter writer;
  writer.Add("packed", std::string(1000, 'x'));
  writer.Add("stored", "as it is", ZipMethod::kStored);
  const std::string whole = writer.Finish();
  const auto can_read = [](const std::string& archive, size_t entry) {
    const ZipReader reader = ZipReader::Open(archive).value();
    return reader.CanRead(reader.entries()[entry]);
  };
  EXPECT_TRUE(can_read(whole, 0).value_or(false));
  EXPECT_TRUE(can_read(whole, 1).value_or(false));
  const size_t first = whole.find("PK\x01\x02");
  const size_t second = whole.find("PK\x01\x02", first + 4);
  std::string large = whole;
  large[first + 27] = '\x40';
  EXPECT_EQ(can_read(large, 0).error().code, ErrorCode::kInvalid);
  std::string longer = whole;
  ++longer[second + 24];
  EXPECT_EQ(can_read(longer, 1).error().code, ErrorCode::kInvalid);
  std::string nowhere = whole;
  nowhere[second + 42] = 1;
  EXPECT_EQ(can_read(nowhere, 1).error().code, ErrorCode::kInvalid);
  std::string elsewhere = whole;
  elsewhere.replace(first + 24, 4, 4, '\xff');
  EXPECT_FALSE(can_read(elsewhere, 0).value_or(true)) << "the size of zip64 stands elsewhere";
  std::string other = whole;
  other[first + 10] = 12;
  EXPECT_FALSE(can_read(other, 0).value_or(true)) << "another compression";
}

TEST(Zip, VerifyFindsWhatReadingOneEntryDoesNot) {
  ZipWriter writer;
  writer.Add("a", "first content");
  writer.Add("b", "second content", ZipMethod::kStored);
  const std::string whole = writer.Finish();
  ASSERT_TRUE(ZipReader::Open(whole)->Verify());
  const size_t directory = whole.find("PK\x01\x02");
  const size_t second = whole.find("PK\x01\x02", directory + 4);
  std::string renamed = whole;
  renamed[directory + 46] = 'c';
  std::string overlapping = whole;
  overlapping.replace(second + 42, 4, whole, directory + 42, 4);
  std::string twice = whole;
  twice[second + 46] = twice[whole.find('b')] = 'a';
  std::string more = whole;
  more.insert(directory, "xxxx");
  more[more.find("PK\x05\x06") + 16] = static_cast<char>(directory + 4);
  std::string other_content = whole;
  other_content[whole.find("second")] = 'S';
  for (const std::string& damaged : {renamed, overlapping, twice, more, other_content}) {
    Result<ZipReader> reader = ZipReader::Open(damaged);
    ASSERT_TRUE(reader.has_value());
    EXPECT_FALSE(reader->Verify());
  }
}

TEST(Zip, NoByteChangeCrashes) {
  const std::string archive = Sample();
  for (size_t pos = 0; pos < archive.size(); ++pos) {
    std::string changed = archive;
    changed[pos] = static_cast<char>(changed[pos] ^ 0x81);
    auto reader = ZipReader::Open(changed);
    if (!reader) {
      continue;
    }
    for (const ZipReader::Entry& entry : reader->entries()) {
      const auto content = reader->Read(entry);
      EXPECT_TRUE(!content || content->size() == entry.size);
    }
  }
}

}  // namespace
}  // namespace kinu
