// StoredValue: rewrites the value of an object in a state file as the JSON of a document, without
// making values in between. The two texts are nearly the same; order, spelling and absent members
// differ, and these are found by walking along the type.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cty/type.h"
#include "plan_json/sensitive_shape.h"

namespace kinu::view {

class StoredValue {
 public:
  /// Reads an object's attributes, which must be valid JSON. Returns false when they do not fit the
  /// type or are unusual; the caller then decodes values, which reports what is wrong. `block`
  /// null: nothing in it is sensitive.
  bool Read(std::string_view json, const Type& type, const schema::Block* block);

  /// The text that WriteValue() and WriteSensitiveMask() write for the value; valid until the next
  /// Read().
  const std::string& value() const { return value_; }
  const std::string& mask() const { return mask_; }

 private:
  /// The outcome of a value: failed, or whether its mask is plain `false`.
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
  /// Decodes a value and writes that.
  Mask ByValue(const Type& type, const SensitiveShape& shape);

  char Peek();
  bool Take(char c);
  /// Passes a string that documents spell the same way and returns it with its quotes; stays and
  /// returns an empty text at any other.
  std::string_view PlainString();
  /// Passes a value of any kind.
  std::string_view Skip();
  const Type* TypeOf(std::string_view json);

  const char* at_ = nullptr;
  const char* end_ = nullptr;
  std::string value_;
  std::string mask_;
  std::vector<TextAndType> types_;  // the ones read last, by their text
  size_t next_type_ = 0;
  // Of the dynamic values of the last object, in order: the next object will have the same.
  std::vector<TextAndType> guesses_;
  size_t next_guess_ = 0;
};

}  // namespace kinu::view
