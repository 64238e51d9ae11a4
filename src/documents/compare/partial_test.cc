// Documents of which only that is read which differs, beside documents that are read whole.
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include <gtest/gtest.h>

#include "base/testing/source_directory.h"
#include "compare/compare.h"

namespace kinu::compare {
namespace {

using json::Document;

std::string Rendered(const Result<std::unique_ptr<Document>>& left,
                     const Result<std::unique_ptr<Document>>& right, size_t* read = nullptr) {
  if (!left || !right) {
    return (left ? right : left).error().message;
  }
  const auto difference = Compare((*left)->root(), (*right)->root(), read);
  return difference ? RenderJson(*difference) : difference.error().message;
}

/// Compares the texts in both ways. Returns what they have as the difference.
std::string BothWays(const std::string& left, const std::string& right) {
  std::string whole = Rendered(Document::Parse(left), Document::Parse(right));
  EXPECT_EQ(Rendered(Document::Parse(left, kComparedShape), Document::Parse(right, kComparedShape)),
            whole)
      << left << "\n"
      << right;
  return whole;
}

std::vector<std::string> RecordedDocuments() {
  std::vector<std::string> texts;
  for (const char* folder : {"/tests/golden/documents", "/tests/golden/state", "/docs/examples",
                             "/examples/policies/plans", "/src/commands/view/testdata"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(SourceDirectory() + folder)) {
      const std::string extension = entry.path().extension();
      if (extension == ".json" || extension == ".tfstate") {
        std::stringstream text;
        text << std::ifstream(entry.path()).rdbuf();
        texts.push_back(text.str());
      }
    }
  }
  return texts;
}

/// A text with a few changes, most of which leave it JSON.
std::string Mutated(std::string text, std::mt19937& random) {
  const auto below = [&](size_t count) { return count == 0 ? 0 : random() % count; };
  for (size_t changes = 1 + below(4); changes > 0; --changes) {
    const size_t at = below(text.size());
    char& here = text[at];
    switch (below(8)) {
      case 0:  // another number, or another letter of a word
        here = here >= '0' && here <= '8' ? static_cast<char>(here + 1) : here;
        break;
      case 1:
        here = here >= 'a' && here <= 'y' ? static_cast<char>(here + 1) : here;
        break;
      case 2:  // white space
        if (const size_t comma = text.find(",\"", at); comma != std::string::npos) {
          text.insert(comma + 1, " \n");
        }
        break;
      case 3:  // masks
        if (const size_t none = text.find("false", at); none != std::string::npos) {
          text.replace(none, 5, "true");
        }
        break;
      case 4:
        if (const size_t none = text.find("{}", at); none != std::string::npos) {
          text.replace(none, 2, below(2) == 0 ? "true" : R"({"id":true})");
        }
        break;
      case 5:  // another name
        if (const size_t name = text.find("\":", at); name != std::string::npos) {
          text.insert(name, below(2) == 0 ? "x" : "\\u0061");
        }
        break;
      case 6:  // a member that is there twice
        if (const size_t end = text.find('}', at); end != std::string::npos) {
          text.insert(end, R"(,"address":"a.b")");
        }
        break;
      default:
        if (below(10) == 0) {
          text.erase(at, 1);
        } else if (const size_t quote = text.find("\":\"", at); quote != std::string::npos) {
          text.insert(quote + 3, "changed ");
        }
        break;
    }
    if (text.empty()) {
      break;
    }
  }
  return text;
}

TEST(Partial, RecordedDocumentsDifferAsWholeOnesDo) {
  const std::vector<std::string> texts = RecordedDocuments();
  ASSERT_GT(texts.size(), 20U);
  std::mt19937 random(3);
  size_t different = 0;
  size_t compared = 0;
  for (const std::string& text : texts) {
    const std::string same = BothWays(text, text);
    if (!same.contains("\"equal\":true")) {
      continue;
    }
    ++compared;
    for (int i = 0; i < (text.size() > 100000 ? 3 : 60); ++i) {
      const std::string other = Mutated(text, random);
      different += BothWays(text, other).contains("\"equal\":false") ? 1 : 0;
      BothWays(Mutated(text, random), other);
    }
    BothWays(text, texts[random() % texts.size()]);
  }
  EXPECT_GT(compared, 15U);
  EXPECT_GT(different, 100U);
}

std::string Resources(size_t count, size_t changed, std::string_view space) {
  std::string text = R"({"format_version":"1.0","values":{"root_module":{"resources":[)";
  for (size_t i = 0; i < count; ++i) {
    text += std::string(i == 0 ? "" : ",") + R"({"address":"a.a[)" + std::to_string(i) +
            R"(]","values":{"n":)" + std::string(space) + (i == changed ? "-1" : "1") + "}}";
  }
  return text + "]}}}";
}

TEST(Partial, OnlyWhatDiffersIsReadFurther) {
  const auto read = [](const std::string& left, const std::string& right) {
    size_t count = 0;
    const std::string text = Rendered(Document::Parse(left, kComparedShape),
                                      Document::Parse(right, kComparedShape), &count);
    return std::to_string(count) + text.substr(text.find("\"equal\""), 13);
  };
  const std::string some = Resources(1000, 1000, "");
  EXPECT_EQ(read(some, some), "0\"equal\":true,");
  EXPECT_EQ(read(some, Resources(1000, 500, "")), "2\"equal\":false");
  EXPECT_EQ(read(some, Resources(1001, 1000, "")), "0\"equal\":false");
  // Another notation of the same: everything must be read.
  EXPECT_EQ(read(some, Resources(1000, 1000, " ")), "2000\"equal\":true,");
  // The trees of documents do not have what is the same.
  EXPECT_LT((*Document::Parse(some, kComparedShape))->tree().entry_count(), 1000U * 6);
}

}  // namespace
}  // namespace kinu::compare
