// error: write the selection in place, as in @LiveSelection(select: …)
import StreamQuery
import StreamQueryUI
import SwiftUI

struct NameView: View {
  @LiveSelection<User, String> private var name

  var body: some View { Text(name.data ?? "…") }
}
