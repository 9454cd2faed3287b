// error: to expected argument type 'Query<ObservedQuery<User>.Stored>' (aka 'Query<User>')
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
