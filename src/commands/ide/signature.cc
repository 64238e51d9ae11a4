#include <algorithm>

#include "ide/answers.h"
#include "ide/cursor_context.h"
#include "ide/function_signature.h"
#include "ide/json_context.h"
#include "ide/module_names.h"
#include "lang/type_expr.h"

namespace kinu::ide {

std::optional<SignatureHelp> SignatureAt(const Snapshot& snapshot, const Cursor& cursor) {
  const ParsedFile* file = snapshot.parts().Find(cursor.path);
  if (file == nullptr || cursor.offset > file->text().size()) {
    return std::nullopt;
  }
  const bool is_json = IsJsonName(cursor.path);
  const auto embedded = is_json ? SequenceAt(file->text(), cursor.offset) : std::nullopt;
  if (is_json && !embedded) {
    return std::nullopt;
  }
  const CursorContext context = embedded ? ContextAt(embedded->text, embedded->offset)
                                         : ContextAt(file->text(), cursor.offset);
  const auto call = std::find_if(
      context.brackets.rbegin(), context.brackets.rend(),
      [](const OpenBracket& bracket) { return bracket.kind == OpenBracket::Kind::kCall; });
  if (call == context.brackets.rend()) {
    return std::nullopt;
  }
  ModuleNames names(snapshot, snapshot.parts().ModuleOf(cursor.path), file);
  const auto signature = FindFunction(names, call->name);
  if (!signature) {
    return std::nullopt;
  }
  SignatureHelp help{.label = signature->Label(), .markdown = signature->doc};
  auto at = static_cast<uint32_t>(signature->name.size() + 1);
  for (const FunctionSignature::Parameter& parameter : signature->parameters) {
    const auto end = static_cast<uint32_t>(at + parameter.name.size());
    help.parameters.push_back({at, end});
    help.parameter_docs.push_back("`" + lang::TypeString(parameter.type) + "` " + parameter.doc);
    at = end + 2;
  }
  help.active = call->commas;
  if (signature->is_variadic && !help.parameters.empty()) {
    help.active = std::min(help.active, static_cast<uint32_t>(help.parameters.size() - 1));
  }
  return help;
}

}  // namespace kinu::ide
