#include "exchange.h"

#include <nanobind/stl/function.h>

#include <atomic>

#include "mmo/core/error.h"
#include "mmo/core/one_thread.h"

namespace mmo::python {
namespace nb = nanobind;
namespace {

std::span<const std::byte> bytes_of(nb::handle object) {
  if (!nb::isinstance<nb::bytes>(object)) throw UsageError("an exchange returns a list of bytes");
  const auto bytes = nb::borrow<nb::bytes>(object);
  return std::as_bytes(std::span(bytes.c_str(), bytes.size()));
}

Bytes solve(const SharedTasks& tasks, std::size_t task) {
  const nb::gil_scoped_release release;
  const OneThread others_are_at_work;
  Bytes out;
  tasks.solve(task);
  ByteWriter writer(out);
  tasks.pack(task, writer);
  return out;
}

}  // namespace

std::vector<Bytes> Exchange::gather(Bytes own) {
  std::vector<Bytes> all;
  all.push_back(std::move(own));
  return all;
}

void Exchange::share(std::size_t count, const SharedTasks& tasks) {
  const nb::gil_scoped_acquire acquire;
  std::vector<std::atomic<bool>> solved(count);
  const nb::object solver = nb::cpp_function([&](std::size_t task) {
    if (task >= count) throw UsageError("there is no task of this number");
    const Bytes out = solve(tasks, task);
    solved[task] = true;
    return nb::bytes(reinterpret_cast<const char*>(out.data()), out.size());
  });
  const nb::object results = callable_(count, solver);
  if (nb::len(results) != count) throw UsageError("an exchange returns the bytes of every task");
  for (std::size_t task = 0; task < count; ++task) {
    if (solved[task]) continue;
    const nb::object result = results[task];
    const auto bytes = bytes_of(result);
    const nb::gil_scoped_release release;
    ByteReader in(bytes);
    tasks.unpack(task, in);
  }
}

}  // namespace mmo::python
