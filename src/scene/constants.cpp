// Constants in any order: each is read when another one needs it.
#include "percuss/scene/constants.h"

#include <cmath>

#include "percuss/base/words.h"
#include "percuss/expression/parse.h"

namespace percuss::scene {

using expression::Amount;

namespace {

/// Does a number with a unit begin here, be it a wrong one? Then the mistake is in the unit, not in an expression.
bool looks_like_quantity(std::string_view text) {
  const std::size_t digits = text.find_first_not_of("+-0123456789.");
  if (digits == std::string_view::npos || digits == 0) return digits != 0;
  const std::size_t letter = text.find_first_not_of(' ', digits);
  return letter != std::string_view::npos && text.find_first_of("*+-()", letter) == std::string_view::npos &&
         text[letter] != '/' && text[letter] != '^';
}

}  // namespace

bool is_quantity(std::string_view text) { return static_cast<bool>(read_quantity(text)); }

void Constants::add(const std::string& name, const Amount& amount) {
  slots_.emplace(name, names_.size());
  names_.push_back(name);
  amounts_.push_back(amount);
}

Result<Amount> Constants::amount(std::string_view text) const {
  const Result<Quantity> quantity = read_quantity(text);
  if (quantity)
    return Amount{quantity->si, quantity->has_unit ? Amount::Unit::known : Amount::Unit::written,
                  quantity->dimension};
  // the names that stand in the text, not all there are: a scene may have thousands
  std::vector<std::string_view> used;
  std::vector<Amount> values;
  with_names_replaced(text, [&](std::string_view name) {
    if (const auto slot = slots_.find(std::string(name)); slot != slots_.end()) {
      used.emplace_back(slot->first);
      values.push_back(amounts_[slot->second]);
    }
    return std::string{};
  });
  const Result<expression::Program> program = expression::parse(text, used);
  if (!program) {
    if (names_.empty() || looks_like_quantity(text)) return quantity.errors();
    Diagnostic error = program.errors().front();
    if (error.text.starts_with("unexpected \"") && text.find(' ') != std::string_view::npos)
      error.text += "; numbers of an expression are in SI units and carry no unit";
    if (error.text.starts_with("unknown name") && used.empty()) {
      const std::vector<std::string_view> all(names_.begin(), names_.end());
      std::string_view name = error.text;
      name.remove_prefix(std::min(name.find('"') + 1, name.size()));
      name = name.substr(0, name.find('"'));
      const std::string hint = did_you_mean(name, all);
      error.text =
          "unknown name " + in_quotes(name) + (hint.empty() ? "; constants: " + joined_briefly(all) : hint);
    }
    return error;
  }
  Result<Amount> amount = expression::evaluate_amount(*program, values);
  if (!amount)
    return Diagnostic{{}, in_quotes(text) + ": " + amount.errors().front().text, Diagnostic::Kind::dimension};
  if (!std::isfinite(amount->si)) return Diagnostic{{}, in_quotes(text) + " is not a finite number"};
  return amount;
}

Result<double> Constants::number(std::string_view text, const Dimension& expected) const {
  if (is_quantity(text)) return read_number(text, expected);
  const Result<Amount> found = amount(text);
  if (!found) return found.errors();
  if (found->unit == Amount::Unit::known && name_of(found->dimension) != name_of(expected))
    return Diagnostic{
        {},
        in_quotes(text) + " is " + name_of(found->dimension) + "; expected " + expectation_of(expected),
        Diagnostic::Kind::dimension};
  return found->si;
}

Constants::Constants(const Node* mapping, std::vector<Diagnostic>& errors) {
  if (!mapping || mapping->kind != Node::Kind::mapping) return;
  std::unordered_map<std::string_view, const Entry*> given;
  for (const Entry& entry : mapping->entries)
    if (entry.value.kind == Node::Kind::scalar) given.emplace(entry.key, &entry);
  std::unordered_map<std::string_view, bool> done;  // false: begun
  // depth first without recursion: a chain of a thousand constants is not a thousand calls
  for (const Entry& first : mapping->entries) {
    if (first.value.kind != Node::Kind::scalar) continue;
    std::vector<const Entry*> open{&first};
    while (!open.empty()) {
      const Entry& entry = *open.back();
      if (done.contains(entry.key) && done[entry.key]) {
        open.pop_back();
        continue;
      }
      done[entry.key] = false;
      const Entry* needed = nullptr;
      std::string circle;
      if (!is_quantity(entry.value.text))
        with_names_replaced(entry.value.text, [&](std::string_view name) {
          const auto other = given.find(name);
          if (other == given.end() || needed) return std::string{};
          const auto state = done.find(name);
          if (state != done.end() && state->second) return std::string{};
          if (state != done.end())
            circle = name;
          else
            needed = other->second;
          return std::string{};
        });
      if (needed && circle.empty()) {
        open.push_back(needed);
        continue;
      }
      Amount amount{1, Amount::Unit::open, {}};
      const std::string what = "constants." + entry.key + ": ";
      if (!circle.empty()) {
        errors.push_back({entry.value.at, what + (circle == entry.key ? "it is made of itself"
                                                                      : "it and " + in_quotes(circle) +
                                                                            " are made of each other")});
      } else if (const Result<Amount> read = this->amount(entry.value.text)) {
        amount = *read;
        if (amount.unit == Amount::Unit::written) amount.unit = Amount::Unit::open;
      } else {
        errors.push_back({entry.value.at, what + read.errors().front().text});
      }
      add(entry.key, amount);
      done[entry.key] = true;
      open.pop_back();
    }
  }
}

}  // namespace percuss::scene
