#!/usr/bin/env bash
# Runs the tests of a debug build under the leak sanitizer, which finds what nobody can reach any more: a task
# whose continuation is never resumed, for one.
#
#   Scripts/leaks.sh                      the tests built in .build-check
#   Scripts/leaks.sh --scratch-path DIR   those built there
#   Scripts/leaks.sh --self-test          also see that lost continuations are found
#
# The sanitizer is preloaded, so that nothing is compiled for it. The toolchain has it as an archive. Of lost
# continuations it may miss one: what is on a stack or in a register counts as reachable. The sanitizer is for Linux:
# anywhere else nothing is checked, and the script returns 77, as a step of check.sh that is skipped.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
scratch=.build-check
self_test=false
while (($# > 0)); do
  case $1 in
    --scratch-path) scratch=$2; shift ;;
    --self-test) self_test=true ;;
    *) echo "leaks: unknown argument: $1" >&2; exit 2 ;;
  esac
  shift
done

if [[ $(uname -s) != Linux ]]; then
  echo "leaks: the sanitizer is for Linux only; nothing was checked" >&2
  exit 77
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
archive=$(clang -print-file-name="libclang_rt.lsan-$(uname -m).a")
if [[ ! -f $archive ]]; then
  echo "leaks: this toolchain has no leak sanitizer: $archive" >&2
  exit 1
fi
# The sanitizer clears all memory that it gives out, byte by byte: a third of the time. This does so word by word, and is
# taken for it because it comes first.
cat >"$work/clear.c" <<'C'
#include <stddef.h>
#include <stdint.h>
void *__sanitizer_internal_memset(void *memory, int byte, size_t count) {
  unsigned char *next = memory;
  uint64_t word = 0x0101010101010101u * (unsigned char)byte;
  for (; count >= sizeof word; count -= sizeof word, next += sizeof word) __builtin_memcpy(next, &word, sizeof word);
  while (count-- > 0) *next++ = (unsigned char)byte;
  return memory;
}
C
clang -O2 -fno-builtin -fPIC -c "$work/clear.c" -o "$work/clear.o"
clang -shared -o "$work/sanitizer.so" "$work/clear.o" -Wl,--allow-multiple-definition \
  -Wl,--whole-archive "$archive" -Wl,--no-whole-archive -lpthread -ldl -lm

# watched PROGRAM ARGUMENT…: runs a program, and fails if it leaks.
watched() {
  LD_PRELOAD="$work/sanitizer.so" "$@"
}

if $self_test; then
  cat >"$work/Planted.swift" <<'SWIFT'
func lose() async {
  _ = Task { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
  await Task.yield()
}
for _ in 0..<100 { await lose() }
try? await Task.sleep(for: .milliseconds(100))
SWIFT
  swiftc -o "$work/planted" "$work/Planted.swift"
  if watched "$work/planted" >"$work/log" 2>&1 || ! grep -q "LeakSanitizer: detected memory leaks" "$work/log"; then
    cat "$work/log" >&2
    echo "leaks: self-test: a hundred lost continuations were not found" >&2
    exit 1
  fi
  echo "leaks: self-test: lost continuations are found"
fi

flags=()
# As in check.sh: other flags in the same folder would build everything again.
if [[ $scratch == .build-check ]]; then flags=(-Xswiftc -warnings-as-errors); fi
# The plan that is there may be that of a nested package.
swift build --build-tests --disable-build-manifest-caching --scratch-path "$scratch" ${flags[@]+"${flags[@]}"}
products=$(swift build --scratch-path "$scratch" --show-bin-path)
# Without XCTest, whose runner leaks a little.
watched "$products/StreamQueryPackageTests.xctest" --testing-library swift-testing
echo "leaks: nothing is lost"
