// Zip archives in memory, as plan files and provider packages are. Files of 4 GiB and more (zip64)
// and encrypted entries are refused.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace kinu {

enum class ZipMethod : uint8_t { kStored, kDeflated };

/// Makes an archive, entry by entry. Sizes and checksum follow the data, as Go's archive/zip
/// writes.
class ZipWriter {
 public:
  using Sink = std::function<void(std::string_view)>;
  /// Without a sink, Finish() returns the archive. With one, its bytes go there as they are made,
  /// stored parts without a copy, and Finish() returns an empty text.
  explicit ZipWriter(Sink sink = nullptr) : sink_(std::move(sink)) {}

  /// Adds an entry. `modified` is the time in seconds since 1970 (UTC); 0: none.
  void Add(std::string_view name, std::string_view content, ZipMethod method = ZipMethod::kDeflated,
           int64_t modified = 0);
  /// Adds an entry that is stored: the parts, one after the other.
  void AddStored(std::string_view name, std::span<const std::string_view> parts,
                 int64_t modified = 0);
  /// Adds a stored entry of which one part is there at a time: begins it, adds any number of parts
  /// to it and ends it.
  void BeginStored(std::string_view name, int64_t modified = 0);
  void AddPart(std::string_view part);
  void EndStored();
  /// Ends the archive. Call it once.
  std::string Finish();

 private:
  struct Entry {
    std::string name;
    uint16_t method = 0;
    uint32_t dos_time = 0;
    uint32_t crc = 0;
    uint32_t compressed_size = 0;
    uint32_t size = 0;
    uint32_t offset = 0;
  };
  void Begin(Entry& entry);
  void Append(std::string_view data);
  void End(Entry entry);

  Sink sink_;
  std::string out_;
  uint64_t given_ = 0;  ///< bytes that the sink has
  std::vector<Entry> entries_;
  Entry stored_;  ///< from BeginStored() to EndStored()
};

/// Reads an archive. Its bytes must not move or change while it is used.
class ZipReader {
 public:
  struct Entry {
    std::string name;
    uint64_t size = 0;        ///< of the content
    uint8_t system = 0;       ///< whose attributes it has: 0 MS-DOS, 3 Unix
    uint32_t attributes = 0;  ///< of Unix: the mode in the upper half
    bool is_directory() const { return name.ends_with('/'); }

   private:
    friend class ZipReader;
    uint32_t method_ = 0;
    uint32_t crc_ = 0;
    uint32_t offset_ = 0;
    uint32_t compressed_size_ = 0;
    uint32_t flags_ = 0;
  };

  /// Reads the directory of the archive.
  static Result<ZipReader> Open(std::string_view archive);
  /// Checks the whole archive: the entries follow each other without overlapping, the header of
  /// each agrees with the directory, no name occurs twice, and all contents match their checksums.
  Result<void> Verify() const;
  const std::vector<Entry>& entries() const { return entries_; }
  /// The entry of that name, or null.
  const Entry* Find(std::string_view name) const;
  /// The content, checked against its size and checksum.
  Result<std::string> Read(const Entry& entry) const;
  /// Reads without a copy of what is stored: the content is in the archive or in `storage`.
  Result<std::string_view> Read(const Entry& entry, std::string& storage) const;
  /// As Find and Read; kNotFound when there is no such entry.
  Result<std::string> Read(std::string_view name) const;
  /// As Read, into memory of the content's size.
  Result<void> ReadInto(const Entry& entry, std::span<char> content) const;
  /// Whether Read() knows the compression of the entry and its kind of sizes. kInvalid: the entry
  /// is not there, or its claimed size cannot be true.
  Result<bool> CanRead(const Entry& entry) const;

 private:
  Result<size_t> EndOf(const Entry& entry) const;
  Result<std::string_view> DataOf(const Entry& entry) const;

  std::string_view archive_;
  std::vector<Entry> entries_;
  size_t directory_ = 0;         ///< where it begins
  bool directory_fits_ = false;  ///< it ends where the record of its end begins
};

}  // namespace kinu
