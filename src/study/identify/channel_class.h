// The low-pass filter of crash-test data: SAE J211-1, channel frequency classes.
#pragma once

#include <vector>

namespace percuss::study {

/// Butterworth of two poles run forwards and backwards (four poles, no phase), as SAE J211-1 appendix C gives it:
/// with T the sampling time, w_d = 2 pi CFC 2.0775, w_a = tan(w_d T/2). What lies before the first and after the
/// last value is taken as those values.
std::vector<double> filtered(const std::vector<double>& values, double sampling_s, double channel_class);

/// Samples beyond the ends that a filter of this class looks at.
std::size_t filter_reach(double sampling_s, double channel_class);

}  // namespace percuss::study
