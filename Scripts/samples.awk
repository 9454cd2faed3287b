# Writes each fenced block that is marked `swift` to a file of its own, and the block marked `text`
# that follows it, if only blank lines lie between, to what it must print. For Scripts/samples.sh.
#
# With `-v imports="A B"` each also imports these modules.
#
# With `-v together=1` the files make one module: every sample is a function of its own name, and what
# only files may have stands beside it.
#
# With `-v running="A B"` too, only the samples of these names are functions: each takes the client and the simulation
# that it runs in, which it sees in place of those of its context. Of others only the declarations are written.

function begin(indentation) {
  lines = 0
  margin = indentation
  isFile = 0
  isTest = 0
  isOpen = 1
}

# Declarations that only files may have; everything else may stand in a function.
function needsFile(line) {
  return line ~ /^(import|extension|nonisolated extension|protocol|@Test|@Suite|@main)[ (]?/
}

# What begins a declaration where it is not indented. Functions and variables may stay in a function.
function isDeclaration(line) {
  return line ~ /^@/ || line ~ /^(import|((nonisolated|public|private|final) )*(extension|protocol|struct|enum|class|actor)) /
}

function write(    name, function_name, arguments, core, isRun, modules, count, i) {
  name = FILENAME
  gsub(/[\/.+]/, "_", name)
  name = sprintf("%s/%s_%04d", work, name, start)
  written = name
  isRun = index(" " running " ", " " substr(name, length(work) + 2) " ")
  # What needs a library of tests is not linked.
  if (running && !isRun && (!isFile || isTest)) return
  # What is documented beside its declaration may be for adapters.
  core = (FILENAME ~ /\.swift$/ ? "@_spi(Adapters) @_spi(SharedCache) " : "") "import StreamQuery"
  print "import Foundation\n" core "\nimport StreamQueryPersistence\nimport StreamQueryOperators" > (name ".swift")
  print "import StreamQueryTesting\nimport Testing\n@testable import App" > (name ".swift")
  count = split(imports, modules, " ")
  for (i = 1; i <= count; i++) print "import " modules[i] > (name ".swift")
  function_name = "sample"
  if (together) {
    function_name = name
    sub(/.*\//, "", function_name)
    gsub(/[^A-Za-z0-9]/, "_", function_name)
    if (isFile) emit(name ".swift", 1)
    if (running && !isRun) { close(name ".swift"); return }
  }
  # What observes for views belongs to the main actor, and so do its samples.
  actor = FILENAME ~ /StreamQueryUI|\/Observed/ || imports ~ /StreamQueryUI/ ? "@MainActor " : ""
  if (running) {
    actor = "@MainActor "
    arguments = "client: QueryClient, simulation: Simulation"
  }
  if (!isFile || together) print actor "func " function_name "(" arguments ") async throws {" > (name ".swift")
  emit(name ".swift", isFile && together ? 0 : -1)
  if (!isFile || together) print "}" > (name ".swift")
  close(name ".swift")
}

# The lines of a sample: the declarations, the others, or all.
function emit(file, declarations,    i, isInside, line, next_line) {
  for (i = 1; i <= lines; i++) {
    # What follows a line of attributes is what they are of.
    if (text[i] ~ /^[^ })\/]/ && (i == 1 || text[i - 1] !~ /^@[^{]*$/)) isInside = isDeclaration(text[i])
    if (declarations >= 0 && isInside != declarations) continue
    if (i != next_line) printf "#sourceLocation(file: \"%s\", line: %d)\n", FILENAME, start + i > file
    line = text[i]
    # The program is ours.
    if (running) sub(/^@main /, "", line)
    print line > file
    next_line = i + 1
  }
  if (next_line) print "#sourceLocation()" > file
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
  if (line ~ /^(@Test|@Suite|import XCTest)/) isTest = 1
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
line ~ /^ *```text$/ && written != "" { isText = 1; printf "" > (written ".expected"); next }
line !~ /^ *$/ { written = "" }
