#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

#include "cli/deep.h"
#include "cli/parallel.h"
#include "cli/program.h"
#include "mmo/comm/mpi/launcher.h"
#include "mmo/core/descriptor.h"
#include "mmo/core/error.h"
#include "mmo/core/memory.h"

namespace {

// Where nobody can catch it: CLI11's functions that promise not to throw allocate all the same.
[[noreturn]] void end_without_memory() {
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    std::fputs("mmo: error: not enough memory\n", stderr);
    std::_Exit(static_cast<int>(mmo::ExitCode::internal));
  } catch (...) {  // a fault of ours
  }
  std::abort();
}

}  // namespace

int main(int argc, char** argv) {
  using namespace mmo::cli;  // NOLINT(google-build-using-namespace)
  std::set_terminate(end_without_memory);
  mmo::open_standard_streams();
  mmo::keep_freed_memory();
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (is_deep(arguments)) return run_deep(arguments);
  if (mmo::launched_in_parallel()) return run_parallel(arguments);
  return run_program(mmo_program(), arguments);
}
