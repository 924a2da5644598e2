// A flag that signals set.
#include "percuss/cli/interrupt.h"

namespace percuss::cli {

namespace {
volatile std::sig_atomic_t signalled = 0;
extern "C" void note_interrupt(int) { signalled = 1; }
}  // namespace

bool was_interrupted() { return signalled != 0; }

Interruptible::Interruptible() {
  signalled = 0;
  struct sigaction action {};
  action.sa_handler = note_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, &old_int_);
  sigaction(SIGTERM, &action, &old_term_);
}

Interruptible::~Interruptible() {
  sigaction(SIGINT, &old_int_, nullptr);
  sigaction(SIGTERM, &old_term_, nullptr);
}

}  // namespace percuss::cli
