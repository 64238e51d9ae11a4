// What the processor can do. The compiler's own answer (__builtin_cpu_supports) asks it in every
// program at the start, which takes longer in a virtual machine than reading a small document.
#pragma once

namespace kinu::json {

/// Groups of instructions that the processor and the system support.
struct CpuFeatures {
  bool bmi = false;
  bool pclmul = false;
  bool avx2 = false;
  bool avx512 = false;  ///< BW, VL and VBMI2
};

/// Asked once, at the first call.
const CpuFeatures& Cpu();

}  // namespace kinu::json
