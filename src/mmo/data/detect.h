// Guessing a file's format from its content, with its name as a hint.
#pragma once

#include <string>

#include "mmo/core/file.h"
#include "mmo/data/load.h"

namespace mmo {

// The format that the end of a file's name stands for (".gz" and ".zst" aside); automatic if none.
[[nodiscard]] Format format_of_name(const std::string& path);

// Throws DataError if no format fits. Text without any structure is `lines` where no labels are needed.
[[nodiscard]] Format detect_format(const FileContent& content, bool need_labels);

// The same from the file's start alone; not for pipes.
[[nodiscard]] Format detect_file_format(const std::string& path, bool need_labels);

// Says how to use it all the same.
[[noreturn]] void refuse_parquet(const std::string& name);

// The separator of a CSV file: ';' if its first line has one and no comma, else ','.
[[nodiscard]] char csv_separator(const FileContent& content);

}  // namespace mmo
