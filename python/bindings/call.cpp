#include "call.h"

namespace mmo::python {
namespace {

struct sigaction previous_action{};

void cancel_on_signal(int signal) {
  if (previous_action.sa_handler != SIG_DFL && previous_action.sa_handler != SIG_IGN)
    previous_action.sa_handler(signal);
  request_cancel();
}

bool in_main_thread() {
  const nanobind::module_ threading = nanobind::module_::import_("threading");
  return threading.attr("current_thread")().is(threading.attr("main_thread")());
}

}  // namespace

InterruptGuard::InterruptGuard() {
  if (!in_main_thread()) return;
  struct sigaction now{};
  if (sigaction(SIGINT, nullptr, &now) != 0) return;
  // Handlers with the long signature, or none at all, are somebody else's arrangement.
  if ((now.sa_flags & SA_SIGINFO) != 0 || now.sa_handler == SIG_IGN || now.sa_handler == SIG_DFL) return;
  if (now.sa_handler == cancel_on_signal) return;  // a callback of a running call calls again
  clear_cancel();
  previous_action = now;
  struct sigaction ours = now;
  ours.sa_handler = cancel_on_signal;
  active_ = sigaction(SIGINT, &ours, nullptr) == 0;
}

InterruptGuard::~InterruptGuard() {
  if (!active_) return;
  sigaction(SIGINT, &previous_action, nullptr);
  clear_cancel();
}

}  // namespace mmo::python
