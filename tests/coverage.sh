#!/usr/bin/env bash
# Lines and regions that the tests run, by file. Needs cargo-llvm-cov and LLVM's tools of the major
# version of rustc's LLVM (`rustup component add llvm-tools`, or a package: LLVM_COV and LLVM_PROFDATA).
#
#   tests/coverage.sh [ARGUMENTS OF cargo llvm-cov]     # --html, say
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
cargo llvm-cov --all-features --lib --tests --ignore-filename-regex '(tests|testing)(/|\.rs)' "$@"
