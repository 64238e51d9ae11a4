#include <algorithm>

#include "functions/families.h"
#include "functions/function.h"

namespace kinu::functions {
namespace {

constexpr std::string_view kCoreNamespace = "core::";

// A function of a FunctionSpec.
class Row final : public Callable {
 public:
  explicit Row(const FunctionSpec& spec) : spec_(spec) {}
  std::string_view name() const override { return spec_.name; }
  std::span<const Parameter> params() const override {
    return {spec_.params.begin(), spec_.params.size()};
  }
  const Parameter* variadic() const override {
    return spec_.has_variadic ? &spec_.variadic : nullptr;
  }
  bool lazy() const override { return spec_.lazy; }
  CallResult Call(Arguments args, const CallContext& context) const override {
    return CallFunction(spec_, args, context);
  }

 private:
  const FunctionSpec& spec_;
};

}  // namespace

struct TableBuilder {
  static Table Build() {
    Table table;
    for (std::span<const FunctionSpec> family :
         {AssumptionFunctions(), CidrFunctions(), ConversionFunctions(), CryptoFunctions(),
          EncodingFunctions(), FileFunctions(), FormatFunctions(), ListFunctions(), MapFunctions(),
          NumberFunctions(), RegexFunctions(), SearchFunctions(), SetFunctions(), StringFunctions(),
          TimeFunctions(), YamlFunctions()}) {
      for (const FunctionSpec& spec : family) {
        table.specs_.push_back(&spec);
      }
    }
    std::sort(table.specs_.begin(), table.specs_.end(),
              [](const FunctionSpec* a, const FunctionSpec* b) { return a->name < b->name; });
    for (const FunctionSpec* spec : table.specs_) {
      table.callables_.push_back(std::make_unique<Row>(*spec));
    }
    return table;
  }
};

const Table& Table::Standard() {
  static const Table& table = *new Table(TableBuilder::Build());
  return table;
}

const Callable* Table::Find(std::string_view name) const {
  if (name.starts_with(kCoreNamespace)) {
    name.remove_prefix(kCoreNamespace.size());
  }
  const auto found = std::lower_bound(
      specs_.begin(), specs_.end(), name,
      [](const FunctionSpec* spec, std::string_view wanted) { return spec->name < wanted; });
  if (found == specs_.end() || (*found)->name != name) {
    return nullptr;
  }
  return callables_[static_cast<size_t>(found - specs_.begin())].get();
}

}  // namespace kinu::functions
