import StreamQuery
import Testing

private struct Rename: Hashable, Sendable {
  var id: User.ID
  var name: String
}

extension Mutation where Input == Rename, Output == User {
  fileprivate static var rename: Self {
    Mutation("rename-user") { (input: Rename, _: MutationContext) in
      try await API.live.rename(input.id, to: input.name)
    }
    .optimistic { input, changes in changes.update(.user(input.id)) { $0?.name = input.name } }
    .onSuccess { output, context in await context.client.invalidate(.prefix("users")) }
    .scope("user-writes")
  }
}

/// Mutations in the shapes in which people write them.
struct MutationSamples {
  let client = QueryClient()

  @Test func theContractsExamplesCompile() async throws {
    let user = try await client.mutate(.rename, with: Rename(id: 42, name: "Ada"))
    expectEqual(user.name, "Ada")
    for await run in client.runs(of: .rename) {
      #expect((run.status, run.isPaused, run.input?.id) == (.success, false, 42))
      break
    }
  }

  @Test func workComesInManyShapes() async throws {
    let api = API.live
    let bare = Mutation("rename") { (input: Rename) in
      try await api.rename(input.id, to: input.name)
    }
    let typed = Mutation<Rename, User>("rename") { try await api.rename($0.id, to: $0.name) }
    let several = Mutation<Rename, User>("rename", 7) { input, context in
      let user = try await api.rename(input.id, to: input.name)
      context.client.setData(user, for: .user(user.id))
      return user
    }
    let record = Mutation<Int, Void>("delete", fields: ["kind": "user"]) { _ in }
    let empty = Mutation<Void, Void>("log-out") {}
    let tuple = Mutation("sum") { (input: (left: Int, right: Int)) in input.left + input.right }
    _ = (bare, typed, several)
    try await client.mutate(record, with: 1)
    try await client.mutate(empty)
    try await expectEqual(client.mutate(tuple, with: (left: 1, right: 2)), 3)
  }

  @Test func callbacksAndOptionsChain() async throws {
    let mutation = Mutation.rename
      .optimistic {
        .user($0.id)
      } update: { user, input in
        user?.name = input.name
      }
      .onMutate { input, _ in input.name.count }
      .onSuccess { user, context in context.client.setData(user, for: .user(context.input.id)) }
      .onError { error, context in print(error, context.saved(as: Int.self) ?? 0) }
      .onSettled { result, context in
        switch result {
        case .success: await context.client.invalidate(.user(context.input.id))
        case .failure(let error): print(error)
        }
      }
      .retry(3)
      .networkMode(.always)
      .gcTime(.minutes(1))
    let handle = client.observer(of: mutation)
    expect(handle.run.isIdle)
    try await handle.mutate(Rename(id: 1, name: "Ada"))
    expectEqual(handle.run.output?.name, "Ada")
    handle.reset()
    expectEqual(client.mutatingCount(.mutation(mutation)), 0)
    expectEqual(client.mutations("rename-user").count, 1)
    client.setMutationDefaults(MutationOptions(retry: 1), for: "rename-user")
  }

  @Test func layersReachSeveralQueries() async throws {
    client.setData([User(id: 1, name: "Grace")], for: .users)
    let mutation = Mutation("rename-user", 1, Category.books) {
      (input: Rename, context: MutationContext) in
      let user = try await api.rename(input.id, to: input.name)
      await context.client.invalidate(.user(user.id))
      return user
    }
    .optimistic { input, changes in
      changes.update(.user(input.id)) { $0?.name = input.name }
      changes.update(.users) { users in
        guard let index = users?.firstIndex(where: { $0.id == input.id }) else { return }
        users?[index].name = input.name
      }
    }
    .onSuccess { output, context in
      context.client.setData(output, for: .user(context.input.id))
      context.client.updateData(for: .users) { $0?.append(output) }
      await context.client.invalidate(.prefix("users") && .active)
    }
    .onSuccess { await $1.client.invalidate(.user($1.input.id)) }
    .onError { error, _ in print(error) }
    .onSettled { _, context in
      await context.client.invalidate(.user(context.input.id), refetch: .never)
    }
    .retry(3).scope("user-writes")
    try await client.mutate(mutation, with: Rename(id: 1, name: "Ada"))
    expectEqual(client.data(for: .users)?.map(\.name), ["Grace", "Ada"])
  }

  @Test func runsAreSwitchedOver() async throws {
    try await client.mutate(.rename, with: Rename(id: 1, name: "Ada"))
    loop: for await run in client.runs(of: .rename) {
      switch run.status {
      case .idle, .pending: _ = run.input?.name
      case .success:
        expectEqual(run.output?.name, "Ada")
        break loop
      case .error:
        Issue.record("\(String(describing: run.error))")
        break loop
      }
    }
  }

  @MainActor final class Model {
    let client = QueryClient()
    var isBusy = false
    var doneCount = 0

    fileprivate lazy var rename = Mutation.rename.onSuccess { [weak self] _, _ in await self?.done()
    }

    func done() { doneCount += 1 }

    func submit() async throws {
      isBusy = true
      defer { isBusy = false }
      try await client.mutate(rename, with: Rename(id: 1, name: "Ada"))
    }
  }

  @Test @MainActor func mutationsFitMainActorModels() async throws {
    let model = Model()
    try await model.submit()
    expectEqual(model.doneCount, 1)
  }
}
