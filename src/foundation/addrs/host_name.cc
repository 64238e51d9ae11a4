#include "addrs/host_name.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "text/quote.h"
#include "text/unicode.h"

namespace kinu {
namespace {

constexpr std::string_view kPunycodePrefix = "xn--";

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
  return point >= kFirstCode && text::IsIdentifierContinue(point) && !text::IsLetter(point) &&
         !text::IsDigit(point);
}

std::string DisallowedRune(char32_t point) {
  char text[48];
  std::snprintf(text, sizeof text, "idna: disallowed rune U+%04X", static_cast<unsigned>(point));
  return text;
}

/// Why some character may be in no label; empty: all may.
std::string CharacterProblem(std::string_view name) {
  for (size_t pos = 0; pos < name.size();) {
    const text::Decoded next = text::DecodeUtf8(name, pos);
    const bool allowed = text::IsLetter(next.point) || text::IsDigit(next.point) ||
                         next.point == '-' || next.point == '.' || IsMark(next.point);
    if (!next.ok || !allowed) {
      return DisallowedRune(next.point);
    }
    pos += next.size;
  }
  return {};
}

/// Whether dashes stand where labels of host names have none, or a mark comes first.
bool IsInvalidLabel(std::string_view label) {
  return label.front() == '-' || label.back() == '-' || label.find("--", 2) == 2 ||
         IsMark(text::DecodeUtf8(label, 0).point);
}

/// What is wrong with a label before case is folded; empty: nothing.
std::string GivenLabelProblem(std::string_view label) {
  if (label.empty()) {
    return "hostname contains empty label (two consecutive periods)";
  }
  if (label.starts_with(kPunycodePrefix)) {
    return "hostname label " + text::Quoted(label) +
           " specified in punycode format; service hostnames must be given in unicode";
  }
  return {};
}

/// The name without the dots at its end that a lookup allows: two at most.
std::string_view WithoutLastDots(std::string_view name) {
  for (int allowed = 2; allowed > 0 && name.ends_with('.'); --allowed) {
    name.remove_suffix(1);
  }
  return name;
}

}  // namespace

std::expected<std::string, std::string> NormalizeHostName(std::string_view name) {
  if (name.empty()) {
    return std::unexpected("empty string is not a valid hostname");
  }
  for (const std::string_view label : Labels(WithoutLastDots(name))) {
    if (std::string problem = GivenLabelProblem(label); !problem.empty()) {
      return std::unexpected(std::move(problem));
    }
  }
  std::string normal = text::ToNfc(text::ToLower(name));
  if (std::string problem = CharacterProblem(normal); !problem.empty()) {
    return std::unexpected(std::move(problem));
  }
  for (const std::string_view label : Labels(WithoutLastDots(normal))) {
    if (IsInvalidLabel(label)) {
      return std::unexpected("idna: invalid label " + text::Quoted(label));
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

}  // namespace kinu
