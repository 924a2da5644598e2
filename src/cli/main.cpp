// percuss: results to stdout, everything else to stderr.
#include <csignal>
#include <cstdio>

#include "percuss/cli/terminal.h"
#include "percuss/cli/verbs.h"

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes is an error of the write, as a full disk is
  percuss::cli::Reply reply = percuss::cli::run_command_line(argc, argv, percuss::cli::verbs());
  if (reply.code != 0) {  // what is not whole is no result: a message
    reply.err += reply.out;
    reply.out.clear();
  }
  std::fputs(percuss::cli::coloured_messages(reply.err).c_str(), stderr);
  const bool written = std::fwrite(reply.out.data(), 1, reply.out.size(), stdout) == reply.out.size();
  if (std::fclose(stdout) == 0 && written) return reply.code;
  std::fputs("percuss: error: the result could not be written to stdout\n", stderr);
  return 1;
}
