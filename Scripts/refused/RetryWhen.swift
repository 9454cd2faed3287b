// error: 'when' has been renamed to 'while(_:)'
import StreamQuery

let query = Query("users") { [User]() }.retry(.when { failures, _ in failures < 2 })
