// error: 'infinity' has been renamed to 'infinite'
import StreamQuery

let query = Query("countries") { [User]() }.staleTime(.infinity)
