// Names: what the cursor touches, and all places that name it. Private to ide.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ide/cursor_context.h"
#include "ide/snapshot_parts.h"

namespace kinu::ide {

/// An object of a module: the directory of the module and the key. Of a run of a test: its file.
using ModuleObject = std::pair<std::string, Key>;

/// The name in a text of the native syntax that the offset touches; empty if there is none.
Span NameAround(std::string_view text, uint32_t offset);

/// What the cursor touches.
struct Touched {
  std::set<ModuleObject> objects;  ///< several if a call leads to several modules
  Span name;                       ///< at the cursor
  bool is_declaration = false;
};
/// Nothing if the cursor touches no name.
std::optional<Touched> TouchedAt(const Snapshot::Parts& parts, const Cursor& cursor);

/// The same; where no name is, that of the reference around: its root, or what it names inside of
/// an object.
std::optional<Touched> TouchedAround(const Snapshot::Parts& parts, const Cursor& cursor);

/// What the block declares whose keyword, label or argument the cursor touches.
std::optional<Touched> BlockTouched(const Snapshot::Parts& parts, const Cursor& cursor);

/// A declaration of an object, in a file.
struct FoundDeclaration {
  const ParsedFile* file = nullptr;
  const Declaration* declaration = nullptr;
};
/// The declarations of an object; several after overrides.
std::vector<FoundDeclaration> DeclarationsOf(const Snapshot::Parts& parts,
                                             const ModuleObject& object);

/// A use of an object, in a file.
struct FoundUse {
  const ParsedFile* file = nullptr;
  const Use* use = nullptr;
};
/// Whether a use, in a file of the module in `directory`, is about an object of that key which
/// `owner` has.
bool IsUseOf(const Snapshot::Parts& parts, const ParsedFile& file, const std::string& directory,
             const Use& use, const std::string& owner);
/// The objects that a use may be about.
std::set<ModuleObject> ObjectsOf(const Snapshot::Parts& parts, const ParsedFile& file,
                                 const Use& use);
/// Where a test gives a value to the variable that is used in it: in the run around, else in the
/// test.
std::vector<const Use*> GivenByTest(const ParsedFile& file, const Use& use);
/// The directory of the module that a run of a test plans; nothing if it is not a local one.
std::optional<std::string> ModuleOfRun(const Snapshot::Parts& parts, const ParsedFile& file,
                                       std::string_view run);
/// The directory of the module whose names an expression has: in a run of a test, of what it plans.
std::string DirectoryOfNames(const Snapshot::Parts& parts, const ParsedFile& file,
                             const CursorContext& context);
/// The uses of any of the objects, in the order of the files.
std::vector<FoundUse> UsesOf(const Snapshot::Parts& parts, const std::set<ModuleObject>& objects);

}  // namespace kinu::ide
