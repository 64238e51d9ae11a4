#include "hcl/ast.h"

#include <new>

namespace kinu::hcl {

void* SyntaxTree::BesideFile(const SourceFile* file, size_t size) {
  void* at = arena.Allocate(sizeof file + size, alignof(const SourceFile*));
  file_at_ = static_cast<const void*>(new (at) const SourceFile*(file));
  file_ = file;
  return static_cast<char*>(at) + sizeof file;
}

}  // namespace kinu::hcl
