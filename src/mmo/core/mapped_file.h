// Large files are mapped, not read: a copy would cost a third of the parsing time. But if somebody shortens a
// mapped file, touching the part that is gone raises SIGBUS, which kills the process. Here such pages become
// zeros instead, and the reader finds out afterwards that it didn't read what the file held.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "mmo/core/descriptor.h"
#include "mmo/core/error.h"

namespace mmo {

// Maps the first `size` bytes and takes over `file`. Null, leaving `file` alone, if they can't be mapped or
// too many files are mapped already: read them instead.
[[nodiscard]] std::shared_ptr<const char> map_file(Descriptor& file, std::size_t size);

// Throws IoError if the file that `bytes` are mapped from has been shortened or rewritten since. Call it
// after using the bytes, and before reporting that they make no sense. Bytes that are not mapped always
// pass.
void throw_if_changed(std::string_view bytes, const std::string& name);

// Runs work(), which uses the bytes; if they changed meanwhile, that is the error, whatever work() says.
template <class Work>
auto if_unchanged(std::string_view bytes, const std::string& name, const Work& work) {
  try {
    auto result = work();
    throw_if_changed(bytes, name);
    return result;
  } catch (const Interrupted&) {
    throw;
  } catch (const Error&) {
    throw_if_changed(bytes, name);
    throw;
  }
}

}  // namespace mmo
