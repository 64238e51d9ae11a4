// Parses files again and again and prints throughput and memory, beside the goals:
//
//   kinu_parse_bench FILE...
//
// Files whose names end in .json are read as JSON syntax, others as native syntax. What is measured
// is text to body: tokens, tree and values. CPU is the best of the runs.
#include "hcl/parse.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>

#include <unistd.h>

#include "base/files.h"
#include "base/thread.h"
#include "hcl/lexer.h"

namespace {

constexpr int kRuns = 40;
constexpr double kNativeGoal = 150;  // MB/s
constexpr double kJsonGoal = 300;
constexpr double kMemoryGoal = 8;  // bytes per byte of the source

double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// What the process holds, in bytes.
size_t ResidentBytes() {
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

void Measure(const std::string& path) {
  const auto text = kinu::ReadFile(path);
  if (!text) {
    std::fprintf(stderr, "%s\n", text.error().message.c_str());
    std::exit(1);  // NOLINT(concurrency-mt-unsafe): the only thread
  }
  const bool json = path.ends_with(".json");
  const auto source = kinu::SourceFile::Make(path, *text);
  double best = 1e9;
  double first = 0;
  size_t memory = 0;
  size_t problems = 0;
  for (int i = 0; i < kRuns; ++i) {
    kinu::Diagnostics diags;
    const size_t before = ResidentBytes();
    auto tree = std::make_unique<kinu::hcl::SyntaxTree>();
    const double start = CpuSeconds();
    if (json) {
      kinu::hcl::ParseJson(source.get(), *tree, diags);
    } else {
      kinu::hcl::ParseNative(source.get(), *tree, diags);
    }
    const double seconds = CpuSeconds() - start;
    best = std::min(best, seconds);
    if (i == 0) {  // later runs find memory that earlier ones left
      first = seconds;
      memory = ResidentBytes() - before;
    }
    problems = diags.size();
  }
  const double size = static_cast<double>(text->size());
  const double speed = size / best / 1e6;
  const double goal = json ? kJsonGoal : kNativeGoal;
  const double bytes = static_cast<double>(memory) / size;
  std::printf(
      "%s  %.2f MB  %.1f MB/s (first run %.1f; goal %.0f, %s)  %.1f bytes per byte (goal %.0f, %s)",
      path.c_str(), size / 1e6, speed, size / first / 1e6, goal, speed >= goal ? "met" : "MISSED",
      bytes, kMemoryGoal, bytes <= kMemoryGoal ? "met" : "MISSED");
  std::printf(problems == 0 ? "\n" : "  %zu problems\n", problems);
}

}  // namespace

int main(int argc, char** argv) {
  kinu::RunOnBigStack([&] {
    for (int i = 1; i < argc; ++i) {
      Measure(argv[i]);
    }
  });
  return 0;
}
