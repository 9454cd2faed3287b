import Foundation
@_spi(Adapters) import StreamQuery
import StreamQueryTesting
import Testing

@testable import StreamQueryInspector

/// Two inspectors of one client: both show its conditions, so a page of either keeps them.
struct SharedConditionsTests {
  let simulation = Simulation(seed: 34)

  /// A client that is offline, as two inspectors see it.
  private func offline() throws -> (QueryClient, [InspectedClient]) {
    let client = QueryClient(simulation: simulation) { $0.record = .last(100) }
    let subjects = (0..<2).map { _ in InspectedClient(client, name: "test", allows: .actions) }
    _ = try subjects[0].perform(.network(isOffline: true), Data())
    return (client, subjects)
  }

  @Test func conditionsStayWhileAPageOfAnyInspectorIsThere() throws {
    let (client, subjects) = try offline()
    var pages = subjects.map { InspectedClient.Page(of: $0) }
    pages.removeFirst()
    simulation.advance(by: .seconds(40))
    #expect(client.conditions?.isOffline == true)
    pages.removeFirst()
    simulation.advance(by: .seconds(10))
    #expect(client.conditions?.isEmpty == true)
    #expect(simulation.isIdle)
  }

  @Test func theAnswerOfAPageOfAnyInspectorCounts() throws {
    let (client, subjects) = try offline()
    let pages = subjects.map { InspectedClient.Page(of: $0) }
    for _ in 0..<3 {
      simulation.advance(by: .seconds(50))
      _ = try subjects[1].perform(.stay, Data())
    }
    #expect(client.conditions?.isOffline == true)
    simulation.advance(by: .seconds(60))
    #expect(client.conditions?.isEmpty == true)
    withExtendedLifetime(pages) {}
  }

  @Test func anInspectorThatStopsLeavesTheConditionsToThePagesOfAnother() throws {
    let (client, subjects) = try offline()
    var pages = [InspectedClient.Page(of: subjects[1])]
    subjects[0].endConditions(because: "the inspector has stopped")
    simulation.advance(by: .seconds(30))
    #expect(client.conditions?.isOffline == true)
    pages = []
    subjects[1].endConditions(because: "the inspector has stopped")
    #expect(client.conditions?.isEmpty == true && pages.isEmpty)
  }

  /// A browser counts its connections for each server.
  @Test func eachInspectorHasFivePlaces() throws {
    let (client, subjects) = try offline()
    let pages = subjects.map { subject in (0..<5).map { _ in InspectedClient.Page(of: subject) } }
    let places = pages.joined().map(\.hasPlace)
    #expect(!places.contains(false))
    withExtendedLifetime(client) {}
  }
}
