import Foundation
import Observation
import StreamQuery
import StreamQueryUI

/// Edits the name of a user, and tells the state of the last change.
@MainActor @Observable
final class EditModel {
  /// Whether the form is shown.
  var isEditing = false
  var name = ""

  private let id: User.ID
  private let rename: ObservedMutation<Rename, User>

  init(id: User.ID, api: any API, client: QueryClient) {
    self.id = id
    rename = ObservedMutation(.rename(in: api), client: client)
  }

  /// Shows the form.
  func edit(_ user: User) {
    name = user.name
    isEditing = true
  }

  /// Closes the form; the new name shows at once.
  func save() {
    isEditing = false
    rename.run(Rename(id: id, name: name))
  }

  var canSave: Bool { !name.isEmpty }

  /// A message for the user about the last change; `nil` if there is nothing to say.
  var state: String? {
    if let error = rename.error { return "Not saved: \(error.localizedDescription)" }
    guard rename.isPending else { return nil }
    return rename.isPaused ? "Will be saved when you are online" : "Saving…"
  }

  var hasFailed: Bool { rename.isError }
}
