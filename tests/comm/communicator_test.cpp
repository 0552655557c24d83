#include "mmo/comm/communicator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "mmo/core/error.h"

namespace mmo {
namespace {

class OneOf final : public Communicator {
 public:
  OneOf(std::size_t rank, std::size_t size) : rank_(rank), size_(size) {}
  [[nodiscard]] std::size_t rank() const override { return rank_; }
  [[nodiscard]] std::size_t size() const override { return size_; }
  void sum(std::span<float> /*values*/) override {}
  void sum(std::span<double> /*values*/) override {}
  [[nodiscard]] std::vector<Bytes> gather(Bytes /*own*/) override { return {}; }

 private:
  std::size_t rank_, size_;
};

TEST(Communicator, AloneSumsNothing) {
  std::array<float, 2> floats{1.5F, -2.0F};
  std::array<double, 1> doubles{3.25};
  alone().sum(floats);
  alone().sum(doubles);
  EXPECT_EQ(floats, (std::array<float, 2>{1.5F, -2.0F}));
  EXPECT_EQ(doubles[0], 3.25);
  EXPECT_EQ(alone().rank(), 0U);
  EXPECT_EQ(alone().size(), 1U);
}

TEST(Communicator, SharesFollowEachOtherAndDifferByOne) {
  for (const std::size_t size : {1U, 2U, 3U, 7U}) {
    for (const std::size_t count : {0U, 1U, 5U, 6U, 100U}) {
      std::size_t at = 0;
      std::size_t least = count;
      std::size_t most = 0;
      for (std::size_t k = 0; k < size; ++k) {
        const Share share = share_of(count, OneOf(k, size));
        EXPECT_EQ(share.begin, at);
        at = share.end;
        least = std::min(least, share.end - share.begin);
        most = std::max(most, share.end - share.begin);
      }
      EXPECT_EQ(at, count);
      EXPECT_LE(most, least + 1);
    }
  }
}

// Processes that are threads of this one.
class Hall {
 public:
  explicit Hall(std::size_t size) : messages(size), meeting(static_cast<std::ptrdiff_t>(size)) {}
  std::vector<Bytes> messages;
  std::barrier<> meeting;
};

class Guest final : public Communicator {
 public:
  Guest(Hall& hall, std::size_t rank) : hall_(hall), rank_(rank) {}
  [[nodiscard]] std::size_t rank() const override { return rank_; }
  [[nodiscard]] std::size_t size() const override { return hall_.messages.size(); }
  void sum(std::span<float> /*values*/) override {}
  void sum(std::span<double> /*values*/) override {}
  [[nodiscard]] std::vector<Bytes> gather(Bytes own) override {
    hall_.messages[rank_] = std::move(own);
    hall_.meeting.arrive_and_wait();
    std::vector<Bytes> all = hall_.messages;
    hall_.meeting.arrive_and_wait();
    return all;
  }

 private:
  Hall& hall_;
  std::size_t rank_;
};

// Runs `work` in so many processes; what each of them threw, "" for nothing.
std::vector<std::string> run(std::size_t size, const std::function<void(Communicator&)>& work) {
  Hall hall(size);
  std::vector<std::string> errors(size);
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      Guest guest(hall, rank);
      try {
        work(guest);
      } catch (const Error& error) {
        errors[rank] = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return errors;
}

TEST(Communicator, EveryTaskIsSolvedOnceAndAllHaveItsResult) {
  for (const std::size_t size : {1U, 2U, 3U, 5U}) {
    for (const std::size_t count : {0U, 1U, 4U, 11U}) {
      for (const bool inside : {false, true}) {
        std::atomic<std::size_t> solved = 0;
        const auto errors = run(size, [&](Communicator& processes) {
          std::vector<std::string> results(count);
          processes.share(count,
                          {[&](std::size_t t) {
                             ++solved;
                             results[t] = std::string(t, 'x');
                           },
                           [&](std::size_t t, ByteWriter& out) { out.put_all(results[t]); },
                           [&](std::size_t t, ByteReader& in) { results[t] = in.get_text(); }, inside});
          for (std::size_t t = 0; t < count; ++t) EXPECT_EQ(results[t], std::string(t, 'x'));
        });
        EXPECT_EQ(errors, std::vector<std::string>(size));
        EXPECT_EQ(solved, count);
      }
    }
  }
}

TEST(Communicator, AnErrorOfOneTaskIsTheErrorOfAllAndNamesItsProcess) {
  const auto errors = run(3, [](Communicator& processes) {
    processes.share(6, {[](std::size_t t) {
                          if (t == 4) throw DataError("row 7 is bad");
                        },
                        [](std::size_t, ByteWriter&) {}, [](std::size_t, ByteReader&) {}});
  });
  EXPECT_EQ(errors, std::vector<std::string>(3, "process 1: row 7 is bad"));
}

TEST(Communicator, AnErrorThatAllHaveNamesNoProcess) {
  const auto errors = run(
      3, [](Communicator& processes) { together(processes, [] { throw UsageError("no such metric"); }); });
  EXPECT_EQ(errors, std::vector<std::string>(3, "no such metric"));
}

TEST(Communicator, WhatDiffersIsNamedWithItsProcess) {
  const auto errors = run(3, [](Communicator& processes) {
    const std::array<Alike, 2> things{
        {{"version", "1"}, {"data", processes.rank() == 2 ? "390 rows" : "391 rows"}}};
    require_alike(processes, things);
  });
  EXPECT_EQ(errors,
            std::vector<std::string>(3, "process 2 has another data than process 0: 390 rows, not 391 rows"));
}

TEST(Communicator, ProcessesThatPartAreToldSo) {
  const auto errors = run(2, [](Communicator& processes) {
    processes.share(processes.rank() + 1,
                    {[](std::size_t) {}, [](std::size_t, ByteWriter&) {}, [](std::size_t, ByteReader&) {}});
  });
  EXPECT_NE(errors[0].find("lost each other"), std::string::npos);
  EXPECT_EQ(errors[0], errors[1]);
}

TEST(Communicator, AllAgreeWithTheFirst) {
  const auto errors = run(3, [](Communicator& processes) {
    EXPECT_EQ(agree(processes, 10 + static_cast<int>(processes.rank())), 10);
  });
  EXPECT_EQ(errors, std::vector<std::string>(3));
}

TEST(Communicator, BytesThatEndTooEarlyAreAnError) {
  Bytes bytes;
  ByteWriter(bytes).put_all(std::string("abc"));
  bytes.pop_back();
  ByteReader in(bytes);
  EXPECT_THROW((void)in.get_text(), Error);
}

}  // namespace
}  // namespace mmo
