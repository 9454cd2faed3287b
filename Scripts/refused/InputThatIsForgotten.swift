// error: pack expansion requires that 'Int' and '' have the same shape
import StreamQuery

let repos = Query("repos", for: "swift", 2) { text in [text] }
