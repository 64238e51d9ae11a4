#include "codec/zip.h"

#include <algorithm>

#include <time.h>

#include "base/invariant.h"
#include "codec/deflate.h"
#include "text/quote.h"
#include "text/unicode.h"

namespace kinu {
namespace {

constexpr uint32_t kLocalHeader = 0x04034B50;
constexpr uint32_t kDataDescriptor = 0x08074B50;
constexpr uint32_t kDirectoryHeader = 0x02014B50;
constexpr uint32_t kDirectoryEnd = 0x06054B50;
constexpr uint32_t kZip64Locator = 0x07064B50;
constexpr size_t kLocalHeaderSize = 30;
constexpr size_t kDirectoryHeaderSize = 46;
constexpr size_t kDirectoryEndSize = 22;
constexpr size_t kZip64LocatorSize = 20;
constexpr size_t kMaxComment = 0xFFFF;
constexpr size_t kGivenTogether = size_t{64} << 10;  // less is collected before a sink has it

constexpr uint16_t kVersion = 20;
constexpr uint16_t kFlagEncrypted = 0x1;
constexpr uint16_t kFlagDescriptor = 0x8;
constexpr uint16_t kFlagUtf8 = 0x800;
constexpr uint16_t kMethodStored = 0;
constexpr uint16_t kMethodDeflated = 8;

void Put16(std::string& out, uint32_t value) {
  out += static_cast<char>(value);
  out += static_cast<char>(value >> 8);
}
void Put32(std::string& out, uint32_t value) {
  Put16(out, value & 0xFFFF);
  Put16(out, value >> 16);
}

uint32_t Get16(std::string_view in, size_t pos) {
  return static_cast<uint8_t>(in[pos]) | static_cast<uint32_t>(static_cast<uint8_t>(in[pos + 1]))
                                             << 8;
}
uint32_t Get32(std::string_view in, size_t pos) {
  return Get16(in, pos) | Get16(in, pos + 2) << 16;
}

// Time of day in the low half, date in the high half; years before 1980 do not exist.
uint32_t DosTime(int64_t seconds) {
  if (seconds == 0) {
    return 0;
  }
  const time_t time = static_cast<time_t>(seconds);
  tm utc{};
  gmtime_r(&time, &utc);
  if (utc.tm_year < 80) {
    return 0;
  }
  const int date = (utc.tm_year - 80) << 9 | (utc.tm_mon + 1) << 5 | utc.tm_mday;
  const int clock = utc.tm_hour << 11 | utc.tm_min << 5 | utc.tm_sec / 2;
  return static_cast<uint32_t>(date) << 16 | static_cast<uint32_t>(clock);
}

uint16_t Flags(std::string_view name) {
  return static_cast<uint16_t>(kFlagDescriptor | (text::IsAscii(name) ? 0 : kFlagUtf8));
}

std::unexpected<Error> Damaged(std::string_view what) {
  return Fail(ErrorCode::kInvalid, "not a valid zip archive: " + std::string(what));
}

std::unexpected<Error> WrongChecksum(std::string_view entry) {
  return Damaged("entry " + text::GoQuote(entry) + " does not match its checksum");
}

}  // namespace

void ZipWriter::Add(std::string_view name, std::string_view content, ZipMethod method,
                    int64_t modified) {
  if (method == ZipMethod::kStored) {
    return AddStored(name, std::span(&content, 1), modified);
  }
  const std::string packed = Deflate(content);
  KINU_INVARIANT(content.size() < UINT32_MAX, "archives of 4 GiB need zip64");
  Entry entry;
  entry.name = name;
  entry.method = kMethodDeflated;
  entry.dos_time = DosTime(modified);
  entry.crc = Crc32(content);
  entry.size = static_cast<uint32_t>(content.size());
  Begin(entry);
  Append(packed);
  End(std::move(entry));
}

void ZipWriter::AddStored(std::string_view name, std::span<const std::string_view> parts,
                          int64_t modified) {
  BeginStored(name, modified);
  for (std::string_view part : parts) {
    AddPart(part);
  }
  EndStored();
}

void ZipWriter::BeginStored(std::string_view name, int64_t modified) {
  stored_ = {};
  stored_.name = name;
  stored_.method = kMethodStored;
  stored_.dos_time = DosTime(modified);
  Begin(stored_);
}

void ZipWriter::AddPart(std::string_view part) {
  stored_.crc = Crc32(part, stored_.crc);
  stored_.size += static_cast<uint32_t>(part.size());
  Append(part);
}

void ZipWriter::EndStored() {
  End(std::move(stored_));
}

void ZipWriter::Begin(Entry& entry) {
  entry.offset = static_cast<uint32_t>(given_ + out_.size());
  Put32(out_, kLocalHeader);
  Put16(out_, kVersion);
  Put16(out_, Flags(entry.name));
  Put16(out_, entry.method);
  Put32(out_, entry.dos_time);
  for (int i = 0; i < 3; ++i) {
    Put32(out_, 0);  // checksum and sizes follow the data
  }
  Put16(out_, static_cast<uint32_t>(entry.name.size()));
  Put16(out_, 0);
  out_ += entry.name;
}

void ZipWriter::Append(std::string_view data) {
  KINU_INVARIANT(given_ + out_.size() + data.size() < UINT32_MAX, "archives of 4 GiB need zip64");
  if (sink_ == nullptr || out_.size() + data.size() < kGivenTogether) {
    out_ += data;
    return;
  }
  for (std::string_view bytes : {std::string_view(out_), data}) {
    sink_(bytes);
    given_ += bytes.size();
  }
  out_.clear();
}

void ZipWriter::End(Entry entry) {
  entry.compressed_size = static_cast<uint32_t>(given_ + out_.size()) - entry.offset -
                          static_cast<uint32_t>(kLocalHeaderSize + entry.name.size());
  Put32(out_, kDataDescriptor);
  Put32(out_, entry.crc);
  Put32(out_, entry.compressed_size);
  Put32(out_, entry.size);
  entries_.push_back(std::move(entry));
}

std::string ZipWriter::Finish() {
  const uint64_t directory = given_ + out_.size();
  for (const Entry& entry : entries_) {
    Put32(out_, kDirectoryHeader);
    Put16(out_, kVersion);
    Put16(out_, kVersion);
    Put16(out_, Flags(entry.name));
    Put16(out_, entry.method);
    Put32(out_, entry.dos_time);
    Put32(out_, entry.crc);
    Put32(out_, entry.compressed_size);
    Put32(out_, entry.size);
    Put16(out_, static_cast<uint32_t>(entry.name.size()));
    Put16(out_, 0);  // extra field
    Put16(out_, 0);  // comment
    Put16(out_, 0);  // disk
    Put16(out_, 0);  // internal attributes
    Put32(out_, 0);  // external attributes
    Put32(out_, entry.offset);
    out_ += entry.name;
  }
  const uint64_t directory_size = given_ + out_.size() - directory;
  Put32(out_, kDirectoryEnd);
  Put16(out_, 0);
  Put16(out_, 0);
  Put16(out_, static_cast<uint32_t>(entries_.size()));
  Put16(out_, static_cast<uint32_t>(entries_.size()));
  Put32(out_, static_cast<uint32_t>(directory_size));
  Put32(out_, static_cast<uint32_t>(directory));
  Put16(out_, 0);
  if (sink_ != nullptr) {
    sink_(out_);
    out_.clear();
  }
  return std::move(out_);
}

Result<ZipReader> ZipReader::Open(std::string_view archive) {
  if (archive.size() < kDirectoryEndSize) {
    return Damaged("it is too short");
  }
  size_t end = archive.size() - kDirectoryEndSize;
  const size_t lowest = end > kMaxComment ? end - kMaxComment : 0;
  while (Get32(archive, end) != kDirectoryEnd) {
    if (end == lowest) {
      return Damaged("it has no directory");
    }
    --end;
  }
  if (end >= kZip64LocatorSize && Get32(archive, end - kZip64LocatorSize) == kZip64Locator) {
    return Fail(ErrorCode::kUnsupported, "the archive has a zip64 directory");
  }
  const uint32_t count = Get16(archive, end + 10);
  size_t pos = Get32(archive, end + 16);
  ZipReader reader;
  reader.archive_ = archive;
  reader.directory_ = pos;
  reader.entries_.reserve(count);
  for (uint32_t i = 0; i < count; ++i) {
    if (pos + kDirectoryHeaderSize > end || Get32(archive, pos) != kDirectoryHeader) {
      return Damaged("its directory is damaged");
    }
    const size_t name_size = Get16(archive, pos + 28);
    const size_t rest = Get16(archive, pos + 30) + Get16(archive, pos + 32);
    if (pos + kDirectoryHeaderSize + name_size + rest > end) {
      return Damaged("its directory is damaged");
    }
    Entry entry;
    entry.name = archive.substr(pos + kDirectoryHeaderSize, name_size);
    entry.flags_ = Get16(archive, pos + 8);
    if ((entry.flags_ & kFlagEncrypted) != 0) {
      return Fail(ErrorCode::kUnsupported,
                  "zip entry " + text::GoQuote(entry.name) + " is encrypted");
    }
    entry.method_ = Get16(archive, pos + 10);
    entry.crc_ = Get32(archive, pos + 16);
    entry.compressed_size_ = Get32(archive, pos + 20);
    entry.size = Get32(archive, pos + 24);
    entry.offset_ = Get32(archive, pos + 42);
    entry.system = static_cast<uint8_t>(archive[pos + 5]);
    entry.attributes = Get32(archive, pos + 38);
    pos += kDirectoryHeaderSize + name_size + rest;
    reader.entries_.push_back(std::move(entry));
  }
  if (pos + kDirectoryHeaderSize <= end && Get32(archive, pos) == kDirectoryHeader) {
    return Damaged("its directory has more entries than it says");
  }
  reader.directory_fits_ = pos == end;
  return reader;
}

/// Returns where the entry ends, if its own header agrees with the directory.
Result<size_t> ZipReader::EndOf(const Entry& entry) const {
  const auto damaged = [&] {
    return Damaged("entry " + text::GoQuote(entry.name) +
                   " and the directory say different things");
  };
  const size_t pos = entry.offset_;
  if (pos + kLocalHeaderSize > directory_ || Get32(archive_, pos) != kLocalHeader) {
    return Damaged("entry " + text::GoQuote(entry.name) + " is not where the directory says");
  }
  const size_t name_size = Get16(archive_, pos + 26);
  const size_t data = pos + kLocalHeaderSize + name_size + Get16(archive_, pos + 28);
  const size_t end = data + entry.compressed_size_;
  if (end > directory_ || archive_.substr(pos + kLocalHeaderSize, name_size) != entry.name ||
      Get16(archive_, pos + 6) != entry.flags_ || Get16(archive_, pos + 8) != entry.method_) {
    return damaged();
  }
  const auto same_sizes = [&](size_t at) {
    return at + 12 <= directory_ && Get32(archive_, at) == entry.crc_ &&
           Get32(archive_, at + 4) == entry.compressed_size_ &&
           Get32(archive_, at + 8) == entry.size;
  };
  if ((entry.flags_ & kFlagDescriptor) == 0) {
    return same_sizes(pos + 14) ? Result<size_t>(end) : damaged();
  }
  const bool marked = end + 4 <= directory_ && Get32(archive_, end) == kDataDescriptor;
  const size_t descriptor = marked ? end + 4 : end;
  return same_sizes(descriptor) ? Result<size_t>(descriptor + 12) : damaged();
}

Result<void> ZipReader::Verify() const {
  if (!directory_fits_) {
    return Damaged("its directory is damaged");
  }
  std::vector<const Entry*> in_order;
  std::vector<std::string_view> names;
  for (const Entry& entry : entries_) {
    in_order.push_back(&entry);
    names.push_back(entry.name);
  }
  std::sort(names.begin(), names.end());
  if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end()) {
    return Damaged("it has two entries " + text::GoQuote(*twice));
  }
  std::sort(in_order.begin(), in_order.end(),
            [](const Entry* a, const Entry* b) { return a->offset_ < b->offset_; });
  size_t at = 0;
  for (const Entry* entry : in_order) {
    if (entry->offset_ != at) {
      return Damaged("entry " + text::GoQuote(entry->name) + " does not follow the one before it");
    }
    KINU_TRY(at, EndOf(*entry));
    if (Result<std::string> content = Read(*entry); !content) {
      return std::unexpected(std::move(content).error());
    }
  }
  return at == directory_ ? Result<void>{} : Damaged("there is more than its directory says");
}

const ZipReader::Entry* ZipReader::Find(std::string_view name) const {
  for (const Entry& entry : entries_) {
    if (entry.name == name) {
      return &entry;
    }
  }
  return nullptr;
}

/// The bytes of an entry as they stand in the archive.
Result<std::string_view> ZipReader::DataOf(const Entry& entry) const {
  size_t pos = entry.offset_;
  if (pos + kLocalHeaderSize > archive_.size() || Get32(archive_, pos) != kLocalHeader) {
    return Damaged("entry " + text::GoQuote(entry.name) + " is not where the directory says");
  }
  pos += kLocalHeaderSize + Get16(archive_, pos + 26) + Get16(archive_, pos + 28);
  if (pos + entry.compressed_size_ > archive_.size()) {
    return Damaged("entry " + text::GoQuote(entry.name) + " is cut off");
  }
  return archive_.substr(pos, entry.compressed_size_);
}

Result<bool> ZipReader::CanRead(const Entry& entry) const {
  constexpr uint32_t kZip64 = 0xFFFFFFFF;  // the true size stands elsewhere
  const bool is_stored = entry.method_ == kMethodStored;
  if (entry.size == kZip64 || entry.compressed_size_ == kZip64 ||
      (!is_stored && entry.method_ != kMethodDeflated)) {
    return false;
  }
  KINU_TRY(const std::string_view data, DataOf(entry));
  if (is_stored ? entry.size != data.size() : entry.size > MostInflated(data.size())) {
    return Damaged("the size of entry " + text::GoQuote(entry.name) + " cannot be true");
  }
  return true;
}

Result<std::string> ZipReader::Read(const Entry& entry) const {
  std::string inflated;
  KINU_TRY(const std::string_view content, Read(entry, inflated));
  return entry.method_ == kMethodStored ? std::string(content) : std::move(inflated);
}

Result<std::string_view> ZipReader::Read(const Entry& entry, std::string& storage) const {
  KINU_TRY(std::string_view content, DataOf(entry));
  if (entry.method_ == kMethodDeflated) {
    KINU_TRY(storage, Inflate(content, entry.size));
    content = storage;
  } else if (entry.method_ != kMethodStored) {
    return Fail(ErrorCode::kUnsupported,
                "zip entry " + text::GoQuote(entry.name) + " has an unknown compression method");
  }
  if (content.size() != entry.size || Crc32(content) != entry.crc_) {
    return WrongChecksum(entry.name);
  }
  return content;
}

Result<void> ZipReader::ReadInto(const Entry& entry, std::span<char> content) const {
  KINU_TRY(const std::string_view data, DataOf(entry));
  if (entry.method_ == kMethodStored) {
    std::copy_n(data.begin(), std::min(data.size(), content.size()), content.begin());
  } else if (auto done = InflateInto(data, content); !done) {
    return Damaged("entry " + text::GoQuote(entry.name) + ": " + done.error().message);
  }
  return Crc32({content.data(), content.size()}) == entry.crc_ ? Result<void>()
                                                               : WrongChecksum(entry.name);
}

Result<std::string> ZipReader::Read(std::string_view name) const {
  const Entry* entry = Find(name);
  if (entry == nullptr) {
    return Fail(ErrorCode::kNotFound, "the archive has no file " + std::string(name));
  }
  return Read(*entry);
}

}  // namespace kinu
