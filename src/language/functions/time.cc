// Times: formatdate plantimestamp timeadd timecmp timestamp.
#include <optional>

#include <time.h>

#include "base/sign.h"
#include "functions/families.h"
#include "functions/support.h"
#include "functions/timestamp.h"
#include "text/duration.h"
#include "text/quote.h"

namespace kinu::functions {
namespace {

std::expected<Timestamp, CallError> ParseTimestamp(const Value& value, int argument) {
  const auto time = ParseRfc3339(value.AsString());
  if (!time) {
    return CallFail("not a valid RFC3339 timestamp: " + text::GoQuote(value.AsString()) +
                        " is not like 2006-01-02T15:04:05Z",
                    argument);
  }
  return *time;
}

CallResult TimeAdd(Arguments args, const Type&, const CallContext&) {
  KINU_TRY(Timestamp time, ParseTimestamp(args[0], -1));
  const auto duration = text::ParseDuration(args[1].AsString());
  if (!duration) {
    return CallFail("time: invalid duration " + text::GoQuote(args[1].AsString()));
  }
  const int64_t nanos = time.nanos + *duration % kNanosPerSecond;
  time.seconds += *duration / kNanosPerSecond + FloorDivide(nanos, kNanosPerSecond);
  return Value::String(ToText(time));
}

CallResult TimeCmp(Arguments args, const Type&, const CallContext&) {
  KINU_TRY(const Timestamp a, ParseTimestamp(args[0], 0));
  KINU_TRY(const Timestamp b, ParseTimestamp(args[1], 1));
  return Value::Int(SignOf(std::pair(a.seconds, a.nanos) <=> std::pair(b.seconds, b.nanos)));
}

CallResult Now(Arguments, const Type&, const CallContext&) {
  return Value::String(ToText({.seconds = static_cast<int64_t>(time(nullptr))}));
}

CallResult PlanTimestamp(Arguments, const Type& type, const CallContext& context) {
  return context.timestamp.empty() ? Value::Unknown(type) : Value::String(context.timestamp);
}

std::unexpected<CallError> InvalidVerb(std::string_view verb) {
  std::string_view rule;
  switch (verb[0]) {
    case 'Y':
      rule = "year must either be \"YY\" or \"YYYY\"";
      break;
    case 'M':
      rule = "month must be \"M\", \"MM\", \"MMM\", or \"MMMM\"";
      break;
    case 'D':
      rule = "day of month must either be \"D\" or \"DD\"";
      break;
    case 'E':
      rule = "day of week must either be \"EEE\" or \"EEEE\"";
      break;
    case 'h':
      rule = "24-hour must either be \"h\" or \"hh\"";
      break;
    case 'H':
      rule = "12-hour must either be \"H\" or \"HH\"";
      break;
    case 'A':
      rule = "must be \"AA\"";
      break;
    case 'a':
      rule = "must be \"aa\"";
      break;
    case 'm':
      rule = "minute must either be \"m\" or \"mm\"";
      break;
    case 's':
      rule = "second must either be \"s\" or \"ss\"";
      break;
    case 'Z':
      rule = "timezone must be Z, ZZZZ, or ZZZZZ";
      break;
    default:
      break;
  }
  return CallFail("invalid date format verb " + text::GoQuote(verb) +
                      (rule.empty() ? "" : ": " + std::string(rule)),
                  0);
}

constexpr std::string_view kMonths[] = {"January",   "February", "March",    "April",
                                        "May",       "June",     "July",     "August",
                                        "September", "October",  "November", "December"};
constexpr std::string_view kWeekdays[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                          "Thursday", "Friday", "Saturday"};

std::optional<std::string> OneOrTwoDigits(int number, size_t verb_size) {
  return verb_size <= 2 ? std::optional(PadNumber(number, verb_size)) : std::nullopt;
}

// The text of a verb, a run of one letter; nothing if there is no such verb.
std::optional<std::string> ExpandVerb(std::string_view verb, const Timestamp& time) {
  const Civil civil = ToCivil(time);
  const size_t size = verb.size();
  switch (verb[0]) {
    case 'Y':
      if (size == 2) {
        return PadNumber(civil.year % 100, 2);
      }
      return size == 4 ? std::optional(PadNumber(civil.year, 4)) : std::nullopt;
    case 'M': {
      const std::string name(kMonths[civil.month - 1]);
      if (size == 3) {
        return name.substr(0, 3);
      }
      return size == 4 ? std::optional(name) : OneOrTwoDigits(civil.month, size);
    }
    case 'D':
      return OneOrTwoDigits(civil.day, size);
    case 'E': {
      const std::string name(kWeekdays[civil.weekday]);
      if (size == 3) {
        return name.substr(0, 3);
      }
      return size == 4 ? std::optional(name) : std::nullopt;
    }
    case 'h':
      return OneOrTwoDigits(civil.hour, size);
    case 'H':
      return OneOrTwoDigits((civil.hour + 11) % 12 + 1, size);
    case 'A':
      return size == 2 ? std::optional<std::string>(civil.hour < 12 ? "AM" : "PM") : std::nullopt;
    case 'a':
      return size == 2 ? std::optional<std::string>(civil.hour < 12 ? "am" : "pm") : std::nullopt;
    case 'm':
      return OneOrTwoDigits(civil.minute, size);
    case 's':
      return OneOrTwoDigits(civil.second, size);
    case 'Z':
      switch (size) {
        case 1:
          return ZuluOrOffset(time.offset);
        case 3:
          return time.offset == 0 ? "UTC" : OffsetText(time.offset, "");
        case 4:
          return OffsetText(time.offset, "");
        case 5:
          return OffsetText(time.offset, ":");
        default:
          return std::nullopt;
      }
    default:
      return std::nullopt;
  }
}

CallResult FormatDate(Arguments args, const Type&, const CallContext&) {
  const std::string_view format = args[0].AsString();
  KINU_TRY(const Timestamp time, ParseTimestamp(args[1], 1));
  std::string out;
  for (size_t pos = 0; pos < format.size();) {
    const char c = format[pos];
    if (IsAsciiLetter(c)) {
      const size_t end = std::min(format.find_first_not_of(c, pos), format.size());
      const std::string_view verb = format.substr(pos, end - pos);
      const auto text = ExpandVerb(verb, time);
      if (!text) {
        return InvalidVerb(verb);
      }
      out += *text;
      pos = end;
      continue;
    }
    ++pos;
    if (c != '\'') {
      out += c;
      continue;
    }
    if (format.substr(pos, 1) == "'") {
      out += '\'';
      ++pos;
      continue;
    }
    // A literal, in which two quotes are one.
    for (;; ++pos) {
      if (pos == format.size()) {
        return CallFail("unterminated literal '", 0);
      }
      if (format[pos] == '\'' && format.substr(pos + 1, 1) != "'") {
        ++pos;
        break;
      }
      pos += format[pos] == '\'' ? 1 : 0;
      out += format[pos];
    }
  }
  return Value::String(out);
}

constexpr FunctionSpec kRows[] = {
    {.name = "formatdate",
     .params = {TextParameter("format"), TextParameter("time")},
     .result_type = &Returns<&Type::String>,
     .impl = &FormatDate,
     .refine = &NeverNull,
     .doc = "A timestamp in another format: YYYY YY year, MMMM MMM MM M month, DD D day, EEEE EEE "
            "day of the week, hh h HH H hour of 24 or 12, AA aa half of the day, mm m minute, ss s "
            "second, Z ZZZ ZZZZ ZZZZZ zone. Other letters stand between single quotes.",
     .examples = {Example{R"(formatdate("DD MMM YYYY hh:mm ZZZ", "2018-01-02T23:12:01Z"))",
                          R"("02 Jan 2018 23:12 UTC")"},
                  Example{R"(formatdate("H'h'mm aa", "2018-01-02T23:12:01-08:00"))",
                          R"("11h12 pm")"}},
     .ref = "go-cty stdlib/datetime.go FormatDateFunc"},
    {.name = "plantimestamp",
     .result_type = &Returns<&Type::String>,
     .impl = &PlanTimestamp,
     .doc = "The time at which the plan was made; unknown before.",
     .examples = {Example{"can(plantimestamp())", "true"},
                  Example{"can(plantimestamp(1))", "false"}},
     .ref = "opentofu internal/lang/funcs/datetime.go MakeStaticTimestampFunc"},
    {.name = "timeadd",
     .params = {TextParameter("timestamp"), TextParameter("duration")},
     .result_type = &Returns<&Type::String>,
     .impl = &TimeAdd,
     .doc = R"(A timestamp moved by a duration such as "10m", "-1.5h" or "1h30m".)",
     .examples = {Example{R"(timeadd("2017-11-22T00:00:00Z", "10m"))", R"("2017-11-22T00:10:00Z")"},
                  Example{R"(timeadd("2020-03-01T00:00:00+01:00", "-24h"))",
                          R"("2020-02-29T00:00:00+01:00")"}},
     .ref = "go-cty stdlib/datetime.go TimeAddFunc"},
    {.name = "timecmp",
     .params = {TextParameter("timestamp_a"), TextParameter("timestamp_b")},
     .result_type = &Returns<&Type::Number>,
     .impl = &TimeCmp,
     .refine = &NeverNull,
     .doc = "-1, 0 or 1: whether the first timestamp is before, at or after the second.",
     .examples = {Example{R"(timecmp("2017-11-22T01:00:00Z", "2017-11-22T00:00:00Z"))", "1"},
                  Example{R"(timecmp("2017-11-22T00:00:00Z", "2017-11-22T01:00:00+01:00"))", "0"}},
     .ref = "opentofu internal/lang/funcs/datetime.go TimeCmpFunc"},
    {.name = "timestamp",
     .result_type = &Returns<&Type::String>,
     .impl = &Now,
     .refine = &NeverNull,
     .doc = "The current time, another one at each call; unknown while planning.",
     .examples = {Example{"can(timestamp())", "true"}, Example{"can(timestamp(1))", "false"}},
     .ref = "opentofu internal/lang/funcs/datetime.go TimestampFunc",
     .impure = true},
};

}  // namespace

std::span<const FunctionSpec> TimeFunctions() {
  return kRows;
}

}  // namespace kinu::functions
