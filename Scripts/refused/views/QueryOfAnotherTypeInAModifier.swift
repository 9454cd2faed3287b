// error: cannot convert value of type 'Query<[Repo]>' to expected argument type 'Query<User>'
import StreamQuery
import StreamQueryUI
import SwiftUI

struct ProfileView: View {
  let id: User.ID
  @LiveQuery<User> private var user

  var body: some View {
    Text(user.data?.name ?? "…").query($user, Query<[Repo]>.repos(id))
  }
}
