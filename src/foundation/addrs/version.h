// Versions and version constraints, as text says them.
//
// Two grammars are in use and differ in small ways, so the caller says which one is meant:
// `required_version`, module versions and what configuration checks follow hashicorp/go-version;
// selection of provider packages follows apparentlymart/go-versions. Ref: opentofu
// internal/configs/version_constraint.go, internal/getproviders/types.go.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kinu {

/// A version: numbers, pre-release, build metadata.
class Version {
 public:
  Version() = default;
  /// Lenient: any count of numbers, an optional "v", a pre-release even without its dash.
  static Result<Version> Parse(std::string_view text);
  /// One to three numbers, no "v": what provider packages and lock files have. Ref:
  /// github.com/apparentlymart/go-versions ParseVersion.
  static Result<Version> ParseExact(std::string_view text);

  /// At least three; the ones not written are zero.
  const std::vector<int64_t>& numbers() const { return numbers_; }
  size_t written_numbers() const { return written_; }
  const std::string& prerelease() const { return prerelease_; }
  const std::string& metadata() const { return metadata_; }
  /// Normal form: "1.2.0-beta1+build".
  std::string ToText() const;

  /// Precedence of semantic versioning: metadata does not count.
  static std::strong_ordering Compare(const Version& a, const Version& b);
  friend bool operator==(const Version& a, const Version& b) { return Compare(a, b) == 0; }
  friend bool operator<(const Version& a, const Version& b) { return Compare(a, b) < 0; }

 private:
  friend class VersionConstraints;
  std::vector<int64_t> numbers_ = {0, 0, 0};
  size_t written_ = 3;
  std::string prerelease_;
  std::string metadata_;
};

/// Conditions that must all hold.
class VersionConstraints {
 public:
  enum class Operator : uint8_t {
    kGreater = 1,  // in the order in which canonical text lists equal boundaries
    kGreaterEqual,
    kEqual,
    kPessimisticPatch,  ///< ~> with three numbers
    kPessimisticMinor,  ///< ~> with fewer
    kLessEqual,
    kLess,
    kNotEqual,
  };
  struct Term {
    Operator op = Operator::kEqual;
    Version version;
    std::string text;  ///< as written, with its operator
  };

  /// The grammar of configuration ("malformed constraint: x" otherwise).
  static Result<VersionConstraints> Parse(std::string_view text);
  /// The grammar of provider requirements. Empty text: no condition.
  static Result<VersionConstraints> ParseForProviders(std::string_view text);

  /// Whether `version` is allowed by the rules of configuration constraints.
  bool Allows(const Version& version) const;
  /// Whether a provider package of this version may be selected: pre-releases only when one is
  /// asked for exactly.
  bool AllowsProvider(const Version& version) const;

  /// The terms joined, without repetition, in canonical order: what lock files hold.
  std::string ToCanonicalText() const;
  void Append(const VersionConstraints& more);
  bool empty() const { return terms_.empty(); }
  const std::vector<Term>& terms() const { return terms_; }

 private:
  std::vector<Term> terms_;
};

}  // namespace kinu
