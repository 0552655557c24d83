#include <gtest/gtest.h>
#include <zlib.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "data/reading.h"
#include "mmo/core/atomic_file.h"
#include "mmo/data/npy.h"
#include "mmo/data/readers.h"
#include "mmo/data/zip.h"

namespace mmo {
namespace {

using testing::error_of;
using testing::expect_contains;
using testing::row_of;
using testing::TempFolder;

// A zip archive as Python's zipfile writes it: no zip64, optionally deflated. Written out here, apart from
// the writer under test, so that the reader is checked against the format itself.
class Archive {
 public:
  Archive& add(const std::string& name, const std::string& bytes, bool deflated = false) {
    const std::string packed = deflated ? deflate_raw(bytes) : bytes;
    const auto crc = static_cast<std::uint32_t>(
        crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
    std::string common;
    put(common, 20, 2);
    put(common, 0, 2);
    put(common, deflated ? 8 : 0, 2);
    put(common, 0, 4);
    put(common, crc, 4);
    put(common, packed.size(), 4);
    put(common, bytes.size(), 4);
    put(common, name.size(), 2);
    put(common, 0, 2);
    directory_ += "PK\x01\x02" + std::string("\x14\x00", 2) + common + std::string(10, '\0');
    put(directory_, body_.size(), 4);
    directory_ += name;
    body_ += "PK\x03\x04" + common + name + packed;
    ++count_;
    return *this;
  }
  [[nodiscard]] std::string bytes(const std::string& comment = "") const {
    std::string end = "PK\x05\x06";
    put(end, 0, 4);
    put(end, count_, 2);
    put(end, count_, 2);
    put(end, directory_.size(), 4);
    put(end, body_.size(), 4);
    put(end, comment.size(), 2);
    return body_ + directory_ + end + comment;
  }

 private:
  static void put(std::string& out, std::uint64_t value, int size) {
    for (int k = 0; k < size; ++k) out += static_cast<char>(value >> (8 * k) & 0xFF);
  }
  static std::string deflate_raw(const std::string& bytes) {
    z_stream stream{};
    EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    std::string out(deflateBound(&stream, bytes.size()), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
  }

  std::string body_;
  std::string directory_;
  std::size_t count_ = 0;
};

// An .npy file; version 1 has a 2-byte header size, 2 and 3 a 4-byte one.
std::string npy(const std::string& type, const std::string& shape, const std::string& data,
                bool fortran = false, char version = 1) {
  const std::string dictionary = "{'descr': '" + type +
                                 "', 'fortran_order': " + (fortran ? "True" : "False") +
                                 ", 'shape': " + shape + ", }\n";
  std::string out = "\x93NUMPY";
  out += version;
  out += '\0';
  for (int k = 0; k < (version == 1 ? 2 : 4); ++k)
    out += static_cast<char>(dictionary.size() >> (8 * k) & 0xFF);
  return out + dictionary + data;
}

template <class T>
std::string raw(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

Dataset read(const Archive& archive, const LoadOptions& options = {}) {
  return read_npz(FileContent::from_string(archive.bytes(), "data.npz"), options);
}

void expect_fails(const Archive& archive, const std::string& what, const LoadOptions& options = {}) {
  const std::string message = error_of([&] { read(archive, options); });
  EXPECT_TRUE(message.starts_with("data.npz: ")) << message;
  expect_contains(message, what);
}

const std::string x23 = npy("<f4", "(2, 3)", raw<float>({1, 2, 3, 4, 5, 6}));

TEST(Npz, DenseOfEveryType) {
  const std::vector<float> expected{1, 0, 3, 4, 5, 6};
  const auto check = [&]<class T>(const std::string& type, T) {
    const Archive archive = Archive().add("X.npy", npy(type, "(2, 3)", raw<T>({1, 0, 3, 4, 5, 6})));
    EXPECT_EQ(std::get<DenseMatrix>(read(archive).x).values, expected) << type;
  };
  check("<f4", float{});
  check("<f8", double{});
  check("|i1", std::int8_t{});
  check("<i2", std::int16_t{});
  check("<i4", std::int32_t{});
  check("<i8", std::int64_t{});
  check("|u1", std::uint8_t{});
  check("<u2", std::uint16_t{});
  check("<u4", std::uint32_t{});
  check("<u8", std::uint64_t{});
  const Archive flags = Archive().add("X.npy", npy("|b1", "(1, 2)", std::string("\1\0", 2)));
  EXPECT_EQ(std::get<DenseMatrix>(read(flags).x).values, (std::vector<float>{1, 0}));
}

TEST(Npz, FortranOrderVersionsDeflateAndComments) {
  const std::string columns = raw<double>({1, 4, 2, 5, 3, 6});
  for (const char version : {1, 2, 3}) {
    for (const bool deflated : {false, true}) {
      Archive archive;
      archive.add("X.npy", npy("<f8", "(2, 3)", columns, true, version), deflated);
      const Dataset data = read_npz(FileContent::from_string(archive.bytes("a comment PK"), "data.npz"), {});
      EXPECT_EQ(std::get<DenseMatrix>(data.x).values, (std::vector<float>{1, 2, 3, 4, 5, 6}));
      EXPECT_EQ(data.rows(), 2U);
      EXPECT_EQ(data.labels(), 0U);
    }
  }
}

TEST(Npz, LabelsNamesWeightsAndGroups) {
  Archive archive;
  archive.add("features.npy", x23);
  archive.add("labels.npy", npy("|u1", "(2, 2)", raw<std::uint8_t>({0, 1, 1, 1})));
  archive.add("label_names.npy", npy("<U2", "(2,)", raw<std::uint32_t>({0xE9, 0x1F600, 'b', 0})));
  archive.add("feature_names.npy", npy("|S3", "(3,)", std::string("a\0\0bb\0ccc", 9)));
  archive.add("row_weights.npy", npy("<f8", "(2,)", raw<double>({0.5, 2})));
  archive.add("groups.npy", npy("<i8", "(2,)", raw<std::int64_t>({7, -1})));
  const Dataset data = read(archive);
  EXPECT_EQ(row_of(data.y, 0), (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(row_of(data.y, 1), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(data.label_names, (std::vector<std::string>{"é😀", "b"}));
  EXPECT_EQ(data.feature_name(1), "bb");
  EXPECT_EQ(data.row_weights, (std::vector<float>{0.5F, 2}));
  EXPECT_EQ(data.groups, (std::vector<std::string>{"7", "-1"}));
}

Archive sparse_parts(const std::string& prefix, const std::vector<double>& values,
                     const std::vector<std::int32_t>& indices, const std::vector<std::int64_t>& offsets,
                     const std::vector<std::int64_t>& shape) {
  const auto size = [](const auto& v) { return "(" + std::to_string(v.size()) + ",)"; };
  Archive archive;
  archive.add(prefix + "data.npy", npy("<f8", size(values), raw(values)));
  archive.add(prefix + "indices.npy", npy("<i4", size(indices), raw(indices)));
  archive.add(prefix + "indptr.npy", npy("<i8", size(offsets), raw(offsets)));
  archive.add(prefix + "shape.npy", npy("<i8", size(shape), raw(shape)));
  return archive;
}

TEST(Npz, SparseFeatures) {
  // The second row is not sorted and has an explicit zero, both usual in scipy.
  for (const char* prefix : {"X_", "x_", ""}) {
    Archive archive = sparse_parts(prefix, {1.5, 2, 0, 3}, {1, 4, 0, 2}, {0, 1, 4}, {2, 5});
    if (*prefix == '\0') archive.add("format.npy", npy("|S3", "()", "csr"));
    const Dataset data = read(archive);
    const auto& x = std::get<CsrMatrix>(data.x);
    EXPECT_EQ(x.cols, 5U);
    EXPECT_EQ(x.offsets, (std::vector<std::uint64_t>{0, 1, 3}));
    EXPECT_EQ(x.indices, (std::vector<std::uint32_t>{1, 2, 4}));
    EXPECT_EQ(x.values, (std::vector<float>{1.5F, 3, 2}));
    EXPECT_EQ(data.rows(), 2U);
  }
}

TEST(Npz, SparseLabelsAndUnknownOnes) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Archive archive = sparse_parts("Y_", {nan, 1, 0, 1}, {3, 1, 0, 2}, {0, 2, 4}, {2, 4});
  archive.add("X.npy", x23);
  expect_fails(archive, "Y[0, 3] = nan: a label is 0 or 1");
  LoadOptions options;
  options.unknown_labels = true;
  const Dataset data = read(archive, options);
  EXPECT_EQ(row_of(data.y, 0), (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(row_of(data.y, 1), (std::vector<std::uint32_t>{2}));
  EXPECT_EQ(row_of(data.unknown, 0), (std::vector<std::uint32_t>{3}));
  EXPECT_TRUE(row_of(data.unknown, 1).empty());
  EXPECT_EQ(data.labels(), 4U);
}

TEST(Npz, BadValuesAreNamedByRowAndColumn) {
  const float infinite = std::numeric_limits<float>::infinity();
  expect_fails(Archive().add("X.npy", npy("<f4", "(2, 2)", raw<float>({1, 2, infinite, 4}))),
               "X[1, 0] = inf");
  expect_fails(Archive().add("X.npy", npy("<f8", "(1, 2)", raw<double>({1, 1e39}))), "X[0, 1] = 1e+39");
  expect_fails(sparse_parts("X_", {1, 1e39}, {0, 1}, {0, 1, 2}, {2, 2}), "X[1, 1] = 1e+39");
  expect_fails(Archive().add("X.npy", x23).add("Y.npy", npy("<i4", "(2, 1)", raw<std::int32_t>({1, 2}))),
               "Y[1, 0] = 2: a label is 0 or 1, one column per label");
  expect_fails(Archive().add("X.npy", x23).add("Y.npy", npy("|b1", "(3, 1)", std::string(3, '\0'))),
               "'X' has 2 rows but 'Y' has 3");
  expect_fails(Archive().add("X.npy", x23).add("row_weights.npy", npy("<f4", "(2,)", raw<float>({1, -1}))),
               "row_weights[1] = -1");
  expect_fails(Archive().add("X.npy", x23).add("row_weights.npy", npy("<f4", "(1,)", raw<float>({1}))),
               "'row_weights' has 1 entries for 2 rows");
  expect_fails(Archive().add("X.npy", x23).add("feature_names.npy", npy("|S1", "(2,)", "ab")),
               "'feature_names' has 2 entries where 3 are needed");
  expect_fails(Archive()
                   .add("X.npy", x23)
                   .add("Y.npy", npy("|u1", "(2, 2)", std::string(4, '\0')))
                   .add("label_names.npy", npy("|S1", "(2,)", "aa")),
               "the label name 'a' occurs twice");
}

TEST(Npz, InconsistentSparseParts) {
  expect_fails(sparse_parts("X_", {1, 2}, {0, 5}, {0, 1, 2}, {2, 5}), "row 1 of 'X' has the column index 5");
  expect_fails(sparse_parts("X_", {1, 2}, {0, -1}, {0, 1, 2}, {2, 5}),
               "row 1 of 'X' has the column index -1");
  expect_fails(sparse_parts("X_", {1, 2}, {3, 3}, {0, 0, 2}, {2, 5}), "X[1, 3] is stored twice");
  expect_fails(sparse_parts("X_", {1, 2}, {0, 1}, {0, 2, 1}, {2, 5}), "'X_indptr' must ascend");
  expect_fails(sparse_parts("X_", {1, 2}, {0, 1}, {0, 3, 2}, {2, 5}), "'X_indptr' must ascend");
  expect_fails(sparse_parts("X_", {1, 2}, {0, 1}, {-1, 1, 2}, {2, 5}), "'X_indptr' must ascend");
  expect_fails(sparse_parts("X_", {1, 2}, {0}, {0, 1, 2}, {2, 5}), "'X' is inconsistent");
  expect_fails(sparse_parts("X_", {1, 2}, {0, 1}, {0, 2}, {2, 5}), "'X' is inconsistent");
  expect_fails(sparse_parts("X_", {1, 2}, {0, 1}, {0, 1, 2}, {-2, 5}), "the largest number of rows");
  expect_fails(sparse_parts("X_", {1, 2}, {0, 1}, {0, 1, 2}, {2}), "'X_shape' must hold two numbers");
  Archive column_wise = sparse_parts("", {1, 2}, {0, 1}, {0, 1, 2}, {2, 5});
  column_wise.add("format.npy", npy("|S3", "()", "csc"));
  expect_fails(column_wise, "format 'csc': save matrix.tocsr()");
  expect_fails(Archive().add("X_indptr.npy", npy("<i4", "(1,)", raw<std::int32_t>({0}))),
               "'X_data' is missing");
}

TEST(Npz, RefusedArrays) {
  expect_fails(Archive().add("X.npy", npy("|O", "(2, 3)", "")), "needs pickle, and pickle can run code");
  expect_fails(Archive().add("X.npy", npy(">f4", "(2, 3)", std::string(24, '\0'))), "big-endian");
  expect_fails(Archive().add("X.npy", npy("<f2", "(2, 3)", std::string(12, '\0'))), "has type '<f2'");
  expect_fails(Archive().add("X.npy", npy("<c8", "(2, 3)", std::string(48, '\0'))), "has type '<c8'");
  expect_fails(Archive().add("X.npy", npy("<U1", "(2, 3)", std::string(24, '\0'))),
               "text where numbers are needed");
  expect_fails(Archive().add("X.npy", npy("<f4", "(2, 3, 1)", std::string(24, '\0'))), "has 3 dimensions");
  expect_fails(Archive().add("X.npy", npy("<f4", "(2, 4)", std::string(24, '\0'))),
               "has shape (2, 4) of 4-byte items but 24 bytes");
  expect_fails(Archive().add("X.npy", npy("<f4", "(9223372036854775808, 2)", "")), "but 0 bytes");
  expect_fails(Archive().add("X.npy", npy("<f4", "(1000000000000, 0)", "")), "it is empty");
  expect_fails(Archive().add("X.npy", npy("<U0", "(1000000000000,)", "")), "has type '<U0'");
  expect_fails(Archive().add("X.npy", npy("<f4", "(0, 3)", "")), "it is empty");
  expect_fails(Archive().add("X.npy", npy("<f4", "(2; 3)", "")), "damaged header");
  expect_fails(Archive().add("X.npy", "hello, world, hello"), "'X' is not a NumPy array");
  expect_fails(Archive().add("Z.npy", x23), "no features: save them as 'X'");
  expect_fails(Archive().add("Z.npy", x23), "the file holds 'Z'");
  expect_fails(Archive(), "the file holds no arrays");
}

TEST(Npz, FeaturesOfOneDimensionAreNoColumn) {
  const std::string six = npy("<f4", "(6,)", std::string(24, '\0'));
  expect_fails(Archive().add("X.npy", six), "one dimension of 6 numbers");
  expect_fails(Archive().add("X.npy", six), "X.reshape(-1, 1) if it is one feature");
  // Y of one dimension is that of a single label.
  EXPECT_EQ(
      read(Archive().add("X.npy", x23).add("y.npy", npy("|u1", "(2,)", raw<std::uint8_t>({0, 1})))).labels(),
      1U);
}

TEST(Npz, DamagedArchives) {
  const std::string good = Archive().add("X.npy", x23).bytes();
  const auto message = [](std::string bytes) {
    return error_of([&] { read_npz(FileContent::from_string(std::move(bytes), "data.npz"), {}); });
  };
  EXPECT_EQ(message(good), "no error");
  expect_contains(message(good.substr(0, good.size() - 1)), "no zip directory");
  expect_contains(message(""), "no zip directory");
  std::string flipped = good;
  flipped[good.find("(2, 3)") + 12] ^= 1;  // in the numbers
  expect_contains(message(flipped), "'X.npy' has a wrong checksum");
  std::string other = Archive().add("X.npy", x23, true).bytes();
  other[other.find("X.npy") + 8] ^= 0x55;
  expect_contains(message(other), "'X.npy'");
  for (std::size_t size = 0; size < good.size(); ++size) EXPECT_NE(message(good.substr(0, size)), "no error");
}

TEST(Npz, LabelsOfAModelByPosition) {
  Archive archive;
  archive.add("X.npy", x23).add("Y.npy", npy("|u1", "(2, 2)", raw<std::uint8_t>({0, 1, 1, 1})));
  LoadOptions options;
  options.expected_labels = {"a", "b"};
  EXPECT_EQ(read(archive, options).label_names, *options.expected_labels);
}

TEST(Zip, WriterAndReaderAgree) {
  const TempFolder folder;
  const std::string path = folder.path("a.zip");
  {
    AtomicFile file(path, false);
    ZipWriter writer(file);
    writer.add("first", std::array<std::string_view, 2>{"hello ", "world"});
    writer.add("empty", {});
    writer.finish();
    file.commit();
  }
  const FileContent content = FileContent::open(path);
  const ZipReader reader(content.bytes(), path);
  ASSERT_EQ(reader.members().size(), 2U);
  EXPECT_EQ(reader.members()[0].name, "first");
  EXPECT_EQ(reader.read(reader.members()[0]).view(), "hello world");
  EXPECT_EQ(reader.read(reader.members()[1]).view(), "");
}

TEST(Zip, ImpossibleSizesAreRefusedBeforeAllocation) {
  std::string bytes = Archive().add("x", "aaaaaaaaaaaaaaaaaaaaaaaa", true).bytes();
  const std::size_t entry = bytes.find("PK\x01\x02");
  for (std::size_t k = 0; k < 4; ++k) bytes[entry + 24 + k] = static_cast<char>(k < 3 ? 0xFF : 0x7F);
  const ZipReader reader(bytes, "a.zip");
  expect_contains(error_of([&] { (void)reader.read(reader.members()[0]); }), "claims an impossible size");
}

bool is_lent(const Features& x) {
  return std::visit([](const auto& cells) { return cells.values.is_lent(); }, x);
}

Dataset sparse_data(std::size_t rows) {
  Dataset data;
  CsrMatrix x;
  x.rows = rows;
  x.cols = 7;
  data.y.cols = 3;
  for (std::uint32_t i = 0; i < rows; ++i) {
    for (std::uint32_t k = i % 3; k < 7; k += 2) {
      x.indices.push_back(k);
      x.values.push_back(0.25F * static_cast<float>(i + k + 1));
    }
    x.offsets.push_back(x.indices.size());
    data.y.push_row(std::vector<std::uint32_t>{i % 3});
  }
  data.x = std::move(x);
  return data;
}

// What the program writes itself it reads without a copy: both layouts.
TEST(Npz, OwnFilesAreReadWhereTheyLie) {
  const TempFolder folder;
  const Dataset sparse = sparse_data(40);
  write_npz(sparse, folder.path("sparse.npz"), {});
  const Dataset read = load_dataset(folder.path("sparse.npz"), {});
  EXPECT_TRUE(is_lent(read.x));
  EXPECT_TRUE(std::get<CsrMatrix>(read.x).indices.is_lent());
  EXPECT_TRUE(read.lender.has_value());
  EXPECT_EQ(std::get<CsrMatrix>(read.x).indices, std::get<CsrMatrix>(sparse.x).indices);
  EXPECT_EQ(std::get<CsrMatrix>(read.x).values, std::get<CsrMatrix>(sparse.x).values);

  Dataset dense = sparse;
  dense.x = DenseMatrix(40, 2, 1.5F);
  write_npz(dense, folder.path("dense.npz"), {});
  const Dataset read_dense = load_dataset(folder.path("dense.npz"), {});
  EXPECT_TRUE(is_lent(read_dense.x));
  EXPECT_EQ(std::get<DenseMatrix>(read_dense.x).values, std::get<DenseMatrix>(dense.x).values);
}

TEST(Npz, RowsOutOfOrderAndZerosAreCopiedAndCorrected) {
  const auto read = [](const std::vector<std::int32_t>& columns, const std::vector<float>& values) {
    Archive archive;
    archive.add("X_data.npy", npy("<f4", "(3,)", raw<float>(values)));
    archive.add("X_indices.npy", npy("<i4", "(3,)", raw<std::int32_t>(columns)));
    archive.add("X_indptr.npy", npy("<i4", "(2,)", raw<std::int32_t>({0, 3})));
    archive.add("X_shape.npy", npy("<i8", "(2,)", raw<std::int64_t>({1, 5})));
    return std::get<CsrMatrix>(read_npz(FileContent::from_string(archive.bytes(), "data"), {}).x);
  };
  EXPECT_EQ(read({0, 2, 4}, {1, 2, 3}).indices, (Buffer<std::uint32_t>{0, 2, 4}));
  EXPECT_EQ(read({4, 2, 0}, {1, 2, 3}).values, (Buffer<float>{3, 2, 1}));
  EXPECT_EQ(read({0, 2, 4}, {1, 0, 3}).indices, (Buffer<std::uint32_t>{0, 4}));
}

// The file is mapped when it is larger than a megabyte. It must not change while its numbers are in use.
TEST(Npz, AFileThatChangesUnderItsReaderIsNoticed) {
  const TempFolder folder;
  const std::string path = folder.path("large.npz");
  write_npz(sparse_data(100000), path, {});
  const Dataset read = load_dataset(path, {});
  throw_if_changed(read);
  std::filesystem::resize_file(path, 1000);
  expect_contains(error_of([&] { throw_if_changed(read); }), "large.npz: it changed");
  EXPECT_EQ(std::get<CsrMatrix>(read.x).values.back(), 0.0F);  // zeros, no crash
}

TEST(Npz, EveryTruncationIsAnErrorThatNamesTheFile) {
  const TempFolder folder;
  write_npz(sparse_data(5), folder.path("x.npz"), {});
  const std::string whole(FileContent::open(folder.path("x.npz")).bytes());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string path = folder.put("short.npz", whole.substr(0, size));
    expect_contains(error_of([&] { (void)load_dataset(path, {}); }), "short.npz");
  }
}

}  // namespace
}  // namespace mmo
