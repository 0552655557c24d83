// One function per format; load_dataset picks among them. Each takes the whole (decompressed) content and
// throws DataError(content.name(), line, …).
#pragma once

#include "mmo/core/file.h"
#include "mmo/data/dataset.h"
#include "mmo/data/load.h"

namespace mmo {

Dataset read_arff(const FileContent& content, const LoadOptions& options);      // Mulan and MEKA
Dataset read_svmlight(const FileContent& content, const LoadOptions& options);  // labels idx:val …
Dataset read_xmc(const FileContent& content, const LoadOptions& options);       // "n d l" header
Dataset read_delimited(const FileContent& content, const LoadOptions& options, char separator);  // CSV, TSV
Dataset read_jsonl(const FileContent& content, const LoadOptions& options);  // {"text": …, "labels": […]}
Dataset read_npz(const FileContent& content, const LoadOptions& options);
Dataset read_fasttext(const FileContent& content, const LoadOptions& options);  // __label__a … text
Dataset read_lines(const FileContent& content,
                   const LoadOptions& options);  // one unlabelled document per line
Dataset read_reuters(const std::string& path, const LoadOptions& options);  // a folder of .sgm, or one file

// Writers, the readers' inverses.
void write_arff(const Dataset& data, const std::string& path, const SaveOptions& options);  // and its .xml
void write_svmlight(const Dataset& data, const std::string& path, const SaveOptions& options);
void write_xmc(const Dataset& data, const std::string& path, const SaveOptions& options);
void write_delimited(const Dataset& data, const std::string& path, const SaveOptions& options,
                     char separator);
void write_npz(const Dataset& data, const std::string& path, const SaveOptions& options);
void write_fasttext(const Dataset& data, const std::string& path, const SaveOptions& options);

}  // namespace mmo
