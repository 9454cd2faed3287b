#if !canImport(Darwin)
import StreamQuery
import StreamQueryTesting
import SwiftUI
import Testing

@testable import StreamQueryViews

/// The inspector, used by somebody, without a screen: only the stand-in has one.
@MainActor
struct InspectorViewTests {
  private func inspect(_ body: @MainActor (World, QueryClient, SwiftUI.Host) -> Void) {
    World.run { world in
      let client = QueryClient(simulation: world.simulation) { $0.record = .last(100) }
      let host = Host(QueryInspector().queryClient(client), behaviour: world.behaviour)
      world.advance(0)
      body(world, client, host)
      host.unmount()
      world.advance(0)
    }
  }

  @Test("a client without a record is told how to keep one")
  func off() {
    World.run { world in
      let host = Host(QueryInspector().queryClient(world.client), behaviour: world.behaviour)
      world.advance(2_000)
      #expect(
        host.screen == [
          "# Queries", "Search: \"\"", "Nothing is recorded.",
          "A client keeps a record if you set this before you create it:",
          "configuration.record = .last(1_000)",
        ]
      )
      host.unmount()
      world.advance(0)
    }
  }

  @Test("a record without anything in it is not taken for none, and the end is told")
  func nothingYet() {
    inspect { world, client, host in
      #expect(host.screen == ["# Queries", "Search: \"\"", "Nothing has happened yet."])
      client.shutDown()
      world.advance(100)
      #expect(host.screen.contains("The client was shut down."))
    }
  }

  @Test("keys are listed with sign, facts and freshness, and searched, filtered and grouped")
  func list() {
    inspect { world, client, host in
      let stream = client.stream(query("user", fetch("A")).staleTime(.minutes(1)))
      client.setData("other", for: QueryKey<String>("other"))
      world.advance(2_100)
      let other = "[<clock>, [\"other\"], String · stale · 1 s old · 1 update, 0 %]"
      let user =
        "[<checkmark.circle>, [\"user\"], String · fresh · 1 observer · 1 s old · 1 update · fetched: subscribed, 98 %]"
      #expect(
        host.screen == [
          "# Queries", "Search: \"\"", "## 2 keys · 0 fetching · 1 observed", "Now", "Time: 100 %",
          "[Back]", "(Forward)", "(Now)", "State: all", "Sort by: key", "Reversed: false",
          "Grouped: false", "## 2 shown", other, user,
        ]
      )
      #expect(host.type("US", into: "Search"))
      world.advance(0)
      #expect(host.screen.suffix(2) == ["## 1 shown", user])
      #expect(host.type("", into: "Search"))
      #expect(host.set("State", to: KeyListing.State.unobserved))
      world.advance(0)
      #expect(host.screen.suffix(2) == ["## 1 shown", other])
      #expect(host.set("State", to: KeyListing.State.all) && host.set("Grouped", to: true))
      world.advance(0)
      #expect(
        host.screen.suffix(7)
          == ["Grouped: true", "## other (1)", "[Hide]", other, "## user (1)", "[Hide]", user]
      )
      #expect(host.press("Hide"))
      world.advance(0)
      #expect(
        host.screen.suffix(6)
          == ["Grouped: true", "## other (1)", "[Hide]", other, "## user (1)", "[Show]"]
      )
      withExtendedLifetime(stream) {}
    }
  }

  @Test("a key is explained, refetched and removed, and seen as it was before")
  func detail() {
    inspect { world, client, host in
      let fetch = fetch("A", "B")
      let stream = client.stream(query("user", fetch).staleTime(.infinite))
      world.advance(2_100)
      #expect(host.press(host.screen.last.map { String($0.dropFirst().dropLast()) } ?? ""))
      world.advance(0)
      let reason = "A stream subscribed, and there was no data."
      #expect(
        host.screen == [
          "# [\"user\"]", "## String", "<checkmark.circle>",
          "fresh · 1 observer · 1 s old · 1 update · fetched: subscribed", "100 %",
          "Now", "Time: 100 %", "[Back]", "(Forward)", "(Now)",
          "## Do", "[Invalidate]", "[Refetch]", "[Reset]", "[Remove]",
          "## Why did this refetch?", reason,
          "## Who observes this?", "1 observer observes it. It has been observed for 1 s.",
          "## Options", "staleTime: without end", "gcTime: 5 min", "retry: never", "enabled: true",
          "## History", "[Fetch 1 succeeded, 1 s ago]",
          "[Fetch 1 started: subscribed, 1 s ago, \(reason)]", "[Observed: 1 observer, 1 s ago]",
          "[Added, 1 s ago]",
        ]
      )

      #expect(host.press("Refetch"))
      world.advance(60)
      #expect(fetch.callCount == 2)
      #expect(host.screen.contains("refetch(.key([\"user\"])) asked for it."))
      #expect(
        host.screen.contains(
          "fresh · 1 observer · 20 ms old · 2 updates · fetched: manual"
        )
      )

      // While the past is shown, nothing can be done.
      #expect(host.set("Time", to: 0.5))
      world.advance(0)
      #expect(host.screen.contains("1 s ago") && host.screen.contains(reason))
      #expect(host.screen.contains("(Remove)") && !host.press("Remove"))
      // An event selects its moment.
      #expect(host.press("Fetch 1 started: subscribed, 1 s ago, \(reason)"))
      world.advance(0)
      #expect(host.screen.contains("fetching · 1 observer · fetched: subscribed"))

      #expect(host.press("Now"))
      world.advance(0)
      #expect(host.press("Remove"))
      world.advance(50)
      #expect(
        host.screen.contains("empty · 1 observer")
          && client.data(for: QueryKey<String>("user")) == nil
      )
      #expect(host.goBack())
      world.advance(0)
      #expect(
        host.screen.suffix(2) == [
          "## 1 shown", "[<circle.dashed>, [\"user\"], String · empty · 1 observer]",
        ]
      )
      withExtendedLifetime(stream) {}
    }
  }

  @Test("the error of a fetch and a command without an effect are told")
  func failures() {
    inspect { world, client, host in
      let fetch = ScriptedFetch<String>(.value("A"), .failure(Minor()))
      let stream = client.stream(query("user", fetch).staleTime(.infinite))
      client.setData("B", for: QueryKey<String>("other"))
      world.advance(100)
      #expect(host.press(host.screen.last.map { String($0.dropFirst().dropLast()) } ?? ""))
      world.advance(0)
      #expect(host.press("Refetch"))
      world.advance(100)
      #expect(host.screen.contains("Error: Minor()"))
      #expect(host.goBack())
      world.advance(0)
      #expect(
        host.press(host.screen.dropLast().last.map { String($0.dropFirst().dropLast()) } ?? "")
      )
      world.advance(0)
      #expect(host.screen.first == "# [\"other\"]")
      client.remove(QueryKey<String>("other"))
      #expect(host.press("Invalidate"))
      world.advance(0)
      #expect(host.screen.contains("There is no entry of this key any more."))
      #expect(host.screen.contains("(Invalidate)"))
      withExtendedLifetime(stream) {}
    }
  }

  @Test("after the client's end, its record can be looked at, and nothing can be done")
  func end() {
    inspect { world, client, host in
      client.setData("A", for: QueryKey<String>("user"))
      world.advance(100)
      #expect(host.press(host.screen.last.map { String($0.dropFirst().dropLast()) } ?? ""))
      world.advance(0)
      #expect(host.screen.contains("Now") && host.screen.contains("[Remove]"))
      client.shutDown()
      world.advance(100)
      #expect(host.screen.contains("The end: the client was shut down"))
      #expect(host.screen.contains("(Remove)") && !host.screen.contains("[Remove]"))
      #expect(host.press("Back"))
      world.advance(0)
      #expect(host.screen.contains { $0.hasSuffix(" before the end") })
      #expect(host.screen.contains("(Remove)") && !host.press("Remove"))
    }
  }
}
#endif
