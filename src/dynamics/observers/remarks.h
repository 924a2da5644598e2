// Warnings of a run: of each kind and subject the first.
#pragma once

#include <string>
#include <vector>

#include "percuss/dynamics/observer.h"

namespace percuss::dynamics {

class Remarks final : public Observer {
 public:
  void warn(const Warning& warning) override;
  void save(Writer& out) const override;
  bool restore(Reader& in) override;
  std::vector<std::string> texts() const;

 private:
  std::vector<Warning> all_;
};

}  // namespace percuss::dynamics
