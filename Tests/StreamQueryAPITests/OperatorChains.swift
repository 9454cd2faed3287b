import StreamQuery
import StreamQueryOperators

/// Forty chains of one to twelve operators.
///
/// `Scripts/type-checking.sh` holds each to a time; nothing here runs.
private struct Chains {
  let client: QueryClient
  let texts: AsyncStream<String>
  let failing: AsyncThrowingStream<QueryResult<User>, any Error>
  let clock = ContinuousClock()

  func ofResults() {
    let users = client.stream(.users)
    let user = client.results(of: .user(1))
    _ = users.select { $0.count }
    _ = users.select { $0.map(\.name) }.removeDuplicates()
    _ = users.select { $0.map(\.name) }.removeDuplicates().keepPreviousData()
    _ = users.select { $0.map(\.name) }.placeholder(["Ada"]).removeDuplicates().settled()
    _ = users.select { $0.map(\.name) }.select { $0.first ?? "" }.select { $0.count }
      .select { $0 > 3 }.select { !$0 }
    _ = users.select { $0.map(\.name) }.select { $0.joined() }.select { $0.count }.select { $0 + 1 }
      .select { $0 * 2 }.select { "\($0)" }.select { $0 + "!" }.select { $0.uppercased() }
    _ = user.select(\.name).removeDuplicates().keepPreviousData().placeholder("…")
      .onSuccess { print($0) }.onFailure { print($0) }
    _ = user.onSuccess { print($0.name) }.onFailure { print($0) }.onChange { print($0.status) }
      .onSuccess { print($0.id) }.onFailure { print("\($0)") }.onChange { print($0.isStale) }
    _ = user.select(\.name).removeDuplicates().keepPreviousData().placeholder("…").settled()
      .changes(of: .data, .error).onSuccess { print($0) }.values()
    _ = user.changes(of: .data).select(\.id).removeDuplicates(by: \.data)
      .removeDuplicates { $0.data == $1.data }.sharingUnchanged().settled()
    _ = users.placeholder { previous, _ in previous ?? [] }.select { $0.map(\.id) }
      .removeDuplicates().sharingUnchanged().changes(of: .data).settled().values()
    _ = users.select { $0.filter { $0.id > 3 } }.select { $0.map(\.name) }.select { $0.sorted() }
      .removeDuplicates().keepPreviousData().placeholder([]).settled().changes(of: .data)
      .onSuccess { print($0.count) }.onFailure { print($0) }.onChange { print($0.status) }.values()
  }

  func thatFail() {
    let user = client.stream(.user(1))
    _ = user.throwing(when: .always)
    _ = user.throwing(when: { $0 is AuthError }).select(\.name)
    _ = user.select(\.name).throwing(when: .always).removeDuplicates().values()
    _ = failing.select(\.name).keepPreviousData().removeDuplicates().values().map(\.count)
    _ = failing.throwing(when: .always).select(\.id).onSuccess { print($0) }.settled().values()
    _ = user.throwing(when: .always).timeout(after: .seconds(3)).select(\.name).values()
    _ = user.timeout(after: .seconds(3)).throwing(when: { $0 is AuthError }).select(\.name)
      .removeDuplicates().keepPreviousData().placeholder("…").settled().changes(of: .data)
      .onSuccess { print($0) }.onFailure { print($0) }.values().map(\.count)
  }

  func inTime() {
    _ = texts.debounce(for: .milliseconds(300), clock: clock)
    _ = texts.throttle(for: .milliseconds(300), clock: clock)
    _ = texts.debounce(for: .milliseconds(300), clock: clock).throttle(
      for: .seconds(1),
      clock: clock
    )
    .timeout(after: .seconds(3))
    _ = texts.map { $0.lowercased() }.filter { !$0.isEmpty }
      .debounce(for: .milliseconds(300), clock: clock).map { $0 + "*" }
    _ = merge(texts, texts.map { $0 + "!" }).debounce(for: .milliseconds(300), clock: clock)
      .scheduled(by: client.scheduling)
  }

  func thatSwitch() {
    _ = texts.switchToLatest { client.stream(.search($0)) }
    _ = texts.debounce(for: .milliseconds(300), clock: clock)
      .switchToLatest { client.stream(.search($0)) }.keepPreviousData()
    _ = client.stream(.user("e")).values().map(\.id)
      .switchToLatest { client.stream(.projects(of: $0)) }
    _ = client.stream(.user("e")).values().map(\.id)
      .switchToLatest { client.stream(.projects(of: $0)) }.select { $0.map(\.id) }
      .removeDuplicates().keepPreviousData().settled().values()
    _ = texts.switchToLatest { client.stream(.search($0)).throwing(when: .always) }.values()
    _ = failing.values().map(\.id)
      .switchToLatest { client.stream(.projects(of: $0)).throwing(when: .always) }
      .select { $0.count }.removeDuplicates()
    _ = texts.map { Query.search($0) }.observed(by: client).keepPreviousData().select { $0.count }
    _ = texts.debounce(for: .milliseconds(300), clock: clock).map { $0.lowercased() }
      .filter { !$0.isEmpty }.switchToLatest { client.stream(.search($0)).keepPreviousData() }
      .select { $0.map(\.name) }.removeDuplicates().placeholder([]).changes(of: .data)
      .onSuccess { print($0) }.onFailure { print($0) }.values().map(\.count)
  }

  func thatCombine() {
    let (a, b) = (client.stream(.user(1)), client.stream(.users))
    _ = combineLatest(a, b)
    _ = combineLatest(a.select(\.name), b.select { $0.count })
    _ = combineLatest(a.select(\.name), b.select { $0.count }, a.select(\.id), b.select(\.first))
    _ = combineLatest(
      a.select(\.name).removeDuplicates().keepPreviousData(),
      b.select { $0.count }.placeholder(0).settled(),
      a.select(\.id).onSuccess { print($0) }.changes(of: .data),
      b.select { $0.map(\.name) }.sharingUnchanged().removeDuplicates()
    ).map { name, count, id, names in (name.data, count.data, id.data, names.data) }
    _ = combineLatest(a.throwing(when: .always), b.select { $0.count }, a.select(\.name).settled())
    _ = combineLatest(
      client.results(of: .user(1)),
      client.results(of: .users),
      client.results(of: .user(2))
    ).map { one, all, two in (one.data?.name, all.data?.count, two.data?.id) }
    _ = combineLatest([1, 2, 3].map { client.stream(.user($0)).select(\.name).keepPreviousData() })
      .map { $0.compactMap(\.data) }
    _ = combineLatest(a.values(), b.values()).debounce(for: .milliseconds(300), clock: clock)
      .map { user, users in users.filter { $0.id != user.id } }
      .switchToLatest { users in client.stream(.search("\(users.count)")) }
      .select { $0.map(\.name) }.keepPreviousData().removeDuplicates().settled().values()
  }
}
