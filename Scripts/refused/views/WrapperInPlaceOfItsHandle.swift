// error: use wrapper instead
import StreamQuery
import StreamQueryUI
import SwiftUI

struct ProfileView: View {
  @LiveQuery<User> private var user

  var body: some View { Text(user.data?.name ?? "…").query(user, .user(1)) }
}
