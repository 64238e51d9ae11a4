// Spans: what the program does, from when to when, and inside of what. Code opens a Span where a
// step of a run begins; whoever wants them (telemetry/, -timings) turns tracing on at the start and
// takes what was recorded at the end.
//
// Tracing is off unless somebody asks: then a Span is one branch, and nothing is allocated. Each
// thread records into a buffer of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace kinu::trace {

/// How much is recorded.
enum class Detail : uint8_t {
  kOff,
  kSpans,    ///< the spans that are exported
  kObjects,  ///< and those of all nodes of a graph, which only -timings shows
};

/// Names a span within the process; 0: none. The same number is its id where it is exported.
using SpanId = uint64_t;

/// A fact about a span. Keys are literals.
struct Attribute {
  std::string_view key;
  std::variant<std::string, bool, int64_t, std::vector<std::string>> value;
};

/// What kind of work a span is.
enum class Kind : uint8_t {
  kStep,    ///< a command or a phase
  kObject,  ///< work on one object: the critical path consists of them
  kNode,    ///< a node of a graph, with its name as `object`; not exported
  kCall,    ///< a call of a provider process
};

/// A span that has ended.
struct Record {
  SpanId id = 0;
  SpanId parent = 0;
  Kind kind = Kind::kStep;
  bool failed = false;
  bool exported = true;
  uint32_t thread = 0;     ///< numbered from 1 in the order of their first spans
  std::string_view scope;  ///< the part of the program, a literal
  std::string name;
  std::string object;  ///< what it works on, for people; may be empty
  SpanId node = 0;     ///< of kObject: the node that it belongs to
  SpanId after = 0;    ///< the node or object whose end let this one begin
  int64_t start = 0;   ///< nanoseconds of a steady clock
  int64_t end = 0;
  std::string failure;  ///< of a failed one
  std::vector<Attribute> attributes;
};

namespace internal {
extern std::atomic<Detail> detail;
}  // namespace internal

/// Whether spans are recorded.
inline bool On() {
  return internal::detail.load(std::memory_order_relaxed) != Detail::kOff;
}
/// Whether the nodes of graphs are recorded too.
inline bool Detailed() {
  return internal::detail.load(std::memory_order_relaxed) == Detail::kObjects;
}
/// Records from now on. A call for less than is recorded already changes nothing.
void Start(Detail detail);
/// Takes the spans that have ended so far, by their start. Thread-safe.
std::vector<Record> Take();
/// Nanoseconds of the clock of records.
int64_t Now();
/// What to add to a time of records to get nanoseconds since 1970.
int64_t EpochOffset();

/// The innermost span that is open on this thread; 0: none.
SpanId Current();

/// A span, which lasts as long as this object. It must end on the thread on which it began, after
/// all spans that began on that thread meanwhile.
class Span {
 public:
  /// None.
  Span() = default;
  /// Begins a span within the current one of this thread. `scope` and `name` are literals.
  Span(std::string_view scope, std::string_view name, Kind kind = Kind::kStep) {
    if (On()) [[unlikely]] {
      Begin(scope, name, kind, Current());
    }
  }
  /// Begins a span within another one, which another thread may have begun.
  Span(std::string_view scope, std::string_view name, Kind kind, SpanId parent) {
    if (On()) [[unlikely]] {
      Begin(scope, name, kind, parent);
    }
  }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;
  ~Span() {
    if (record_ != nullptr) [[unlikely]] {
      End();
    }
  }

  /// Whether it is recorded. Only then may the functions below be called.
  bool on() const { return record_ != nullptr; }
  SpanId id() const { return record_ == nullptr ? 0 : record_->id; }
  Record& record() { return *record_; }
  template <typename Value>
  void Set(std::string_view key, Value value) {
    record_->attributes.push_back({key, std::move(value)});
  }
  void Fail(std::string failure);
  /// Ends it before the object does.
  void End();

 private:
  void Begin(std::string_view scope, std::string_view name, Kind kind, SpanId parent);

  Record* record_ = nullptr;
  SpanId outer_ = 0;  ///< what was current before
};

}  // namespace kinu::trace
