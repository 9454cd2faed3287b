import StreamQuery

/// The server goes away, then the network does, and both come back.
func outagePart(_ stage: Stage) async throws {
  let (client, checks) = (stage.client, stage.checks)
  stage.timeline.title("The server goes away")
  let query = Query.user(1, from: stage.api).retry(.never)
  let user = stage.open("user", query) { $0.name }
  checks.check("a screen shows its user", await user.shows { $0.isSuccess && !$0.isFetching })

  await stage.server.stop()
  stage.timeline.note("server", "is gone")
  await client.refetch(query)
  let keepsData = await user.shows { $0.isRefetchError && $0.data != nil }
  checks.check("a failed refresh keeps the data and shows the error beside it", keepsData)
  do {
    _ = try await client.fetch(query)
    checks.check("who awaits a value gets the error", false)
  } catch {
    checks.check("who awaits a value gets the error", true)
  }

  stage.timeline.title("The network goes away, and comes back")
  // With this policy, a fetch is retried for ever. Without a network, it waits instead.
  let patient = RetryPolicy.forever.backoff(.constant(.milliseconds(200)))
  let feed = stage.open("feed", .feed(page: 0, from: stage.api).retry(patient)) { page in
    "\(page.items.count) items"
  }
  stage.network.set(isOnline: false)
  stage.timeline.note("network", "is gone")
  checks.check("offline, a load waits", await feed.shows { $0.isPaused && $0.isPending })

  try await stage.server.start()
  stage.network.set(isOnline: true)
  stage.timeline.note("network", "is back, and so is the server")
  checks.check("the load that waited goes on", await feed.shows(\.isSuccess))
  let isBack = await user.shows { $0.isSuccess && !$0.isFetching && $0.cause == .reconnect }
  checks.check("what was stale is loaded again, and the error is gone", isBack)
  await user.close()
  await feed.close()
}
