#include "trace/trace.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>

#include <sys/random.h>

#include "trace/within.h"

namespace kinu::trace {
namespace internal {
constinit std::atomic<Detail> detail{Detail::kOff};
}  // namespace internal

namespace {

/// The spans that one thread has ended. Its lock is contended only while they are taken.
struct Buffer {
  std::mutex mutex;
  std::vector<Record> records;
  uint32_t thread = 0;
};

/// What the buffers of all threads share. It is never destroyed: threads may outlive main().
struct Collector {
  std::mutex mutex;
  std::vector<std::shared_ptr<Buffer>> buffers;
  std::atomic<uint64_t> next_id{0};
  std::atomic<SpanId> root{0};  ///< the first span since Take()
};

Collector& TheCollector() {
  static Collector* const kCollector = [] {
    auto* made = new Collector;
    uint64_t seed = 0;
    if (::getrandom(&seed, sizeof seed, 0) != sizeof seed) {
      seed = static_cast<uint64_t>(Now());
    }
    made->next_id.store(seed, std::memory_order_relaxed);
    return made;
  }();
  return *kCollector;
}

thread_local SpanId current = 0;
thread_local std::shared_ptr<Buffer> own_buffer;

Buffer& OwnBuffer() {
  if (own_buffer == nullptr) {
    own_buffer = std::make_shared<Buffer>();
    Collector& collector = TheCollector();
    const std::lock_guard lock(collector.mutex);
    collector.buffers.push_back(own_buffer);
    own_buffer->thread = static_cast<uint32_t>(collector.buffers.size());
  }
  return *own_buffer;
}

/// Spreads consecutive numbers over all 64-bit numbers, so that the ids of processes differ.
SpanId NewId() {
  for (;;) {
    uint64_t x = TheCollector().next_id.fetch_add(1, std::memory_order_relaxed);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    x ^= x >> 31;
    if (x != 0) {
      return x;
    }
  }
}

}  // namespace

void Start(Detail detail) {
  if (detail > internal::detail.load(std::memory_order_relaxed)) {
    internal::detail.store(detail, std::memory_order_relaxed);
  }
}

std::vector<Record> Take() {
  std::vector<Record> out;
  Collector& collector = TheCollector();
  const std::lock_guard lock(collector.mutex);
  for (const std::shared_ptr<Buffer>& buffer : collector.buffers) {
    const std::lock_guard buffer_lock(buffer->mutex);
    std::move(buffer->records.begin(), buffer->records.end(), std::back_inserter(out));
    buffer->records.clear();
  }
  collector.root.store(0);
  std::ranges::stable_sort(out, {}, &Record::start);
  return out;
}

int64_t Now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

int64_t EpochOffset() {
  static const int64_t kOffset = std::chrono::duration_cast<std::chrono::nanoseconds>(
                                     std::chrono::system_clock::now().time_since_epoch())
                                     .count() -
                                 Now();
  return kOffset;
}

SpanId Current() {
  return current;
}

Within::Within(SpanId span) : outer_(std::exchange(current, span)) {
}

Within::~Within() {
  current = outer_;
}

void Span::Begin(std::string_view scope, std::string_view name, Kind kind, SpanId parent) {
  record_ = std::make_unique<Record>().release();
  record_->id = NewId();
  // What a thread of its own does belongs to the run.
  SpanId root = 0;
  record_->parent = parent;
  if (parent == 0 && !TheCollector().root.compare_exchange_strong(root, record_->id)) {
    record_->parent = root;
  }
  record_->kind = kind;
  record_->exported = kind != Kind::kNode;
  record_->scope = scope;
  record_->name = name;
  record_->thread = OwnBuffer().thread;
  outer_ = std::exchange(current, record_->id);
  record_->start = Now();
}

void Span::Fail(std::string failure) {
  record_->failed = true;
  record_->failure = std::move(failure);
}

void Span::End() {
  const std::unique_ptr<Record> record(std::exchange(record_, nullptr));
  record->end = Now();
  current = outer_;
  Buffer& buffer = OwnBuffer();
  const std::lock_guard lock(buffer.mutex);
  buffer.records.push_back(std::move(*record));
}

}  // namespace kinu::trace
