#include "trace/parent.h"

#include <algorithm>
#include <vector>

#include <sys/random.h>

#include "text/hex.h"

namespace kinu::trace {
namespace {

/// Takes what stands before the next dash and reads it as `size` bytes.
bool TakePart(std::string_view& rest, unsigned char* out, size_t size) {
  const size_t end = std::min(rest.find('-'), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  if (part.size() != 2 * size) {
    return false;
  }
  for (size_t i = 0; i < part.size(); ++i) {
    const int digit = part[i] >= 'A' && part[i] <= 'F' ? -1 : text::HexDigit(part[i]);
    if (digit < 0) {
      return false;
    }
    out[i / 2] = static_cast<unsigned char>((out[i / 2] << 4) | digit);
  }
  return true;
}

void AppendHex(std::string& out, unsigned char byte) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  out += kDigits[byte >> 4];
  out += kDigits[byte & 15];
}

/// The trace of this run; no trace while nobody has named it.
Parent& RunTrace() {
  static Parent run;
  return run;
}

bool IsWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool HasKeyCharacters(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return IsWord(c) || c == '_' || c == '-' || c == '*' || c == '/'; });
}

/// A part of a key that begins with a letter, or that may begin with a digit.
bool IsKeyPart(std::string_view part, size_t longest, bool digit) {
  return !part.empty() && part.size() <= longest && IsWord(part[0]) && (digit || part[0] >= 'a') &&
         HasKeyCharacters(part);
}

bool IsKey(std::string_view key) {
  const size_t at = key.find('@');
  return at == std::string_view::npos
             ? IsKeyPart(key, 256, false)
             : IsKeyPart(key.substr(0, at), 241, true) && IsKeyPart(key.substr(at + 1), 14, false);
}

bool IsValue(std::string_view value) {
  return !value.empty() && value.size() <= 256 && value.back() != ' ' &&
         std::ranges::all_of(value, [](char c) { return c >= ' ' && c <= '~' && c != '='; });
}

}  // namespace

std::optional<Parent> ParseTraceParent(std::string_view text) {
  Parent parent;
  unsigned char version = 0;
  std::array<unsigned char, 8> span{};
  if (!TakePart(text, &version, 1) || version == 0xFF ||
      !TakePart(text, parent.trace.data(), parent.trace.size()) ||
      !TakePart(text, span.data(), span.size()) || !TakePart(text, &parent.flags, 1)) {
    return std::nullopt;
  }
  // Version 0 has neither further parts nor other flags.
  if (version == 0 && (!text.empty() || parent.flags > 3)) {
    return std::nullopt;
  }
  parent.flags &= 3;
  for (const unsigned char byte : span) {
    parent.span = (parent.span << 8) | byte;
  }
  if (parent.span == 0 || parent.trace == TraceId{}) {
    return std::nullopt;
  }
  return parent;
}

std::string ParseTraceState(std::string_view text) {
  constexpr size_t kMostParts = 32;
  std::vector<std::string_view> keys;
  std::string out;
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (part.empty()) {
      continue;
    }
    constexpr std::string_view kSpace = " \t";
    const size_t equals = part.find('=');
    if (equals == std::string_view::npos) {
      return {};
    }
    std::string_view key = part.substr(0, equals);
    key.remove_prefix(std::min(key.find_first_not_of(kSpace), key.size()));
    std::string_view value = part.substr(equals + 1);
    value = value.substr(0, value.find_last_not_of(kSpace) + 1);
    if (!IsKey(key) || !IsValue(value) || std::ranges::find(keys, key) != keys.end()) {
      return {};
    }
    keys.push_back(key);
    if (keys.size() > kMostParts) {
      return {};
    }
    out += (out.empty() ? "" : ",") + std::string(key) + "=" + std::string(value);
  }
  return out;
}

TraceId NewTraceId() {
  TraceId id{};
  while (id == TraceId{}) {
    if (::getrandom(id.data(), id.size(), 0) != static_cast<ssize_t>(id.size())) {
      id[0] = 1;
    }
  }
  return id;
}

void NameTrace(const TraceId& trace, uint8_t flags) {
  RunTrace() = {.trace = trace, .span = 0, .flags = flags};
}

std::string TraceParentOfChildren() {
  const Parent& run = RunTrace();
  const SpanId span = Current();
  if (run.trace == TraceId{} || span == 0) {
    return {};
  }
  std::string out = "00-";
  for (const unsigned char byte : run.trace) {
    AppendHex(out, byte);
  }
  out += '-';
  for (int shift = 56; shift >= 0; shift -= 8) {
    AppendHex(out, static_cast<unsigned char>(span >> shift));
  }
  out += '-';
  AppendHex(out, run.flags);
  return out;
}

}  // namespace kinu::trace
