// The module mmo._core: conversions between Python and the C++ core, and no mathematics.
#include "convert.h"
#include "mmo/core/error.h"
#include "mmo/core/version.h"

namespace mmo::python {
namespace {

// The exceptions that users of scikit-learn expect, with the core's message.
void translate(const std::exception_ptr& pointer, void* /*payload*/) {
  try {
    std::rethrow_exception(pointer);
  } catch (const Interrupted&) {
    // Python's handler has noted the signal; what it raises (KeyboardInterrupt, unless the user installed
    // another) is what the caller gets.
    if (PyErr_CheckSignals() == 0) PyErr_SetNone(PyExc_KeyboardInterrupt);
  } catch (const IoError& error) {
    PyErr_SetString(PyExc_OSError, error.what());
  } catch (const Error& error) {
    PyErr_SetString(PyExc_ValueError, error.what());
  }
}

}  // namespace
}  // namespace mmo::python

NB_MODULE(_core, module) {
  using namespace mmo::python;  // NOLINT(google-build-using-namespace)
  module.def("version", &mmo::version);
  nb::register_exception_translator(translate);
  bind_data(module);
  bind_metric(module);
  bind_model(module);
  bind_rule(module);
  bind_loss(module);
}
