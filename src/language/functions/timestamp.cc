#include "functions/timestamp.h"

namespace kinu::functions {
namespace {

bool IsLeapYear(int64_t year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

int DaysIn(int64_t year, int month) {
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && IsLeapYear(year) ? 29 : kDays[month - 1];
}

// Days from 1970-01-01 to a date of the Gregorian calendar. Computes with years that start in
// March, so that a leap day is the last day of its year.
int64_t DaysFromDate(int64_t year, int month, int day) {
  year -= month <= 2 ? 1 : 0;
  const int64_t era = FloorDivide(year, 400);
  const int64_t year_of_era = year - era * 400;
  const int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  const int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + day_of_era - 719468;
}

// Reads numbers and separators from left to right. After an error ok_ is false and the values are
// meaningless.
class TimestampParser {
 public:
  explicit TimestampParser(std::string_view text) : text_(text) {}

  std::optional<Timestamp> ReadRfc3339() {
    ReadDate(2);
    Expect('T');
    ReadTime(2);
    time_.offset = ReadOffset();
    return MakeResult();
  }

  std::optional<Timestamp> ReadYaml() {
    ReadDate(1);
    if (ok_ && pos_ < text_.size()) {
      const bool zoned = Peek() == 'T' || Peek() == 't';
      ok_ = zoned || Peek() == ' ';
      ++pos_;
      ReadTime(1);
      time_.offset = zoned ? ReadOffset() : 0;
    }
    return MakeResult();
  }

 private:
  char Peek() const { return pos_ < text_.size() ? text_[pos_] : '\0'; }
  static bool IsDigit(char c) { return c >= '0' && c <= '9'; }

  int ReadNumber(int least, int most) {
    int value = 0;
    int count = 0;
    for (; count < most && IsDigit(Peek()); ++count, ++pos_) {
      value = value * 10 + (Peek() - '0');
    }
    ok_ = ok_ && count >= least;
    return value;
  }

  void ReadDate(int least_digits) {
    year_ = ReadNumber(4, 4);
    Expect('-');
    month_ = ReadNumber(least_digits, 2);
    Expect('-');
    day_ = ReadNumber(least_digits, 2);
  }

  void ReadTime(int least_digits) {
    const int hour = ReadNumber(least_digits, 2);
    Expect(':');
    const int minute = ReadNumber(least_digits, 2);
    Expect(':');
    const int second = ReadNumber(least_digits, 2);
    ok_ = ok_ && hour < 24 && minute < 60 && second < 60;
    time_.seconds = hour * 3600 + minute * 60 + second;
    time_.nanos = ReadFraction();
  }

  std::optional<Timestamp> MakeResult() {
    const bool exists = ok_ && pos_ == text_.size() && month_ >= 1 && month_ <= 12 && day_ >= 1 &&
                        day_ <= DaysIn(year_, month_);
    if (!exists) {
      return std::nullopt;
    }
    time_.seconds += DaysFromDate(year_, month_, day_) * kSecondsPerDay - time_.offset;
    return time_;
  }

  void Expect(char c) {
    ok_ = ok_ && Peek() == c;
    ++pos_;
  }

  int64_t ReadFraction() {
    if (Peek() != '.') {
      return 0;
    }
    ++pos_;
    ok_ = ok_ && IsDigit(Peek());
    int64_t nanos = 0;
    for (int64_t unit = kNanosPerSecond / 10; IsDigit(Peek()); ++pos_, unit /= 10) {
      nanos += unit * (Peek() - '0');
    }
    return nanos;
  }

  int ReadOffset() {
    const char sign = Peek();
    ++pos_;
    if (sign == 'Z') {
      return 0;
    }
    ok_ = ok_ && (sign == '+' || sign == '-');
    const int hours = ReadNumber(2, 2);
    Expect(':');
    const int minutes = ReadNumber(2, 2);
    ok_ = ok_ && hours < 24 && minutes < 60;
    const int offset = hours * 3600 + minutes * 60;
    return sign == '-' ? -offset : offset;
  }

  std::string_view text_;
  size_t pos_ = 0;
  bool ok_ = true;
  int year_ = 0;
  int month_ = 0;
  int day_ = 0;
  Timestamp time_;
};

}  // namespace

Civil ToCivil(const Timestamp& time) {
  const int64_t local = time.seconds + time.offset;
  const int64_t days = FloorDivide(local, kSecondsPerDay);
  const int64_t clock = local - days * kSecondsPerDay;
  const int64_t shifted = days + 719468;
  const int64_t era = FloorDivide(shifted, 146097);
  const int64_t day_of_era = shifted - era * 146097;
  const int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t month = (5 * day_of_year + 2) / 153;
  Civil civil;
  civil.day = static_cast<int>(day_of_year - (153 * month + 2) / 5 + 1);
  civil.month = static_cast<int>(month < 10 ? month + 3 : month - 9);
  civil.year = year_of_era + era * 400 + (civil.month <= 2 ? 1 : 0);
  civil.hour = static_cast<int>(clock / 3600);
  civil.minute = static_cast<int>(clock / 60 % 60);
  civil.second = static_cast<int>(clock % 60);
  civil.weekday = static_cast<int>(((days + 4) % 7 + 7) % 7);
  return civil;
}

std::string PadNumber(int64_t number, size_t width) {
  std::string digits = std::to_string(number < 0 ? -number : number);
  if (digits.size() < width) {
    digits.insert(0, width - digits.size(), '0');
  }
  return number < 0 ? "-" + digits : digits;
}

std::string OffsetText(int offset, std::string_view separator) {
  const int minutes = (offset < 0 ? -offset : offset) / 60;
  std::string out = offset < 0 ? "-" : "+";
  out += PadNumber(minutes / 60, 2);
  out += separator;
  out += PadNumber(minutes % 60, 2);
  return out;
}

std::string ZuluOrOffset(int offset) {
  return offset == 0 ? "Z" : OffsetText(offset, ":");
}

std::string ToText(const Timestamp& time) {
  const Civil civil = ToCivil(time);
  return PadNumber(civil.year, 4) + "-" + PadNumber(civil.month, 2) + "-" +
         PadNumber(civil.day, 2) + "T" + PadNumber(civil.hour, 2) + ":" +
         PadNumber(civil.minute, 2) + ":" + PadNumber(civil.second, 2) + ZuluOrOffset(time.offset);
}

std::optional<Timestamp> ParseRfc3339(std::string_view text) {
  return TimestampParser(text).ReadRfc3339();
}

std::optional<Timestamp> ParseYamlTimestamp(std::string_view text) {
  return TimestampParser(text).ReadYaml();
}

}  // namespace kinu::functions
