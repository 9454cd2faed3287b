import StreamQuery

/// Two screens of one query, then the same screen again: one request, and never a second spinner.
func sharingPart(_ stage: Stage) async throws {
  let (client, checks) = (stage.client, stage.checks)
  stage.timeline.title("Two screens share a request")
  let line = "GET /users/2"
  let query = Query.user(2, from: stage.api)

  let list = stage.open("list", query) { $0.name }
  let detail = stage.open("detail", query) { $0.name }
  checks.check("the list shows the user", await list.shows(\.isSuccess))
  checks.check("the detail shows the user", await detail.shows(\.isSuccess))
  checks.check("the server was asked once", await stage.requests(line) == 1)
  await list.close()
  await detail.close()

  stage.timeline.title("Coming back: cached data at once, a refresh behind it")
  _ = try await stage.api.rename(2, to: "Alan Turing")
  checks.check("the cache remembers", client.data(for: query)?.name == "Alan")

  let again = stage.open("again", query) { $0.name }
  let showsNew = await again.shows { $0.data?.name == "Alan Turing" && !$0.isFetching }
  checks.check("the new name arrives by itself", showsNew)
  checks.check("no frame was without data", again.results.allSatisfy { $0.data != nil })
  checks.check("it took one request", await stage.requests(line) == 2)
  await again.close()

  let fresh = query.staleTime(.minutes(1))
  let known = try await client.fetch(fresh)
  checks.check("data that counts as fresh is not loaded again", known.name == "Alan Turing")
  checks.check("still two requests", await stage.requests(line) == 2)
}
