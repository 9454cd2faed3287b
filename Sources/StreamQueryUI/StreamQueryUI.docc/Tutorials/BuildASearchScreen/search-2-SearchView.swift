import Foundation
import StreamQueryUI
import SwiftUI

struct SearchView: View {
  @Bindable var model: SearchModel

  var body: some View {
    List(model.people.data ?? []) { user in
      Text(user.name)
    }
    .searchable(text: $model.text, prompt: "People")
    .navigationTitle("People")
  }
}
