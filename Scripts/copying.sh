# Sourced by scripts that change a copy of the project.

# copy_project COPY [FOLDER]: makes a folder a copy of what git would commit here; files in the other folder take the
# place of those of their names, or are added. Only what changed is written, so that only that is built.
copy_project() {
  local copy=$1 instead=${2:-/dev/null} file from
  mkdir -p "$copy"
  git -C "$copy" init -q
  {
    git ls-files --cached --others --exclude-standard -z
    if [[ -d $instead ]]; then (cd "$instead" && find ./* -type f -print0); fi
  } | while IFS= read -r -d '' file; do
    file=${file#./}
    from=$file
    if [[ -f $instead/$file ]]; then from=$instead/$file; fi
    if [[ ! -f $from ]] || cmp -s "$from" "$copy/$file"; then continue; fi
    mkdir -p "$copy/$(dirname "$file")"
    cp -P "$from" "$copy/$file"
  done
  # What is gone here is gone there, too.
  git -C "$copy" ls-files -z | while IFS= read -r -d '' file; do
    if [[ ! -f $file && ! -f $instead/$file ]]; then rm -f "$copy/$file"; fi
  done
  git -C "$copy" add -A
}
