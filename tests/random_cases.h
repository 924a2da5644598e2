// How many random instances a test tries: a few in every run of the tests, all of them in `./dev validate`.
#pragma once

#include <cstdlib>
#include <iostream>
#include <string>

/// Tests that use it stand in suites named Random..., by which `./dev validate` finds them.
inline bool tries_all_cases() { return std::getenv("PERCUSS_ALL_CASES") != nullptr; }
inline int cases(int few, int all) { return tries_all_cases() ? all : few; }

/// A measured figure of `./dev validate`: one line, told apart from the output of the tests.
inline void report_figure(const std::string& line) { std::cout << "figure: " << line << std::endl; }
