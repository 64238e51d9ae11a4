#include "table/reader.h"

#include <utility>

namespace kinu::table {

bool TableReader::Add(const std::string& source, std::string text) {
  const Result<std::unique_ptr<Source>> document = Source::Read(source, std::move(text), options_);
  if (!document) {
    return AddProblem(source, document.error().message);
  }
  if (table_.append != nullptr) {
    table_.append(**document, rows_);
  }
  return !rows_.stopped();
}

bool TableReader::AddProblem(std::string_view source, std::string_view problem) {
  if (table_.append == nullptr) {
    rows_.Text(source).Text(problem).EndRow();
  }
  on_problem_(source, problem);
  return !rows_.stopped();
}

}  // namespace kinu::table
