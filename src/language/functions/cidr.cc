// Address ranges: cidrcontains cidrhost cidrnetmask cidrsubnet cidrsubnets.
#include <cmath>
#include <optional>

#include "functions/families.h"
#include "functions/support.h"
#include "text/quote.h"

namespace kinu::functions {
namespace {

using Bits = unsigned __int128;

// An IP address; an IPv4 one is the low 32 bits.
struct Address {
  bool v6 = false;
  Bits bits = 0;
  int width() const { return v6 ? 128 : 32; }
};

// A mask of the `count` low bits.
Bits LowMask(int count) {
  return count >= 128 ? ~Bits{0} : (Bits{1} << count) - 1;
}

struct Network {
  Address base;
  int prefix = 0;
  Bits host_mask() const { return LowMask(base.width() - prefix); }
  bool Contains(Bits address) const { return (address & ~host_mask()) == base.bits; }
  Bits last() const { return base.bits | host_mask(); }
};

std::optional<uint32_t> ParseDecimal(std::string_view text, uint32_t most) {
  if (text.empty()) {
    return std::nullopt;
  }
  uint32_t value = 0;
  for (char c : text) {
    if (c < '0' || c > '9') {
      return std::nullopt;
    }
    value = value * 10 + static_cast<uint32_t>(c - '0');
    if (value > most) {
      return std::nullopt;
    }
  }
  return value;
}

// Four decimal numbers. Leading zeros are allowed and do not mean octal.
std::optional<Bits> ParseV4(std::string_view text) {
  Bits bits = 0;
  for (int part = 0; part < 4; ++part) {
    const size_t dot = part < 3 ? text.find('.') : text.size();
    if (dot == std::string_view::npos) {
      return std::nullopt;
    }
    const auto value = ParseDecimal(text.substr(0, dot), 255);
    if (!value) {
      return std::nullopt;
    }
    bits = bits << 8 | *value;
    text.remove_prefix(part < 3 ? dot + 1 : dot);
  }
  return bits;
}

std::optional<uint32_t> ParseHexGroup(std::string_view text) {
  uint32_t value = 0;
  if (text.empty()) {
    return std::nullopt;
  }
  for (char c : text) {
    const char lower = static_cast<char>(c | 0x20);
    if (c >= '0' && c <= '9') {
      value = value << 4 | static_cast<uint32_t>(c - '0');
    } else if (lower >= 'a' && lower <= 'f') {
      value = value << 4 | static_cast<uint32_t>(lower - 'a' + 10);
    } else {
      return std::nullopt;
    }
    if (value > 0xFFFF) {
      return std::nullopt;
    }
  }
  return value;
}

// The groups on one side of "::"; a dotted IPv4 address may replace the last two.
std::optional<std::vector<uint32_t>> ParseGroups(std::string_view text, bool at_end) {
  std::vector<uint32_t> groups;
  while (!text.empty()) {
    const size_t colon = text.find(':');
    const std::string_view group = text.substr(0, colon);
    const bool last = colon == std::string_view::npos;
    if (last && at_end && group.find('.') != std::string_view::npos) {
      const auto v4 = ParseV4(group);
      if (!v4) {
        return std::nullopt;
      }
      groups.push_back(static_cast<uint32_t>(*v4 >> 16));
      groups.push_back(static_cast<uint32_t>(*v4 & 0xFFFF));
      return groups;
    }
    const auto value = ParseHexGroup(group);
    if (!value) {
      return std::nullopt;
    }
    groups.push_back(*value);
    text.remove_prefix(last ? text.size() : colon + 1);
    if (!last && text.empty()) {
      return std::nullopt;
    }
  }
  return groups;
}

std::optional<Bits> ParseV6(std::string_view text) {
  constexpr size_t kGroups = 8;
  const size_t gap = text.find("::");
  const bool has_gap = gap != std::string_view::npos;
  const auto head = ParseGroups(text.substr(0, gap), !has_gap);
  const auto tail = ParseGroups(has_gap ? text.substr(gap + 2) : std::string_view(), true);
  if (!head || !tail) {
    return std::nullopt;
  }
  const size_t given = head->size() + tail->size();
  if (has_gap ? given >= kGroups : given != kGroups) {
    return std::nullopt;
  }
  Bits bits = 0;
  for (uint32_t group : *head) {
    bits = bits << 16 | group;
  }
  for (size_t i = given; i < kGroups; ++i) {
    bits <<= 16;
  }
  for (uint32_t group : *tail) {
    bits = bits << 16 | group;
  }
  return bits;
}

std::optional<Address> ParseAddress(std::string_view text) {
  const bool v6 = text.find(':') != std::string_view::npos;
  const auto bits = v6 ? ParseV6(text) : ParseV4(text);
  if (!bits) {
    return std::nullopt;
  }
  return Address{v6, *bits};
}

std::expected<Network, CallError> ParseNetwork(std::string_view text, int argument = -1) {
  const auto invalid = [&] {
    return CallFail("invalid CIDR expression: invalid CIDR address: " + std::string(text),
                    argument);
  };
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) {
    return invalid();
  }
  const auto address = ParseAddress(text.substr(0, slash));
  if (!address) {
    return invalid();
  }
  const auto prefix = ParseDecimal(text.substr(slash + 1), static_cast<uint32_t>(address->width()));
  if (!prefix) {
    return invalid();
  }
  Network network{*address, static_cast<int>(*prefix)};
  network.base.bits &= ~network.host_mask();
  return network;
}

std::string V4Text(uint32_t bits) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) {
    out += std::to_string(bits >> shift & 0xFF);
    out += shift > 0 ? "." : "";
  }
  return out;
}

void AppendHex(std::string& out, uint32_t group) {
  constexpr char kDigits[] = "0123456789abcdef";
  bool started = false;
  for (int shift = 12; shift >= 0; shift -= 4) {
    const uint32_t digit = group >> shift & 0xF;
    started = started || digit != 0 || shift == 0;
    if (started) {
      out += kDigits[digit];
    }
  }
}

constexpr Bits kMappedV4 = 0xFFFF;  // the high 96 bits of an IPv4 address inside IPv6
constexpr int kMappedBits = 96;

// The text of RFC 5952: the longest run of two or more zero groups is "::".
std::string V6Text(Bits bits) {
  constexpr int kGroups = 8;
  if (bits >> 32 == kMappedV4) {
    return V4Text(static_cast<uint32_t>(bits));
  }
  uint32_t groups[kGroups];
  for (int i = 0; i < kGroups; ++i) {
    groups[i] = static_cast<uint32_t>(bits >> (112 - 16 * i) & 0xFFFF);
  }
  int run_start = -1;
  int run_length = 1;
  for (int i = 0; i < kGroups; ++i) {
    int length = 0;
    while (i + length < kGroups && groups[i + length] == 0) {
      ++length;
    }
    if (length > run_length) {
      run_start = i;
      run_length = length;
    }
  }
  std::string out;
  for (int i = 0; i < kGroups; ++i) {
    if (i == run_start) {
      out += "::";
      i += run_length - 1;
      continue;
    }
    if (!out.empty() && !out.ends_with(':')) {
      out += ':';
    }
    AppendHex(out, groups[i]);
  }
  return out;
}

std::string AddressText(const Address& address) {
  return address.v6 ? V6Text(address.bits) : V4Text(static_cast<uint32_t>(address.bits));
}

bool IsMappedV4(const Address& address) {
  return address.v6 && address.bits >> 32 == kMappedV4;
}

std::string NetworkText(const Network& network) {
  const int hidden = IsMappedV4(network.base) && network.prefix >= kMappedBits ? kMappedBits : 0;
  return AddressText(network.base) + "/" + std::to_string(network.prefix - hidden);
}

// A whole number of up to 128 bits as absolute value and sign.
struct Magnitude {
  Bits bits = 0;
  bool negative = false;
  bool too_large = false;
};

std::expected<Magnitude, CallError> ToMagnitude(const Value& value) {
  if (const std::optional<int64_t> small = value.AsInt64()) {
    const auto bits = static_cast<uint64_t>(*small);
    return Magnitude{.bits = *small < 0 ? 0 - bits : bits, .negative = *small < 0};
  }
  const Number number = value.AsNumber();
  constexpr double kBeyondAddresses = 1e300;
  if (number.IsInteger() && std::abs(number.ToDouble()) > kBeyondAddresses) {
    return Magnitude{.negative = number.Sign() < 0, .too_large = true};
  }
  const std::optional<std::string> digits = number.IntegerText(16);
  if (!digits) {
    return CallFail("value must be a whole number");
  }
  std::string_view rest = *digits;
  Magnitude out;
  out.negative = rest.starts_with('-');
  rest.remove_prefix(out.negative ? 1 : 0);
  constexpr size_t kMostDigits = 32;
  out.too_large = rest.size() > kMostDigits;
  for (char c : rest.substr(0, kMostDigits)) {
    const int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
    out.bits = out.bits << 4 | static_cast<Bits>(digit);
  }
  return out;
}

// Converts an IPv4-mapped IPv6 address to IPv4.
Address UnmapV4(const Address& address) {
  return IsMappedV4(address) ? Address{false, address.bits & LowMask(32)} : address;
}

CallResult CidrContains(Arguments args, const Type&, const CallContext&) {
  KINU_TRY(Network network, ParseNetwork(args[0].AsString()));
  if (IsMappedV4(network.base) && network.prefix >= kMappedBits) {
    network = {UnmapV4(network.base), network.prefix - kMappedBits};
  }
  const std::string_view text = args[1].AsString();
  std::optional<Address> first = ParseAddress(text);
  std::optional<Address> last = first;
  if (!first) {
    const auto inner = ParseNetwork(text);
    if (!inner) {
      return CallFail("invalid IP address or prefix: " + std::string(text));
    }
    first = inner->base;
    last = Address{inner->base.v6, inner->last()};
  }
  first = UnmapV4(*first);
  last = UnmapV4(*last);
  if (first->v6 != network.base.v6) {
    return CallFail("address family mismatch: " + std::string(args[0].AsString()) + " vs. " +
                    std::string(text));
  }
  return Value::Bool(network.Contains(first->bits) && last->v6 == network.base.v6 &&
                     network.Contains(last->bits));
}

CallResult CidrHost(Arguments args, const Type&, const CallContext&) {
  KINU_TRY(const Magnitude number, ToMagnitude(args[1]));
  KINU_TRY(const Network network, ParseNetwork(args[0].AsString()));
  const auto no_room = [&] {
    return CallFail("prefix of " + std::to_string(network.prefix) +
                    " does not accommodate a host numbered " + args[1].AsNumber().ToText());
  };
  // -1 is the last address, -2 the one before it. Like the reference, compares only the low 64 bits
  // of positive numbers, as a signed number.
  const auto low = static_cast<int64_t>(static_cast<uint64_t>(number.bits));
  Bits placed = number.bits;
  if (number.negative) {
    if (number.too_large || number.bits - 1 > network.host_mask()) {
      return no_room();
    }
    placed = network.host_mask() - (number.bits - 1);
  } else if (number.too_large || (low > 0 && static_cast<Bits>(low) > network.host_mask())) {
    return no_room();
  }
  // The reference places host numbers of an IPv4-mapped prefix above the low 96 bits.
  const int shift = IsMappedV4(network.base) ? kMappedBits : 0;
  if (placed > LowMask(network.base.width() - shift)) {
    return no_room();
  }
  Address host = network.base;
  host.bits |= placed << shift;
  return Value::String(AddressText(host));
}

CallResult CidrNetmask(Arguments args, const Type&, const CallContext&) {
  KINU_TRY(const Network network, ParseNetwork(args[0].AsString()));
  if (network.base.v6 && !IsMappedV4(network.base)) {
    return CallFail("IPv6 addresses cannot have a netmask: " + std::string(args[0].AsString()));
  }
  return Value::String(AddressText({network.base.v6, ~network.host_mask()}));
}

CallResult CidrSubnet(Arguments args, const Type&, const CallContext&) {
  KINU_TRY(const int64_t new_bits, ToInteger(args[1]));
  KINU_TRY(const Magnitude number, ToMagnitude(args[2]));
  KINU_TRY(const Network network, ParseNetwork(args[0].AsString()));
  const int width = network.base.width();
  if (new_bits > width - network.prefix) {
    return CallFail("insufficient address space to extend prefix of " +
                    std::to_string(network.prefix) + " by " + std::to_string(new_bits));
  }
  if (new_bits < -network.prefix) {
    return CallFail("the prefix cannot become shorter than 0 bits");
  }
  // Like the reference, compares only the low 64 bits of the number with the largest subnet number.
  const Bits most =
      new_bits >= 0 && new_bits < 64 ? LowMask(static_cast<int>(new_bits)) : LowMask(64);
  const int prefix = network.prefix + static_cast<int>(new_bits);
  const int shift = width - prefix;
  const bool fits = !number.too_large && (number.bits & LowMask(64)) <= most &&
                    (number.negative || number.bits <= LowMask(prefix));
  if (!fits) {
    return CallFail("prefix extension of " + std::to_string(new_bits) +
                    " does not accommodate a subnet numbered " + args[2].AsNumber().ToText());
  }
  Network subnet = network;
  subnet.prefix = prefix;
  const Bits placed = shift >= 128 ? 0 : number.bits << shift;
  if (number.negative) {
    // The result of the reference's arithmetic with a negative number, if it fits into an address.
    const bool large = number.bits > LowMask(128 - shift);
    const Bits size = placed - (network.base.bits & (placed - 1));
    if (large || number.too_large || size > LowMask(width)) {
      return CallFail("prefix extension of " + std::to_string(new_bits) +
                      " does not accommodate a subnet numbered " + args[2].AsNumber().ToText());
    }
    subnet.base.bits = size;
  } else {
    subnet.base.bits |= placed;
  }
  return Value::String(NetworkText(subnet));
}

CallResult CidrSubnets(Arguments args, const Type&, const CallContext&) {
  KINU_TRY(const Network network, ParseNetwork(args[0].AsString(), 0));
  const int width = network.base.width();
  std::vector<Value> subnets;
  Bits last = network.base.bits - 1;  // the last address of the previous subnet
  Network previous = network;
  for (size_t i = 1; i < args.size(); ++i) {
    const int argument = static_cast<int>(i);
    KINU_TRY(const int64_t new_bits, ToInteger(args[i], argument));
    if (IsMappedV4(network.base)) {
      return CallFail("an IPv4 prefix inside IPv6 cannot be divided", argument);
    }
    if (new_bits < 1) {
      return CallFail("must extend prefix by at least one bit", argument);
    }
    Network subnet = network;
    if (new_bits > width - network.prefix) {
      return CallFail("would extend the prefix of " + std::to_string(network.prefix) + " by " +
                          std::to_string(new_bits) + " bits, which is too long for an " +
                          (network.base.v6 ? "IPv6" : "IPv4") + " address",
                      argument);
    }
    subnet.prefix += static_cast<int>(new_bits);
    subnet.base.bits = ((last | subnet.host_mask()) + 1) & LowMask(width);
    // The reference treats address 0 as an overflow, even if the range starts there.
    if (subnet.base.bits == 0 || !network.Contains(subnet.base.bits)) {
      return CallFail("not enough remaining address space for a subnet with a prefix of " +
                          std::to_string(subnet.prefix) + " bits after " + NetworkText(previous),
                      argument);
    }
    last = subnet.last();
    previous = subnet;
    subnets.push_back(Value::String(NetworkText(subnet)));
  }
  return Value::List(Type::String(), std::move(subnets));
}

constexpr Parameter kPrefix = {.name = "prefix", .type = &Type::String};
constexpr Parameter WholeNumber(std::string_view name) {
  return {.name = name, .type = &Type::Number};
}

constexpr FunctionSpec kRows[] = {
    {.name = "cidrcontains",
     .params = {Parameter{.name = "containing_prefix", .type = &Type::String},
                Parameter{.name = "contained_ip_or_prefix", .type = &Type::String}},
     .result_type = &Returns<&Type::Bool>,
     .impl = &CidrContains,
     .doc = "Whether an address, or a whole prefix, lies inside a prefix.",
     .examples = {Example{R"(cidrcontains("192.168.2.0/20", "192.168.2.1"))", "true"},
                  Example{R"(cidrcontains("10.0.0.0/16", "10.1.0.0/24"))", "false"}},
     .ref = "opentofu internal/lang/funcs/cidr.go CidrContainsFunc"},
    {.name = "cidrhost",
     .params = {kPrefix, WholeNumber("hostnum")},
     .result_type = &Returns<&Type::String>,
     .impl = &CidrHost,
     .refine = &NeverNull,
     .doc = "The address of the host of a given number inside a prefix; negative numbers count "
            "from its end.",
     .examples = {Example{R"(cidrhost("10.12.112.0/20", 16))", R"("10.12.112.16")"},
                  Example{R"(cidrhost("10.12.112.0/20", -1))", R"("10.12.127.255")"},
                  Example{R"(cidrhost("fd00:fd12:3456:7890:00a2::/72", 34))",
                          R"("fd00:fd12:3456:7890::22")"}},
     .ref = "opentofu internal/lang/funcs/cidr.go CidrHostFunc"},
    {.name = "cidrnetmask",
     .params = {kPrefix},
     .result_type = &Returns<&Type::String>,
     .impl = &CidrNetmask,
     .refine = &NeverNull,
     .doc = "The netmask of an IPv4 prefix.",
     .examples = {Example{R"(cidrnetmask("172.16.0.0/12"))", R"("255.240.0.0")"},
                  Example{R"(cidrnetmask("10.0.0.0/8"))", R"("255.0.0.0")"}},
     .ref = "opentofu internal/lang/funcs/cidr.go CidrNetmaskFunc"},
    {.name = "cidrsubnet",
     .params = {kPrefix, WholeNumber("newbits"), WholeNumber("netnum")},
     .result_type = &Returns<&Type::String>,
     .impl = &CidrSubnet,
     .refine = &NeverNull,
     .doc = "The subnet of a given number when a prefix is extended by some bits.",
     .examples = {Example{R"(cidrsubnet("172.16.0.0/12", 4, 2))", R"("172.18.0.0/16")"},
                  Example{R"(cidrsubnet("fd00:fd12:3456:7890::/56", 16, 162))",
                          R"("fd00:fd12:3456:7800:a200::/72")"}},
     .ref = "opentofu internal/lang/funcs/cidr.go CidrSubnetFunc"},
    {.name = "cidrsubnets",
     .params = {kPrefix},
     .has_variadic = true,
     .variadic = WholeNumber("newbits"),
     .result_type = &Returns<&ListOfString>,
     .impl = &CidrSubnets,
     .refine = &NeverNull,
     .doc = "Subnets one after the other inside a prefix, each extending it by the given bits.",
     .examples = {Example{R"(cidrsubnets("10.1.0.0/16", 4, 8))",
                          R"(tolist(["10.1.0.0/20", "10.1.16.0/24"]))"},
                  Example{R"(cidrsubnets("10.1.0.0/16"))", "tolist([])"}},
     .ref = "opentofu internal/lang/funcs/cidr.go CidrSubnetsFunc"},
};

}  // namespace

std::span<const FunctionSpec> CidrFunctions() {
  return kRows;
}

}  // namespace kinu::functions
