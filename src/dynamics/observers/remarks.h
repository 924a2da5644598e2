// Warnings of a run, each kind once.
#pragma once

#include <string>
#include <vector>

#include "percuss/dynamics/observer.h"

namespace percuss::dynamics {

class Remarks final : public Observer {
 public:
  void warn(const std::string& text) override;
  void save(Writer& out) const override;
  bool restore(Reader& in) override;
  const std::vector<std::string>& all() const { return all_; }

 private:
  std::vector<std::string> all_;
};

}  // namespace percuss::dynamics
