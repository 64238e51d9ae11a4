// ParsedFile: a file of the workspace with its syntax tree and what it declares and uses. It
// depends on its text alone, and never changes.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "hcl/ast.h"
#include "hcl/body.h"
#include "ide/answers.h"
#include "ide/place.h"
#include "ide/snapshot.h"

namespace kinu::ide {

/// What a file is by its name.
enum class FileKind : uint8_t {
  kConfiguration,  ///< .tf, .tofu and their JSON forms
  kVariables,      ///< .tfvars and its JSON form
  kTest,           ///< .tftest.hcl, .tofutest.hcl and their JSON forms
  kOther,          ///< nothing that the language knows
};
FileKind KindOfFile(std::string_view path);
/// Whether the name is that of a file in JSON syntax.
bool IsJsonName(std::string_view path);

/// The name of an object inside its module: "var.a", "local.a", "output.a", "aws_vpc.a",
/// "data.aws_ami.a", "module.a", "provider.aws.west", "check.a", "run.a".
using Key = std::string;

/// Something that a file declares.
struct Declaration {
  Key key;
  SymbolKind kind = SymbolKind::kOtherBlock;
  Span name;    ///< without quotes
  Span header;  ///< type and labels of the block, or the name of a local value
  Span whole;
  /// The body of the block; null for local values and what an override of JSON syntax nests.
  const hcl::Body* body = nullptr;
  const hcl::Expr* value = nullptr;  ///< of a local value
};

/// A name of something that is declared in this module or in one that it calls.
struct Use {
  Key key;
  /// The calls that lead to the module of the key: empty for this one, "a" or "a.b". The first may
  /// be that of a run of a test, which has a name for it (ModuleCallSite::run).
  std::string through;
  Span name;   ///< without quotes
  Span whole;  ///< the reference or argument
  /// In a `moved` or `removed` block: a name that objects had, or have got, at some time.
  bool is_move = false;
  /// A value for a variable: an argument of a call, or what a variable file or a test gives.
  bool is_given = false;
};

/// A call of a module, by a `module` block or by the `module` block of a test's run.
struct ModuleCallSite {
  std::string name;    ///< empty for a run of a test
  std::string run;     ///< of that: what Use::through calls it
  std::string source;  ///< as written; empty if it is no constant
  Span source_span;    ///< without quotes
  Span name_span;
  Span whole;
};

struct ParsedFile {
  std::string path;
  FileKind kind = FileKind::kOther;
  /// Under the name that commands give it which run in its directory.
  Ref<const SourceFile> source;
  std::unique_ptr<hcl::SyntaxTree> tree;
  const hcl::Body* body = nullptr;  ///< null if nothing of the text could be read
  Diagnostics syntax;
  std::vector<Declaration> declarations;  ///< in the order of the source
  std::vector<Use> uses;
  std::vector<ModuleCallSite> calls;

  std::string_view text() const { return source->text(); }
  /// The native body, or null for JSON.
  const hcl::NativeBody* native() const;
};

/// Parses a file on up to `threads` threads, if it is large.
std::shared_ptr<const ParsedFile> ParseFile(const std::string& path, std::string text,
                                            unsigned threads = 1);

/// Diagnostics of the parser as problems of the file.
std::vector<Problem> SyntaxProblemsOf(const Diagnostics& diagnostics);

/// The bytes of a range in its outermost file.
Span SpanOf(const SourceRange& range);
/// The same without the quotes of a label or string.
Span InsideQuotes(std::string_view text, Span span);

}  // namespace kinu::ide
