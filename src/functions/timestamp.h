// Timestamps of RFC 3339 and of YAML, in the Gregorian calendar without leap seconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kinu::functions {

inline constexpr int64_t kNanosPerSecond = 1'000'000'000;
inline constexpr int64_t kSecondsPerDay = 86400;

struct Timestamp {
  int64_t seconds = 0;  ///< since 1970 UTC
  int64_t nanos = 0;    ///< 0 to 999,999,999
  int offset = 0;       ///< of the clock that shows it, seconds east of UTC
};

/// A time as a clock shows it.
struct Civil {
  int64_t year = 0;
  int month = 1;
  int day = 1;
  int hour = 0;
  int minute = 0;
  int second = 0;
  int weekday = 0;  ///< 0 is Sunday
};

Civil ToCivil(const Timestamp& time);

/// Reads "2006-01-02T15:04:05.999Z", strictly; offsets are written as "+01:00".
std::optional<Timestamp> ParseRfc3339(std::string_view text);
/// Reads what YAML takes for a timestamp: a date alone, a date and a time with offset behind "T" or
/// "t", or without one behind a space; months, days, hours and so on may have one digit.
/// Ref: go-cty-yaml resolve.go.
std::optional<Timestamp> ParseYamlTimestamp(std::string_view text);
/// RFC 3339 without fractions of seconds.
std::string ToText(const Timestamp& time);

/// A number with zeros in front up to `width` digits.
std::string PadNumber(int64_t number, size_t width);
/// "+01:00" with ":" as separator.
std::string OffsetText(int offset, std::string_view separator);
/// "Z" or an offset.
std::string ZuluOrOffset(int offset);

/// Quotient rounded down.
constexpr int64_t FloorDivide(int64_t a, int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

}  // namespace kinu::functions
