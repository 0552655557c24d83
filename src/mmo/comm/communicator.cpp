#include "mmo/comm/communicator.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "mmo/core/parallel.h"

namespace mmo {
namespace {

class Alone final : public Communicator {
 public:
  [[nodiscard]] std::size_t rank() const override { return 0; }
  [[nodiscard]] std::size_t size() const override { return 1; }
  void sum(std::span<float> /*values*/) override {}
  void sum(std::span<double> /*values*/) override {}
  [[nodiscard]] std::vector<Bytes> gather(Bytes own) override {
    std::vector<Bytes> all;
    all.push_back(std::move(own));
    return all;
  }
};

// What went wrong in a process, as reported to the others.
struct Failure {
  ExitCode code = ExitCode::success;
  std::string message;

  [[nodiscard]] bool failed() const { return code != ExitCode::success; }
};

Failure failure_of(const std::function<void()>& work) {
  try {
    work();
    return {};
  } catch (const Error& error) {
    return {error.code(), error.what()};
  } catch (const std::bad_alloc&) {
    return {ExitCode::internal, "not enough memory"};
  } catch (const std::exception& error) {
    return {ExitCode::internal, error.what()};
  }
}

// A process's message: which call it belongs to, what went wrong and, if nothing did, the results.
Bytes with_head(std::uint64_t call, std::uint64_t tasks, const Failure& failure,
                const std::vector<Bytes>& results) {
  Bytes out;
  ByteWriter writer(out);
  writer.put(call);
  writer.put(tasks);
  writer.put(failure.code);
  writer.put_all(failure.message);
  if (failure.failed()) return out;
  for (const Bytes& result : results) writer.put_all(result);
  return out;
}

// The first error, naming its process unless all have the same one.
[[noreturn]] void throw_first(const std::vector<Failure>& failures) {
  const auto first =
      std::find_if(failures.begin(), failures.end(), [](const Failure& one) { return one.failed(); });
  const bool common = std::all_of(failures.begin(), failures.end(),
                                  [&](const Failure& one) { return one.message == first->message; });
  throw Error(first->code, common ? first->message
                                  : fmt::format("process {}: {}", first - failures.begin(), first->message));
}

// Where each process's results begin. Throws the first error that a process ran into.
std::vector<ByteReader> read_heads(const std::vector<Bytes>& messages, std::uint64_t call,
                                   std::uint64_t tasks) {
  std::vector<ByteReader> readers;
  std::vector<Failure> failures;
  bool failed = false;
  bool apart = false;
  for (const Bytes& message : messages) {
    ByteReader& in = readers.emplace_back(message);
    apart |= in.get<std::uint64_t>() != call;
    apart |= in.get<std::uint64_t>() != tasks;
    const auto code = in.get<ExitCode>();
    failures.push_back({code, in.get_text()});
    failed |= failures.back().failed();
  }
  if (failed) throw_first(failures);
  if (apart)
    throw Error(ExitCode::internal,
                "the processes computed different numbers and lost each other: run them on machines with "
                "processors of one kind");
  return readers;
}

void for_each_task(std::size_t count, bool threads_inside, const std::function<void(std::size_t)>& work) {
  if (!threads_inside) return parallel_for(count, work);
  for (std::size_t task = 0; task < count; ++task) work(task);
}

}  // namespace

// Deals tasks out in turn: neighbours, which often take about as long, go to different processes.
void Communicator::share(std::size_t count, const SharedTasks& tasks) {
  if (!shares()) return for_each_task(count, tasks.threads_inside, tasks.solve);
  const std::size_t processes = size();
  const std::size_t mine = rank();
  std::vector<Bytes> results(count > mine ? (count - mine - 1) / processes + 1 : 0);
  const Failure failure = failure_of([&] {
    for_each_task(results.size(), tasks.threads_inside, [&](std::size_t k) {
      const std::size_t task = mine + k * processes;
      tasks.solve(task);
      ByteWriter out(results[k]);
      tasks.pack(task, out);
    });
  });
  const std::uint64_t call = calls_++;
  const std::vector<Bytes> messages = gather(with_head(call, count, failure, results));
  results.clear();
  std::vector<ByteReader> readers = read_heads(messages, call, count);
  std::vector<std::span<const std::byte>> parts(count);
  for (std::size_t task = 0; task < count; ++task) parts[task] = readers[task % processes].get_part();
  parallel_for(count, [&](std::size_t task) {
    if (task % processes == mine) return;
    ByteReader in(parts[task]);
    tasks.unpack(task, in);
  });
}

Communicator& alone() {
  static Alone only;
  return only;
}

Share share_of(std::size_t count, const Communicator& processes) {
  const std::size_t k = processes.rank();
  const std::size_t size = processes.size();
  return {count * k / size, count * (k + 1) / size};
}

void together(Communicator& processes, const std::function<void()>& work) {
  if (processes.size() == 1) return work();
  const Failure failure = failure_of(work);
  const std::vector<Bytes> messages = processes.gather(with_head(0, 0, failure, {}));
  (void)read_heads(messages, 0, 0);
}

void require_alike(Communicator& processes, std::span<const Alike> things) {
  if (processes.size() == 1) return;
  Bytes own;
  ByteWriter out(own);
  for (const Alike& thing : things) out.put_all(thing.value);
  const std::vector<Bytes> all = processes.gather(std::move(own));
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    ByteReader first(all[0]);
    ByteReader other(all[rank]);
    for (const Alike& thing : things) {
      const std::string expected = first.get_text();
      const std::string found = other.get_text();
      if (expected != found)
        throw UsageError(fmt::format("process {} has another {} than process 0: {}, not {}", rank, thing.name,
                                     found, expected));
    }
  }
}

}  // namespace mmo
