// What stands behind the name of an output, and whether it may be written. Part of AtomicFile.
#pragma once

#include <string>

namespace mmo {

struct WriteTarget {
  std::string path;     // where the name's links lead
  bool direct = false;  // a device, pipe or descriptor: written to, not replaced
};

// Throws IoError if it is a folder, exists and !overwrite, or may not be written.
WriteTarget find_target(const std::string& path, bool overwrite);

[[noreturn]] void fail_writing(const std::string& name, int reason);
[[noreturn]] void fail_exists(const std::string& name, const std::string& how = {});

}  // namespace mmo
