#include "hcl/syntax_checker.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "hcl/parse.h"
#include "hcl/parser.h"
#include "text/unicode.h"

namespace kinu::hcl {
namespace {

/// A part has about so many blocks.
constexpr uint64_t kBlocksPerPart = 32;

/// Above this number of errors, it matters where the parser gives up.
constexpr size_t kManyErrors = 1000;

/// Where a text is cut: behind closing braces that stand alone, if the line that follows says so.
/// An edit moves no cut but those beside it.
std::vector<uint32_t> CutsOf(std::string_view text) {
  constexpr std::string_view kBrace = "\n}";
  std::vector<uint32_t> cuts{0};
  for (size_t at = text.find(kBrace); at != std::string_view::npos; at = text.find(kBrace, at)) {
    at += kBrace.size();
    std::string_view rest = text.substr(at);
    const size_t line_end = rest.starts_with('\r') ? 1 : 0;
    if (!rest.substr(line_end).starts_with('\n')) {
      continue;
    }
    rest.remove_prefix(line_end + 1);
    const size_t begin = std::min(rest.find_first_not_of("\r\n"), rest.size());
    const std::string_view line = rest.substr(begin, rest.find('\n', begin) - begin);
    if (!line.empty() && HashBytes(line) % kBlocksPerPart == 0) {
      cuts.push_back(static_cast<uint32_t>(at + line_end + 1));
    }
  }
  cuts.push_back(static_cast<uint32_t>(text.size()));
  return cuts;
}

struct ParsedPart {
  SyntaxTree tree;
  std::vector<NativeBlock> blocks;
  bool has_attributes = false;
};

void ParsePart(const SourceFile& source, uint32_t begin, uint32_t end, ParsedPart& out,
               Diagnostics& diags) {
  Parser parser(&source, out.tree, {begin, end}, diags);
  out.has_attributes = !parser.ParseFile(out.blocks)->attributes.empty();
  parser.ReportTokens();
}

bool BeginsAtSamePlace(const NativeBlock& a, const NativeBlock& b) {
  return a.type_begin == b.type_begin && a.open_brace == b.open_brace &&
         a.close_brace == b.close_brace;
}

}  // namespace

std::vector<SyntaxChecker::Part> SyntaxChecker::Divide(const SourceFile& source) {
  std::vector<Part> parts;
  FlatSet<uint64_t> clean;
  const std::vector<uint32_t> cuts = CutsOf(source.text());
  for (size_t i = 0; i + 1 < cuts.size(); ++i) {
    Part part{cuts[i], cuts[i + 1], true};
    const uint64_t hash = HashBytes(source.text().substr(part.begin, part.end - part.begin));
    if (!clean_.contains(hash)) {
      ParsedPart parsed;
      Diagnostics found;
      ParsePart(source, part.begin, part.end, parsed, found);
      parsed_bytes_ += part.end - part.begin;
      part.is_clean = found.empty() && !parsed.has_attributes;
    }
    if (part.is_clean) {
      clean.insert(hash);
    }
    parts.push_back(part);
  }
  clean_ = std::move(clean);
  return parts;
}

bool SyntaxChecker::EndsBefore(const SourceFile& source, const Part& part, const Part& next,
                               Diagnostics& diags) {
  // The blocks of the next part are the last ones at the top level only if the parser was there
  // when it came to them. From then on it goes the way that it went when the part was found clean.
  ParsedPart alone;
  Diagnostics none;
  ParsePart(source, next.begin, next.end, alone, none);
  ParsedPart both;
  ParsePart(source, part.begin, next.end, both, diags);
  parsed_bytes_ += (next.end - next.begin) * 2 + part.end - part.begin;
  return !alone.blocks.empty() && both.blocks.size() >= alone.blocks.size() &&
         std::equal(alone.blocks.rbegin(), alone.blocks.rend(), both.blocks.rbegin(),
                    BeginsAtSamePlace);
}

Diagnostics SyntaxChecker::CheckWhole(const SourceFile& source) {
  // Another source: the parsers of parts have set the columns of this one.
  whole_ = SourceFile::Make(source.name(), std::string(source.text()));
  SyntaxTree tree;
  Diagnostics diags;
  (void)ParseNative(whole_.get(), tree, diags);
  parsed_bytes_ += source.text().size();
  return diags;
}

Diagnostics SyntaxChecker::Check(const SourceFile& source) {
  parsed_bytes_ = 0;
  Diagnostics diags;
  const std::vector<Part> parts = Divide(source);
  const auto first = std::ranges::find(parts, false, &Part::is_clean);
  if (first == parts.end()) {
    return diags;
  }
  if (!text::IsAscii(source.text())) {  // columns in texts of errors need all of the file
    return CheckWhole(source);
  }
  const auto next = first + 1;
  const bool is_alone = std::find_if(next, parts.end(), [](const Part& part) {
                          return !part.is_clean;
                        }) == parts.end();
  if (is_alone && next != parts.end() && EndsBefore(source, *first, *next, diags)) {
    return diags;
  }
  diags = {};
  ParsedPart rest;
  ParsePart(source, first->begin, parts.back().end, rest, diags);
  parsed_bytes_ += parts.back().end - first->begin;
  return diags.size() < kManyErrors ? std::move(diags) : CheckWhole(source);
}

}  // namespace kinu::hcl
