// error: cannot convert
import StreamQuery

extension DefaultedQuery<[User]> {
  static var followers: Self { Query(key: "followers").defaulting(to: []) }
}

let followers: Set<User> = QueryClient().data(for: .followers)
