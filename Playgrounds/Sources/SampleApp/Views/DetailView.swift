#if canImport(SwiftUI)
import Foundation
import StreamQueryUI
import SwiftUI

/// The screen of a user, or of the error if the user cannot be shown.
struct DetailScreen: View {
  let id: User.ID
  let app: AppModel

  var body: some View {
    ErrorBoundaryView {
      DetailView(id: id, app: app)
    } failure: { error, retry in
      VStack {
        Text(error.localizedDescription)
        Button("Try again", action: retry)
      }
    }
    .navigationTitle("Person")
  }
}

/// The details of a user; the property wrapper observes the query for as long as the screen is shown.
struct DetailView: View {
  @LiveQuery<User> private var user
  @State private var edit: EditModel

  init(id: User.ID, app: AppModel) {
    _user = LiveQuery(.user(id, from: app.api))
    _edit = State(wrappedValue: EditModel(id: id, api: app.api, client: app.client))
  }

  var body: some View {
    List {
      if let shown = user.data {
        Text(shown.name)
        if let state = edit.state { Text(state) }
        if edit.hasFailed {
          Button("Edit again") { edit.isEditing = true }
        } else {
          Button("Edit") { edit.edit(shown) }
        }
      } else {
        LoadingView(isPaused: user.isPaused)
      }
    }
    .refreshable(user)
    .sheet(isPresented: $edit.isEditing) { EditView(model: edit) }
  }
}
#endif
