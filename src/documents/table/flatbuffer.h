// Writes FlatBuffers, in which Arrow describes its messages: tables of fields that may be absent,
// vectors and strings, which refer forward to each other. Ref: flatbuffers.dev/internals.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinu::table {

class FlatWriter {
 public:
  /// A field of a table, by its number in the schema.
  struct Field {
    uint32_t id = 0;
    uint32_t size = 0;            ///< 1, 2, 4 or 8 bytes
    uint64_t value = 0;           ///< of a scalar
    size_t* reference = nullptr;  ///< receives where the reference to another part is to be written
  };
  static Field Scalar(uint32_t id, uint32_t size, uint64_t value) {
    return {id, size, value, nullptr};
  }
  static Field Reference(uint32_t id, size_t* where) { return {id, 4, 0, where}; }

  /// Begins with the reference to the root table, which the first Table() resolves.
  FlatWriter() : out_(4, '\0') {}

  // Each writes a part and makes `reference` refer to it. 0: the root's.
  void Table(size_t reference, std::initializer_list<Field> fields);
  void String(size_t reference, std::string_view text);
  /// References, to be resolved one by one.
  std::vector<size_t> References(size_t reference, size_t count);
  /// Structures of two 64-bit numbers.
  void Pairs(size_t reference, std::span<const std::pair<int64_t, int64_t>> pairs);

  /// The buffer, padded to a multiple of 8 bytes.
  std::string Finish();

 private:
  void Put(size_t at, uint64_t value, uint32_t size);
  void Align(size_t alignment, size_t ahead = 0);
  void Resolve(size_t reference);

  std::string out_;
};

}  // namespace kinu::table
