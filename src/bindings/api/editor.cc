// The editor of the public API, over hcl/writer.
#include "hcl/writer/editor.h"

#include "api/access.h"
#include "hcl/parse.h"
#include "hcl/static.h"

namespace kinu::v1 {

struct Editor::Content {
  std::unique_ptr<hcl::writer::Document> document;

  /// The body at a path, or null.
  hcl::writer::EditableBody* BodyAt(std::span<const std::vector<std::string>> path) {
    hcl::writer::EditableBody* body = &document->body();
    for (const std::vector<std::string>& step : path) {
      hcl::writer::EditableBlock* block = BlockIn(*body, step);
      if (block == nullptr) {
        return nullptr;
      }
      body = &block->body();
    }
    return body;
  }
  static hcl::writer::EditableBlock* BlockIn(hcl::writer::EditableBody& body,
                                             const std::vector<std::string>& step) {
    if (step.empty()) {
      return nullptr;
    }
    return body.FindBlock(step.front(), std::span<const std::string>(step).subspan(1));
  }
};

Editor::Editor() : content_(std::make_unique<Content>()) {
  content_->document = std::make_unique<hcl::writer::Document>();
}
Editor::Editor(const Editor& other) : content_(std::make_unique<Content>()) {
  const Ref<const SourceFile> source = SourceFile::Make("", other.Text());
  InnerDiagnostics diags;
  content_->document = hcl::writer::Document::Parse(source.get(), diags);
}
Editor::Editor(Editor&&) noexcept = default;
Editor& Editor::operator=(Editor other) {
  std::swap(content_, other.content_);
  return *this;
}
Editor::~Editor() = default;

std::optional<Editor> Editor::Parse(std::string_view name, std::string_view text,
                                    Diagnostics& problems) {
  const Ref<const SourceFile> source = SourceFile::Make(std::string(name), std::string(text));
  InnerDiagnostics diags;
  Editor editor;
  editor.content_->document = hcl::writer::Document::Parse(source.get(), diags);
  AppendTo(problems, diags);
  return editor.content_->document == nullptr ? std::nullopt : std::optional(std::move(editor));
}

bool Editor::HasBlock(const Path& path) const {
  return content_->BodyAt(path) != nullptr;
}
std::optional<std::string> Editor::AttributeText(const Path& path, std::string_view name) const {
  const hcl::writer::EditableBody* body = content_->BodyAt(path);
  const std::optional<std::string_view> text =
      body == nullptr ? std::nullopt : body->AttributeText(name);
  return text ? std::optional(std::string(*text)) : std::nullopt;
}
bool Editor::SetAttribute(const Path& path, std::string_view name, const Value& value) {
  hcl::writer::EditableBody* body = content_->BodyAt(path);
  return body != nullptr && hcl::IsIdentifier(name) &&
         body->SetAttributeValue(name, Access::Inner(value)).has_value();
}
bool Editor::SetAttributeExpression(const Path& path, std::string_view name,
                                    std::string_view expression, Diagnostics& problems) {
  hcl::writer::EditableBody* body = content_->BodyAt(path);
  Diagnostics found;
  ParseExpression(expression, found);
  const bool parses = !HasErrors(found);
  problems.insert(problems.end(), found.begin(), found.end());
  if (body == nullptr || !hcl::IsIdentifier(name) || !parses) {
    return false;
  }
  body->SetAttribute(name, expression);
  return true;
}
bool Editor::RemoveAttribute(const Path& path, std::string_view name) {
  hcl::writer::EditableBody* body = content_->BodyAt(path);
  return body != nullptr && body->RemoveAttribute(name);
}
bool Editor::AppendBlock(const Path& path, const std::vector<std::string>& block) {
  hcl::writer::EditableBody* body = content_->BodyAt(path);
  if (body == nullptr || block.empty() || !hcl::IsIdentifier(block.front())) {
    return false;
  }
  body->AppendBlock(block.front(), std::span<const std::string>(block).subspan(1));
  return true;
}
bool Editor::RemoveBlock(const Path& path) {
  if (path.empty()) {
    return false;
  }
  hcl::writer::EditableBody* parent =
      content_->BodyAt(std::span<const std::vector<std::string>>(path).first(path.size() - 1));
  hcl::writer::EditableBlock* block =
      parent == nullptr ? nullptr : Content::BlockIn(*parent, path.back());
  return block != nullptr && parent->RemoveBlock(block);
}
std::string Editor::Text() const {
  return content_->document->Text();
}

}  // namespace kinu::v1
