#include "eval/run.h"

#include <istream>
#include <ostream>
#include <string>

#include "eval/kinds.h"
#include "eval/request.h"

namespace kinu::eval {
namespace {

void Answer(Request& request, Response& response) {
  const std::string_view kind = request.Text("kind");
  const KindFunction run = FindKind(kind);
  if (run == nullptr) {
    response.diags.Error("Unsupported request kind",
                         "There is no kind \"" + std::string(kind) + "\".");
    return;
  }
  if (const Result<void> done = run(request, response); !done) {
    response.diags.Error("Invalid request", done.error().message + ".");
  }
}

// Ranges in the response point into the request's source, so it is written while that lives.
std::string AnswerLine(std::string_view line) {
  const JsonDocument document = ParseJson(line);
  std::string out;
  Response response;
  if (!document.ok() || !document.root().is_object()) {
    response.diags.Error("Invalid request", "The request is not a JSON object.");
    WriteResponse(out, {}, response);
    return out;
  }
  const JsonNode& json = document.root();
  const JsonNode* id = json.Find("id");
  const std::string_view id_text =
      id == nullptr ? std::string_view() : line.substr(id->begin(), id->end() - id->begin());
  Result<std::unique_ptr<Request>> request = Request::Read(json);
  if (!request) {
    response.diags.Error("Invalid request", request.error().message + ".");
  } else {
    Answer(**request, response);
  }
  WriteResponse(out, id_text, response);
  return out;
}

}  // namespace

int RunEvalJson(std::istream& in, std::ostream& out) {
  std::string line;
  while (std::getline(in, line)) {
    if (line.empty() || line == "\r") {
      continue;
    }
    out << AnswerLine(line) << '\n' << std::flush;
  }
  return 0;
}

}  // namespace kinu::eval
