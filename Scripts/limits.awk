# Counts against limits, for house.awk and texts.awk. Portable awk, as layers.awk.
#
# Variables: list, the path of NAME.txt, whose lines are COUNT TARGET NUMBER; all, 1 to print what is counted.
# Set before `readLimits`: leasts, which keys are limits from below; bounds, which may be kept without being met. Each
# key is "COUNT TARGET", and the others are exact.

function readLimits(    line, number, fields, count_) {
  tool = list
  gsub(/.*\/|\.txt$/, "", tool)
  while ((getline line < list) > 0) {
    number++
    sub(/#.*/, "", line)
    gsub(/^[ \t]+|[ \t\r]+$/, "", line)
    if (line == "") continue
    count_ = split(line, fields, /[ \t]+/)
    if (count_ != 3 || fields[3] !~ /^[0-9]+$/) {
      refuse(list ":" number ": expected `COUNT TARGET NUMBER`")
      continue
    }
    limit[fields[1] " " fields[2]] = fields[3]
    order[++limits] = fields[1] " " fields[2]
  }
}

function refuse(text_) {
  print tool ": " text_ > "/dev/stderr"
  broken = 1
}

# A line that counts: a name of a count with its target, and where it is.
function found(what, where, text_) {
  count[what]++
  if (all) print where ": [" what "] " text_
}

function here() { return FILENAME ":" FNR }

function compare(    i, key, is, may) {
  for (i = 1; i <= limits; i++) {
    key = order[i]
    is = count[key] + 0
    may = limit[key] + 0
    if (is == may) continue
    if (key ~ leasts ? is < may : is > may) refuse(key " is " is ", " list " says " may)
    else if (key !~ bounds) refuse(key " is " is ": write `" key " " is "` in " list)
  }
  if (!limits) refuse(list " has no limits")
  if (all) for (key in count) print key " " (count[key] + 0)
  exit broken && !all
}
