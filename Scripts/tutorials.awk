# The app of a tutorial after each of its sections: a line for each, with the code files that it then consists of. If a
# section shows a file twice, there is also a line for what comes before the second time. For Scripts/tutorials.sh.

function finish(    i, line) {
  if (!isChanged) return
  for (i = 1; i <= count; i++) line = line " " shown[names[i]]
  print substr(line, 2)
  isChanged = 0
  split("", isNew)
}

/^ *@Section\(/ { finish() }

/^ *@Code\(/ {
  name = $0
  file = $0
  if (!sub(/.*name: "/, "", name) || !sub(/.*[ (]file: "?/, "", file)) {
    print FILENAME ":" FNR ": name and file stand in this line" > "/dev/stderr"
    exit 1
  }
  sub(/".*/, "", name)
  sub(/[",)].*/, "", file)
  if (name in isNew) finish()
  if (!(name in shown)) names[++count] = name
  shown[name] = file
  isNew[name] = 1
  isChanged = 1
}

END { finish() }
