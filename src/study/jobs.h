// Jobs that do not depend on each other, on all cores, with progress.
#pragma once

#include <cstddef>
#include <functional>

namespace percuss::study {

/// Asked with the jobs done so far; false ends the work. Never by two threads at once.
using Progress = std::function<bool(std::size_t done, std::size_t all)>;

/// Does `job` for 0 .. count-1 as `for_each_index` does. A job asks `go_on` now and then and ends early if told so.
/// False: the work was ended.
bool do_jobs(std::size_t count, unsigned threads, const Progress& progress,
             const std::function<void(std::size_t number, const std::function<bool()>& go_on)>& job);

}  // namespace percuss::study
