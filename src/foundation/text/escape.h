// The escape sequences of one letter, which HCL and addresses share.
#pragma once

namespace kinu::text {

/// The character that a backslash and a letter stand for: the end of a line, a carriage return or a
/// tab. Any other character stands for itself.
constexpr char EscapedCharacter(char letter) {
  switch (letter) {
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return letter;
  }
}

}  // namespace kinu::text
