#include "view/human/render.h"

#include <algorithm>

#include "text/quote.h"
#include "text/unicode.h"

namespace kinu::view {

using plan::Action;

namespace {

/// Whether an attribute identifies the object: it is then never hidden.
bool IsImportant(std::string_view name) {
  return name == "id" || name == "name" || name == "tags";
}

std::string PrimitiveNumber(const Value& value) {
  if (value.IsMarked()) {
    for (const MarkSet::Rare& mark : value.marks().rare()) {
      if (mark.name == kNumberTextMark) {
        return mark.detail;
      }
    }
  }
  return value.AsNumber().ToText();
}

/// The size of the longest name of an attribute.
size_t NameWidth(const std::vector<Diff>& attributes) {
  size_t width = 0;
  std::string quoted;
  for (const Diff& attribute : attributes) {
    width = std::max(width, terminal::AttributeName(attribute.name, quoted).size());
  }
  return width;
}

void Pad(std::string& out, std::string_view text, size_t width) {
  out += text;
  const size_t size = text::CodePointCount(text);
  if (size < width) {
    out.append(width - size, ' ');
  }
}

}  // namespace

Renderer::Renderer(const terminal::Style& style) : style_(style) {
  const auto symbol = [&](Action action, std::string_view markup) {
    symbols_[static_cast<size_t>(action)] = style_.Paint(markup);
  };
  symbol(Action::kNoOp, "   ");
  symbol(Action::kCreate, "  [green]+[reset]");
  symbol(Action::kRead, " [cyan]<=[reset]");
  symbol(Action::kUpdate, "  [yellow]~[reset]");
  symbol(Action::kDelete, "  [red]-[reset]");
  symbol(Action::kDeleteThenCreate, "[red]-[reset]/[green]+[reset]");
  symbol(Action::kCreateThenDelete, "[green]+[reset]/[red]-[reset]");
  symbol(Action::kForget, "  [red].[reset]");
  symbol(Action::kForgetThenCreate, "  [red].[reset]/[green]+[reset]");
  arrow_ = " " + style_.Paint("[yellow]->[reset]") + " ";
  null_ = style_.Paint("[dark_gray]null[reset]");
  null_suffix_ = style_.Paint(" [dark_gray]-> null[reset]");
  replace_suffix_ = style_.Paint(" [red]# forces replacement[reset]");
}

void Renderer::Indent(std::string& out, int indent) const {
  out.append(static_cast<size_t>(indent) * 4, ' ');
}

void Renderer::SymbolColumn(std::string& out, Action action, const RenderOptions& options) const {
  if (!options.hide_symbols) {
    out += Symbol(action);
    out += ' ';
  }
}

void Renderer::NullSuffix(std::string& out, Action action, const RenderOptions& options) const {
  if (!options.no_null_suffix && action == Action::kDelete) {
    out += null_suffix_;
  }
}

void Renderer::ReplaceSuffix(std::string& out, bool replace, const RenderOptions& options) const {
  if (replace || options.forces_replacement) {
    out += replace_suffix_;
  }
}

void Renderer::Hidden(std::string& out, size_t count, std::string_view what, int indent,
                      const RenderOptions& options) const {
  Indent(out, indent);
  SymbolColumn(out, Action::kNoOp, options);
  std::string text = "[dark_gray]# (" + std::to_string(count) + " unchanged ";
  text += what;
  text += count == 1 ? " hidden)[reset]" : "s hidden)[reset]";
  out += style_.Paint(text);
  out += '\n';
}

void Renderer::CloseLine(std::string& out, int indent, const RenderOptions& options) const {
  Indent(out, indent);
  SymbolColumn(out, Action::kNoOp, options);
}

void Renderer::Warnings(std::string& out, const Diff& diff, int indent) const {
  const bool block = diff.kind == Diff::Kind::kSensitiveBlock;
  if ((diff.kind != Diff::Kind::kSensitive && !block) ||
      diff.before_sensitive == diff.after_sensitive) {
    return;
  }
  const Action inner = diff.members[0].action;
  if (inner == Action::kCreate || inner == Action::kDelete) {
    return;
  }
  const std::string margin(static_cast<size_t>(indent) * 4, ' ');
  std::string text = "  # [yellow]Warning[reset]: this ";
  text += block ? "block" : "attribute value";
  if (diff.before_sensitive) {
    text += " will no longer be marked as sensitive\n" + margin + "  # after applying this change.";
  } else {
    text += " will be marked as sensitive and will not\n" + margin +
            "  # display in UI output after applying this change.";
  }
  out += margin;
  out += style_.Paint(text);
  if (!block && inner == Action::kNoOp) {
    out += " The value is unchanged.";
  }
  out += '\n';
}

void Renderer::Render(std::string& out, const Diff& diff, int indent,
                      const RenderOptions& options) const {
  switch (diff.kind) {
    case Diff::Kind::kPrimitive:
      RenderPrimitive(out, diff, indent, options);
      return;
    case Diff::Kind::kObject:
      RenderObject(out, diff, indent, options);
      return;
    case Diff::Kind::kMap:
      RenderMap(out, diff, indent, options);
      return;
    case Diff::Kind::kList:
      RenderList(out, diff, indent, options);
      return;
    case Diff::Kind::kSet:
      RenderSet(out, diff, indent, options);
      return;
    case Diff::Kind::kBlock:
      RenderBlock(out, diff, indent, options);
      return;
    case Diff::Kind::kSensitive:
      if (options.show_sensitive) {
        Render(out, diff.members[0], indent, options);
        return;
      }
      out += "(sensitive value)";
      NullSuffix(out, diff.action, options);
      ReplaceSuffix(out, diff.replace, options);
      return;
    case Diff::Kind::kSensitiveBlock:
      out += '{';
      ReplaceSuffix(out, diff.replace, options);
      for (const std::string_view line :
           {"  # At least one attribute in this block is (or was) sensitive,",
            "  # so its contents will not be displayed.", "}"}) {
        out += '\n';
        CloseLine(out, indent, options);
        out += line;
      }
      return;
    case Diff::Kind::kUnknown:
      if (!diff.members.empty()) {
        RenderOptions before = options;
        before.no_null_suffix = true;
        Render(out, diff.members[0], indent, before);
        out += " -> ";
      }
      out += "(known after apply)";
      ReplaceSuffix(out, diff.replace, options);
      return;
    case Diff::Kind::kTypeChange: {
      RenderOptions sides = options;
      sides.no_null_suffix = true;
      Render(out, diff.members[0], indent, sides);
      out += arrow_;
      Render(out, diff.members[1], indent, sides);
      return;
    }
    case Diff::Kind::kWriteOnly:
      out += "(write-only attribute)";
      ReplaceSuffix(out, diff.replace, options);
      NullSuffix(out, diff.action, options);
      return;
  }
}

void Renderer::RenderAttributeLine(std::string& out, const Diff& attribute, size_t width,
                                   int indent, const RenderOptions& options) const {
  Warnings(out, attribute, indent);
  Indent(out, indent);
  SymbolColumn(out, attribute.action, options);
  std::string quoted;
  Pad(out, terminal::AttributeName(attribute.name, quoted), width);
  out += " = ";
  Render(out, attribute, indent, options);
  out += '\n';
}

void Renderer::RenderBlock(std::string& out, const Diff& diff, int indent,
                           const RenderOptions& options) const {
  if (diff.members.empty() && diff.blocks.empty()) {
    out += "{}";
    ReplaceSuffix(out, diff.replace, options);
    return;
  }
  const size_t width = NameWidth(diff.members);
  const RenderOptions inside = options.Inside();
  RenderOptions important = inside;
  important.show_unchanged = true;

  out += '{';
  ReplaceSuffix(out, diff.replace, options);
  out += '\n';
  size_t hidden = 0;
  for (const Diff& attribute : diff.members) {
    const bool always = IsImportant(attribute.name);
    if (!always && attribute.action == Action::kNoOp && !options.show_unchanged) {
      ++hidden;
      continue;
    }
    RenderAttributeLine(out, attribute, width, indent + 1, always ? important : inside);
  }
  if (hidden > 0) {
    Hidden(out, hidden, "attribute", indent + 1, options);
  }

  size_t hidden_blocks = 0;
  for (const Diff::Blocks& blocks : diff.blocks) {
    bool first = true;
    for (const Diff& member : blocks.members) {
      // If the collection of blocks is sensitive, each of its blocks is.
      const bool covered = member.kind != Diff::Kind::kSensitiveBlock &&
                           ((member.action == Action::kCreate && blocks.after_sensitive) ||
                            (member.action == Action::kDelete && blocks.before_sensitive) ||
                            ((member.action == Action::kUpdate || member.action == Action::kNoOp) &&
                             (blocks.after_sensitive || blocks.before_sensitive)));
      Diff cover;
      if (covered) {
        cover = {.kind = Diff::Kind::kSensitiveBlock,
                 .action = member.action,
                 .replace = member.replace,
                 .before_sensitive = blocks.before_sensitive,
                 .after_sensitive = blocks.after_sensitive,
                 .name = member.name};
        if (member.action == Action::kNoOp && blocks.before_sensitive != blocks.after_sensitive) {
          cover.action = Action::kUpdate;
        }
        cover.members.push_back({.action = member.action});
      }
      const Diff& shown = covered ? cover : member;
      if (shown.action == Action::kNoOp && !options.show_unchanged) {
        ++hidden_blocks;
        continue;
      }
      if (first && !diff.members.empty()) {
        out += '\n';
        first = false;
      }
      RenderOptions block_options = inside;
      block_options.forces_replacement = blocks.replace;
      Warnings(out, shown, indent + 1);
      Indent(out, indent + 1);
      SymbolColumn(out, shown.action, block_options);
      std::string quoted;
      out += terminal::AttributeName(blocks.name, quoted);
      if (blocks.nesting == schema::Nesting::kMap) {
        out += ' ';
        out += text::GoQuote(shown.name);
      }
      out += ' ';
      Render(out, shown, indent + 1, block_options);
      out += '\n';
    }
  }
  if (hidden_blocks > 0) {
    out += '\n';
    Hidden(out, hidden_blocks, "block", indent + 1, options);
  }
  CloseLine(out, indent, options);
  out += '}';
}

void Renderer::RenderObject(std::string& out, const Diff& diff, int indent,
                            const RenderOptions& options) const {
  if (diff.members.empty()) {
    out += "{}";
    NullSuffix(out, diff.action, options);
    ReplaceSuffix(out, diff.replace, options);
    return;
  }
  RenderOptions inside = options.Inside();
  inside.no_null_suffix = !diff.nested;
  RenderOptions important = inside;
  important.show_unchanged = true;
  const size_t width = NameWidth(diff.members);
  out += '{';
  ReplaceSuffix(out, diff.replace, options);
  out += '\n';
  size_t hidden = 0;
  for (const Diff& attribute : diff.members) {
    const bool always = IsImportant(attribute.name);
    if (!always && attribute.action == Action::kNoOp && !options.show_unchanged) {
      ++hidden;
      continue;
    }
    RenderAttributeLine(out, attribute, width, indent + 1, always ? important : inside);
  }
  if (hidden > 0) {
    Hidden(out, hidden, "attribute", indent + 1, options);
  }
  CloseLine(out, indent, options);
  out += '}';
  NullSuffix(out, diff.action, options);
}

void Renderer::RenderMap(std::string& out, const Diff& diff, int indent,
                         const RenderOptions& options) const {
  const bool replace_self = diff.replace && !diff.nested;
  if (diff.members.empty()) {
    out += "{}";
    NullSuffix(out, diff.action, options);
    ReplaceSuffix(out, replace_self, options);
    return;
  }
  RenderOptions inside = options.Inside();
  inside.no_null_suffix = diff.action == Action::kDelete || diff.nested;
  inside.forces_replacement = diff.replace && diff.nested;
  std::vector<std::string> names;
  size_t width = 0;
  for (const Diff& element : diff.members) {
    names.push_back(text::GoQuote(element.name));
    width = std::max(width, names.back().size());
  }
  out += '{';
  ReplaceSuffix(out, replace_self, options);
  out += '\n';
  size_t hidden = 0;
  for (size_t i = 0; i < diff.members.size(); ++i) {
    const Diff& element = diff.members[i];
    if (element.action == Action::kNoOp && !options.show_unchanged) {
      ++hidden;
      continue;
    }
    Warnings(out, element, indent + 1);
    Indent(out, indent + 1);
    SymbolColumn(out, element.action, inside);
    Pad(out, names[i], diff.nested ? 0 : width);
    out += " = ";
    Render(out, element, indent + 1, inside);
    out += element.kind == Diff::Kind::kObject ? ",\n" : "\n";
  }
  if (hidden > 0) {
    Hidden(out, hidden, "element", indent + 1, options);
  }
  CloseLine(out, indent, options);
  out += '}';
  NullSuffix(out, diff.action, options);
}

void Renderer::RenderList(std::string& out, const Diff& diff, int indent,
                          const RenderOptions& options) const {
  if (diff.members.empty()) {
    out += "[]";
    NullSuffix(out, diff.action, options);
    ReplaceSuffix(out, diff.replace, options);
    return;
  }
  RenderOptions changed = options.Inside();
  changed.no_null_suffix = true;
  RenderOptions context = options.Inside();
  context.show_unchanged = true;
  const bool with_context = !diff.nested;

  out += '[';
  ReplaceSuffix(out, diff.replace, options);
  out += '\n';
  size_t hidden = 0;
  const Diff* last_hidden = nullptr;
  bool show_next = false;
  const auto element_line = [&](const Diff& element, const RenderOptions& element_options) {
    Indent(out, indent + 1);
    SymbolColumn(out, element.action, element_options);
    Render(out, element, indent + 1, element_options);
    out += ",\n";
  };
  for (const Diff& element : diff.members) {
    if (element.action == Action::kNoOp && !show_next && !options.show_unchanged) {
      ++hidden;
      last_hidden = &element;
      continue;
    }
    show_next = false;
    const RenderOptions* element_options = &changed;
    if (with_context) {
      if (hidden > 1) {
        Hidden(out, hidden - 1, "element", indent + 1, changed);
      }
      if (hidden > 0) {
        element_line(*last_hidden, context);
      }
      hidden = 0;
      if (element.action == Action::kNoOp) {
        element_options = &context;
      } else {
        show_next = true;
      }
    }
    Warnings(out, element, indent + 1);
    element_line(element, *element_options);
  }
  if (hidden > 0) {
    Hidden(out, hidden, "element", indent + 1, options);
  }
  CloseLine(out, indent, options);
  out += ']';
  NullSuffix(out, diff.action, options);
}

void Renderer::RenderSet(std::string& out, const Diff& diff, int indent,
                         const RenderOptions& options) const {
  const bool replace_self = diff.replace && !diff.nested;
  if (diff.members.empty()) {
    out += "[]";
    NullSuffix(out, diff.action, options);
    ReplaceSuffix(out, replace_self, options);
    return;
  }
  RenderOptions inside = options.Inside();
  inside.no_null_suffix = true;
  inside.forces_replacement = diff.replace && diff.nested;
  out += '[';
  ReplaceSuffix(out, replace_self, options);
  out += '\n';
  size_t hidden = 0;
  for (const Diff& element : diff.members) {
    if (element.action == Action::kNoOp && !options.show_unchanged) {
      ++hidden;
      continue;
    }
    Warnings(out, element, indent + 1);
    Indent(out, indent + 1);
    SymbolColumn(out, element.action, inside);
    Render(out, element, indent + 1, inside);
    out += ",\n";
  }
  if (hidden > 0) {
    Hidden(out, hidden, "element", indent + 1, options);
  }
  CloseLine(out, indent, options);
  out += ']';
  NullSuffix(out, diff.action, options);
}

void Renderer::RenderPrimitive(std::string& out, const Diff& diff, int indent,
                               const RenderOptions& options) const {
  if (diff.type == TypeKind::kString) {
    RenderString(out, diff, indent, options);
    return;
  }
  const auto append = [&](const Value& value) {
    if (value.IsNull()) {
      out += null_;
    } else if (diff.type == TypeKind::kBool) {
      out += value.AsBool() ? "true" : "false";
    } else {
      out += PrimitiveNumber(value);
    }
  };
  switch (diff.action) {
    case Action::kCreate:
      append(diff.after);
      break;
    case Action::kDelete:
      append(diff.before);
      NullSuffix(out, diff.action, options);
      break;
    case Action::kNoOp:
      append(diff.before);
      break;
    default:
      append(diff.before);
      out += arrow_;
      append(diff.after);
      break;
  }
  ReplaceSuffix(out, diff.replace, options);
}

}  // namespace kinu::view
