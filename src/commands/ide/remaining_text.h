// What is left of a file of native syntax while parts of it are wrong: the blocks that mean the
// same whatever the wrong parts become.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kinu::ide {

/// The text with spaces in place of all that does not parse. Nothing if no block is certain,
/// because what is wrong may begin or end before or after it: a comment, a heredoc, or the body of
/// a block.
/// Once `abandoned` is true, anything.
std::optional<std::string> WithoutWrongParts(std::string_view text,
                                             const std::atomic<bool>* abandoned = nullptr);

/// The text with spaces in place of the top-level block around an offset. Nothing if it has no such
/// block.
std::optional<std::string> WithoutBlockAt(std::string_view text, uint32_t offset);

}  // namespace kinu::ide
