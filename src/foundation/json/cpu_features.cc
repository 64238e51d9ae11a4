#include "json/cpu_features.h"

#if defined(__x86_64__)
#include <cstdint>

#include <cpuid.h>
#endif

namespace kinu::json {
namespace {

// Ref: Intel 64 and IA-32 Architectures Software Developer's Manual, CPUID and XGETBV.
CpuFeatures Ask() {
  CpuFeatures found;
#if defined(__x86_64__)
  constexpr unsigned kFeatures = 1;
  constexpr unsigned kMoreFeatures = 7;
  if (__get_cpuid_max(0, nullptr) < kMoreFeatures) {
    return found;
  }
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  __cpuid(kFeatures, eax, ebx, ecx, edx);
  const bool system_saves_registers = (ecx & bit_OSXSAVE) != 0;
  found.pclmul = (ecx & bit_PCLMUL) != 0;
  __cpuid_count(kMoreFeatures, 0, eax, ebx, ecx, edx);
  found.bmi = (ebx & bit_BMI) != 0;
  if (!system_saves_registers) {
    return found;
  }
  uint32_t saved = 0;
  uint32_t saved_high = 0;
  asm("xgetbv" : "=a"(saved), "=d"(saved_high) : "c"(0));
  constexpr uint32_t kYmm = 0x06;
  constexpr uint32_t kZmm = 0xE6;
  constexpr unsigned kAvx512 = bit_AVX512F | bit_AVX512BW | bit_AVX512VL;
  found.avx2 = (saved & kYmm) == kYmm && (ebx & bit_AVX2) != 0;
  found.avx512 =
      (saved & kZmm) == kZmm && (ebx & kAvx512) == kAvx512 && (ecx & bit_AVX512VBMI2) != 0;
#endif
  return found;
}

}  // namespace

const CpuFeatures& Cpu() {
  static const CpuFeatures kFeatures = Ask();
  return kFeatures;
}

}  // namespace kinu::json
