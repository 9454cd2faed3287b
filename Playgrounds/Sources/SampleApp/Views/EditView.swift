#if canImport(SwiftUI)
import SwiftUI

/// A form for a name.
struct EditView: View {
  @Bindable var model: EditModel

  var body: some View {
    Form {
      TextField("Name", text: $model.name)
      Button("Save") { model.save() }.disabled(!model.canSave)
      Button("Cancel") { model.isEditing = false }
    }
  }
}
#endif
