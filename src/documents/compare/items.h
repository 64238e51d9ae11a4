// What is compared: the resource instances and outputs of a plan or state, and the parts of each
// that count.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/tree.h"
#include "tfjson/masks.h"

namespace kinu::compare {

/// The member of an object; none where it has none or there is no object.
inline json::Node Inside(const json::Node& object, std::string_view name) {
  return object && object.is_object() ? object.Find(name) : json::Node();
}

enum class DocumentSort : uint8_t { kPlan, kState, kStateFile };

/// A resource instance or output. Its texts are those of the document, or of the Items it is in.
struct Item {
  /// What `node` is.
  enum class Sort : uint8_t {
    kChange,    ///< `actions`, `before`, `after`, … of a plan
    kResource,  ///< a resource of a state
    kInstance,  ///< an instance of a state file
    kOutput,    ///< of a state or state file
  };
  std::string_view address;
  std::string_view deposed;  ///< key of a deposed object
  json::Node node;           ///< none: it has none
  Sort sort = Sort::kChange;

  /// The address, with the key of a deposed object behind it.
  std::string Address() const;
};

/// Items and the texts that they refer to. Only moved: views of a copy would be those of the other.
struct Items {
  Items() = default;
  Items(Items&&) = default;
  Items& operator=(Items&&) = default;

  /// The content of a string, or nothing of anything else; valid as long as the document and this.
  std::string_view TextOf(const json::Node& node);

  std::vector<Item> list;
  std::deque<std::string> texts;  ///< that a document does not have as they are
};

/// Resource instances of a document, sorted by CompareKeys().
Items ResourcesOf(const json::Node& document, DocumentSort sort);
/// Outputs, their addresses being "output.NAME".
Items OutputsOf(const json::Node& document, DocumentSort sort);

/// Order by address, numbers in it by value, then by deposed key.
int CompareKeys(const Item& left, const Item& right);
/// Whether everything that counts is the same text in both.
bool SameText(const Item& left, const Item& right);

/// A part of a resource or output, such as `before` of a change.
struct Part {
  std::string_view name;
  json::Node value;  ///< none: it has no such part
  tfjson::MaskCursor mask{tfjson::MaskCursor::Sort::kSensitive};
  bool atomic = false;  ///< differs as a whole
};

/// Reads the parts of items, of which a document may have only the text.
class PartReader {
 public:
  /// The parts of an item, valid until the next call. Resources have other parts than outputs,
  /// changes others than states; all of one sort have the same.
  Result<std::vector<Part>> Read(const Item& item);

 private:
  json::Tree values_;
  json::Tree mask_;
  std::unique_ptr<json::Document> converted_;
};

}  // namespace kinu::compare
