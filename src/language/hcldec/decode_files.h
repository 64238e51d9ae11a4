// FileDecoder: the work of the hcldec tool. Decodes files by a spec file into JSON, or lists the
// variables that they refer to. Ref: hcl v2 cmd/hcldec/main.go.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "hcldec/spec_file.h"
#include "json/writer.h"

namespace kinu::hcldec {

/// What is decoded, and how.
struct FileRequest {
  std::string spec_path;
  std::vector<std::string> variables;  ///< each a JSON object, or the path of a file with arguments
  std::vector<std::string> files;      ///< in native syntax, or in JSON if the name ends in .json
  /// Reads the text that is decoded if there are no files.
  std::function<Result<std::string>()> read_input;
  bool list_references = false;  ///< list the variables that the files refer to; decode nothing
  bool with_type = false;        ///< wrap the value in an object that has its type
  bool keep_nulls = false;       ///< keep members whose value is null
};

/// One run. Owns the sources that its diagnostics point into.
class FileDecoder {
 public:
  FileDecoder(FileRequest request, Diagnostics& diags)
      : request_(std::move(request)), diags_(diags) {}

  /// Returns JSON. After errors in the diagnostics the text is empty. Fails if `read_input` does,
  /// or if the value has no JSON form.
  Result<std::string> Run();

 private:
  /// Null, after a diagnostic, if the file cannot be read.
  const SourceFile* Load(const std::string& path);
  /// Parses native or JSON syntax, by the name's ending. Null after an error.
  const hcl::Body* Parse(const SourceFile* source);
  void LoadSpec();
  void LoadVariables();
  Result<void> LoadInput();
  std::string References(const hcl::Body& body);
  void WriteReference(JsonWriter& json, const hcl::TraversalExpr& traversal);

  FileRequest request_;
  Diagnostics& diags_;
  hcl::SyntaxTree tree_;
  std::unique_ptr<SpecFile> spec_;
  lang::ToolScope scope_;
  std::vector<const hcl::Body*> bodies_;
};

/// Diagnostics as the JSON document of `hcldec --diags=json`.
std::string DiagnosticsToJson(const Diagnostics& diags);

}  // namespace kinu::hcldec
