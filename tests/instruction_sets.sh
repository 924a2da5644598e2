#!/bin/sh
# No function that the linker may share with other files comes from the AVX2 build unless its name carries the wide pack. (The
# exception of std::variant is no arithmetic.)
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
ar x "$1" batch_avx2.cpp.o
shared=$(nm batch_avx2.cpp.o | awk '$2 == "W" || $2 == "V" { print $3 }' | grep -v -e 'PackILi4E' -e 'bad_variant_access' || true)
count=$(nm batch_avx2.cpp.o | grep -c 'PackILi4E')
[ "$count" -gt 0 ] || { echo "no AVX2 kernels found: this test looks at the wrong file"; exit 1; }
[ -z "$shared" ] || { echo "shared symbols compiled for AVX2:"; echo "$shared" | c++filt; exit 1; }
