import StreamQueryTesting
import Testing

@testable import StreamQuery

struct SubscriptionGroupTests {
  private let simulation = Simulation(seed: 3)
  private let client: QueryClient
  private let members: [Subscription]
  private let group: SubscriptionGroup

  init() {
    let client = QueryClient(simulation: simulation)
    self.client = client
    members = ["a", "b"].map { client.subscribe(Query(key: QueryKey<Int>($0)), options: nil) }
    group = SubscriptionGroup(client, members)
  }

  private func isOver() async -> Bool { await group.next() == nil }

  @Test func aGroupIsOverForEachLookOnceAMemberHasEnded() {
    simulation.run {
      await expectEqual(group.next()?.count, 2)
      members[0].cancel()
      await expect(isOver())
      await expect(isOver())
    }
  }

  @Test func membersThatComeAfterTheEndOfAGroupEndAtOnce() {
    let late = client.subscribe(Query(key: QueryKey<Int>("c")), options: nil)
    simulation.run {
      group.cancel()
      group.replace(by: [late])
      expectNil(client.cache.read { $0.find(late.id) })
      await expect(isOver())
    }
  }
}
