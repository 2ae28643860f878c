#!/usr/bin/env bash
# Mutation testing of the code that computes indices, classes and signs: each mutant is tried with the
# tests of its own part. Needs cargo-mutants. Survivors are in target/mutants/*/mutants.out/missed.txt.
#
#   tests/mutants.sh [SHARD [PART...]]      SHARD 0/9 is a ninth of all mutants, spread over the files
#                                           PART is broad, bodies, volume or plane (default: all)
set -euo pipefail
cd "$(dirname "$0")/.."
command -v cargo-mutants >/dev/null || { echo "SKIPPED: there is no cargo-mutants"; exit 0; }

shard=${1:-0/9}
[ $# -gt 1 ] && parts=("${@:2}") || parts=(broad bodies volume plane)
# Debug information costs a third of the time, many cases most of it.
export CARGO_PROFILE_DEV_DEBUG=0 OSCULATE_CASES=${OSCULATE_CASES:-64}
out=${MUTANTS_OUT:-target/mutants}

# mutants PART "FILES" "TARGETS" SKIPPED_TESTS...
mutants() {
  local part=$1 arguments=(--features proptest --shard "$shard" --sharding round-robin)
  for file in $2; do arguments+=(-f "src/$file"); done
  for target in --lib $3; do arguments+=("--cargo-arg=$target"); done
  shift 3
  local skipped=()
  for test in "$@"; do skipped+=(--skip "$test"); done
  mkdir -p "$out/$part"
  # Survivors and timeouts are no failure of this script; a broken baseline is.
  cargo mutants -o "$out/$part" --timeout "${MUTANTS_TIMEOUT:-120}" "${arguments[@]}" \
    -- -- "${skipped[@]}" || [ $? -le 3 ]
}

for part in "${parts[@]}"; do
  case $part in
  broad) mutants broad 'broad/{cells,packed,simd,pair_list}.rs shape/periodic_box.rs
      broad/hierarchical_grid/{table,layout,level,sample,tuning,histogram,finder,search,pack,rebuild,lists,updates}.rs' \
      '--test=broad --test=input' \
      narrow:: testing:: shape:: no_pair_is_lost_at_faces monte_carlo levels::tests ;;
  bodies) mutants bodies 'math/{exact,closest}.rs narrow/double_hierarchy/*.rs
      shape/surface/{adjacency,facet_check,mesh_report,weld}.rs shape/convex/{hull,hull_2d}.rs
      shape/solid/{closed,solid_mesh}.rs' \
      '--test=library --test=walls --test=input --test=shapes' \
      broad:: common_plane:: testing:: ;;
  volume) mutants volume 'narrow/contact_volume/{crossing,face,loops,outside}.rs shape/solid/flow.rs' \
      '--test=volumes --test=shapes' \
      broad:: testing:: ;;
  plane) mutants plane 'narrow/common_plane/{feature_pair,search,expanding_polytope,difference_polytope,certificate,state}.rs' '' \
      broad:: testing:: double_hierarchy:: contact_volume:: ;;
  *) echo "no part $part"; exit 1 ;;
  esac
done
