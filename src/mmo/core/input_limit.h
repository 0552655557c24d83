// How much memory an input may ask for beyond its own size. A few kilobytes can unpack to gigabytes of zeros,
// and a header of a hundred bytes can announce billions of columns; real files shrink two- to fifty-fold.
#pragma once

#include <cstdint>
#include <string>

namespace mmo {

// For an input of this many bytes: 1 GiB, or a hundred times its size if that is more, unless set.
[[nodiscard]] std::uint64_t input_limit(std::uint64_t input_bytes);
// The limit of every input; 0 = the default. Set once by the program (`--max-input`).
void set_input_limit(std::uint64_t bytes);

// Throws DataError if `bytes` is beyond the limit. `asks_for` is the message's verb: "unpack to", "announce
// 2000000000 features and".
void check_input(std::uint64_t bytes, std::uint64_t input_bytes, const std::string& asks_for,
                 const std::string& name);

// The same for announced columns: a name, a weight or a count of each takes at least eight bytes.
void check_columns(std::uint64_t features, std::uint64_t labels, std::uint64_t input_bytes,
                   const std::string& name);

}  // namespace mmo
