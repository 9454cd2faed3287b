#if canImport(SwiftUI)
import SwiftUI

/// The feed, or the results of the search.
struct HomeView: View {
  let app: AppModel
  @Bindable var search: SearchModel

  var body: some View {
    Group {
      if search.text.isEmpty {
        FeedView(model: app.feed)
      } else {
        SearchView(model: search)
      }
    }
    .searchable(text: $search.text, prompt: "People")
  }
}
#endif
