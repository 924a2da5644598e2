// The bytes of page_template.html, taken in by the assembler.
#include "percuss/report/page_template.h"

// clang-format off
asm(".section .rodata\n"
    ".global percuss_page_begin\n"
    ".global percuss_page_end\n"
    "percuss_page_begin:\n"
    ".incbin \"" PERCUSS_PAGE_TEMPLATE "\"\n"
    "percuss_page_end:\n"
    ".byte 0\n"
    ".text\n");
// clang-format on
extern "C" const char percuss_page_begin[], percuss_page_end[];

namespace percuss::report {

std::string_view page_template() {
  return {percuss_page_begin, static_cast<std::size_t>(percuss_page_end - percuss_page_begin)};
}

}  // namespace percuss::report
