#include "codec/iconv.h"

#include <algorithm>
#include <cerrno>
#include <iterator>

#include <iconv.h>

#include "text/unicode.h"

namespace kinu {
namespace {

/// An encoding that the functions of text know.
struct Encoding {
  std::string_view name;     ///< the name of IANA's list
  const char* system_name;   ///< the C library's name
  std::string_view aliases;  ///< all names, that one too, in lower case and parted by spaces
};

// Ref: https://www.iana.org/assignments/character-sets/character-sets.xhtml
// clang-format off
constexpr Encoding kEncodings[] = {
    {"US-ASCII", "US-ASCII", "ansi_x3.4-1968 ansi_x3.4-1986 cp367 csascii ibm367 iso-ir-6 iso646-us iso_646.irv:1991 us us-ascii"},
    {"UTF-8", "UTF-8", "csutf8 utf-8"},
    {"UTF-16", "UTF-16BE", "csutf16 utf-16"},
    {"UTF-16BE", "UTF-16BE", "csutf16be utf-16be"},
    {"UTF-16LE", "UTF-16LE", "csutf16le utf-16le"},
    {"IBM037", "IBM037", "cp037 csibm037 ebcdic-cp-ca ebcdic-cp-nl ebcdic-cp-us ebcdic-cp-wt ibm037"},
    {"IBM437", "IBM437", "437 cp437 cspc8codepage437 ibm437"},
    {"IBM850", "IBM850", "850 cp850 cspc850multilingual ibm850"},
    {"IBM852", "IBM852", "852 cp852 cspcp852 ibm852"},
    {"IBM855", "IBM855", "855 cp855 csibm855 ibm855"},
    {"IBM00858", "CP858", "ccsid00858 cp00858 csibm00858 ibm00858 pc-multilingual-850+euro"},
    {"IBM860", "IBM860", "860 cp860 csibm860 ibm860"},
    {"IBM862", "IBM862", "862 cp862 cspc862latinhebrew ibm862"},
    {"IBM863", "IBM863", "863 cp863 csibm863 ibm863"},
    {"IBM865", "IBM865", "865 cp865 csibm865 ibm865"},
    {"IBM866", "IBM866", "866 cp866 csibm866 ibm866"},
    {"IBM1047", "IBM1047", "csibm1047 ibm-1047 ibm1047"},
    {"IBM01140", "IBM1140", "ccsid01140 cp01140 csibm01140 ebcdic-us-37+euro ibm01140"},
    {"ISO_8859-1:1987", "ISO-8859-1", "cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso_8859-1 iso_8859-1:1987 l1 latin1"},
    {"ISO_8859-2:1987", "ISO-8859-2", "csisolatin2 iso-8859-2 iso-ir-101 iso_8859-2 iso_8859-2:1987 l2 latin2"},
    {"ISO_8859-3:1988", "ISO-8859-3", "csisolatin3 iso-8859-3 iso-ir-109 iso_8859-3 iso_8859-3:1988 l3 latin3"},
    {"ISO_8859-4:1988", "ISO-8859-4", "csisolatin4 iso-8859-4 iso-ir-110 iso_8859-4 iso_8859-4:1988 l4 latin4"},
    {"ISO_8859-5:1988", "ISO-8859-5", "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso_8859-5 iso_8859-5:1988"},
    {"ISO_8859-6:1987", "ISO-8859-6", "arabic asmo-708 csisolatinarabic ecma-114 iso-8859-6 iso-ir-127 iso_8859-6 iso_8859-6:1987"},
    {"ISO_8859-6-E", "ISO-8859-6", "csiso88596e iso-8859-6-e iso_8859-6-e"},
    {"ISO_8859-6-I", "ISO-8859-6", "csiso88596i iso-8859-6-i iso_8859-6-i"},
    {"ISO_8859-7:1987", "ISO-8859-7", "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso_8859-7 iso_8859-7:1987"},
    {"ISO_8859-8:1988", "ISO-8859-8", "csisolatinhebrew hebrew iso-8859-8 iso-ir-138 iso_8859-8 iso_8859-8:1988"},
    {"ISO_8859-8-E", "ISO-8859-8", "csiso88598e iso-8859-8-e iso_8859-8-e"},
    {"ISO_8859-8-I", "ISO-8859-8", "csiso88598i iso-8859-8-i iso_8859-8-i"},
    {"ISO_8859-9:1989", "ISO-8859-9", "csisolatin5 iso-8859-9 iso-ir-148 iso_8859-9 iso_8859-9:1989 l5 latin5"},
    {"ISO-8859-10", "ISO-8859-10", "csisolatin6 iso-8859-10 iso-ir-157 iso_8859-10:1992 l6 latin6"},
    {"ISO-8859-13", "ISO-8859-13", "csiso885913 iso-8859-13"},
    {"ISO-8859-14", "ISO-8859-14", "csiso885914 iso-8859-14 iso-celtic iso-ir-199 iso_8859-14 iso_8859-14:1998 l8 latin8"},
    {"ISO-8859-15", "ISO-8859-15", "csiso885915 iso-8859-15 iso_8859-15 latin-9"},
    {"ISO-8859-16", "ISO-8859-16", "csiso885916 iso-8859-16 iso-ir-226 iso_8859-16 iso_8859-16:2001 l10 latin10"},
    {"KOI8-R", "KOI8-R", "cskoi8r koi8-r"},
    {"KOI8-U", "KOI8-U", "cskoi8u koi8-u"},
    {"macintosh", "MACINTOSH", "csmacintosh mac macintosh"},
    {"windows-874", "CP874", "cswindows874 windows-874"},
    {"windows-1250", "CP1250", "cswindows1250 windows-1250"},
    {"windows-1251", "CP1251", "cswindows1251 windows-1251"},
    {"windows-1252", "CP1252", "cswindows1252 windows-1252"},
    {"windows-1253", "CP1253", "cswindows1253 windows-1253"},
    {"windows-1254", "CP1254", "cswindows1254 windows-1254"},
    {"windows-1255", "CP1255", "cswindows1255 windows-1255"},
    {"windows-1256", "CP1256", "cswindows1256 windows-1256"},
    {"windows-1257", "CP1257", "cswindows1257 windows-1257"},
    {"windows-1258", "CP1258", "cswindows1258 windows-1258"},
    {"Extended_UNIX_Code_Packed_Format_for_Japanese", "EUC-JP-MS", "cseucpkdfmtjapanese euc-jp extended_unix_code_packed_format_for_japanese"},
    {"ISO-2022-JP", "ISO-2022-JP", "csiso2022jp iso-2022-jp"},
    {"Shift_JIS", "CP932", "csshiftjis ms_kanji shift_jis"},
    {"EUC-KR", "UHC", "cseuckr euc-kr"},
    {"GB18030", "GB18030", "csgb18030 gb18030"},
    {"GBK", "GBK", "cp936 csgbk gbk ms936 windows-936"},
    {"Big5", "CP950", "big5 csbig5"},
};
// clang-format on

const Encoding* FindEncoding(std::string_view name) {
  const std::string lower = text::ToLower(text::TrimSpace(name));
  for (const Encoding& encoding : kEncodings) {
    for (std::string_view rest = encoding.aliases; !rest.empty();) {
      const size_t end = std::min(rest.find(' '), rest.size());
      if (rest.substr(0, end) == lower) {
        return &encoding;
      }
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return nullptr;
}

bool IsUtf16WithMark(const Encoding& encoding) {
  return encoding.name == "UTF-16";
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

std::string_view EncodingName(std::string_view name) {
  const Encoding* found = FindEncoding(name);
  return found == nullptr ? std::string_view() : found->name;
}

Result<std::string> EncodeText(std::string_view text, std::string_view encoding) {
  const Encoding* found = FindEncoding(encoding);
  if (found == nullptr) {
    return Fail(ErrorCode::kUnsupported, "the encoding is not supported");
  }
  KINU_TRY(std::string bytes, Recode(text, "UTF-8", found->system_name));
  if (IsUtf16WithMark(*found)) {
    bytes.insert(0, "\xFE\xFF");
  }
  return bytes;
}

Result<std::string> DecodeText(std::string_view bytes, std::string_view encoding) {
  const Encoding* found = FindEncoding(encoding);
  if (found == nullptr) {
    return Fail(ErrorCode::kUnsupported, "the encoding is not supported");
  }
  std::string from = found->system_name;
  if (IsUtf16WithMark(*found)) {
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
