// The module mmo._core: conversions between Python and the C++ core, and no mathematics.
#include "convert.h"
#include "mmo/core/error.h"
#include "mmo/core/input_limit.h"
#include "mmo/core/printable.h"
#include "mmo/core/version.h"
#include "mmo/core/write_target.h"

namespace mmo::python {
namespace {

std::string for_people(const Error& error) { return with_short_numbers(printable(error.what(), "\n\t")); }

// The exceptions that users of scikit-learn expect, with the core's message.
void translate(const std::exception_ptr& pointer, void* /*payload*/) {
  try {
    std::rethrow_exception(pointer);
  } catch (const Interrupted&) {
    // Python's handler has noted the signal; what it raises (KeyboardInterrupt, unless the user installed
    // another) is what the caller gets.
    if (PyErr_CheckSignals() == 0) PyErr_SetNone(PyExc_KeyboardInterrupt);
  } catch (const ExistsError& error) {
    PyErr_SetString(PyExc_FileExistsError, (for_people(error) + "; overwrite=True replaces it").c_str());
  } catch (const IoError& error) {
    PyErr_SetString(PyExc_OSError, for_people(error).c_str());
  } catch (const Error& error) {
    PyErr_SetString(PyExc_ValueError, for_people(error).c_str());
  }
}

}  // namespace
}  // namespace mmo::python

NB_MODULE(_core, module) {
  using namespace mmo::python;  // NOLINT(google-build-using-namespace)
  module.def("version", &mmo::version);
  module.def("set_input_limit", &mmo::set_input_limit, nb::arg("bytes"), "0 = the default.");
  nb::register_exception_translator(translate);
  bind_data(module);
  bind_metric(module);
  bind_model(module);
  bind_table(module);
  bind_rule(module);
  bind_loss(module);
}
