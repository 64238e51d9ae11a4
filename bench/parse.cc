// Measures throughput and memory of parsing and formatting files, and compares them with the goals:
//
//   kinu_parse_bench [-once] FILE...
//
// Files whose names end with .json are parsed as JSON syntax, others as native syntax. Parsing
// includes lexing, the tree and its values. Formatting is measured for native syntax. CPU time is
// that of the best run; the first run, in a fresh process, is printed too. -once does one run only,
// for files of a gigabyte.
#include "hcl/parse.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>

#include <unistd.h>

#include "base/files.h"
#include "base/thread.h"
#include "cli/heap.h"
#include "hcl/writer/format.h"

#if KINU_MIMALLOC
#include <mimalloc.h>
#endif

namespace {

constexpr int kRuns = 40;
int runs = kRuns;
constexpr double kNativeGoal = 150;  // MB/s
constexpr double kJsonGoal = 300;
constexpr double kFormatGoal = 77;  // 1 MB in 13 ms
constexpr double kMemoryGoal = 8;   // bytes per byte of the source

double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

#if KINU_MIMALLOC
/// Allocated memory in bytes.
size_t UsedBytes() {
  size_t bytes = 0;
  mi_heap_visit_blocks(
      mi_heap_get_default(), /*visit_all_blocks=*/true,
      [](const mi_heap_t*, const mi_heap_area_t*, void* block, size_t size, void* sum) {
        *static_cast<size_t*>(sum) += block == nullptr ? 0 : size;
        return true;
      },
      &bytes);
  return bytes;
}
#else
/// Resident memory of the process in bytes.
size_t UsedBytes() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  unsigned long size = 0;
  unsigned long resident = 0;
  if (file != nullptr) {
    if (std::fscanf(file, "%lu %lu", &size, &resident) != 2) {
      resident = 0;
    }
    std::fclose(file);
  }
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}
#endif

const char* Verdict(bool met) {
  return met ? "met" : "MISSED";
}

struct Timing {
  double best = 1e9;
  double first = 0;
  template <typename Run>
  void Measure(Run&& run) {
    const double start = CpuSeconds();
    run();
    const double seconds = CpuSeconds() - start;
    first = best == 1e9 ? seconds : first;
    best = std::min(best, seconds);
  }
};

void Print(const std::string& path, const char* what, size_t bytes, const Timing& timing,
           double goal) {
  const double size = static_cast<double>(bytes) / 1e6;
  const double speed = size / timing.best;
  std::printf("%-12s %6.2f MB  %-6s  kinu %7.1f MB/s  %6.2f ms (first run %.1f; goal %.0f, %s)",
              path.c_str(), size, what, speed, timing.best * 1e3, size / timing.first, goal,
              Verdict(speed >= goal));
}

void Measure(const std::string& path) {
  const auto text = kinu::ReadFile(path);
  if (!text) {
    std::fprintf(stderr, "%s\n", text.error().message.c_str());
    std::exit(1);  // NOLINT(concurrency-mt-unsafe): the only thread
  }
  const bool json = path.ends_with(".json");
  const auto source = kinu::SourceFile::Make(path, *text);
  Timing parsing;
  size_t memory = 0;
  size_t problems = 0;
  for (int i = 0; i < runs; ++i) {
    kinu::Diagnostics diags;
    const size_t before = i == 0 ? UsedBytes() : 0;
    auto tree = std::make_unique<kinu::hcl::SyntaxTree>();
    parsing.Measure([&] {
      if (json) {
        kinu::hcl::ParseJson(source.get(), *tree, diags);
      } else {
        kinu::hcl::ParseNative(source.get(), *tree, diags);
      }
    });
    memory = i == 0 ? UsedBytes() - before : memory;
    problems = diags.size();
  }
  Print(path, "parse", text->size(), parsing, json ? kJsonGoal : kNativeGoal);
  const double bytes = static_cast<double>(memory) / static_cast<double>(text->size());
  std::printf("  %.1f bytes per byte (goal %.0f, %s)", bytes, kMemoryGoal,
              Verdict(bytes <= kMemoryGoal));
  std::printf(problems == 0 ? "\n" : "  %zu problems\n", problems);
  if (json) {
    return;
  }
  Timing formatting;
  for (int i = 0; i < runs; ++i) {
    kinu::Diagnostics diags;
    formatting.Measure([&] { (void)kinu::hcl::writer::FormatFile(source.get(), diags); });
  }
  Print(path, "format", text->size(), formatting, kFormatGoal);
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  kinu::cli::PrepareHeap(kinu::cli::HeapUse::kCommand);
  kinu::RunOnBigStack([&] {
    for (int i = 1; i < argc; ++i) {
      if (std::string_view(argv[i]) == "-once") {
        runs = 1;
      } else {
        Measure(argv[i]);
      }
    }
  });
  return 0;
}
