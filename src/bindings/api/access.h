// What the classes of include/kinu/hcl.h hold, and how the library makes and opens them. Private to
// api.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <kinu/hcl.h>

#include "api/diagnostics.h"
#include "diag/diagnostic.h"
#include "hcl/ast.h"
#include "hcl/body.h"
#include "lang/user_function.h"

namespace kinu::v1 {

using InnerValue = ::kinu::Value;
using InnerDiagnostics = ::kinu::Diagnostics;
using api::AppendTo;
using api::ToPublic;

struct FileContent {
  hcl::SyntaxTree tree;
  const hcl::Body* body = nullptr;
};

struct Value::Content {
  InnerValue value;
};

struct Scope::Content {
  lang::ToolScope scope;
  std::vector<std::shared_ptr<const functions::Callable>> own;
};

/// Makes and opens public objects.
struct Access {
  static v1::Value Make(InnerValue value) {
    return v1::Value(std::make_shared<const v1::Value::Content>(std::move(value)));
  }
  static InnerValue Inner(const v1::Value& value) {
    return value.content_ == nullptr ? InnerValue() : value.content_->value;
  }
  static v1::Expression Make(std::shared_ptr<const FileContent> file, const hcl::Expr* node) {
    v1::Expression expression;
    expression.file_ = std::move(file);
    expression.node_ = node;
    return expression;
  }
  static v1::Body Make(std::shared_ptr<const FileContent> file, const hcl::Body* body) {
    v1::Body out;
    out.file_ = std::move(file);
    out.body_ = body;
    return out;
  }
  static v1::File Make(v1::Body body) { return v1::File(std::move(body)); }
  static v1::Attribute Make(const std::shared_ptr<const FileContent>& file,
                            const hcl::Attribute& attribute) {
    return {std::string(attribute.name), Make(file, attribute.expr), ToPublic(attribute.range),
            ToPublic(attribute.name_range)};
  }
  static v1::Block Make(const std::shared_ptr<const FileContent>& file, const hcl::Block& block) {
    v1::Block out(Make(file, block.body));
    out.type = block.type;
    out.labels.assign(block.labels.begin(), block.labels.end());
    out.range = ToPublic(block.def_range);
    return out;
  }
  static const hcl::Body& Inner(const v1::Body& body) {
    return *static_cast<const hcl::Body*>(body.body_);
  }
  static const hcl::Expr& Inner(const v1::Expression& expression) {
    return *static_cast<const hcl::Expr*>(expression.node_);
  }
  static const lang::ToolScope& Inner(const v1::Scope& scope) { return scope.content_->scope; }
  static v1::BodyContent Make(const std::shared_ptr<const FileContent>& file,
                              const hcl::BodyContent& content) {
    v1::BodyContent out;
    for (const hcl::Attribute& attribute : content.attributes) {
      out.attributes.push_back(Make(file, attribute));
    }
    for (const hcl::Block& block : content.blocks) {
      out.blocks.push_back(Make(file, block));
    }
    return out;
  }
};

}  // namespace kinu::v1
