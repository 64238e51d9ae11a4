// kinu_eval: the batch evaluator alone, for its tests.
#include <cstdio>
#include <iostream>

#include <pthread.h>

#include "cli/commands/eval.h"

namespace {

// Expressions may nest as deep as the parser allows, deeper than a main thread's stack.
constexpr size_t kStackBytes = size_t{512} << 20;

void* Run(void* exit_code) {
  *static_cast<int*>(exit_code) = kinu::cli::RunEvalJson(std::cin, std::cout);
  return nullptr;
}

}  // namespace

int main() {
  std::ios::sync_with_stdio(false);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_t thread;
  int exit_code = 1;
  if (pthread_create(&thread, &attributes, &Run, &exit_code) != 0) {
    std::fputs("cannot start the evaluator's thread\n", stderr);
    return 1;
  }
  pthread_join(thread, nullptr);
  return exit_code;
}
