#if canImport(SwiftUI)
import Foundation
import StreamQueryUI
import SwiftUI

/// The results of the search; until they come, the results for the former text.
struct SearchView: View {
  let model: SearchModel

  var body: some View {
    List {
      if model.people.isFetching { ProgressView() }
      if let error = model.people.error { Text(error.localizedDescription) }
      if model.hasNoMatch { Text("Nobody is called \(model.text)") }
      ForEach(model.people.data ?? []) { user in
        NavigationLink(value: AppModel.Route.person(user.id)) { Text(user.name) }
      }
    }
    .navigationTitle("People")
  }
}
#endif
