#if canImport(SwiftUI)
public import StreamQuery
public import SwiftUI

extension View {
  /// Sets a property wrapper's query, for queries that depend on the view's state.
  ///
  /// ```swift
  /// struct FollowersView: View {
  ///   @State private var name = ""
  ///   @LiveQuery<[Follower]> private var followers
  ///
  ///   var body: some View {
  ///     List(followers.data ?? []) { Text($0.login) }
  ///       .query($followers, .followers(of: name).enabled(!name.isEmpty))
  ///   }
  /// }
  /// ```
  ///
  /// The wrapper observes while this view is shown. The body is drawn before this modifier sets the query, so
  /// cached data shows one update later than with a query in the initialiser.
  ///
  /// - Parameters:
  ///   - live: The property wrapper. A query that it was declared with is no longer observed, even after this
  ///     modifier is gone.
  ///   - query: The query; it may be another one at each update.
  ///   - debounce: For search as you type: a new key is observed when no other key was set for this time;
  ///     meanwhile the former key is shown. `nil` means no wait.
  /// - Returns: The view.
  public func query<Object: _QueryObjectMembers>(
    _ live: LiveHandle<Object>,
    _ query: Query<Object.Stored>,
    debounce: Duration? = nil
  ) -> some View {
    asking(live) { $0.configure(query, $1, $2, $3, debounce: debounce) }
  }

  /// Sets a property wrapper's query by a key and a fetch.
  ///
  /// ```swift
  /// struct FollowersView: View {
  ///   let name: String
  ///   @LiveQuery<[Follower]> private var followers
  ///
  ///   var body: some View {
  ///     List(followers.data ?? []) { Text($0.login) }
  ///       .query($followers, key: ["followers", name], enabled: !name.isEmpty) { [name] in
  ///         try await api.followers(of: name)
  ///       }
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - live: The property wrapper.
  ///   - key: The key, which must have every input of the fetch.
  ///   - enabled: Whether the query fetches by itself.
  ///   - debounce: For search as you type: a new key is observed when no other key was set for this time;
  ///     meanwhile the former key is shown. `nil` means no wait.
  ///   - fetch: Fetches the value.
  /// - Returns: The view.
  public func query<Object: _QueryObjectMembers>(
    _ live: LiveHandle<Object>,
    key: QueryKey<Object.Stored>,
    enabled: Bool = true,
    debounce: Duration? = nil,
    fetch: @escaping @Sendable @concurrent () async throws -> Object.Stored
  ) -> some View {
    query(live, Query(key: key, fetch: fetch).enabled(enabled), debounce: debounce)
  }

  /// Sets a property wrapper's list of queries.
  ///
  /// - Parameters:
  ///   - live: The property wrapper.
  ///   - queries: The queries.
  /// - Returns: The view.
  public func queries(_ live: LiveHandle<ObservedQueries>, _ queries: [AnyQuery]) -> some View {
    asking(live) { $0.configure(queries, $2, $3) }
  }

  /// Sets a property wrapper's mutation, for mutations that depend on the view's state.
  ///
  /// - Parameters:
  ///   - live: The property wrapper.
  ///   - mutation: The mutation.
  /// - Returns: The view.
  public func mutation<Input, Output>(
    _ live: LiveHandle<ObservedMutation<Input, Output>>,
    _ mutation: Mutation<Input, Output>
  ) -> some View {
    asking(live) { $0.configure(mutation, $2, $3) }
  }

  /// Sets a property wrapper's mutation by its work, which may use the view's state.
  ///
  /// ```swift
  /// struct RenameField: View {
  ///   let id: User.ID
  ///   @State private var name = ""
  ///   @LiveMutation private var save: ObservedMutation<String, User>
  ///
  ///   var body: some View {
  ///     Button("Save") { save.run(name) }
  ///       .mutation($save, key: ["save", id]) { [id] name in try await api.rename(id, to: name) }
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - live: The property wrapper.
  ///   - key: The key; without it, all such mutations of the same types share the empty key.
  ///   - perform: The work. If a run has not ended, its next attempt uses the latest work, so put values that
  ///     must not change during a run into the input or the key.
  /// - Returns: The view.
  public func mutation<Input, Output>(
    _ live: LiveHandle<ObservedMutation<Input, Output>>,
    key: AnyQueryKey = AnyQueryKey(),
    perform: @escaping @Sendable @concurrent (Input) async throws -> Output
  ) -> some View {
    mutation(live, Mutation(key: key, perform: perform))
  }

  /// Makes a property wrapper observe only while this view is shown.
  ///
  /// Each appearance is a new subscription, which refetches by the query's `refetchOnSubscribe`. A request
  /// outlives the disappearance by a second.
  ///
  /// - Parameter live: The property wrapper.
  /// - Returns: The view.
  public func attach<Object>(_ live: LiveHandle<Object>) -> some View {
    modifier(AttachModifier(holder: live.holder))
  }

  func asking<Object>(
    _ live: LiveHandle<Object>,
    _ tell: @escaping LiveHolder<Object>.Tell
  ) -> some View {
    modifier(AskingModifier(question: AskedProperty(holder: live.holder, tell: tell)))
      .attach(live)
  }
}

/// Sets what the property wrapper observes, at each update of the modifier.
@MainActor
struct AskedProperty<Object: AnyObject>: DynamicProperty {
  @SwiftUI.Environment(\.queryEnvironment) private var queryEnvironment
  private let holder: LiveHolder<Object>
  private let tell: LiveHolder<Object>.Tell

  init(holder: LiveHolder<Object>, tell: @escaping LiveHolder<Object>.Tell) {
    self.holder = holder
    self.tell = tell
  }

  nonisolated func update() {
    ViewUpdate.run { holder.configure(by: .modifier, in: queryEnvironment, tell) }
  }
}

struct AskingModifier<Object: AnyObject>: ViewModifier {
  let question: AskedProperty<Object>

  func body(content: Content) -> some View { content }
}

struct AttachModifier<Object: AnyObject>: ViewModifier {
  let holder: LiveHolder<Object>

  func body(content: Content) -> some View {
    content
      .onAppear { holder.appeared() }
      .onDisappear { holder.disappeared() }
  }
}
#endif
