// error: requires the types 'User' and 'String' be equivalent
import StreamQuery
import StreamQueryUI
import SwiftUI

struct NameView: View {
  @LiveSelection<User, String> private var name

  var body: some View { Text(name.data ?? "…") }
}
