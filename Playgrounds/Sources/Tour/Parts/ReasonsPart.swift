import StreamQuery

/// Reasons to load again: an invalidation by prefix, and an interval.
func reasonsPart(_ stage: Stage) async throws {
  let checks = stage.checks
  stage.timeline.title("Invalidation by prefix")
  let everybody = stage.open("everybody", .users(from: stage.api)) { users in
    users.map(\.name).joined(separator: ", ")
  }
  let grace = stage.open("grace", .user(3, from: stage.api)) { $0.name }
  let todos = stage.open("todos", .todos(from: stage.api)) { "to-dos: \($0.count)" }
  checks.check("a screen shows everybody", await everybody.shows(\.isSuccess))
  checks.check("a screen shows one user", await grace.shows(\.isSuccess))
  checks.check("a screen shows what is to do", await todos.shows(\.isSuccess))

  let lines = ["GET /users", "GET /users/3", "GET /todos"]
  let before = await counts(of: lines, stage)
  let renamed = try await stage.api.rename(3, to: "Grace Hopper")
  stage.timeline.note("app", "renamed user 3 and invalidates everything under \"users\"")
  await stage.client.invalidate(.prefix("users"))
  let after = await counts(of: lines, stage)
  let loads = zip(before, after).map { $1 - $0 }
  checks.check("the list and the user were loaded once more", loads.prefix(2) == [1, 1])
  checks.check("the to-dos were not", loads[2] == 0)
  let isRenamed = await grace.shows { $0.data == renamed && !$0.isFetching }
  let isListed = await everybody.shows { $0.data?.contains(renamed) == true }
  checks.check("both screens show the new name", isRenamed && isListed)
  checks.check("the result knows the reason", grace.results.last?.cause == .invalidated)
  await everybody.close()
  await grace.close()
  await todos.close()

  stage.timeline.title("An interval")
  let query = Query.price(from: stage.api).refetchInterval(.milliseconds(150))
  let price = stage.open("price", query) { "\($0.cents) cents, revision \($0.revision)" }
  let isFirst = await price.shows(\.isSuccess)
  let first = price.results.compactMap(\.data).first?.revision ?? .max
  let isThird = await price.shows { ($0.data?.revision ?? 0) >= first + 2 }
  checks.check("the price changes without anybody asking", isFirst && isThird)
  checks.check("because of the interval", price.results.last?.cause == .interval)
  await price.close()
  let rest = await stage.requests("GET /price")
  try await Task.sleep(for: .milliseconds(600))
  // One request may have been on its way when the screen closed.
  checks.check("nobody looks, nobody polls", await stage.requests("GET /price") <= rest + 1)
}

private func counts(of lines: [String], _ stage: Stage) async -> [Int] {
  var counts: [Int] = []
  for line in lines { counts.append(await stage.requests(line)) }
  return counts
}
