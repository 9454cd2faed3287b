// error: does not match 'wrappedValue' type 'ObservedQuery<[Repo]>'
import StreamQuery
import StreamQueryUI
import SwiftUI

struct ProfileView: View {
  @LiveQuery(Query<[Repo]>.repos(1)) private var user: ObservedQuery<User>

  var body: some View { Text(user.data?.name ?? "…") }
}
