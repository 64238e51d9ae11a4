#include "codec/iconv.h"

#include <algorithm>
#include <cerrno>
#include <iterator>

#include <iconv.h>

#include "text/unicode.h"

namespace kinu {
namespace {

// Encodings by IANA name, in lower case. Single-byte families are matched by their prefixes.
constexpr std::string_view kNames[] = {
    "big5",      "cp437",   "cp936",       "euc-jp", "euc-kr",   "gb18030",  "gbk",
    "ibm437",    "ibm850",  "ibm852",      "ibm855", "ibm860",   "ibm862",   "ibm863",
    "ibm865",    "ibm866",  "iso-2022-jp", "koi8-r", "koi8-u",   "latin1",   "macintosh",
    "shift_jis", "tis-620", "us-ascii",    "utf-16", "utf-16be", "utf-16le", "utf-8"};

bool IsNumbered(std::string_view name, std::string_view prefix, int most) {
  if (!name.starts_with(prefix) || name.size() - prefix.size() > 2 ||
      name.size() == prefix.size()) {
    return false;
  }
  int number = 0;
  for (char c : name.substr(prefix.size())) {
    if (c < '0' || c > '9') {
      return false;
    }
    number = number * 10 + (c - '0');
  }
  return number >= 1 && number <= most;
}

std::string SystemName(std::string_view name) {
  const std::string lower = text::ToLower(name);
  if (lower == "macintosh") {
    return "MACINTOSH";
  }
  if (lower.starts_with("windows-")) {
    return "CP" + lower.substr(8);
  }
  return lower == "utf-16" ? "UTF-16BE" : lower;
}

bool IsUtf16WithMark(std::string_view name) {
  return text::ToLower(name) == "utf-16";
}

Result<std::string> Recode(std::string_view in, const std::string& from, const std::string& to) {
  const iconv_t state = iconv_open(to.c_str(), from.c_str());
  if (state == reinterpret_cast<iconv_t>(-1)) {
    return Fail(ErrorCode::kUnsupported, "the encoding is not supported");
  }
  std::string out;
  char chunk[4096];
  char* next = const_cast<char*>(in.data());
  size_t left = in.size();
  bool flushed = false;
  bool ok = true;
  while (ok && !flushed) {
    char* free = chunk;
    size_t room = sizeof chunk;
    flushed = left == 0;
    // Without input the call ends shift sequences.
    const size_t status = flushed ? iconv(state, nullptr, nullptr, &free, &room)
                                  : iconv(state, &next, &left, &free, &room);
    ok = status != static_cast<size_t>(-1) || errno == E2BIG;
    out.append(chunk, sizeof chunk - room);
  }
  iconv_close(state);
  if (!ok) {
    return Fail(ErrorCode::kInvalid, "the text cannot be converted");
  }
  return out;
}

}  // namespace

bool IsKnownEncoding(std::string_view name) {
  const std::string lower = text::ToLower(name);
  if (lower == "iso-8859-11" || lower == "iso-8859-12") {
    return false;
  }
  return std::find(std::begin(kNames), std::end(kNames), lower) != std::end(kNames) ||
         IsNumbered(lower, "iso-8859-", 16) || lower == "windows-874" || lower == "windows-1250" ||
         IsNumbered(lower, "windows-125", 8);
}

Result<std::string> EncodeText(std::string_view text, std::string_view encoding) {
  KINU_TRY(std::string bytes, Recode(text, "UTF-8", SystemName(encoding)));
  if (IsUtf16WithMark(encoding)) {
    bytes.insert(0, "\xFE\xFF");
  }
  return bytes;
}

Result<std::string> DecodeText(std::string_view bytes, std::string_view encoding) {
  std::string from = SystemName(encoding);
  if (IsUtf16WithMark(encoding)) {
    if (bytes.starts_with("\xFF\xFE")) {
      from = "UTF-16LE";
    }
    if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) {
      bytes.remove_prefix(2);
    }
  }
  return Recode(bytes, from, "UTF-8");
}

}  // namespace kinu
