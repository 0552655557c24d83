// Large files are mapped, not read: a copy would cost a third of the time of parsing. But when somebody
// shortens a mapped file, touching what is gone raises SIGBUS, which kills the process. Here such pages
// become zeros instead, and the reader learns afterwards that what it read is not what the file held.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "mmo/core/descriptor.h"
#include "mmo/core/error.h"

namespace mmo {

// The first `size` bytes, and `file` is taken over. Null, and `file` kept, where they can't be mapped or too
// many files are: read them instead.
[[nodiscard]] std::shared_ptr<const char> map_file(Descriptor& file, std::size_t size);

// Throws IoError if the file that `bytes` are mapped from has been shortened or rewritten since. Call it when
// the bytes have been used, also before reporting that they make no sense. Bytes that are not mapped are
// fine.
void throw_if_changed(std::string_view bytes, const std::string& name);

// work(), which uses the bytes; if they have changed, that is the error, whatever work() says.
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
