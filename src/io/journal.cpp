// Frames: kind, length, payload, checksum.
#include "percuss/io/journal.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "percuss/io/checksum.h"

namespace percuss::io {

namespace {

constexpr std::size_t kMostHeld = 1 << 16;  // bytes
constexpr std::chrono::milliseconds kFlushEvery{200};
constexpr std::uint32_t kLargestFrame = 1 << 30;  // bytes: a longer one is damage

struct Head {
  std::uint32_t kind = 0, size = 0;
};

std::uint64_t checksum_of(const Head& head, const Bytes& payload) {
  Checksum sum;
  sum.add(&head, sizeof(head));
  sum.add(payload.data(), payload.size());
  return sum.value();
}

void put(Writer& out, const Facts& facts) {
  out.put(static_cast<std::uint64_t>(facts.size()));
  for (const auto& [name, text] : facts) {
    out.put(name);
    out.put(text);
  }
}

bool get(Reader& in, Facts& facts) {
  std::uint64_t count = 0;
  facts.clear();
  if (!in.get(count)) return false;
  for (std::uint64_t i = 0; i < count; ++i) {
    auto& [name, text] = facts.emplace_back();
    if (!in.get(name) || !in.get(text)) return false;
  }
  return true;
}

}  // namespace

JournalWriter::~JournalWriter() { close(); }

void JournalWriter::close() {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

bool JournalWriter::fail() {
  if (!failed_) why_ = std::strerror(errno);
  failed_ = true;
  buffer_.clear();
  return false;
}

bool JournalWriter::open(const std::filesystem::path& path) {
  file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file_ < 0) return fail();
  const auto* head = reinterpret_cast<const std::byte*>(kJournalHead.data());
  buffer_.insert(buffer_.end(), head, head + kJournalHead.size());
  return flush();
}

bool JournalWriter::open_again(const std::filesystem::path& path, std::uint64_t size) {
  file_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  size_ = size;
  const auto end = static_cast<off_t>(size);
  if (file_ < 0 || ::lseek(file_, 0, SEEK_END) < end || ::ftruncate(file_, end) != 0 ||
      ::lseek(file_, end, SEEK_SET) != end)
    return fail();
  return true;
}

bool JournalWriter::flush() {
  if (failed_) return false;
  const std::byte* next = buffer_.data();
  for (std::size_t left = buffer_.size(); left > 0;) {
    const ssize_t written = ::write(file_, next, left);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return fail();
    next += written;
    left -= static_cast<std::size_t>(written);
    size_ += static_cast<std::uint64_t>(written);
  }
  buffer_.clear();
  flushed_ = Clock::now();
  return true;
}

void JournalWriter::put_frame(std::uint32_t kind, const Bytes& payload) {
  if (failed_) return;
  const Head head{kind, static_cast<std::uint32_t>(payload.size())};
  Writer frame;
  frame.put(head);
  buffer_.insert(buffer_.end(), frame.bytes().begin(), frame.bytes().end());
  buffer_.insert(buffer_.end(), payload.begin(), payload.end());
  Writer sum;
  sum.put(checksum_of(head, payload));
  buffer_.insert(buffer_.end(), sum.bytes().begin(), sum.bytes().end());
}

void JournalWriter::put_facts(const Facts& facts) {
  Writer out;
  put(out, facts);
  put_frame(static_cast<std::uint32_t>(JournalReader::Frame::Kind::facts), out.bytes());
  flush();
}

void JournalWriter::put_tables(const std::vector<Table>& tables) {
  Writer out;
  out.put(static_cast<std::uint64_t>(tables.size()));
  for (const Table& table : tables) {
    out.put(table.name);
    Facts columns;
    for (const Column& c : table.columns) columns.emplace_back(c.name, c.unit);
    put(out, columns);
    Facts items;
    for (const std::string& name : table.items) items.emplace_back(name, "");
    put(out, items);
  }
  put_frame(static_cast<std::uint32_t>(JournalReader::Frame::Kind::tables), out.bytes());
  flush();
}

bool JournalWriter::put_row(std::size_t table, std::span<const double> values) {
  Writer out;
  out.put(static_cast<std::uint32_t>(table));
  out.put(std::vector<double>(values.begin(), values.end()));
  put_frame(static_cast<std::uint32_t>(JournalReader::Frame::Kind::row), out.bytes());
  if (buffer_.size() >= kMostHeld || Clock::now() - flushed_ >= kFlushEvery) flush();
  return !failed_;
}

bool JournalReader::open(const std::filesystem::path& path) {
  file_.open(path, std::ios::binary);
  std::string head(kJournalHead.size(), '\0');
  file_.read(head.data(), static_cast<std::streamsize>(head.size()));
  return file_ && head == kJournalHead;
}

bool JournalReader::next(Frame& out) {
  Head head;
  std::uint64_t sum = 0;
  if (!file_.read(reinterpret_cast<char*>(&head), sizeof(head)) || head.size > kLargestFrame) return false;
  payload_.clear();
  for (std::size_t left = head.size; left > 0;) {  // a length that is wrong costs no memory
    const std::size_t part = std::min<std::size_t>(left, 1 << 20), held = payload_.size();
    payload_.resize(held + part);
    if (!file_.read(reinterpret_cast<char*>(payload_.data() + held), static_cast<std::streamsize>(part)))
      return false;
    left -= part;
  }
  if (!file_.read(reinterpret_cast<char*>(&sum), sizeof(sum)) || sum != checksum_of(head, payload_)) return false;
  Reader in(payload_);
  out.kind = static_cast<Frame::Kind>(head.kind);
  switch (out.kind) {
    case Frame::Kind::facts: return get(in, out.facts);
    case Frame::Kind::row: return in.get(out.table) && in.get(out.values) && in.is_whole();
    case Frame::Kind::tables: {
      std::uint64_t count = 0;
      out.tables.clear();
      if (!in.get(count)) return false;
      for (std::uint64_t i = 0; i < count; ++i) {
        Table& table = out.tables.emplace_back();
        Facts columns, items;
        if (!in.get(table.name) || !get(in, columns) || !get(in, items)) return false;
        for (auto& [name, unit] : columns) table.columns.push_back({std::move(name), std::move(unit)});
        for (auto& [name, nothing] : items) table.items.push_back(std::move(name));
      }
      return in.is_whole();
    }
  }
  return false;
}

}  // namespace percuss::io
