#if canImport(SwiftUI)
public import StreamQuery

/// Observes a query for a view, for as long as the view exists.
///
/// ```swift
/// struct ProfileView: View {
///   @LiveQuery(.user(1)) var user
///
///   var body: some View {
///     switch user.phase {
///     case .success(let user): Text(user.name)
///     case .failure(let error, _): Text("\(error)")
///     default: ProgressView()
///     }
///   }
/// }
/// ```
///
/// What is cached shows in the first frame. The view is drawn again only when a property that it
/// has read changes; drawing its parent makes no new subscription.
///
/// A query that depends on values of the view is given in its initialiser:
///
/// ```swift
/// struct ProfileView: View {
///   @LiveQuery<User> var user
///
///   init(id: User.ID) {
///     _user = LiveQuery(.user(id))
///   }
/// }
/// ```
///
/// or, if it depends on state, by the modifier `query(_:_:)` of a view in the body.
///
/// Two wrappers of one key share its data and its requests; each has its own options. Read outside
/// of a body, it shows nothing, and a debug build says so.
public typealias LiveQuery<Value: Sendable> = LiveSelection<Value, Value>

/// Observes an infinite query for a view; see ``LiveSelection``.
public typealias LiveInfiniteQuery<Page: Sendable, PageParam: Hashable & Sendable> =
  LiveQuery<Pages<Page, PageParam>>
#endif
