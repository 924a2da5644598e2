// Who computes points: threads of this process, or ranks of an MPI job. The way to run a point is handed in.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "percuss/study/sweep/point.h"

namespace percuss::study {

struct Work {
  std::vector<std::size_t> points;  // in this order, dealt out in chunks
  std::size_t chunk = 1;
  unsigned threads = 1;
  /// A runner for one thread.
  std::function<PointRunner()> make_runner;
  /// Called by one thread, the caller's; false ends the work.
  std::function<bool(std::vector<PointResult>)> keep;
  /// Called by the caller's thread now and then; false ends the work.
  std::function<bool()> go_on;
};

/// Returns when all points are kept, or the work was ended.
void work_on_threads(const Work& work);

/// The other processes of an MPI job.
namespace ranks {

/// Was this process started by mpirun or srun? How many were, as far as the environment says: 1 if it does not.
bool launched();
int launched_size();
/// Was the program built with MPI?
bool built_in();
/// This one's number and how many there are; starts MPI. 0 of 1 without it.
struct Place {
  int rank = 0, size = 1;
};
Place join();
/// What the lowest rank that failed says, on all ranks; "" if none did. All ranks must ask, with their own failure
/// or
/// "".
std::string first_failure(const std::string& own);
/// Ends MPI; no rank leaves before all are done.
void leave();

/// The same work, dealt out by rank 0, whose caller keeps the results and whose threads compute too.
void lead(const Work& work);
/// What the others do: ask, compute, send, until there is no more.
void follow(const Work& work);

}  // namespace ranks

}  // namespace percuss::study
