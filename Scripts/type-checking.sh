#!/usr/bin/env bash
# Holds every expression of the API's and the operators' tests to 100 ms of type-checking, longer on a slow
# machine (`type_checking_limit`): chains of operators, as users write them. `samples.sh` does the same for
# the samples of the documentation.
#
#   Scripts/type-checking.sh                      check
#   Scripts/type-checking.sh --scratch-path DIR   use the modules built there (default .build-check)
#   Scripts/type-checking.sh --self-test          also see that a limit of 1 ms finds something
#
# A machine that is busy may take longer for once: only what is too slow three times in a row counts, by what
# the machine takes then.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
source Scripts/modules.sh
scratch=.build-check
self_test=false
while (($# > 0)); do
  case $1 in
    --scratch-path) scratch=$2; shift ;;
    --self-test) self_test=true ;;
    *) echo "type-checking: unknown argument: $1" >&2; exit 2 ;;
  esac
  shift
done

build_modules "$scratch"
limit=$(type_checking_limit)
expectations=Tests/StreamQueryTests/Support/Expectations.swift

# Prints each expression of a folder of tests that takes longer than some milliseconds.
slow() {
  local folder=$1 bound=$2 sources=() output
  while IFS= read -r file; do sources+=("$file"); done < <(find "$folder" -name '*.swift' | sort)
  # What all tests call, and not each folder has.
  if [[ ${sources[*]} != */Expectations.swift* ]]; then sources+=("$expectations"); fi
  output=$(swiftc -typecheck -wmo "${settings[@]}" -module-name "${folder##*/}" \
    -Xfrontend -warn-long-expression-type-checking="$bound" "${sources[@]}" 2>&1) ||
    { echo "$output" >&2; return 1; }
  sed -n 's/^\([^ ]*\): warning: expression took .* to type-check.*/\1/p' <<<"$output" | sort -u
}

chains=Tests/StreamQueryAPITests
if $self_test && [[ -z $(slow "$chains" 1) ]]; then
  echo "type-checking: a limit of 1 ms finds nothing: it finds nothing at all" >&2
  exit 1
fi

others=(Tests/StreamQueryUITests/Samples Tests/StreamQueryOperatorsTests Tests/StreamQueryThreadTests/Operators)
for folder in "$chains" "${others[@]}"; do
  found=$(slow "$folder" "$limit")
  for _ in 1 2; do
    if [[ -z $found ]]; then break; fi
    now=$(type_checking_limit)
    limit=$((now > limit ? now : limit))
    again=$(slow "$folder" "$limit")
    found=$(comm -12 <(echo "$found") <(echo "$again"))
  done
  if [[ -n $found ]]; then
    sed "s/\$/: error: takes longer than $limit ms to type-check/" <<<"$found" >&2
    exit 1
  fi
done
echo "type-checking: every expression of the API's and the operators' tests takes at most $limit ms"
