#!/usr/bin/env bash
# Functions, lines and regions that the tests run, by module. Needs cargo-llvm-cov and LLVM's tools of the
# major version of rustc's LLVM (`rustup component add llvm-tools`, or a package: LLVM_COV and LLVM_PROFDATA).
#
#   tests/coverage.sh [ARGUMENTS OF cargo llvm-cov report]     # then a report: --html, say
set -euo pipefail
cd "$(dirname "$0")/.."
skip() { echo "SKIPPED: $*" >&2; exit 0; }
command -v cargo-llvm-cov >/dev/null || skip "there is no cargo-llvm-cov; coverage is NOT measured"
major=$(rustc -vV | sed -n 's/^LLVM version: \([0-9]*\).*/\1/p')
tools=$(rustc --print sysroot)/lib/rustlib/$(rustc -vV | sed -n 's/^host: //p')/bin
if [ ! -x "$tools/llvm-cov" ]; then
  export LLVM_COV=${LLVM_COV:-$(command -v "llvm-cov-$major" || true)}
  export LLVM_PROFDATA=${LLVM_PROFDATA:-$(command -v "llvm-profdata-$major" || true)}
  [ -x "$LLVM_COV" ] && [ -x "$LLVM_PROFDATA" ] ||
    skip "there are no llvm-tools of LLVM $major; coverage is NOT measured"
fi
export OSCULATE_CASES=${OSCULATE_CASES:-32}
ignored=(--ignore-filename-regex '(tests|testing)(/|\.rs)')
cargo llvm-cov --all-features --lib --tests --no-report
# A row has a file's name, then of regions, functions and lines each: all, missed, a percentage.
cargo llvm-cov report "${ignored[@]}" --summary-only | awk '
  function add(module) {
    modules[module]
    for (i = 0; i < 3; i++) {
      all[module, i] += $(3 * i + 2)
      missed[module, i] += $(3 * i + 3)
    }
  }
  function share(module, i) { return 100 * (1 - missed[module, i] / all[module, i]) }
  /\.rs / {
    depth = split($1, path, "/")
    add(depth > 2 ? path[1] "/" path[2] : path[1])
    add("~ all")
  }
  END {
    for (m in modules)
      printf "| %s | %.1f %% of %d | %.1f %% of %d | %.1f %% of %d |\n", m,
        share(m, 1), all[m, 1], share(m, 2), all[m, 2], share(m, 0), all[m, 0] | "sort"
  }
'
[ $# -eq 0 ] || cargo llvm-cov report "${ignored[@]}" "$@"
