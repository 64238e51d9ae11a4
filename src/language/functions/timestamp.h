// Timestamps of RFC 3339 and of YAML, in the Gregorian calendar without leap seconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kinu::functions {

inline constexpr int64_t kNanosPerSecond = 1'000'000'000;
inline constexpr int64_t kSecondsPerDay = 86400;

/// A point in time with a time zone.
struct Timestamp {
  int64_t seconds = 0;  ///< since 1970-01-01 UTC
  int64_t nanos = 0;    ///< 0 to 999,999,999
  int offset = 0;       ///< of the time zone, in seconds east of UTC
};

/// Date and time of day in the time zone of a timestamp.
struct Civil {
  int64_t year = 0;
  int month = 1;
  int day = 1;
  int hour = 0;
  int minute = 0;
  int second = 0;
  int weekday = 0;  ///< 0 is Sunday
};

/// Date and time of day of a timestamp in its time zone.
Civil ToCivil(const Timestamp& time);

/// Parses the form "2006-01-02T15:04:05.999Z" or with an offset, "+01:00"; nothing for other texts.
std::optional<Timestamp> ParseRfc3339(std::string_view text);
/// Parses a timestamp of YAML: a date; a date, "T" or "t", and a time with offset; or a date, a
/// space, and a time without offset. Months, days, hours and so on may have one digit.
/// Ref: go-cty-yaml resolve.go.
std::optional<Timestamp> ParseYamlTimestamp(std::string_view text);
/// The timestamp in RFC 3339 format without fractions of seconds.
std::string ToText(const Timestamp& time);

/// A number with leading zeros, at least `width` digits.
std::string PadNumber(int64_t number, size_t width);
/// The offset as text: "+01:00" with ":" as separator.
std::string OffsetText(int offset, std::string_view separator);
/// "Z" for UTC, else the offset with ":" as separator.
std::string ZuluOrOffset(int offset);

/// Quotient rounded down.
constexpr int64_t FloorDivide(int64_t a, int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

}  // namespace kinu::functions
