// Measures functions and decoders of values on large inputs, and compares CPU time with the goals:
//
//   kinu_functions_bench
//
// CPU time is that of the best run, without the generation of the input.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "base/flat_map.h"
#include "base/thread.h"
#include "cli/heap.h"
#include "cty/conversion.h"
#include "cty/json.h"
#include "cty/msgpack.h"
#include "functions/function.h"
#include "hcl/parse.h"
#include "lang/eval.h"
#include "lang/scope.h"

namespace kinu {
namespace {

constexpr int kRuns = 9;

double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

template <typename Work>
double Best(const Work& work) {
  double best = 1e9;
  for (int i = 0; i < kRuns; ++i) {
    const double start = CpuSeconds();
    work();
    best = std::min(best, CpuSeconds() - start);
  }
  return best;
}

template <typename Work>
void PrintTime(const char* what, double goal_milliseconds, const Work& work) {
  const double milliseconds = Best(work) * 1e3;
  std::printf("%-44s %8.2f ms    goal %5.0f ms    %s\n", what, milliseconds, goal_milliseconds,
              milliseconds <= goal_milliseconds ? "met" : "MISSED");
}

template <typename Work>
void PrintSpeed(const char* what, size_t bytes, double goal, const Work& work) {
  const double speed = static_cast<double>(bytes) / Best(work) / 1e6;
  std::printf("%-44s %8.1f MB/s  goal %5.0f MB/s  %s\n", what, speed, goal,
              speed >= goal ? "met" : "MISSED");
}

/// An expression that is parsed once; each call evaluates it.
class Expression {
 public:
  Expression(std::string_view text, FlatMap<std::string, Value> variables)
      : source_(SourceFile::Make("bench", std::string(text))), variables_(std::move(variables)) {
    Diagnostics diags;
    expr_ = hcl::ParseExpression(source_.get(), tree_, diags);
  }
  void operator()() const {
    const lang::VariableScope scope(&variables_, &functions::Table::Standard(), context_);
    Diagnostics diags;
    lang::Evaluate(*expr_, scope, diags);
    if (diags.has_errors()) {
      std::fprintf(stderr, "%s: %s\n", diags.begin()->summary.c_str(),
                   diags.begin()->detail.c_str());
    }
  }

 private:
  Ref<const SourceFile> source_;
  hcl::SyntaxTree tree_;
  FlatMap<std::string, Value> variables_;
  functions::CallContext context_;
  const hcl::Expr* expr_ = nullptr;
};

Value Strings(size_t count) {
  std::vector<Value> values;
  for (size_t i = 0; i < count; ++i) {
    values.push_back(Value::String("subnet-" + std::to_string(i * 7919 % count)));
  }
  return Value::List(Type::String(), std::move(values));
}

std::string JsonText(size_t bytes) {
  std::string out = "[";
  for (size_t i = 0; out.size() < bytes; ++i) {
    const std::string number = std::to_string(i);
    out += i == 0 ? "" : ",";
    out += R"({"id":"subnet-)" + number + R"(","cidr_block":"10.0.)" + std::to_string(i % 256) +
           R"(.0/24","enabled":true,"size":)" + number + R"(,"tags":{"Name":"web )" + number +
           R"(","Owner":null},"zones":["a","b"]})";
  }
  return out + "]";
}

FlatMap<std::string, Value> Variable(std::string_view name, const Value& value) {
  FlatMap<std::string, Value> variables;
  variables.insert_or_assign(std::string(name), value);
  return variables;
}

void Run() {
  PrintTime("distinct() of 10,000 strings", 10,
            Expression("distinct(x)", Variable("x", Strings(10000))));
  PrintTime("toset() of 20,000 strings", 10, Expression("toset(x)", Variable("x", Strings(20000))));
  const std::string json = JsonText(9'700'000);
  PrintTime("jsondecode() of 9.7 MB", 70,
            Expression("jsondecode(x)", Variable("x", Value::String(json))));
  PrintTime("a for expression of 100,000 iterations", 8,
            Expression("[for s in x : \"${s}-x\"]", Variable("x", Strings(100000))));
  PrintTime("a for expression of 100,000 numbers", 8,
            Expression("[for s in x : s + 1]", Variable("x", Value::List(Type::Number(), [] {
                                                          std::vector<Value> values;
                                                          for (int i = 0; i < 100000; ++i) {
                                                            values.push_back(Value::Int(i));
                                                          }
                                                          return values;
                                                        }()))));

  const Type type = Type::List(*TypeFromJson(
      R"(["object",{"id":"string","cidr_block":"string","enabled":"bool","size":"number",)"
      R"("tags":["map","string"],"zones":["list","string"]}])"));
  const Value value = *ValueFromJson(JsonText(10'000'000), type);
  const std::string text = *ValueToJson(value, type);
  PrintSpeed("JSON to a value, 10 MB", text.size(), 300, [&] { (void)ValueFromJson(text, type); });
  const std::string msgpack = *ValueToMsgpack(value, type);
  PrintSpeed("msgpack to a value", msgpack.size(), 300,
             [&] { (void)ValueFromMsgpack(msgpack, type); });
}

}  // namespace
}  // namespace kinu

int main() {
  kinu::cli::PrepareHeap(kinu::cli::HeapUse::kCommand);  // the allocator settings of kinu
  kinu::RunOnBigStack(kinu::Run);
  return 0;
}
