// The mode mask ("umask") of the process.
#pragma once

namespace kinu {

/// The bits of modes that new files of this process do not get. Changes nothing, so that files
/// which other threads and programs make meanwhile have their right modes.
unsigned ModeMask();

}  // namespace kinu
