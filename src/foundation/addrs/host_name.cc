#include "addrs/host_name.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <vector>

#include "text/unicode.h"

namespace kinu {
namespace {

constexpr std::string_view kPunycodePrefix = "xn--";
constexpr size_t kLongestLabel = 63;

std::vector<std::string_view> Labels(std::string_view name) {
  std::vector<std::string_view> labels;
  for (;;) {
    const size_t dot = name.find('.');
    labels.push_back(name.substr(0, dot));
    if (dot == std::string_view::npos) {
      return labels;
    }
    name.remove_prefix(dot + 1);
  }
}

// --- Punycode: RFC 3492, with its names. ---

constexpr uint32_t kBase = 36;
constexpr uint32_t kMinThreshold = 1;
constexpr uint32_t kMaxThreshold = 26;
constexpr uint32_t kSkew = 38;
constexpr uint32_t kDamp = 700;
constexpr uint32_t kInitialBias = 72;
constexpr uint32_t kFirstCode = 0x80;

char DigitOf(uint32_t value) {
  return static_cast<char>(value < 26 ? 'a' + value : '0' + (value - 26));
}

uint32_t AdaptedBias(uint32_t delta, uint32_t points, bool first) {
  delta = first ? delta / kDamp : delta / 2;
  delta += delta / points;
  uint32_t k = 0;
  while (delta > (kBase - kMinThreshold) * kMaxThreshold / 2) {
    delta /= kBase - kMinThreshold;
    k += kBase;
  }
  return k + (kBase - kMinThreshold + 1) * delta / (delta + kSkew);
}

void AppendVariableLength(std::string& out, uint32_t number, uint32_t bias) {
  for (uint32_t k = kBase;; k += kBase) {
    const uint32_t threshold = k <= bias ? kMinThreshold : std::min(k - bias, kMaxThreshold);
    if (number < threshold) {
      out += DigitOf(number);
      return;
    }
    out += DigitOf(threshold + (number - threshold) % (kBase - threshold));
    number = (number - threshold) / (kBase - threshold);
  }
}

std::string Punycode(std::string_view label) {
  std::vector<uint32_t> points;
  for (size_t pos = 0; pos < label.size();) {
    const text::Decoded next = text::DecodeUtf8(label, pos);
    points.push_back(next.point);
    pos += next.size;
  }
  std::string out;
  for (const uint32_t point : points) {
    if (point < kFirstCode) {
      out += static_cast<char>(point);
    }
  }
  const auto basic = static_cast<uint32_t>(out.size());
  uint32_t handled = basic;
  if (basic > 0) {
    out += '-';
  }
  uint32_t code = kFirstCode;
  uint32_t bias = kInitialBias;
  uint32_t delta = 0;
  while (handled < points.size()) {
    uint32_t next = UINT32_MAX;
    for (const uint32_t point : points) {
      if (point >= code) {
        next = std::min(next, point);
      }
    }
    delta += (next - code) * (handled + 1);
    code = next;
    for (const uint32_t point : points) {
      if (point < code) {
        ++delta;
      } else if (point == code) {
        AppendVariableLength(out, delta, bias);
        bias = AdaptedBias(delta, handled + 1, handled == basic);
        delta = 0;
        ++handled;
      }
    }
    ++delta;
    ++code;
  }
  return out;
}

// --- Labels. ---

bool IsMark(char32_t point) {
  // What continues an identifier and is neither letter, digit nor punctuation is a combining mark.
  return point >= kFirstCode && text::IsIdentifierContinue(point);
}

bool IsHostLabel(std::string_view label) {
  if (label.empty() || label.size() > 4 * kLongestLabel || label.front() == '-' ||
      label.back() == '-') {
    return false;
  }
  for (size_t pos = 0; pos < label.size();) {
    const text::Decoded next = text::DecodeUtf8(label, pos);
    if (!next.ok || !(text::IsLetter(next.point) || text::IsDigit(next.point) ||
                      next.point == '-' || (pos > 0 && IsMark(next.point)))) {
      return false;
    }
    pos += next.size;
  }
  const size_t size =
      text::IsAscii(label) ? label.size() : kPunycodePrefix.size() + Punycode(label).size();
  return size <= kLongestLabel;
}

}  // namespace

std::expected<std::string, std::string> NormalizeHostName(std::string_view name) {
  std::string normal = text::ToNfc(text::ToLower(name));
  for (const std::string_view label : Labels(normal)) {
    if (label.starts_with(kPunycodePrefix)) {
      return std::unexpected("names in punycode are not allowed: write the name in Unicode");
    }
    if (!IsHostLabel(label)) {
      return std::unexpected("contains characters that are not valid in a hostname");
    }
  }
  return normal;
}

std::string HostNameToAscii(std::string_view name) {
  const std::string_view host = name.substr(0, name.find(':'));
  std::string out;
  for (const std::string_view label : Labels(host)) {
    out += out.empty() ? "" : ".";
    if (text::IsAscii(label)) {
      out += label;
    } else {
      out += kPunycodePrefix;
      out += Punycode(label);
    }
  }
  return out + std::string(name.substr(host.size()));
}

std::string HostNameProblem(std::string_view name) {
  for (const char c : name) {
    // Symbols of ASCII that no label may have.
    if (static_cast<unsigned char>(c) < 0x80 && std::isalnum(static_cast<unsigned char>(c)) == 0 &&
        c != '-' && c != '.' && c != ':') {
      constexpr std::string_view kDigits = "0123456789ABCDEF";
      const auto byte = static_cast<unsigned char>(c);
      return std::string("idna: disallowed rune U+00") + kDigits[byte >> 4U] + kDigits[byte & 15U];
    }
  }
  auto normal = NormalizeHostName(name);
  return normal ? std::string() : std::move(normal).error();
}

}  // namespace kinu
