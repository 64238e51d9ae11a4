// Checks that work grows linearly: twice the text may cost at most twice the work, for every
// construct. Work is counted and not timed. Written text counts as input, because n nested levels
// on their own lines have n² blanks of indentation.
#include <algorithm>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/thread.h"
#include "convert/convert.h"
#include "counted_work.h"
#include "hcl/body.h"
#include "hcl/parse.h"
#include "hcl/writer/editor.h"
#include "hcl/writer/format.h"
#include "lang/dynamic.h"
#include "lang/eval.h"
#include "lang/user_function.h"

namespace kinu {
namespace {

/// A text: before, open × n, middle, close × n, after.
struct Construct {
  const char* name;
  const char* before;
  const char* open;
  const char* after = "";
  const char* middle = "";
  const char* close = "";
  size_t count = 4000;

  std::string Text(size_t n) const {
    std::string text = before;
    for (size_t i = 0; i < n; ++i) {
      text += open;
    }
    text += middle;
    for (size_t i = 0; i < n; ++i) {
      text += close;
    }
    return text + after;
  }
};

struct Run {
  Work work;
  size_t written = 0;
};

template <typename Function>
Run Count(Function&& function) {
  Run result;
  RunOnBigStack([&] { result.work = CountWork([&] { result.written = function(); }); });
  return result;
}

/// Runs `function`, which returns the number of bytes it wrote, on texts of two sizes.
template <typename Function>
void ExpectLinear(const Construct& construct, const char* what, Function&& function) {
  const std::string small = construct.Text(construct.count);
  const std::string large = construct.Text(2 * construct.count);
  const Run once = Count([&] { return function(small); });
  const Run twice = Count([&] { return function(large); });
  const double growth = std::max(2.0, static_cast<double>(large.size() + twice.written) /
                                          static_cast<double>(small.size() + once.written + 1));
  SCOPED_TRACE(std::string(what) + ": " + construct.name);
  ExpectGrowth(once.work, twice.work, growth);
}

/// Computes line and column of every diagnostic, as printing does.
void Locate(const Diagnostics& diags) {
  for (const Diagnostic& problem : diags) {
    if (problem.subject.valid()) {
      (void)problem.subject.start_position();
      (void)problem.subject.end_position();
    }
  }
}

// --- Native syntax: parser, layout, fmt, editor ---

constexpr Construct kNative[] = {
    {"arguments", "", "a = 1\n"},
    {"blocks", "", "b \"x\" {\n  a = 1\n}\n"},
    {"blocks on one line", "", "b { a = 1 }\n"},
    {"labels", "b ", "\"x\" ", "{}\n", "", "", 400},
    {"comments", "", "# c\n/* d */ // e\n"},
    {"empty lines", "", "\n"},
    {"a long line of blanks", "a = ", "          ", "1\n"},
    {"elements", "a = [", "1, ", "]\n"},
    {"elements on lines", "a = [\n", "1, # c\n", "]\n"},
    {"members of an object", "a = {", "x = 1\n", "}\n"},
    {"quoted members", "a = {", "\"x\": 1,", "}\n"},
    {"computed members", "a = {", "(x) = 1\n", "}\n"},
    {"arguments of a call", "a = f(", "1,", "1)\n"},
    {"sums", "a = 1", " + 1", "\n"},
    {"mixed operators", "a = 1", " + 2 * 3 == 4 && b || !c", "\n"},
    {"attributes of a reference", "a = b", ".c", "\n"},
    {"indices of a reference", "a = b", "[0]", "\n"},
    {"computed indices", "a = b", "[c]", "\n"},
    {"legacy indices", "a = b", ".0 .c", "\n"},
    {"splats", "a = b", "[*].c", "\n", "", "", 400},
    {"attribute splats", "a = b", ".*.c", "\n", "", "", 400},
    {"a long number", "a = 1", "0123456789", "\n"},
    {"a long name", "", "abcdefghij", " = 1\n"},
    {"a long string", "a = \"", "0123456789", "\"\n"},
    {"text beyond ASCII", "a = \"", "e\xCC\x81\xF0\x9F\x98\x80", "\"\n"},
    {"combining marks", "a = \"e", "\xCC\x81", "\"\n"},
    {"escapes", "a = \"", "\\n\\u00e9", "\"\n"},
    {"wrong escapes", "a = \"", "\\q", "\"\n"},
    {"doubled signs", "a = \"", "$${%%{$%", "\"\n"},
    {"interpolations", "a = \"", "${x}", "\"\n"},
    {"trimmed interpolations", "a = \"", " ${~ x ~} ", "\"\n"},
    {"conditions in a template", "a = \"", "%{if x}y%{else}z%{endif}", "\"\n"},
    {"loops in a template", "a = \"", "%{for x in y}${x}%{endfor}", "\"\n"},
    {"lines of a heredoc", "a = <<EOT\n", "  x ${y}\n", "EOT\n"},
    {"an indented heredoc", "a = <<-EOT\n", "    x\n      ${y}\n", "    EOT\n"},
    {"heredocs", "", "a = <<EOT\nx\nEOT\n"},
    {"for expressions", "a = [", "[for x in y : x if x],", "]\n"},
    {"conditionals in a row", "a = ", "b ? c : ", "d\n", "", "", 2000},
    {"dynamic blocks", "", "dynamic \"b\" {\n  for_each = c\n  content {\n    d = 1\n  }\n}\n"},
    // Nested, up to half the depth limit when doubled.
    {"nested lists", "a = ", "[", "\n", "1", "]", 2000},
    {"nested objects", "a = ", "{ x = ", "\n", "1", "}", 2000},
    {"nested parentheses", "a = ", "(", "\n", "1", ")", 2000},
    {"nested calls", "a = ", "f(", "\n", "1", ")", 2000},
    {"nested templates", "a = ", "\"${", "\n", "1", "}\"", 1000},
    {"nested conditionals", "a = ", "b ? ", "\n", "c", " : d", 2000},
    {"nested for expressions", "a = ", "[for x in y : ", "\n", "1", "]", 2000},
    {"nested indices", "a = ", "b[", "\n", "1", "]", 2000},
    {"signs", "a = ", "-", "\n", "1", "", 2000},
    {"negations", "a = ", "!", "\n", "b", "", 2000},
    {"nested blocks", "", "b {\n", "", "a = 1\n", "}\n", 2000},
    {"nested conditions in a template", "a = \"", "%{if x}", "\"\n", "y", "%{endif}", 1000},
    // Invalid.
    {"the same argument", "", "aa = 1\n", "aa = 1\n"},
    {"broken lines", "", "= = =\n"},
    {"missing values", "", "a =\n"},
    {"brackets that close nothing", "", "]})"},
    {"brackets that open on lines", "", "a = [\n"},
    {"strings that do not end", "", "a = \"x\n"},
    {"sequences that do not end", "", "a = \"${\n"},
    {"directives that do not end", "a = \"", "%{if x}", "\"\n", "", "", 1000},
    {"heredocs that do not end", "", "a = <<EOT\n"},
    {"heredocs on one line", "", "<<A "},
    {"openings of sequences", "", "${"},
    {"comments that do not end", "", "/* "},
    {"bytes that are no UTF-8", "a = \"", "\xFF", "\"\n"},
    {"signs that mean nothing", "", "; ' ` ^ & | ~\n"},
};

TEST(Work, OfTheParser) {
  for (const Construct& construct : kNative) {
    ExpectLinear(construct, "parse", [](const std::string& text) {
      hcl::SyntaxTree tree;
      Diagnostics diags;
      hcl::ParseNative(tree.KeepSource(SourceFile::Make("t", text)), tree, diags);
      Locate(diags);
      return size_t{0};
    });
  }
}

TEST(Work, OfTheLayout) {
  for (const Construct& construct : kNative) {
    ExpectLinear(construct, "format",
                 [](const std::string& text) { return hcl::writer::Format(text).size(); });
  }
}

TEST(Work, OfFmt) {
  for (const Construct& construct : kNative) {
    ExpectLinear(construct, "fmt", [](const std::string& text) {
      Diagnostics diags;
      const auto out = hcl::writer::FormatFile(SourceFile::Make("t", text).get(), diags);
      return out ? out->size() : 0;
    });
  }
}

/// Arguments with different names.
std::string Arguments(size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    text += "name" + std::to_string(100'000 + i) + " = [ 1, 2 ] # c\n";
  }
  return text;
}

TEST(Work, OfTheEditor) {
  for (const Construct& construct : kNative) {
    ExpectLinear(construct, "edit", [](const std::string& text) {
      Diagnostics diags;
      const auto document = hcl::writer::Document::Parse(SourceFile::Make("t", text).get(), diags);
      if (document == nullptr) {
        return size_t{0};
      }
      document->body().SetAttribute("added", "1");
      for (hcl::writer::EditableBlock* block : document->body().Blocks()) {
        block->body().SetAttribute("added", "[\n1\n]");
        block->SetType("renamed");
      }
      return document->Text().size();
    });
  }
  const Construct many{"each of many arguments", "", ""};
  ExpectLinear(many, "edit", [size = size_t{2000}](const std::string&) mutable {
    const std::string text = Arguments(size);
    size *= 2;
    Diagnostics diags;
    const auto document = hcl::writer::Document::Parse(SourceFile::Make("t", text).get(), diags);
    std::vector<std::string> names;
    for (const std::string_view name : document->body().AttributeNames()) {
      names.emplace_back(name);
    }
    for (const std::string& name : names) {
      document->body().SetAttribute(name, "2");
      document->body().RenameAttribute(name, name + "x");
    }
    for (const std::string& name : names) {
      document->body().RemoveAttribute(name + "x");
      document->body().AppendBlock("b", {}).body().SetAttribute("a", "1");
    }
    return document->Text().size();
  });
}

TEST(Work, OfConversion) {
  for (Construct construct : kNative) {
    if (construct.name == std::string_view("labels")) {
      continue;  // each is a level of objects: how much is written before the error is unknown
    }
    construct.count /= construct.close[0] != '\0' ? 4 : 2;  // nested texts have much indentation
    ExpectLinear(construct, "convert", [](const std::string& text) {
      Diagnostics diags;
      const auto source = SourceFile::Make("t", text);
      const auto json = convert::NativeToJson(*source, convert::PlainShape(), diags);
      if (!json) {
        return size_t{0};
      }
      const auto json_source = SourceFile::Make("t.json", *json);
      Diagnostics back_diags;
      hcl::SyntaxTree tree;
      const auto back =
          convert::JsonToNative(*json_source, convert::PlainShape(), {}, tree, back_diags);
      return json->size() + (back ? back->size() : 0);
    });
  }
}

TEST(Work, OfABodysContent) {
  ExpectLinear({"arguments and blocks", "", ""}, "content",
               [size = size_t{2000}](const std::string&) mutable {
                 std::string text = Arguments(size);
                 for (size_t i = 0; i < size; ++i) {
                   text += "item \"x\" {}\nother {}\n";
                 }
                 size *= 2;
                 hcl::SyntaxTree tree;
                 Diagnostics diags;
                 const hcl::NativeBody* body =
                     hcl::ParseNative(tree.KeepSource(SourceFile::Make("t", text)), tree, diags);
                 static constexpr std::string_view kLabels[] = {"name"};
                 const hcl::BlockSchema blocks[] = {{"item", kLabels}};
                 const hcl::AttributeSchema attributes[] = {{"name100000", true}};
                 (void)body->Content({.attributes = attributes, .blocks = blocks},
                                     hcl::Strictness::kExact, diags);
                 (void)body->JustAttributes({}, diags);
                 Locate(diags);
                 return size_t{0};
               });
}

// A module's inputs are read with a schema of all of its variables.
TEST(Work, OfABodysContentWithALargeSchema) {
  for (const bool json : {false, true}) {
    ExpectLinear({json ? "JSON properties" : "arguments", "", ""}, "content",
                 [json, size = size_t{2000}](const std::string&) mutable {
                   std::string text = json ? "{\n" : "";
                   std::vector<std::string> names;
                   for (size_t i = 0; i < size; ++i) {
                     names.push_back("name" + std::to_string(i));
                     text += json ? "\"" + names.back() + "\": 1,\n" : names.back() + " = 1\n";
                   }
                   text += json ? "\"name0\": 2}" : "other = 1\n";
                   size *= 2;
                   std::vector<hcl::AttributeSchema> attributes;
                   for (const std::string& name : names) {
                     attributes.push_back({name, true});
                   }
                   const std::vector<std::string_view> hidden(names.begin(), names.end());
                   hcl::SyntaxTree tree;
                   Diagnostics diags;
                   const SourceFile* source = tree.KeepSource(SourceFile::Make("t", text));
                   const hcl::Body* body = json ? hcl::ParseJson(source, tree, diags)
                                                : hcl::ParseNative(source, tree, diags);
                   (void)body->Content({.attributes = attributes}, hcl::Strictness::kExact, diags);
                   (void)body->Content({.hidden = hidden}, hcl::Strictness::kExact, diags);
                   (void)body->JustAttributes(hidden, diags);
                   Locate(diags);
                   return size_t{0};
                 });
  }
}

// --- JSON syntax ---

constexpr Construct kJson[] = {
    {"members", "{", "\"a\": 1, ", "\"b\": 1}"},
    {"blocks", "{\"item\": [", "{\"a\": \"x\"}, ", "{}]}"},
    {"labels", "{\"item\": {", "\"x\": {}, ", "\"y\": {}}}"},
    {"elements", "{\"a\": [", "1, ", "2]}"},
    {"templates", "{\"a\": [", "\"${x} y\", ", "1]}"},
    {"one long template", "{\"a\": \"", "${x} %{if y}z%{endif}", "\"}"},
    {"escapes", "{\"a\": \"", "\\u00e9\\n\\\"", "\"}"},
    {"escapes in a template", "{\"a\": \"${x}", "\\u00e9\\n\\\"", "\"}"},
    {"a long string", "{\"a\": \"", "0123456789", "\"}"},
    {"a long number", "{\"a\": 1", "0123456789", "}"},
    {"blanks", "{", "          ", "}"},
    {"nested lists", "{\"a\": ", "[", "}", "1", "]", 2000},
    {"nested objects", "{\"a\": ", "{\"x\": ", "}", "1", "}", 2000},
    {"strings that do not end", "[", "\"\\x\", ", "1]"},
    {"without commas", "[", "1 2 ", "1]"},
    {"brackets", "", "]}"},
    {"bytes that are no UTF-8", "{\"a\": \"", "\xFF", "\"}"},
    {"objects that do not end", "", "{\"a\": {\n", "", "", "", 2000},
    {"objects that begin again", "{\n", "  \"a\": {\n    \"b\": [\n", "}"},
    {"names on lines of a deep object", "{\"a\": [", "{\"b\":\n \"c\": ", "", "", "", 2000},
    {"open sequences in strings", "{\"a\": [", "\"${x(\", ", "1]}"},
    {"open sequences in a string", "{\"a\": \"", "${x(", "\"}", "", "", 1000},
};

TEST(Work, OfJson) {
  for (const Construct& construct : kJson) {
    ExpectLinear(construct, "JSON", [](const std::string& text) {
      hcl::SyntaxTree tree;
      Diagnostics diags;
      const hcl::Body* body =
          hcl::ParseJson(tree.KeepSource(SourceFile::Make("t", text)), tree, diags,
                         hcl::ParseMode::kIncomplete);  // reads it in strict mode, too
      static constexpr std::string_view kLabels[] = {"name"};
      const hcl::BlockSchema blocks[] = {{"item", kLabels}};
      const hcl::AttributeSchema attributes[] = {{"a"}};
      (void)body->Content({.attributes = attributes, .blocks = blocks}, hcl::Strictness::kExact,
                          diags);
      const lang::ToolScope scope;
      for (const hcl::Attribute& attribute : body->JustAttributes({}, diags)) {
        (void)lang::Evaluate(*attribute.expr, scope, diags);
      }
      Locate(diags);
      return size_t{0};
    });
  }
}

// --- Evaluation ---

/// A scope with a list of `count` numbers and a few other variables.
lang::ToolScope ScopeWith(size_t count) {
  std::vector<Value> numbers;
  std::vector<Value> objects;
  for (size_t i = 0; i < count; ++i) {
    numbers.push_back(Value::Int(static_cast<int64_t>(i)));
    objects.push_back(Value::Object({{"c", Value::Int(static_cast<int64_t>(i))}}));
  }
  lang::ToolScope scope;
  scope.SetVariable("list", Value::List(Type::Number(), std::move(numbers)));
  scope.SetVariable("objects", Value::Tuple(std::move(objects)));
  scope.SetVariable("x", Value::String("x"));
  scope.SetVariable("yes", Value::True());
  return scope;
}

constexpr Construct kExpressions[] = {
    {"sums", "1", " + 1"},
    {"conditions", "yes", " && yes"},
    {"conditionals in a row", "", "!yes ? 1 : ", "2", "", "", 2000},
    {"interpolations", "\"", "${x} ", "\""},
    {"conditions in a template", "\"", "%{if yes}y%{endif}", "\""},
    {"elements", "[", "1, x, ", "]"},
    {"equal members", "{", "(x) = 1\n", "}"},
    {"lines of a heredoc", "<<-EOT\n", "  x ${x}\n", "  EOT\n"},
    {"nested lists", "", "[", "", "1", "]", 2000},
    {"nested objects", "", "{ x = ", "", "1", "}", 2000},
    {"nested parentheses", "", "(", "", "1", ")", 2000},
    {"nested conditionals", "", "yes ? ", "", "1", " : 2", 2000},
    {"nested templates", "", "\"a${", "", "1", "}\"", 100},
    {"signs", "", "-", "", "1", "", 2000},
    {"unknown names", "[", "nope, ", "]"},
};

TEST(Work, OfExpressions) {
  const lang::ToolScope scope = ScopeWith(10);
  for (const Construct& construct : kExpressions) {
    ExpectLinear(construct, "evaluate", [&](const std::string& text) {
      hcl::SyntaxTree tree;
      Diagnostics diags;
      const hcl::Expr* expr =
          hcl::ParseExpression(tree.KeepSource(SourceFile::Make("t", text)), tree, diags);
      (void)lang::Evaluate(*expr, scope, diags);
      Locate(diags);
      return size_t{0};
    });
  }
}

TEST(Work, OfWhatGoesThroughCollections) {
  for (const char* text : {"[for v in list : v + 1]", "{for k, v in list : k => v}",
                           "{for v in list : \"one\" => v...}", "[for v in list : v if v > 2]",
                           "objects[*].c", "objects.*.c", "\"%{for v in list}${v}, %{endfor}\"",
                           "[for a in [list] : [for v in a : v]]"}) {
    ExpectLinear({text, "", ""}, "evaluate", [&, size = size_t{2000}](const std::string&) mutable {
      const lang::ToolScope scope = ScopeWith(size);
      size *= 2;
      hcl::SyntaxTree tree;
      Diagnostics diags;
      const hcl::Expr* expr =
          hcl::ParseExpression(tree.KeepSource(SourceFile::Make("t", text)), tree, diags);
      (void)lang::Evaluate(*expr, scope, diags);
      EXPECT_TRUE(diags.empty()) << text;
      return size_t{0};
    });
  }
}

TEST(Work, OfDynamicBlocks) {
  const auto expand = [](const std::string& text, const lang::Scope& scope) {
    hcl::SyntaxTree tree;
    Diagnostics diags;
    const hcl::NativeBody* body =
        hcl::ParseNative(tree.KeepSource(SourceFile::Make("t", text)), tree, diags);
    static constexpr std::string_view kLabels[] = {"name"};
    const hcl::BlockSchema blocks[] = {{"item", kLabels}};
    lang::ExpansionStore store;
    const lang::ExpandedContent content = lang::ExpandContent(
        *body, {.blocks = blocks}, hcl::Strictness::kExact, scope, nullptr, store, diags);
    for (const lang::ExpandedBlock& block : content.blocks) {
      const hcl::AttributeSchema attributes[] = {{"v", true}};
      const hcl::BodyContent inner =
          block.block.body->Content({.attributes = attributes}, hcl::Strictness::kExact, diags);
      (void)lang::Evaluate(*inner.attributes[0].expr, scope, diags, block.bindings);
    }
    EXPECT_TRUE(diags.empty());
  };
  constexpr std::string_view kBlock =
      "dynamic \"item\" {\n  for_each = list\n  labels = [\"l${item.key}\"]\n  content {\n"
      "    v = item.value\n  }\n}\n";
  ExpectLinear({"elements", "", ""}, "expand",
               [&, size = size_t{2000}](const std::string&) mutable {
                 const lang::ToolScope scope = ScopeWith(size);
                 size *= 2;
                 expand(std::string(kBlock), scope);
                 return size_t{0};
               });
  const lang::ToolScope scope = ScopeWith(2);
  ExpectLinear({"blocks", "", kBlock.data()}, "expand", [&](const std::string& text) {
    expand(text, scope);
    return size_t{0};
  });
}

}  // namespace
}  // namespace kinu
