// References in configurations, resolved and validated.
#include <gtest/gtest.h>

#include "config/testing/workspace.h"
#include "config/validate_reference.h"
#include "hcl/static.h"

namespace kinu::config {
namespace {

TEST(References, ResolveAndReport) {
  Workspace workspace(Files{{"main.tf", R"(
variable "v" {}
locals {
  a = var.v.x
  b = module.m[0].out.y
  c = data.t_x.d["k"].id
  d = t_x.e[0].f
  e = each.value.g
  f = path.module
  g = terraform.workspace
  h = [var.nope, local.nope, module.nope.x, t_x.nope.id, data.t_x.e.id, count.nope, foo, var,
       path.modul, lazy.x, module.m["a"][0]]
}
resource "t_x" "e" {}
data "t_x" "d" {}
module "m" { source = "./m" }
)"},
                            {"m/main.tf", ""}});
  Loaded loaded = Load();
  ASSERT_EQ(Lines(loaded.diags), std::vector<std::string>{});
  const Module& root = *loaded.config->root().module;
  struct Row {
    ReferenceKind kind;
    int consumed;
    std::string subject;
  };
  const Row rows[] = {
      {ReferenceKind::kVariable, 1, "var.v"},
      {ReferenceKind::kModule, 3, "module.m[0].out"},
      {ReferenceKind::kResource, 2, "data.t_x.d[\"k\"]"},
      {ReferenceKind::kResource, 1, "t_x.e[0]"},
      {ReferenceKind::kEachValue, 1, "each.value"},
      {ReferenceKind::kPathModule, 1, "path.module"},
      {ReferenceKind::kWorkspace, 1, "terraform.workspace"},
  };
  for (size_t i = 0; i < std::size(rows); ++i) {
    std::vector<const hcl::TraversalExpr*> traversals;
    hcl::CollectTraversals(*root.locals[i].expr, traversals);
    ASSERT_EQ(traversals.size(), 1u);
    Diagnostics diags;
    const Reference ref = ResolveReference(*loaded.program, root, *traversals[0], &diags);
    EXPECT_EQ(Lines(diags), std::vector<std::string>{});
    EXPECT_EQ(ref.kind, rows[i].kind) << i;
    EXPECT_EQ(ref.consumed, rows[i].consumed) << i;
    EXPECT_EQ(ReferenceSubject(*loaded.program, root, ref), rows[i].subject);
    EXPECT_EQ(root.references.Find(*traversals[0]), nullptr);
    const Reference& bound = BindReference(*loaded.program, root, *traversals[0]);
    EXPECT_EQ(&BindReference(*loaded.program, root, *traversals[0]), &bound);
    EXPECT_EQ(root.references.Find(*traversals[0]), &bound);
    EXPECT_EQ(bound.kind, rows[i].kind);
  }
  std::vector<const hcl::TraversalExpr*> wrong;
  hcl::CollectTraversals(*root.locals[7].expr, wrong);
  std::vector<std::string> summaries;
  for (const hcl::TraversalExpr* traversal : wrong) {
    Diagnostics diags;
    ResolveReference(*loaded.program, root, *traversal, &diags);
    ASSERT_EQ(diags.size(), 1u) << traversal->range().text();
    summaries.push_back(diags.list()[0].summary + "|" +
                        std::string(diags.list()[0].subject.text()));
  }
  EXPECT_EQ(summaries, (std::vector<std::string>{
                           "Reference to undeclared input variable|var.nope",
                           "Reference to undeclared local value|local.nope",
                           "Reference to undeclared module|module.nope.x",
                           "Reference to undeclared resource|t_x.nope",
                           "Reference to undeclared resource|data.t_x.e",
                           "Invalid \"count\" attribute|count.nope", "Invalid reference|foo",
                           "Invalid reference|var", "Invalid \"path\" attribute|path.modul",
                           "Reserved symbol name|lazy", "Invalid reference|[0]"}));
}

TEST(References, OneTreeIsBoundInSeveralModules) {
  Workspace workspace(Files{{"main.tf", R"(
locals {
  first = 1
  used  = local.second
}
module "m" { source = "./m" }
)"},
                            {"m/main.tf", "locals {\n second = 2\n}\n"}});
  const Loaded loaded = Load();
  ASSERT_EQ(Lines(loaded.diags), std::vector<std::string>{});
  Program& program = *loaded.program;
  const Module& root = *loaded.config->root().module;
  const Module& child = *loaded.config->nodes[1]->module;
  std::vector<const hcl::TraversalExpr*> traversals;
  hcl::CollectTraversals(*root.locals[1].expr, traversals);
  ASSERT_EQ(traversals.size(), 1U);
  const hcl::TraversalExpr& traversal = *traversals[0];

  const Reference& in_root = BindReference(program, root, traversal);
  const Reference& in_child = BindReference(program, child, traversal);
  EXPECT_EQ(in_root.index, -1);
  EXPECT_EQ(in_child.index, 0);
  EXPECT_EQ(root.references.Find(traversal), &in_root);
  EXPECT_EQ(child.references.Find(traversal), &in_child);

  // A copy may declare other objects.
  Module copy = child;
  EXPECT_EQ(copy.references.Find(traversal), nullptr);
  copy.locals.clear();
  copy.local_index.clear();
  EXPECT_EQ(BindReference(program, copy, traversal).index, -1);
  EXPECT_EQ(in_child.index, 0);
}

TEST(References, TablesGrow) {
  std::string text = "locals {\n";
  constexpr int kCount = 1000;
  for (int i = 0; i < kCount; ++i) {
    text += "  l" + std::to_string(i) + " = local.l" + std::to_string((i + 1) % kCount) + "\n";
  }
  Workspace workspace(Files{{"main.tf", text + "}\n"}});
  const Loaded loaded = Load();
  const Module& root = *loaded.config->root().module;
  std::vector<const hcl::TraversalExpr*> traversals;
  for (const Local& local : root.locals) {
    hcl::CollectTraversals(*local.expr, traversals);
  }
  std::vector<const Reference*> bound;
  for (const hcl::TraversalExpr* traversal : traversals) {
    EXPECT_EQ(root.references.Find(*traversal), nullptr);
    bound.push_back(&BindReference(*loaded.program, root, *traversal));
  }
  ASSERT_EQ(bound.size(), size_t{kCount});
  size_t found = 0;
  root.references.ForEach([&](const Reference& reference) { found += reference.index >= 0; });
  EXPECT_EQ(found, size_t{kCount});
  for (size_t i = 0; i < bound.size(); ++i) {
    EXPECT_EQ(root.references.Find(*traversals[i]), bound[i]);
    EXPECT_EQ(loaded.program->Text(root.locals[static_cast<size_t>(bound[i]->index)].name),
              traversals[i]->steps[0].name());
  }
}

/// A SchemaSource with the same schema for every resource.
class OneSchema final : public SchemaSource {
 public:
  OneSchema() {
    block_.attributes.push_back({.name = "id", .type = Type::String(), .computed = true});
    schema::NestedBlock nested;
    nested.name = "item";
    nested.nesting = schema::Nesting::kList;
    nested.block.attributes.push_back({.name = "size", .type = Type::Number(), .optional = true});
    nested.block.Finish();
    block_.blocks.push_back(std::move(nested));
    nested = {};
    nested.name = "part";
    nested.nesting = schema::Nesting::kSet;
    nested.block.Finish();
    block_.blocks.push_back(std::move(nested));
    block_.Finish();
  }
  const schema::Block* ResourceSchema(const Resource&) const override { return &block_; }

 private:
  schema::Block block_;
};

TEST(References, AreValidatedWithoutValues) {
  Workspace workspace(Files{{"main.tf", R"(
locals {
  good = [t_x.one.id, t_x.many[0].item[0].size, t_x.many, t_x.each["a"].item, data.t_x.one]
  bad = [t_x.many.id, t_x.each.id, t_x.one[0].id, t_x.one.ix, t_x.one.item.size, t_x.one.part[0],
         t_x.one["id"], t_x.one.id.x, self.id, data.t_x.scoped.id, t_x.one.count, t_x.nope.id]
}
resource "t_x" "one" {}
resource "t_x" "many" { count = 1 }
resource "t_x" "each" { for_each = {} }
data "t_x" "one" {}
check "c" {
  data "t_x" "scoped" {}
  assert {
    condition     = data.t_x.scoped.id != ""
    error_message = "x"
  }
}
)"}});
  Loaded loaded = Load();
  ASSERT_EQ(Lines(loaded.diags), std::vector<std::string>{});
  const Module& root = loaded.root();
  const OneSchema schemas;
  const auto problems = [&](const Local& local) {
    std::vector<const hcl::TraversalExpr*> traversals;
    hcl::CollectTraversals(*local.expr, traversals);
    std::vector<std::string> out;
    for (const hcl::TraversalExpr* traversal : traversals) {
      Diagnostics diags;
      const Reference ref = ResolveReference(*loaded.program, root, *traversal, nullptr);
      ValidateReference(*loaded.program, root, *traversal, ref, {}, &schemas, diags);
      for (const Diagnostic& diag : diags) {
        out.push_back(diag.summary + "|" + std::string(diag.subject.text()));
      }
    }
    return out;
  };
  EXPECT_EQ(problems(root.locals[1]), std::vector<std::string>{});
  EXPECT_EQ(problems(root.locals[0]),
            (std::vector<std::string>{
                "Missing resource instance key|t_x.many", "Missing resource instance key|t_x.each",
                "Unexpected resource instance key|t_x.one[0]", "Unsupported attribute|.ix",
                "Invalid operation|.size", "Cannot index a set value|[0]",
                "Unexpected resource instance key|t_x.one[\"id\"]", "Unsupported attribute|.x",
                "Invalid \"self\" reference|self", "Reference to scoped resource|data.t_x.scoped",
                "Invalid resource count attribute|t_x.one",
                "Reference to undeclared resource|t_x.nope"}));
}

}  // namespace
}  // namespace kinu::config
