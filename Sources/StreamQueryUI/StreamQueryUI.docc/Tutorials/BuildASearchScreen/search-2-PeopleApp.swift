import StreamQuery
import SwiftUI

@main
struct PeopleApp: App {
  @State private var search = SearchModel(
    api: DemoServer(),
    client: QueryClient()
  )

  var body: some Scene {
    WindowGroup {
      NavigationStack { SearchView(model: search) }
    }
  }
}
