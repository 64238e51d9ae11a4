// Renders a Diff as text: symbols, alignment, hidden parts. Ref: opentofu
// internal/command/jsonformat/computed/renderers.
#pragma once

#include <optional>
#include <string>

#include "terminal/style.h"
#include "view/human/diff.h"

namespace kinu::view {

/// Layout of a Diff.
struct RenderOptions {
  bool no_null_suffix = false;  ///< omits "-> null"
  /// shows "# forces replacement" even if the diff does not ask for it
  bool forces_replacement = false;
  bool show_unchanged = false;  ///< shows unchanged parts instead of counting them
  bool hide_symbols = false;    ///< omits +, -, ~ and their column
  bool show_sensitive = false;

  /// Those for the members of a value: "forces replacement" does not apply to them.
  RenderOptions Inside() const {
    RenderOptions inside = *this;
    inside.forces_replacement = false;
    return inside;
  }
};

/// Renders diffs with the colours of a style.
class Renderer {
 public:
  explicit Renderer(const terminal::Style& style);

  /// Appends the diff. The first line continues the last line of `out`; the others are indented by
  /// 4 * `indent` columns.
  void Render(std::string& out, const Diff& diff, int indent, const RenderOptions& options) const;

  /// The symbol of an action: three columns, or five for forget and create.
  const std::string& Symbol(plan::Action action) const {
    return symbols_[static_cast<size_t>(action)];
  }

 private:
  void RenderBlock(std::string& out, const Diff& diff, int indent, const RenderOptions&) const;
  void RenderObject(std::string& out, const Diff& diff, int indent, const RenderOptions&) const;
  void RenderMap(std::string& out, const Diff& diff, int indent, const RenderOptions&) const;
  void RenderList(std::string& out, const Diff& diff, int indent, const RenderOptions&) const;
  void RenderSet(std::string& out, const Diff& diff, int indent, const RenderOptions&) const;
  void RenderPrimitive(std::string& out, const Diff& diff, int indent, const RenderOptions&) const;
  void RenderString(std::string& out, const Diff& diff, int indent, const RenderOptions&) const;
  void RenderJson(std::string& out, const Diff& diff, int indent, const RenderOptions& options,
                  const Value& before, const Value& after) const;
  void RenderAttributeLine(std::string& out, const Diff& attribute, size_t width, int indent,
                           const RenderOptions& options) const;

  void Indent(std::string& out, int indent) const;
  void SymbolColumn(std::string& out, plan::Action action, const RenderOptions& options) const;
  void Warnings(std::string& out, const Diff& diff, int indent) const;
  void NullSuffix(std::string& out, plan::Action action, const RenderOptions& options) const;
  void ReplaceSuffix(std::string& out, bool replace, const RenderOptions& options) const;
  void Hidden(std::string& out, size_t count, std::string_view what, int indent,
              const RenderOptions& options) const;
  void CloseLine(std::string& out, int indent, const RenderOptions& options) const;

  const terminal::Style& style_;
  std::string symbols_[9];
  std::string arrow_, null_, null_suffix_, replace_suffix_;
};

/// Parses the JSON value at the start of a string. Nothing if there is none. Numbers keep their
/// text.
std::optional<Value> ParseJsonPrefix(std::string_view text);

}  // namespace kinu::view
