// Ranks of an MPI job. Messages are few and short: a request with the results of the last chunk one way, the next
// chunk the other way.
#include <mpi.h>

#include <cstdlib>
#include <cstring>
#include <thread>

#include "percuss/study/sweep/crew.h"
#include "percuss/study/sweep/workers.h"

namespace percuss::study::ranks {

namespace {

enum Tag { kResults = 1, kPoints = 2 };
constexpr auto kNap = std::chrono::microseconds(200);  // a leader that waits does not take a core

// ---- results as bytes ----

class Packer {
 public:
  template <class T>
  void put(const T& value) {
    const std::size_t at = bytes.size();
    bytes.resize(at + sizeof value);
    std::memcpy(bytes.data() + at, &value, sizeof value);
  }
  std::vector<char> bytes;
};
class Unpacker {
 public:
  explicit Unpacker(const std::vector<char>& bytes) : bytes_(bytes) {}
  template <class T>
  T take() {
    T value{};
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  std::string text(std::size_t size) {
    std::string out(bytes_.data() + at_, size);
    at_ += size;
    return out;
  }
  bool at_end() const { return at_ >= bytes_.size(); }

 private:
  const std::vector<char>& bytes_;
  std::size_t at_ = 0;
};

std::vector<char> packed(const std::vector<PointResult>& results) {
  Packer p;
  for (const PointResult& r : results) {
    p.put(r.point);
    p.put(r.status);
    p.put(r.wall_s);
    p.put(r.outputs.size());
    for (const double v : r.outputs) p.put(v);
    p.put(r.reason.size());
    p.bytes.insert(p.bytes.end(), r.reason.begin(), r.reason.end());
  }
  return std::move(p.bytes);
}

std::vector<PointResult> unpacked(const std::vector<char>& bytes) {
  std::vector<PointResult> out;
  Unpacker u(bytes);
  while (!u.at_end()) {
    PointResult r;
    r.point = u.take<std::size_t>();
    r.status = u.take<PointStatus>();
    r.wall_s = u.take<double>();
    r.outputs.resize(u.take<std::size_t>());
    for (double& v : r.outputs) v = u.take<double>();
    r.reason = u.text(u.take<std::size_t>());
    out.push_back(std::move(r));
  }
  return out;
}

}  // namespace

bool built_in() { return true; }

Place join() {
  int started = 0;
  MPI_Initialized(&started);
  if (started == 0) {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  }
  Place place;
  MPI_Comm_rank(MPI_COMM_WORLD, &place.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &place.size);
  return place;
}

std::string first_failure(const std::string& own) {
  const Place place = join();
  const int mine = own.empty() ? place.size : place.rank;
  int lowest = 0;
  MPI_Allreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (lowest == place.size) return {};
  std::string text = own;
  int size = static_cast<int>(own.size());
  MPI_Bcast(&size, 1, MPI_INT, lowest, MPI_COMM_WORLD);
  text.resize(static_cast<std::size_t>(size));
  MPI_Bcast(text.data(), size, MPI_CHAR, lowest, MPI_COMM_WORLD);
  return text;
}

void leave() {
  int started = 0, ended = 0;
  MPI_Initialized(&started);
  MPI_Finalized(&ended);
  if (started != 0 && ended == 0) MPI_Finalize();
}

void lead(const Work& work) {
  Dealer dealer(work);
  Crew crew(work, [&dealer] { return dealer.next(); });
  int others = join().size - 1;
  bool crew_is_home = false, ended = false;
  const auto end = [&] {
    if (!ended) dealer.stop();
    ended = true;
  };
  while (others > 0 || !crew_is_home) {
    int waiting = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, kResults, MPI_COMM_WORLD, &waiting, &status);
    if (waiting != 0) {
      int size = 0;
      MPI_Get_count(&status, MPI_CHAR, &size);
      std::vector<char> bytes(static_cast<std::size_t>(size));
      MPI_Recv(bytes.data(), size, MPI_CHAR, status.MPI_SOURCE, kResults, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      const std::vector<std::size_t> next = dealer.next();
      MPI_Send(next.data(), static_cast<int>(next.size() * sizeof(std::size_t)), MPI_BYTE, status.MPI_SOURCE,
               kPoints, MPI_COMM_WORLD);
      if (next.empty()) --others;
      if (!ended && !work.keep(unpacked(bytes))) end();
    } else {
      std::vector<PointResult> results;
      const Crew::Got got = crew_is_home ? Crew::Got::nothing : crew.wait_for(kNap, results);
      if (crew_is_home) std::this_thread::sleep_for(kNap);
      if (got == Crew::Got::all_over) crew_is_home = true;
      if (got == Crew::Got::results && !ended && !work.keep(std::move(results))) end();
    }
    if (!ended && !work.go_on()) {
      end();
      crew.stop();
    }
  }
  crew.stop();
}

void follow(const Work& work) {
  PointRunner runner = work.make_runner();
  std::vector<PointResult> results;
  for (;;) {
    const std::vector<char> bytes = packed(results);
    MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_CHAR, 0, kResults, MPI_COMM_WORLD);
    MPI_Status status;
    int waiting = 0;
    while (MPI_Iprobe(0, kPoints, MPI_COMM_WORLD, &waiting, &status), waiting == 0)
      std::this_thread::sleep_for(kNap);
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    std::vector<std::size_t> points(static_cast<std::size_t>(size) / sizeof(std::size_t));
    MPI_Recv(points.data(), size, MPI_BYTE, 0, kPoints, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (points.empty()) return;
    results.clear();
    for (const std::size_t p : points) results.push_back(runner.run(p));
  }
}

}  // namespace percuss::study::ranks
