// StoredValue: the value of an object in a state file, from its JSON to that of a document without
// values in between. Both say nearly the same; what differs (order, spelling, what is absent) is
// found by walking along the type.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cty/type.h"
#include "view/json/sensitive_shape.h"

namespace kinu::view {

class StoredValue {
 public:
  /// Reads an object's attributes: valid JSON, with a readable byte behind. False when they are not
  /// as the type has them, or unusual: then values have to be made, which tells what is wrong.
  /// `block` null: nothing in it is sensitive.
  bool Read(std::string_view json, const Type& type, const schema::Block* block);

  /// What WriteValue() and WriteSensitiveMask() write of the value; valid until the next Read().
  const std::string& value() const { return value_; }
  const std::string& mask() const { return mask_; }

 private:
  /// What became of a value: whether its mask is plain `false`.
  enum class Mask : uint8_t { kFailed, kFalse, kParts };
  using TextAndType = std::pair<std::string, Type>;

  Mask Any(const Type& type, const SensitiveShape& shape, int depth);
  Mask Primitive(const Type& type);
  Mask Dynamic(const SensitiveShape& shape, int depth);
  bool AsGuessed(const TextAndType& guess, const SensitiveShape& shape, int depth, Mask* mask);
  Mask Sequence(const Type& type, const SensitiveShape& shape, int depth);
  Mask StringSet(const Type& type, const SensitiveShape& shape);
  Mask Map(const Type& type, const SensitiveShape& shape, int depth);
  Mask Object(const Type& type, const SensitiveShape& shape, int depth);
  bool Member(const Type& type, const SensitiveMember& member, std::string_view quoted, int depth);
  /// By way of a value.
  Mask Slowly(const Type& type, const SensitiveShape& shape);

  void SkipSpace();
  char Peek();
  bool Take(char c);
  /// Passes a string that is written as it stands; else nothing. Quotes are inside.
  std::string_view PlainString();
  /// Passes a value of any kind.
  std::string_view Skip();
  const Type* TypeOf(std::string_view json);

  const char* at_ = nullptr;
  const char* end_ = nullptr;
  std::string value_;
  std::string mask_;
  std::vector<TextAndType> types_;  // those read last, by their text
  size_t next_type_ = 0;
  // Of the dynamic values of the last object, in order: the next object will have the same.
  std::vector<TextAndType> guesses_;
  size_t next_guess_ = 0;
};

}  // namespace kinu::view
