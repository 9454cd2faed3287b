import Foundation
import StreamQueryUI
import SwiftUI

struct SearchView: View {
  @Bindable var model: SearchModel

  var body: some View {
    List {
      if model.text.isEmpty {
        Text("Type a name")
      } else {
        if model.people.isFetching { ProgressView() }
        if let error = model.people.error {
          Text(error.localizedDescription)
        }
        if model.hasNoMatch {
          Text("Nobody is called \(model.text)")
        }
        ForEach(model.people.data ?? []) { user in
          Text(user.name)
        }
      }
    }
    .searchable(text: $model.text, prompt: "People")
    .navigationTitle("People")
  }
}
