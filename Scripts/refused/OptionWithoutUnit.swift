// error: write the unit, such as .seconds(60)
import StreamQuery

let options = QueryOptions(refetchInterval: 60)
