# Swift without comments and without the text of strings, for the scripts that read sources. Portable
# awk, as theirs.

# Called before the first line of a file.
function beginCode() {
  depth = 0    # open strings and interpolations, see `code`
  comment = 0  # nesting of block comments
}

# The line without comments and without the text of strings, and its line comment in `lineComment`.
# Kept between lines: `comment`, and a stack of open literals, kind[depth] being "string" or "code"
# for the inside of an interpolation, with hashes[depth] and several[depth] of a string and
# parentheses[depth] of an interpolation.
function code(line,    out, i, n, c, two, count, end) {
  out = ""
  lineComment = ""
  n = length(line)
  i = 1
  if (depth && kind[depth] == "string" && !several[depth]) depth = 0
  while (i <= n) {
    c = substr(line, i, 1)
    two = substr(line, i, 2)
    if (comment) {
      if (two == "*/") { comment--; i += 2; if (!comment) out = out " " }
      else if (two == "/*") { comment++; i += 2 }
      else i++
    } else if (depth && kind[depth] == "string") {
      end = (several[depth] ? "\"\"\"" : "\"") hashes[depth]
      if (substr(line, i, length(end)) == end) { i += length(end); depth--; out = out "\"" }
      else if (c == "\\" && substr(line, i + 1, length(hashes[depth])) == hashes[depth]) {
        i += 1 + length(hashes[depth])
        if (substr(line, i, 1) == "(") { kind[++depth] = "code"; parentheses[depth] = 0; out = out " " }
        i++
      } else i++
    } else if (two == "//") {
      lineComment = substr(line, i)
      break
    } else if (two == "/*") { comment = 1; i += 2 }
    else if (c == "\"" || (c == "#" && match(substr(line, i), /^#+"/))) {
      count = 0
      while (substr(line, i, 1) == "#") { count++; i++ }
      kind[++depth] = "string"
      hashes[depth] = ""
      while (count-- > 0) hashes[depth] = hashes[depth] "#"
      several[depth] = substr(line, i, 3) == "\"\"\""
      i += several[depth] ? 3 : 1
      out = out "\""
    } else if (depth && c == ")" && parentheses[depth] == 0) { depth--; out = out " "; i++ }
    else {
      if (depth && c == "(") parentheses[depth]++
      if (depth && c == ")") parentheses[depth]--
      out = out c
      i++
    }
  }
  return out
}
