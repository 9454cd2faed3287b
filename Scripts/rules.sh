# Sourced by scripts that check rules about a checkout, and that can prove that each rule can fail. Such a script defines
# `check FOLDER`, which says on standard error what is wrong. This sets, from the script's arguments,
#
#   name, here   the name of the script, and the folder of scripts
#   root         the checkout to check: this one, or that of --root
#   self_test    whether to prove that each rule can fail: --self-test
#   all          1 to print all findings: --list

name=$(basename "$0" .sh)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
self_test=false
all=0
while (($# > 0)); do
  case $1 in
    --self-test) self_test=true ;;
    --list) all=1 ;;
    --root) root=$(cd "$2" && pwd); shift ;;
    *) echo "$name: unknown argument: $1" >&2; exit 2 ;;
  esac
  shift
done

# check_sources FOLDER AWK…: checks the Swift files of a checkout by NAME.awk, behind these, and its list NAME.txt.
check_sources() { check_files "$1" '! -path *.docc/*' '*.swift' swift-code.awk "${@:2}"; }

# check_articles FOLDER AWK…: the same for the articles of its documentation, and for the texts beside them.
check_articles() {
  local texts=(README.md Skills/streamquery/SKILL.md 'Integrations/*/*.md')
  check_files "$1" '-path *.docc/*' '*.md' "${@:2}"
}

# check_files FOLDER PLACE PATTERN AWK…: the same for the files of Sources that `find` sees by the place and the pattern,
# and for those of `texts` that exist, which may be patterns too.
check_files() (
  cd "$1"
  list=Scripts/$name.txt
  [[ -f $list ]] || { echo "$name: $list is missing" >&2; exit 1; }
  files=()
  set -f
  while IFS= read -r file; do files+=("$file")
  done < <(find Sources -name "$3" $2 | LC_ALL=C sort)
  set +f
  for file in ${texts[@]+${texts[@]}}; do if [[ -f $file ]]; then files+=("$file"); fi; done
  if ((${#files[@]} == 0)); then
    echo "$name: no file $3 found in $1/Sources" >&2
    exit 1
  fi
  code=()
  for file in "${@:4}" "$name.awk"; do code+=(-f "$here/$file"); done
  LC_ALL=C awk -v list="$list" -v all="$all" "${code[@]}" "${files[@]}"
)

# expect_finding FINDING: the checkout $scratch/tree must be refused with this text, or not at all when it is "nothing".
expect_finding() {
  local status=0
  check "$scratch/tree" >"$scratch/log" 2>&1 || status=$?
  if [[ $1 == nothing ]]; then
    if ((status == 0)); then return 0; fi
  elif ((status != 0)) && grep -qF -- "$1" "$scratch/log"; then
    return 0
  fi
  echo "$name: self-test: expected $1, got status $status:" >&2
  cat "$scratch/log" >&2
  exit 1
}
