// Lists, ranges and distributions as files say them.
#include "percuss/study/sweep/axis_file.h"

#include <algorithm>
#include <cmath>

#include "percuss/base/words.h"

namespace percuss::study {

namespace {

using scene::Fields;

class Reader {
 public:
  explicit Reader(std::vector<Diagnostic>& errors) : errors_(errors) {}

  std::optional<double> quantity(const Fields& f, std::string_view key, Axis& axis) {
    if (!f.has(key)) return std::nullopt;
    const std::string text = f.text(key);
    const Result<Quantity> q = read_quantity(text);
    if (!q) {
      fail(f.places().of(key), f.what() + ": " + std::string(key) + ": " + q.errors().front().text);
      return 1.0;  // not missing
    }
    if (q->dimension == Dimension{}) return q->si;
    if (axis.dimension == Dimension{}) axis.dimension = q->dimension;
    if (!(axis.dimension == q->dimension))
      fail(f.places().of(key), f.what() + ": " + in_quotes(text) + " has another dimension than the other values");
    return q->si;
  }

  Axis read(const Fields& f, const Fields::Inner& inner) {
    Axis axis;
    axis.name = inner.name;
    axis.at = inner.at;
    axis.keys = f.has("sets") ? f.texts("sets") : std::vector{inner.name};
    for (const std::string& key : axis.keys)
      if (key.empty() || std::ranges::count(axis.keys, key) > 1)
        fail(f.places().of("sets"), f.what() + ": sets: " + in_quotes(key) + " is empty or stands here twice");
    const std::size_t before = errors_.size();
    const auto wants = [&](std::initializer_list<const char*> keys, const char* for_what) {
      for (const char* key : keys)
        if (!f.has(key)) fail(inner.at, f.what() + ": " + for_what + " needs the key " + in_quotes(key));
    };
    const auto only = [&](std::initializer_list<std::string_view> keys, const char* with) {
      for (const auto& [key, at] : f.places().keys)
        if (key != "sets" && f.knows(key) && std::ranges::find(keys, key) == keys.end())
          fail(at, f.what() + ": " + in_quotes(key) + " does not go with " + with);
    };
    if (f.has("values")) {
      only({"values"}, "values");
      read_list(f, axis);
    } else if (f.has("distribution")) {
      read_distribution(f, axis, wants, only);
    } else if (f.has("from") || f.has("to")) {
      only({"from", "to", "count", "scale"}, "a range");
      wants({"from", "to"}, "a range");
      if (errors_.size() == before) read_range(f, axis);
    } else if (!f.places().keys.contains("values")) {  // else it is empty, which was said
      fail(inner.at, f.what() + ": expected values, from and to, or a distribution");
    }
    return axis;
  }

  void read_list(const Fields& f, Axis& axis) {
    const std::vector<std::string> texts = f.texts("values");
    const Where at = f.places().of("values");
    if (texts.empty()) return fail(at, f.what() + ": values: the list is empty");
    std::vector<Quantity> numbers;
    for (const std::string& text : texts)
      if (const Result<Quantity> q = read_quantity(text)) numbers.push_back(*q);
    if (numbers.size() == texts.size()) {
      for (const Quantity& q : numbers) {
        axis.numbers.push_back(q.si);
        if (axis.dimension == Dimension{}) axis.dimension = q.dimension;
      }
      for (const Quantity& q : numbers)
        if (!(q.dimension == axis.dimension) && !(q.dimension == Dimension{}))
          return fail(at, f.what() + ": values: they have different dimensions");
      return;
    }
    if (!numbers.empty()) return fail(at, f.what() + ": values: some are numbers and some are not");
    axis.kind = Axis::Kind::words;
    axis.words = texts;
  }

  void read_range(const Fields& f, Axis& axis) {
    const std::size_t before = errors_.size();
    const double from = *quantity(f, "from", axis), to = *quantity(f, "to", axis);
    const bool log = f.text("scale") == "log";
    const std::optional<double> count = f.number("count");
    if (errors_.size() > before) return;
    if (log && !(from > 0 && to > 0))
      return fail(f.places().of("from"), f.what() + ": a log range needs numbers above 0");
    if (!f.has("count")) {
      if (!(from < to))
        return fail(f.places().of("from"), f.what() + ": the range is empty: from must be below to");
      axis.kind = log ? Axis::Kind::log_uniform : Axis::Kind::uniform;
      axis.low = from;
      axis.high = to;
      return;
    }
    if (!count) return;
    if (from == to && *count > 1)
      return fail(f.places().of("to"), f.what() + ": the range is empty: from and to are equal");
    if (*count > 1e6) return fail(f.places().of("count"), f.what() + ": count: at most 1000000");
    const auto n = static_cast<std::size_t>(*count);
    for (std::size_t i = 0; i < n; ++i) {
      const double s = n == 1 ? 0 : static_cast<double>(i) / static_cast<double>(n - 1);
      const double x = log ? from * std::exp(s * std::log(to / from)) : from + (to - from) * s;
      axis.numbers.push_back(i + 1 == n && n > 1 ? to : x);
    }
  }

  template <class Wants, class Only>
  void read_distribution(const Fields& f, Axis& axis, Wants&& wants, Only&& only) {
    const std::size_t before = errors_.size();
    const std::string kind = f.text("distribution");
    const bool bell = kind == "normal" || kind == "lognormal";
    if (bell) {
      only({"distribution", "mean", "deviation"}, "a normal distribution");
      wants({"mean", "deviation"}, "a normal distribution");
    } else if (kind == "triangular") {
      only({"distribution", "low", "mode", "high"}, "a triangular distribution");
      wants({"low", "high"}, "a triangular distribution");
    } else {
      only({"distribution", "low", "high"}, "a uniform distribution");
      wants({"low", "high"}, "a uniform distribution");
    }
    if (errors_.size() > before) return;
    axis.kind = kind == "normal"       ? Axis::Kind::normal
                : kind == "lognormal"  ? Axis::Kind::log_normal
                : kind == "triangular" ? Axis::Kind::triangular
                                       : Axis::Kind::uniform;
    if (bell) {
      axis.mean = *quantity(f, "mean", axis);
      axis.deviation = *quantity(f, "deviation", axis);
      if (!(axis.deviation > 0)) fail(f.places().of("deviation"), f.what() + ": deviation must be above 0");
      if (kind == "lognormal" && !(axis.mean > 0))
        fail(f.places().of("mean"), f.what() + ": the mean of a lognormal distribution is above 0");
      return;
    }
    axis.low = *quantity(f, "low", axis);
    axis.high = *quantity(f, "high", axis);
    axis.mode = quantity(f, "mode", axis).value_or((axis.low + axis.high) / 2);
    if (!(axis.low < axis.high))
      fail(f.places().of("low"), f.what() + ": the range is empty: low must be below high");
    if (axis.mode < axis.low || axis.mode > axis.high)
      fail(f.places().of("mode"), f.what() + ": mode lies outside low .. high");
  }

 private:
  void fail(const Where& at, std::string text) { errors_.push_back({at, std::move(text)}); }

  std::vector<Diagnostic>& errors_;
};

}  // namespace

Axis read_axis(const Fields& fields, const Fields::Inner& inner, std::vector<Diagnostic>& errors) {
  return Reader(errors).read(fields, inner);
}

}  // namespace percuss::study
