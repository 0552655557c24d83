// What an output's path really names, and whether it may be written. Part of AtomicFile.
#pragma once

#include <string>

#include "mmo/core/error.h"

namespace mmo {

// The output is there already and nobody asked to replace it; how to ask is for the caller to say.
struct ExistsError : IoError {
  using IoError::IoError;
};

struct WriteTarget {
  std::string path;     // where the name's links lead
  bool direct = false;  // a device, pipe or descriptor: written to, not replaced
};

// Throws IoError if it is a folder or may not be written, ExistsError if it exists and !overwrite.
WriteTarget find_target(const std::string& path, bool overwrite);

[[noreturn]] void fail_writing(const std::string& name, int reason);
[[noreturn]] void fail_exists(const std::string& name, const std::string& how = {});

}  // namespace mmo
