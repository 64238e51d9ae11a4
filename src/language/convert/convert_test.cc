#include "convert/convert.h"

#include <gtest/gtest.h>

namespace kinu::convert {
namespace {

std::string Show(const Diagnostics& diags) {
  std::string out;
  for (const Diagnostic& problem : diags) {
    out += problem.summary + " at " +
           std::string(problem.subject.valid() ? problem.subject.text()
                                               : std::string_view("nowhere")) +
           "\n";
  }
  return out;
}

std::string ToJson(std::string_view text, const BodyShape& shape = ModuleShape()) {
  const auto source = SourceFile::Make("a.tf", std::string(text));
  Diagnostics diags;
  const auto result = NativeToJson(*source, shape, diags);
  return (result ? *result : std::string()) + Show(diags);
}

std::string ToNative(std::string_view text, const BodyShape& shape = ModuleShape(),
                     Nested nested = Nested::kArrays) {
  const auto source = SourceFile::Make("a.tf.json", std::string(text));
  hcl::SyntaxTree tree;
  Diagnostics diags;
  const auto result = JsonToNative(*source, shape, {.nested = nested}, tree, diags);
  return (result ? *result : std::string()) + Show(diags);
}

struct Case {
  const char* native;
  const char* json;
};

// Both texts convert into each other.
TEST(Convert, ThereAndBack) {
  const Case cases[] = {
      {"a = 1\n", "{\n  \"a\": 1\n}\n"},
      {"a = -1.50\n", "{\n  \"a\": -1.50\n}\n"},
      {"a = [true, null, \"x\"]\n", "{\n  \"a\": [\n    true,\n    null,\n    \"x\"\n  ]\n}\n"},
      {"a = \"x$${y}%%{z}\\\"\\\\\\n\"\n", "{\n  \"a\": \"x$${y}%%{z}\\\"\\\\\\n\"\n}\n"},
      {"a = var.x\n", "{\n  \"a\": \"${var.x}\"\n}\n"},
      {"a = \"${var.x}-%{if true}a%{endif}\"\n",
       "{\n  \"a\": \"${var.x}-%{if true}a%{endif}\"\n}\n"},
      {"a = f(\"q\", [for x in y : x if x > 1])\n",
       "{\n  \"a\": \"${f(\\\"q\\\", [for x in y : x if x > 1])}\"\n}\n"},
      {"a = {\n  b     = 1\n  \"c d\" = x\n  (e)   = 2\n}\n",
       "{\n  \"a\": {\n    \"b\": 1,\n    \"c d\": \"${x}\",\n    \"${(e)}\": 2\n  }\n}\n"},
      {"a = <<EOT\none\n  two ${x}\nEOT\n", "{\n  \"a\": \"one\\n  two ${x}\\n\"\n}\n"},
      {"# top\n\nresource \"t\" \"n\" {\n  x          = 1\n  depends_on = [a.b, c]\n  provider   = "
       "p.q\n\n  lifecycle {\n    ignore_changes = all\n  }\n}\n",
       "{\n  \"//\": \"top\",\n  \"resource\": {\n    \"t\": {\n      \"n\": {\n        \"x\": 1,\n"
       "        \"depends_on\": [\n          \"a.b\",\n          \"c\"\n        ],\n"
       "        \"provider\": \"p.q\",\n        \"lifecycle\": {\n"
       "          \"ignore_changes\": \"all\"\n        }\n      }\n    }\n  }\n}\n"},
      {"variable \"v\" {\n  type        = list(object({ a = string }))\n  default     = "
       "[\"$${x}\"]\n "
       " description = \"%%{y}\"\n}\n",
       "{\n  \"variable\": {\n    \"v\": {\n      \"type\": \"list(object({ a = string }))\",\n"
       "      \"default\": [\n        \"${x}\"\n      ],\n      \"description\": \"%{y}\"\n    }\n "
       " "
       "}\n}\n"},
      {"terraform {\n  required_providers {\n    x = {\n      source                = \"a/b\"\n    "
       "  "
       "configuration_aliases = [x.y]\n    }\n  }\n}\n",
       "{\n  \"terraform\": {\n    \"required_providers\": {\n      \"x\": {\n        \"source\": "
       "\"a/b\",\n        \"configuration_aliases\": [\n          \"x.y\"\n        ]\n      }\n    "
       "}\n  }\n}\n"},
      {"module \"m\" {\n  source = \"./m\"\n  providers = {\n    a   = a.b\n    c.d = e\n  }\n}\n",
       "{\n  \"module\": {\n    \"m\": {\n      \"source\": \"./m\",\n      \"providers\": {\n     "
       "   "
       "\"a\": \"a.b\",\n        \"c.d\": \"e\"\n      }\n    }\n  }\n}\n"},
      {"resource \"t\" \"n\" {\n  nested {\n    a = 1\n  }\n\n  nested {}\n}\n",
       "{\n  \"resource\": {\n    \"t\": {\n      \"n\": {\n        \"nested\": [\n          {\n   "
       "   "
       "      \"a\": 1\n          },\n          {}\n        ]\n      }\n    }\n  }\n}\n"},
      {"locals {}\n\nlocals {\n  a = 1\n}\n",
       "{\n  \"locals\": [\n    {},\n    {\n      \"a\": 1\n    }\n  ]\n}\n"},
      {"provider \"a\" {}\n\nprovider \"b\" {}\n\nprovider \"a\" {\n  alias = \"x\"\n}\n",
       "{\n  \"provider\": [\n    {\n      \"a\": {}\n    },\n    {\n      \"b\": {}\n    },\n    "
       "{\n  "
       "    \"a\": {\n        \"alias\": \"x\"\n      }\n    }\n  ]\n}\n"},
      {"# why\n# because\nlocals {\n  a = 1\n}\n",
       "{\n  \"locals\": {\n    \"//\": \"why\\nbecause\",\n    \"a\": 1\n  }\n}\n"},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(ToJson(one.native), one.json) << one.native;
    EXPECT_EQ(ToNative(one.json), one.native) << one.json;
  }
}

TEST(Convert, ToJsonAlone) {
  const Case cases[] = {
      // Syntax that JSON expresses differently.
      {"a = 007\n", "{\n  \"a\": 7\n}\n"},
      {"a = \"${x}\"\n", "{\n  \"a\": \"${x}\"\n}\n"},
      {"a = <<-EOT\n    x\n      y\n  EOT\n", "{\n  \"a\": \"x\\n  y\\n\"\n}\n"},
      {"a = { b = 1, b = 2 }\n", "{\n  \"a\": \"${{ b = 1, b = 2 }}\"\n}\n"},
      {"variable \"v\" {\n  default = 1 + 1\n}\n",
       "{\n  \"variable\": {\n    \"v\": {\n      \"default\": 2\n    }\n  }\n}\n"},
      {"variable \"v\" {\n  type = \"string\"\n}\n",
       "{\n  \"variable\": {\n    \"v\": {\n      \"type\": \"string\"\n    }\n  }\n}\n"},
      // Comments beside an argument become comments of the body. Comments inside a value are lost,
      // unless the value is kept as source text.
      {"a = 1 # one\n/* two */\n", "{\n  \"//\": \"one\\ntwo\",\n  \"a\": 1\n}\n"},
      {"a = [\n  1, # one\n]\n", "{\n  \"a\": [\n    1\n  ]\n}\nComment lost at # one\n"},
      {"a = f(1, # one\n2)\n", "{\n  \"a\": \"${f(1, # one\\n2)}\"\n}\n"},
      // Errors.
      {"variable \"v\" {\n  default = var.x\n}\n", "Cannot convert value at var.x\n"},
      {"b {}\nb = 1\n", "Cannot convert argument at b\n"},
      {"b {}\nb \"x\" {}\n", "Cannot convert block at b\n"},
      {"locals = { a = 1 }\n", "Cannot convert argument at locals\n"},
      {"resource \"t\" \"n\" {\n  dynamic = {}\n}\n", "Cannot convert argument at dynamic\n"},
      {"resource \"x\" {}\n", "Cannot convert block at resource\n"},
      {"a = \n", "Invalid expression at \n\n"},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(ToJson(one.native), one.json) << one.native;
  }
}

TEST(Convert, ToNativeAlone) {
  EXPECT_EQ(ToNative(R"({"a": "${x\n+ y}"})"), "a = (x\n+ y)\n");
  EXPECT_EQ(ToNative(R"({"a b": 1})"), "Cannot convert property at \"a b\"\n");
  EXPECT_EQ(ToNative(R"({"a": {"b": 1, "b": 2}})"), "Duplicate object attribute at \"b\"\n");
  EXPECT_EQ(ToNative(R"({"a": 1, "a": 2})"), "Duplicate argument at \"a\"\n");
  EXPECT_EQ(ToNative(R"({"a": "${"})").substr(0, 10), "Missing ex");
  EXPECT_EQ(ToNative(R"({"//": ["one", {"two": 2}], "a": null})"),
            "# one\n# {\"two\": 2}\n\na = null\n");
  EXPECT_EQ(ToNative(R"({"resource": {"t": {"n": [{"a": 1}, {"a": 2}]}}})"),
            "resource \"t\" \"n\" {\n  a = 1\n}\n\nresource \"t\" \"n\" {\n  a = 2\n}\n");
  EXPECT_EQ(ToNative(R"([{"a": 1}, {"b": 2}])"), "a = 1\nb = 2\n");
  EXPECT_EQ(ToNative(R"({"a": "$${x}\n\u0001"})"), "a = \"$${x}\\n\\u0001\"\n");
}

TEST(Convert, NestedObjectsFollowTheOption) {
  const char* json = R"({"resource": {"t": {"n": {"a": {"x": 1}, "b": [{"y": 2}]}}}})";
  EXPECT_EQ(
      ToNative(json, ModuleShape(), Nested::kArguments),
      "resource \"t\" \"n\" {\n  a = {\n    x = 1\n  }\n  b = [\n    {\n      y = 2\n    },\n  "
      "]\n}\n");
  EXPECT_EQ(ToNative(json, ModuleShape(), Nested::kArrays),
            "resource \"t\" \"n\" {\n  a = {\n    x = 1\n  }\n\n  b {\n    y = 2\n  }\n}\n");
  EXPECT_EQ(ToNative(json, ModuleShape(), Nested::kBlocks),
            "resource \"t\" \"n\" {\n  a {\n    x = 1\n  }\n\n  b {\n    y = 2\n  }\n}\n");
}

TEST(Convert, ValuesOfVariablesAreLiteral) {
  EXPECT_EQ(ToJson("a = \"$${x}\"\n", VariablesShape()), "{\n  \"a\": \"${x}\"\n}\n");
  EXPECT_EQ(ToNative("{\"a\": \"${x}\"}", VariablesShape()), "a = \"$${x}\"\n");
  EXPECT_EQ(&ShapeForFile("x.tfvars.json"), &VariablesShape());
  EXPECT_EQ(&ShapeForFile("x.tofu"), &ModuleShape());
  EXPECT_EQ(&ShapeForFile("x.hcl"), &PlainShape());
}

// Generates files with all constructs of the native syntax. Equal seeds give equal files.
class FileMaker {
 public:
  explicit FileMaker(uint32_t seed) : state_(seed * 2654435761U + 1) {}

  std::string File() {
    Body(0);
    return out_;
  }

 private:
  uint32_t Pick(uint32_t count) {
    state_ = state_ * 1664525 + 1013904223;
    return (state_ >> 10) % count;
  }
  std::string Name(std::string_view prefix) {
    return std::string(prefix) + std::to_string(Pick(9));
  }
  std::string Indent(int depth) { return std::string(static_cast<size_t>(2 * depth), ' '); }

  void Body(int depth) {
    const uint32_t items = 1 + Pick(4);
    for (uint32_t i = 0; i < items; ++i) {
      if (Pick(4) == 0) {
        out_ += Indent(depth) + (Pick(2) == 0 ? "# note " : "// note ") + std::to_string(i) + "\n";
      }
      if (Pick(3) > 0 || depth == 3) {
        out_ += Indent(depth) + "a" + std::to_string(depth) + std::to_string(i) + " = ";
        Expression(0, true);
        out_ += "\n";
        continue;
      }
      // Each type has a fixed number of labels and a name of its own.
      const uint32_t labels = Pick(3);
      out_ += Indent(depth) + "b" + std::to_string(labels);
      for (uint32_t n = 0; n < labels; ++n) {
        out_ += " \"" + Name("l$${ ") + "\"";
      }
      if (Pick(5) == 0) {
        out_ += " {}\n";
        continue;
      }
      out_ += " {\n";
      Body(depth + 1);
      out_ += Indent(depth) + "}\n";
    }
  }

  void Text() {
    static constexpr std::string_view kPieces[] = {"x",    " ",    "\\n", "\\t",      "\\\"",
                                                   "\\\\", "$${",  "%%{", "\xC3\xA9", "\\u00e9",
                                                   "$ ",   "50% ", "#"};
    for (uint32_t i = Pick(4); i > 0; --i) {
      out_ += kPieces[Pick(std::size(kPieces))];
    }
  }

  void Expression(int depth, bool alone) {
    const uint32_t kind = depth > 3 ? Pick(6) : Pick(17);
    switch (kind) {
      case 0:
        out_ += std::to_string(Pick(1000)) + (Pick(2) == 0 ? ".50" : "");
        return;
      case 1:
        out_ += Pick(2) == 0 ? "true" : "null";
        return;
      case 2:
        out_ += Name("var.v") + "[0].c";
        return;
      case 3:
        out_ += "-" + std::to_string(Pick(9));
        return;
      case 4:
      case 5:
        out_ += '"';
        Text();
        out_ += '"';
        return;
      case 6:
      case 7:
        out_ += "\"";
        Text();
        out_ += Pick(3) == 0 ? "${~ " : "${";
        Expression(depth + 1, false);
        out_ += Pick(3) == 0 ? " ~}" : "}";
        Text();
        out_ += '"';
        return;
      case 8:
        List("[", "]", depth);
        return;
      case 9:
        List(Name("f") + "(", ")", depth);
        return;
      case 10:
      case 11: {
        out_ += "{";
        const uint32_t members = Pick(4);
        for (uint32_t i = 0; i < members; ++i) {
          out_ += i > 0 ? ", " : " ";
          Key("k" + std::to_string(i));
          out_ += Pick(3) == 0 ? " : " : " = ";
          Expression(depth + 1, false);
        }
        out_ += " }";
        return;
      }
      case 12:
        out_ += "x ? ";
        Expression(depth + 1, false);
        out_ += " : y";
        return;
      case 13:
        out_ += "[for k, v in z : v if k == 1]";
        return;
      case 14:
        out_ += "(1 + q.r)";
        return;
      case 15:
        out_ += "s[*].t";
        return;
      default:
        if (!alone) {
          out_ += "u";
          return;
        }
        out_ += Pick(2) == 0 ? "<<EOT\n" : "<<-EOT\n";
        for (uint32_t i = Pick(4); i > 0; --i) {
          out_ += Indent(static_cast<int>(Pick(3))) + Name("line") + (Pick(3) == 0 ? " ${w}" : "") +
                  (Pick(4) == 0 ? " \\\"$${" : "") + "\n";
        }
        out_ += "EOT";
        return;
    }
  }

  void Key(const std::string& name) {
    if (Pick(3) == 0) {
      out_ += "\"" + name + " x\"";
    } else {
      out_ += Pick(4) == 0 ? "(" + name + ")" : name;
    }
  }

  void List(std::string_view open, std::string_view close, int depth) {
    out_ += open;
    const uint32_t items = Pick(4);
    for (uint32_t i = 0; i < items; ++i) {
      out_ += i > 0 ? ", " : "";
      Expression(depth + 1, false);
    }
    out_ += close;
  }

  uint32_t state_;
  std::string out_;
};

// The shape of these files.
extern const BodyShape kMade;
constexpr BlockShape kMadeBlocks[] = {{"b0", 0, &kMade}, {"b1", 1, &kMade}, {"b2", 2, &kMade}};
constexpr BodyShape kMade{.blocks = kMadeBlocks};

TEST(Convert, AnyFileThereAndBack) {
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    const std::string native = FileMaker(seed).File();
    const auto source = SourceFile::Make("a.hcl", native);
    Diagnostics diags;
    const auto json = NativeToJson(*source, kMade, diags);
    ASSERT_TRUE(json.has_value()) << Show(diags) << native;
    const auto json_source = SourceFile::Make("a.hcl.json", *json);
    hcl::SyntaxTree tree;
    const auto back =
        JsonToNative(*json_source, kMade, {.nested = Nested::kArguments}, tree, diags);
    ASSERT_TRUE(back.has_value()) << Show(diags) << native << *json;
    const auto back_source = SourceFile::Make("b.hcl", *back);
    const auto again = NativeToJson(*back_source, kMade, diags);
    ASSERT_TRUE(again.has_value()) << Show(diags) << *back;
    // Each conversion compares its result with its source.
  }
}

TEST(Convert, CostIsLinearInBlocks) {
  std::string native;
  for (int i = 0; i < 5000; ++i) {
    native += "resource \"t\" \"n" + std::to_string(i) + "\" {\n  # note\n  a = var.x\n}\n";
  }
  const std::string json = ToJson(native);
  EXPECT_TRUE(json.ends_with("}\n")) << json.substr(0, 200);
  EXPECT_EQ(ToNative(json).substr(0, 48),
            "# note\nresource \"t\" \"n0\" {\n  a = var.x\n}\n\n# note");
}

/// A type "t" with a list of blocks, a map of blocks and, inside, an argument that is an object.
class FakeSchemas final : public SchemaShapes {
 public:
  const BodyShape* Find(std::string_view block, std::string_view label) const override {
    static constexpr BodyShape kInner{};
    static const BlockShape kBlocks[] = {
        {"disk", 0, &kInner}, {"zone", 1, &kInner}, ForeignShape().blocks[0]};
    static const BodyShape kType{.blocks = kBlocks};
    return block == "resource" && label == "t" ? &kType : nullptr;
  }
};

TEST(Convert, ReadsBlocksFromSchemas) {
  const FakeSchemas schemas;
  const auto convert = [&](const std::string& text) {
    const auto source = SourceFile::Make("a.tf.json", text);
    hcl::SyntaxTree tree;
    Diagnostics diags;
    const auto result = JsonToNative(*source, ModuleShape(), {.schemas = &schemas}, tree, diags);
    return (result ? *result : std::string()) + Show(diags);
  };
  EXPECT_EQ(convert(R"({"resource": {"t": {"a": {"disk": {"tags": {"x": "${var.x}"}},
      "rules": [{"port": 1}], "zone": {"b": {"n": 1}}}}}})"),
            R"(resource "t" "a" {
  disk {
    tags = {
      x = var.x
    }
  }

  rules = [
    {
      port = 1
    },
  ]

  zone "b" {
    n = 1
  }
}
)");
  EXPECT_EQ(convert(R"({"resource": {"t": {"a": {"dynamic": {"disk": {"for_each": "${var.d}",
      "content": {"tags": {"x": 1}}}}}}}})"),
            R"(resource "t" "a" {
  dynamic "disk" {
    for_each = var.d

    content {
      tags = {
        x = 1
      }
    }
  }
}
)");
  EXPECT_NE(convert(R"({"resource": {"u": {"a": {"disk": {}}, "b": {"disk": []}}}})")
                .find("Schema not available"),
            std::string::npos);
}

}  // namespace
}  // namespace kinu::convert
