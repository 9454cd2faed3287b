# Writes each fenced block that is marked `swift` to a file of its own, and the block marked `text`
# that follows it, if only blank lines lie between, to what it must print. For Scripts/samples.sh.

function begin(indentation) {
  lines = 0
  margin = indentation
  isFile = 0
  isOpen = 1
}

# Declarations that only files may have; everything else may stand in a function.
function needsFile(line) {
  return line ~ /^(import|extension|nonisolated extension|protocol|@Test|@Suite|@main)[ (]?/
}

function write(    name, i) {
  name = FILENAME
  gsub(/[\/.+]/, "_", name)
  name = sprintf("%s/%s_%04d", work, name, start)
  written = name
  print "import Foundation\nimport StreamQuery\nimport StreamQueryOperators" > (name ".swift")
  print "import StreamQueryTesting\nimport Testing\n@testable import App" > (name ".swift")
  if (!isFile) print "func sample() async throws {" > (name ".swift")
  printf "#sourceLocation(file: \"%s\", line: %d)\n", FILENAME, start + 1 > (name ".swift")
  for (i = 1; i <= lines; i++) print text[i] > (name ".swift")
  print "#sourceLocation()" > (name ".swift")
  if (!isFile) print "}" > (name ".swift")
  close(name ".swift")
}

FNR == 1 { isOpen = 0; written = ""; isText = 0 }

{
  line = $0
  if (FILENAME ~ /\.swift$/) {
    if (line !~ /^ *\/\/\//) { isOpen = 0; isText = 0; written = ""; next }
    sub(/^ *\/\/\/ ?/, "", line)
  }
}

isOpen && line ~ /^ *```/ { write(); isOpen = 0; next }
isOpen {
  sub("^" margin, "", line)
  text[++lines] = line
  if (needsFile(line)) isFile = 1
  next
}
isText && line ~ /^ *```/ { isText = 0; close(written ".expected"); written = ""; next }
isText { print line > (written ".expected"); next }
line ~ /^ *```swift$/ {
  start = FNR
  match(line, /^ */)
  begin(substr(line, 1, RLENGTH))
  next
}
line ~ /^ *```text$/ && written != "" { isText = 1; next }
line !~ /^ *$/ { written = "" }
