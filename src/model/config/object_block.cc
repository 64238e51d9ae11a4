#include "config/object_block.h"

#include "cty/json.h"
#include "hcl/parse.h"
#include "hcl/writer/format.h"
#include "hcl/writer/tokens.h"

namespace kinu::config {
namespace {

using schema::Attribute;
using schema::Nesting;

bool LeftOut(const Attribute& attribute) {
  return (attribute.computed && !attribute.optional) || attribute.deprecated ||
         (attribute.name == "id" && attribute.computed && attribute.optional);
}

/// A string that holds a JSON object or array is easier to read as a call of jsonencode.
std::string TextOfValue(const Value& value) {
  if (value.IsKnown() && !value.IsNull() && value.type() == Type::String()) {
    std::string_view text = value.AsString();
    size_t first = text.find_first_not_of(" \t\r\n");
    if (first != std::string_view::npos && (text[first] == '{' || text[first] == '[')) {
      if (ValueResult<Type> type = ImpliedTypeOfJson(text)) {
        if (ValueResult<Value> decoded = ValueFromJson(text, *type)) {
          if (auto written = hcl::writer::ValueText(*decoded)) {
            return "jsonencode(" + *written + ")";
          }
        }
      }
    }
  }
  auto text = hcl::writer::ValueText(value);
  return text ? *text : "null";
}

/// The key of an object constructor: a name as it is, everything else as a string. Behind an
/// opening brace the name `for` would begin an expression.
std::string KeyText(std::string_view key) {
  return hcl::IsIdentifier(key) && key != "for" ? std::string(key) : hcl::writer::StringText(key);
}

class Writer {
 public:
  std::string TakeText() { return std::move(text_); }

  void Line(std::string_view text) {
    text_ += text;
    text_ += '\n';
  }

  void Attributes(const std::vector<Attribute>& attributes, const Value& object) {
    for (const Attribute& attribute : attributes) {
      if (LeftOut(attribute)) {
        continue;
      }
      const Value* value = object.IsNull() ? nullptr : object.Find(attribute.name);
      if (attribute.nested != nullptr) {
        NestedAttribute(attribute, object.IsMarked(), value);
        continue;
      }
      if (!attribute.required && !attribute.optional) {
        continue;
      }
      std::string line = attribute.name + " = ";
      if (attribute.sensitive || (value != nullptr && value->ContainsMarked())) {
        line += "null # sensitive";
        line += attribute.write_only ? " write-only" : "";
      } else {
        line += value == nullptr ? "null" : TextOfValue(*value);
        line += attribute.write_only ? " # write-only" : "";
      }
      Line(line);
    }
  }

  void Blocks(const std::vector<schema::NestedBlock>& blocks, const Value& object) {
    for (const schema::NestedBlock& nested : blocks) {
      const Value* value = object.IsNull() ? nullptr : object.Find(nested.name);
      if (nested.block.deprecated || value == nullptr) {
        continue;
      }
      const bool marked = value->IsMarked();
      const Value plain = value->Unmark();
      switch (nested.nesting) {
        case Nesting::kSingle:
        case Nesting::kGroup:
          if (!plain.IsNull()) {
            Block(nested, nested.name, plain, marked);
          }
          break;
        case Nesting::kList:
        case Nesting::kSet:
        case Nesting::kMap:
          if (marked) {
            Line(nested.name + " {} # sensitive");
            break;
          }
          if (plain.IsNull() || !plain.IsKnown()) {
            break;
          }
          for (size_t i = 0; i < plain.size(); ++i) {
            const Value& element = plain.elements()[i];
            std::string header = nested.name;
            if (nested.nesting == Nesting::kMap) {
              header += ' ' + hcl::writer::StringText(plain.key(i));
            }
            Block(nested, header, element.Unmark(),
                  nested.nesting == Nesting::kMap && element.IsMarked());
          }
          break;
      }
    }
  }

 private:
  void Block(const schema::NestedBlock& nested, std::string_view header, const Value& value,
             bool hidden) {
    std::string line(header);
    if (hidden) {
      Line(line + " {} # sensitive");
      return;
    }
    Line(line + " {");
    Attributes(nested.block.attributes, value);
    Blocks(nested.block.blocks, value);
    Line("}");
  }

  void NestedAttribute(const Attribute& attribute, bool owner_marked, const Value* value) {
    const schema::NestedAttributes& nested = *attribute.nested;
    const std::string name = attribute.name + " = ";
    const bool sequence = nested.nesting == Nesting::kList || nested.nesting == Nesting::kSet;
    if (attribute.sensitive || owner_marked) {
      Line(name + (sequence ? "[]" : "{}") + " # sensitive" +
           (attribute.write_only ? " write-only" : ""));
      return;
    }
    if (value == nullptr) {
      return;
    }
    const Value plain = value->Unmark();
    if (plain.IsNull() || !plain.IsKnown()) {
      Line(name + "null" + (attribute.write_only ? " # write-only" : ""));
      return;
    }
    if (nested.nesting == Nesting::kSingle) {
      Line(name + "{");
      Attributes(nested.attributes, plain);
      Line("}");
      return;
    }
    Line(name + (sequence ? "[" : "{"));
    for (size_t i = 0; i < plain.size(); ++i) {
      const Value& element = plain.elements()[i];
      const std::string key = sequence ? "" : KeyText(plain.key(i)) + " = ";
      if (element.IsMarked()) {
        Line(key + (sequence ? "{}, # sensitive" : "{} # sensitive"));
        continue;
      }
      Line(key + "{");
      Attributes(nested.attributes, element);
      Line(sequence ? "}," : "}");
    }
    Line(sequence ? "]" : "}");
  }

  std::string text_;
};

}  // namespace

std::string ConfigOfObject(const schema::Block& block, const Value& object,
                           std::string_view provider) {
  Writer writer;
  if (!provider.empty()) {
    writer.Line("provider = " + std::string(provider));
  }
  const Value plain = object.Unmark();
  writer.Attributes(block.attributes, plain);
  writer.Blocks(block.blocks, plain);
  return hcl::writer::Format(writer.TakeText());
}

std::string ResourceBlockText(const Program& program, const ResourceName& name,
                              std::string_view contents) {
  std::string text = "resource \"" + std::string(program.Text(name.type)) + "\" \"" +
                     std::string(program.Text(name.name)) + "\" {\n";
  text += contents;
  text += "}";
  return hcl::writer::Format(text);
}

}  // namespace kinu::config
