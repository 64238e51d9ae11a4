// Stands in for libFuzzer where the compiler has none for the processor (GCC for arm64): runs every
// input of the corpus, then changed copies of them, and does not look at what the code does with
// them. A corpus that libFuzzer has grown elsewhere makes up for that.
//
//   fuzz_NAME [-runs=N] [-max_total_time=SECONDS] [-max_len=BYTES] [-timeout=SECONDS] [-seed=N]
//   CORPUS
//
// The input that ends the program, or takes longer than the timeout, is left in the file
// `crash-NAME`. Other options of libFuzzer are taken and mean nothing.

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace kinu {
namespace {

struct Options {
  size_t runs = 100'000;
  size_t seconds = 0;  // none: as long as the runs take
  size_t greatest_size = 16'384;
  unsigned patience = 10;  // seconds for one input
  unsigned seed = 1;
  std::string corpus;
};

/// The input that runs now, for the handler of signals.
std::string running;
std::string crash_file;

void Report(int signal) {
  const int file = open(crash_file.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0644);
  if (file >= 0) {
    (void)!write(file, running.data(), running.size());
    close(file);
  }
  constexpr std::string_view kMessage = "fuzz: this input ended the program; it is in ";
  (void)!write(STDERR_FILENO, kMessage.data(), kMessage.size());
  (void)!write(STDERR_FILENO, crash_file.data(), crash_file.size());
  (void)!write(STDERR_FILENO, "\n", 1);
  _exit(signal == SIGALRM ? 70 : 77);
}

void Run(std::string input, unsigned patience) {
  running = std::move(input);
  alarm(patience);
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(running.data()), running.size());
  alarm(0);
}

std::vector<std::string> ReadCorpus(const std::string& folder, size_t greatest_size) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      paths.push_back(entry.path());
    }
  }
  std::ranges::sort(paths);
  std::vector<std::string> inputs = {""};
  for (const std::filesystem::path& path : paths) {
    std::ifstream file(path, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    if (inputs.back().size() > greatest_size) {
      inputs.back().resize(greatest_size);
    }
  }
  return inputs;
}

/// Makes inputs from those of the corpus.
class Mutator {
 public:
  Mutator(const std::vector<std::string>& inputs, const Options& options)
      : inputs_(inputs), greatest_size_(options.greatest_size), random_(options.seed) {}

  std::string Next() {
    std::string input = Any();
    for (size_t changes = 1 + Below(4); changes > 0; --changes) {
      Change(input);
    }
    if (input.size() > greatest_size_) {
      input.resize(greatest_size_);
    }
    return input;
  }

 private:
  size_t Below(size_t limit) { return limit == 0 ? 0 : random_() % limit; }
  const std::string& Any() { return inputs_[Below(inputs_.size())]; }

  /// A part of some input, most often a short one.
  std::string Part() {
    const std::string& from = Any();
    const size_t begin = Below(from.size());
    return from.substr(begin, 1 + Below(Below(4) == 0 ? from.size() : 16));
  }

  void Change(std::string& input) {
    const size_t at = Below(input.size());
    switch (input.empty() ? 2 : Below(7)) {
      case 0:
        input[at] = static_cast<char>(input[at] ^ (1 << Below(8)));
        break;
      case 1:
        input[at] = static_cast<char>(Below(256));
        break;
      case 2:
        input.insert(at, Part());
        break;
      case 3:
        input.erase(at, 1 + Below(16));
        break;
      case 4:
        input.insert(Below(input.size()), input.substr(at, 1 + Below(32)));
        break;
      case 5:
        input.resize(at);
        break;
      default:
        input.replace(at, 1 + Below(16), Part());
    }
  }

  const std::vector<std::string>& inputs_;
  size_t greatest_size_;
  std::mt19937_64 random_;
};

/// The number behind "-NAME=" of an argument that has this name.
template <typename Number>
void Read(std::string_view argument, std::string_view name, Number& number) {
  if (argument.starts_with(name)) {
    argument.remove_prefix(name.size());
    std::from_chars(argument.data(), argument.data() + argument.size(), number);
  }
}

Options ReadArguments(int count, char** arguments) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    if (!argument.starts_with("-")) {
      options.corpus = argument;
    }
    Read(argument, "-runs=", options.runs);
    Read(argument, "-max_total_time=", options.seconds);
    Read(argument, "-max_len=", options.greatest_size);
    Read(argument, "-timeout=", options.patience);
    Read(argument, "-seed=", options.seed);
  }
  return options;
}

void Fuzz(const Options& options) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(options.seconds);
  const auto goes_on = [&](size_t run) {
    return run < options.runs && (options.seconds == 0 || std::chrono::steady_clock::now() < end);
  };
  const std::vector<std::string> inputs = ReadCorpus(options.corpus, options.greatest_size);
  size_t run = 0;
  for (; run < inputs.size() && goes_on(run); ++run) {
    Run(inputs[run], options.patience);
  }
  std::printf("%zu of %zu inputs of the corpus\n", run, inputs.size());
  Mutator mutator(inputs, options);
  for (; goes_on(run); ++run) {
    Run(mutator.Next(), options.patience);
  }
  std::printf("stat::number_of_executed_units: %zu\n", run);
}

}  // namespace
}  // namespace kinu

int main(int count, char** arguments) {
  const kinu::Options options = kinu::ReadArguments(count, arguments);
  if (options.corpus.empty()) {
    std::fputs("fuzz: the directory of a corpus is missing\n", stderr);
    return 2;
  }
  kinu::crash_file = "crash-" + std::filesystem::path(arguments[0]).filename().string();
  for (const int each : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGALRM}) {
    signal(each, kinu::Report);
  }
  kinu::Fuzz(options);
  return 0;
}
