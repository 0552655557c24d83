// What the writers share: buffered text into an AtomicFile, and the refusal of what a format can't hold.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mmo/core/atomic_file.h"
#include "mmo/data/dataset.h"
#include "mmo/data/load.h"
#include "mmo/data/nonzeros.h"

namespace mmo {

class TextWriter {
 public:
  TextWriter(const std::string& path, const SaveOptions& options)
      : file_(path, options.overwrite, options.together) {}

  void text(std::string_view bytes) {
    buffer_ += bytes;
    if (buffer_.size() >= flush_at) flush();
  }
  // Integers, and floats in the shortest form that reads back as the same number.
  template <class Number>
  void number(Number value) {
    char digits[32];
    const auto [end, status] = std::to_chars(digits, digits + sizeof(digits), value);
    text({digits, static_cast<std::size_t>(end - digits)});
  }
  void commit() {
    flush();
    file_.commit();
  }

 private:
  static constexpr std::size_t flush_at = std::size_t{1} << 20;
  void flush() {
    file_.write(buffer_);
    buffer_.clear();
  }

  AtomicFile file_;
  std::string buffer_;
};

// The parts of a data set beyond features and labels that a format has a place for.
struct Holds {
  bool features = true;
  bool nominal = false;
  bool text = false;
  bool unknown_labels = false;
  bool weights = false;
  bool groups = false;
};

// Throws UsageError naming what does not fit and the formats that have a place for it.
void refuse_what_does_not_fit(const Dataset& data, const std::string& format, const Holds& holds);

// Throws UsageError unless all names are distinct and none is empty.
void refuse_bad_names(const std::vector<std::string>& names, const std::string& format);

// A row of x with its zeros. `buffer` holds it if x is sparse.
std::span<const float> full_row(const Features& x, std::size_t i, std::vector<float>& buffer);

}  // namespace mmo
