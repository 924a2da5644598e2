// The account of each restitution: where the delivered one parts from that of an isolated collision.
#pragma once

#include <vector>

#include "percuss/dynamics/observer.h"

namespace percuss::dynamics {

/// Work along the normal of one contact since touch that its own force did not do.
struct AccountEntry {
  std::int64_t id = -1;
  ContactKey key{};
  double other_forces_J = 0, other_contacts_J = 0, mass_change_J = 0;
};

/// With m the effective mass now and m_0 that at touch, the depth x and the force F,
///   x'' = -F/m + (what all other forces do),  m_0 (v_1^2 - v_0^2)/2 = integral of m_0 x' x''
///     = -integral of F x' + integral of F x' (1 - m_0/m) + m_0 integral of x' (x'' + F/m).
/// The last is split into other contacts and the rest; a force f changes x'' by -r . f, r the response to a unit
/// force at the contact point. Costs a solution of the joints' equations per contact and stage.
class Account final : public Observer {
 public:
  explicit Account(const Model& model) : model_(model) {}
  void begin(const StateView& view) override;
  void step(const StepView& step) override;
  void event(const EventView& event) override;
  void state(const StateView& view) override;
  StageDetail needs_stages() const override { return StageDetail::everything; }
  void save(Writer& out) const override { out.put(entries_); }
  bool restore(Reader& in) override { return in.get(entries_); }

  const AccountEntry* find(std::int64_t id) const;

 private:
  /// The rate of change of the gap's rate that all that the contact exerts itself causes.
  double own_response(const Modes& modes, const Evaluation& e, const ContactNow& now);

  const Model& model_;
  std::vector<AccountEntry> entries_;  // as in Modes
  std::vector<std::int64_t> ended_;
  std::vector<double> by_contacts_, response_, coupling_, x_;
};

}  // namespace percuss::dynamics
