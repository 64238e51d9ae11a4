#include "plugin/log_relay.h"

#include "cty/json.h"
#include "json/writer.h"

namespace kinu::plugin {
namespace {

constexpr size_t kKeptLines = 20;
constexpr size_t kMaxPanic = size_t{1024} * 1024;

std::string TextOf(const Value& value) {
  if (!value.IsNull() && value.type() == Type::String()) {
    return std::string(value.AsString());
  }
  std::string out;
  JsonWriter writer(out, {.escape = JsonEscape::kPlain});
  static_cast<void>(WriteSimpleJson(writer, value));
  return out;
}

struct Panics {
  std::mutex mutex;
  std::vector<PluginPanic> list;
};
Panics& AllPanics() {
  static Panics panics;
  return panics;
}

}  // namespace

LogLine ParseLogLine(std::string_view line) {
  LogLine out;
  out.message = line;
  if (line.starts_with('{')) {
    auto type = ImpliedTypeOfJson(line);
    auto value =
        type && type->is_object() ? ValueFromJson(line, *type) : ValueFromJson("null", Type());
    if (!type || !type->is_object() || !value) {
      return out;
    }
    out.message.clear();
    for (size_t i = 0; i < value->size(); ++i) {
      std::string_view key = value->key(i);
      std::string text = TextOf(value->elements()[i]);
      if (key == "@level") {
        out.level = log::ParseLevel(text);
      } else if (key == "@message") {
        out.message = text;
      } else if (key == "@module") {
        out.module = text;
      } else if (key != "@timestamp") {
        out.fields += out.fields.empty() ? ": " : " ";
        bool quote = text.find_first_of(" \t\"") != text.npos;
        out.fields += std::string(key) + '=';
        if (quote) {
          JsonWriter::AppendQuoted(out.fields, text, JsonEscape::kPlain);
        } else {
          out.fields += text;
        }
      }
    }
    return out;
  }
  for (LogLevel level :
       {LogLevel::kTrace, LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarn, LogLevel::kError}) {
    const std::string prefix = '[' + std::string(log::NameOf(level)) + ']';
    if (line.starts_with(prefix)) {
      out.level = level;
      line.remove_prefix(prefix.size());
      out.message = line.substr(
          line.find_first_not_of(' ') == line.npos ? line.size() : line.find_first_not_of(' '));
      break;
    }
  }
  return out;
}

LogRelay::LogRelay(std::string name) : name_(std::move(name)), level_(log::ProviderLevel()) {
}

void LogRelay::Line(std::string_view line, bool from_stdout) {
  std::lock_guard lock(mutex_);
  if (!from_stdout && (line.starts_with("panic: ") || line.starts_with("fatal error: "))) {
    panicking_ = true;
  }
  if (panicking_ && !from_stdout) {
    if (panic_.size() < kMaxPanic) {
      panic_.append(line).push_back('\n');
    }
  } else if (!line.starts_with('{')) {
    if (last_.size() == kKeptLines) {
      last_.pop_front();
    }
    last_.emplace_back(line);
  }
  if (level_ == LogLevel::kOff) {
    return;
  }
  LogLine parsed = ParseLogLine(line);
  if (panicking_) {
    parsed.level = LogLevel::kError;
  }
  if (parsed.level >= level_ && parsed.level != LogLevel::kOff) {
    const std::string module =
        "provider." + name_ + (parsed.module.empty() ? "" : "." + parsed.module);
    log::WriteFor(module, parsed.level, parsed.message + parsed.fields);
  }
}

std::string LogRelay::Panic() const {
  std::lock_guard lock(mutex_);
  return panic_;
}

std::string LogRelay::LastWords() const {
  std::lock_guard lock(mutex_);
  std::string out;
  for (const std::string& line : last_) {
    out += line + '\n';
  }
  return out;
}

std::vector<PluginPanic> PluginPanics() {
  std::lock_guard lock(AllPanics().mutex);
  return AllPanics().list;
}

void RecordPluginPanic(PluginPanic panic) {
  std::lock_guard lock(AllPanics().mutex);
  AllPanics().list.push_back(std::move(panic));
}

}  // namespace kinu::plugin
