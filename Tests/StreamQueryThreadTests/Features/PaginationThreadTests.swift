import StreamQuery
import Testing

/// On threads: whoever moves last, what is shown is the page of the place.
struct PaginationThreadTests {
  @Test func movesOfManyThreadsEndAtTheirPlace() async throws {
    let client = QueryClient()
    let pages = client.paginated(Pagination(input: 0)) { input, page in
      Query("list", input, page) { "\(input)/\(page)" }
    }
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<4 {
        group.addTask {
          for round in 0..<100 {
            switch (worker + round) % 4 {
            case 0: pages.moveToPreviousPage()
            case 1 where round % 10 == 0: pages.input = round
            default: pages.moveToNextPage()
            }
          }
        }
      }
    }
    let place = pages.pagination
    for await result in pages.stream where result.isSuccess && !result.isFetching {
      expectEqual(result.data, "\(place.input)/\(place.page)")
      break
    }
  }
}
