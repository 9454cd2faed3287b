// error: cannot assign value of type 'LiveQuery<[Repo]>'
import StreamQuery
import StreamQueryUI
import SwiftUI

struct ProfileView: View {
  @LiveQuery<User> private var user

  init(id: User.ID) { _user = LiveQuery(Query<[Repo]>.repos(id)) }

  var body: some View { Text(user.data?.name ?? "…") }
}
