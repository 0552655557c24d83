// Mutated svmlight, XMC and npz files: nothing but an mmo::Error may escape, and no allocation may be out of
// proportion to the file.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "data/reading.h"
#include "mmo/data/load.h"
#include "mmo/data/readers.h"
#include "support/zip_checksums.h"

namespace {
std::atomic<std::size_t> largest_allocation{0};
}  // namespace

// Replaces the program's operator new to see every request. Not inlined: GCC would take new and free for a
// mismatched pair.
[[gnu::noinline]] void* operator new(std::size_t size) {
  std::size_t seen = largest_allocation.load(std::memory_order_relaxed);
  while (size > seen && !largest_allocation.compare_exchange_weak(seen, size, std::memory_order_relaxed)) {
  }
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
// std::stable_sort asks this one and frees by the operator below.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace mmo {
namespace {

using testing::fuzz;
using testing::TempFolder;
using testing::with_right_checksums;

// The files have about a thousand bytes. The largest honest request is a deflate stream's, a thousand times
// its size, or the table of small label numbers, 4 MB.
constexpr std::size_t allowed = std::size_t{8} << 20;
constexpr std::size_t mutations = 3000;

class Fuzz : public ::testing::Test {
 protected:
  void run(const std::string& valid, std::uint64_t seed,
           const std::function<Dataset(const FileContent&)>& read) {
    largest_allocation = 0;
    EXPECT_GT(read(FileContent::from_string(valid, "data")).rows(), 0U);
    fuzz(valid, mutations, seed, [&](const std::string& text) {
      const Dataset data = read(FileContent::from_string(text, "data"));
      // What was accepted is sound.
      EXPECT_EQ(feature_rows(data.x), data.rows());
      EXPECT_EQ(data.y.offsets.size(), data.rows() + 1);
      if (const auto* x = std::get_if<CsrMatrix>(&data.x)) {
        EXPECT_EQ(x->offsets.size(), x->rows + 1);
        EXPECT_EQ(x->offsets.back(), x->indices.size());
        for (const auto j : x->indices) ASSERT_LT(j, x->cols);
      }
      for (const auto j : data.y.indices) ASSERT_LT(j, data.y.cols);
    });
    EXPECT_LT(largest_allocation, allowed);
  }
};

Dataset small_data(bool sparse) {
  Random random(3);
  Dataset data;
  data.label_names = {"a", "b"};
  data.y.cols = 2;
  data.unknown.cols = 2;
  DenseMatrix dense(6, 4);
  CsrMatrix csr;
  csr.rows = 6;
  csr.cols = 4;
  for (std::size_t i = 0; i < 6; ++i) {
    data.y.push_row(i % 2 == 0 ? std::vector<std::uint32_t>{1} : std::vector<std::uint32_t>{0, 1});
    data.unknown.push_row(i == 0 ? std::vector<std::uint32_t>{0} : std::vector<std::uint32_t>{});
    for (std::uint32_t j = 0; j < 4; ++j) {
      dense(i, j) = static_cast<float>(random.normal());
      csr.indices.push_back(j);
      csr.values.push_back(dense(i, j));
    }
    csr.offsets.push_back(csr.indices.size());
  }
  if (sparse) {
    data.x = csr;
  } else {
    data.x = dense;
  }
  data.row_weights.assign(6, 1);
  return data;
}

TEST_F(Fuzz, Svmlight) {
  const std::string plain = "1,2 1:0.5 3:1e-3 9:nan # comment\n7 1:2\n 3:4\n";
  const std::string with_ids = "4,17 qid:1 1:0.25 2:3\n\n2 qid:2 7:1 # x\n99999 qid:1 1:1 8:-2\n";
  for (const std::string& text : {plain, with_ids}) {
    run(text, 11, [](const FileContent& content) { return read_svmlight(content, {}); });
    LoadOptions model;
    model.expected_labels = {"1", "2", "4", "7", "17", "99999"};
    model.expected_features = 9;
    run(text, 12, [&](const FileContent& content) { return read_svmlight(content, model); });
  }
}

TEST_F(Fuzz, Xmc) {
  const std::string valid = "4 9 6\n0,3 0:1 4:.5 8:nan\n 1:2\n\n5 7:1e-5\n";
  run(valid, 21, [](const FileContent& content) { return read_xmc(content, {}); });
}

TEST_F(Fuzz, Npz) {
  for (const bool sparse : {false, true}) {
    const TempFolder folder;
    write_npz(small_data(sparse), folder.path("x.npz"), {});
    const std::string valid(FileContent::open(folder.path("x.npz")).bytes());
    LoadOptions options;
    options.unknown_labels = true;
    run(valid, 31, [&](const FileContent& content) {
      const std::string repaired = with_right_checksums(std::string(content.bytes()));
      return read_npz(FileContent::from_string(repaired, "data"), options);
    });
  }
}

}  // namespace
}  // namespace mmo
