// SIGINT and SIGTERM end a long work at its next step; a second one ends the program.
#pragma once

#include <csignal>

namespace percuss::cli {

bool was_interrupted();

class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  struct sigaction old_int_ {
  }, old_term_{};
};

}  // namespace percuss::cli
