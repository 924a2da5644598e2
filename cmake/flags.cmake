# One interface target with the warnings and the promises of the build: no contraction of products and sums, so that every
# optimisation level and instruction set gives the same bits.
add_library(percuss_flags INTERFACE)
target_compile_options(percuss_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual
  -ffp-contract=off)
if(PERCUSS_SANITIZE)
  target_compile_options(percuss_flags INTERFACE -fsanitize=${PERCUSS_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(percuss_flags INTERFACE -fsanitize=${PERCUSS_SANITIZE})
endif()
if(PERCUSS_FUZZ)  # the fuzzer sees where the library goes, not the entry point alone
  target_compile_options(percuss_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# Headers are included as <percuss/room/name.h> here and in an installed tree alike.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR}/include/percuss SYMBOLIC)
target_include_directories(percuss_flags INTERFACE $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>)
