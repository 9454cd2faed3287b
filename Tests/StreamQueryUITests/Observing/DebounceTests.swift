import StreamQuery
import StreamQueryTesting
import Testing

@testable import StreamQueryUI

@MainActor
struct DebounceTests: ObservedSuite {
  private let pause = Duration.milliseconds(300)

  /// Finds what it is asked for, and writes down each request.
  private func search(_ text: String, _ log: FetchLog) -> Query<String> {
    Query("search", text) {
      log.add(text)
      return "found \(text)"
    }
    .staleTime(.infinite)
  }

  private func started(
    _ log: FetchLog,
    _ client: QueryClient
  ) -> (ObservedQuery<String>, Screen<String?>) {
    let observed = ObservedQuery(search("", log), client: client)
    return (observed, Screen { observed.data })
  }

  @Test("search as you type asks once the typing has paused, and shows the former result before")
  func typing() {
    run { simulation, client in
      let log = FetchLog()
      let (observed, screen) = started(log, client)
      simulation.advance(by: .seconds(1))
      for text in ["s", "sw", "swift"] {
        observed.update(query: search(text, log), debounce: pause)
        simulation.advance(by: .milliseconds(200))
      }
      expect(log.lines == [""] && observed.data == "found ")
      simulation.advance(by: .milliseconds(99))
      expectEqual(log.lines, [""])
      simulation.advance(by: .milliseconds(1))
      expectEqual(log.lines, ["", "swift"])
      expectEqual(screen.frames, [nil, "found ", nil, "found swift"])
      expectEqual(observed.query.key, QueryKey("search", "swift"))
    }
  }

  @Test("drawing a view again does not extend a wait, and the newest options count")
  func drawnAgain() {
    run { simulation, client in
      let log = FetchLog()
      let (observed, _) = started(log, client)
      simulation.advance(by: .seconds(1))
      observed.follow(search("a", log), debounce: pause, using: client)
      simulation.advance(by: .milliseconds(200))
      observed.follow(
        search("a", log),
        options: ObserverOptions(enabled: false),
        debounce: pause,
        using: client
      )
      simulation.advance(by: .milliseconds(100))
      expect(observed.query.key == QueryKey("search", "a") && !observed.isEnabled)
      expectEqual(log.lines, [""])
    }
  }

  @Test("the observed key, and one without an interval, count at once: nothing waits then")
  func atOnce() {
    run { simulation, client in
      let log = FetchLog()
      let (observed, screen) = started(log, client)
      simulation.advance(by: .seconds(1))
      observed.update(query: search("a", log), debounce: pause)
      observed.update(query: search("", log), debounce: pause)
      simulation.advance(by: .seconds(1))
      expect(log.lines == [""] && screen.frames == [nil, "found "])

      observed.update(query: search("b", log), debounce: pause)
      observed.update(query: search("c", log))
      simulation.advance(by: .seconds(1))
      observed.update(query: search("d", log), debounce: .zero)
      simulation.advance(by: .seconds(1))
      expectEqual(log.lines, ["", "c", "d"])
    }
  }

  @Test("a key counts at once without an observation, and a stop ends its wait")
  func withoutObservation() {
    run { simulation, client in
      let log = FetchLog()
      let observed = ObservedQuery(search("", log))
      observed.update(query: search("a", log), debounce: pause)
      expectEqual(observed.query.key, QueryKey("search", "a"))
      observed.start(using: client)
      simulation.advance(by: .seconds(1))
      observed.update(query: search("b", log), debounce: pause)
      observed.stop()
      // Nothing of "a" is shown under it.
      expect(observed.query.key == QueryKey("search", "b") && observed.data == nil)
      simulation.advance(by: .seconds(1))
      expectEqual(log.lines, ["a"])
      observed.start(using: client)
      simulation.advance(by: .seconds(1))
      expect(log.lines == ["a", "b"] && observed.data == "found b")
    }
  }

  @Test("a view that is hidden while a key waits shows what is cached of that key")
  func hidden() {
    run { simulation, client in
      let log = FetchLog()
      client.setData("kept", for: search("b", log))
      let (observed, screen) = started(log, client)
      simulation.advance(by: .seconds(1))
      let hidden = QueryEnvironment(client: client, observes: false)
      observed.update(query: search("b", log), debounce: pause)
      observed.configure(search("b", log), nil, client, hidden, debounce: pause)
      expect(observed.data == "kept" && !observed.isObserving)
      observed.update(query: search("c", log))
      expectNil(observed.data)
      observed.configure(search("c", log), nil, client, hidden)
      simulation.settle()
      expect(screen.frames == [nil, "found ", nil] && log.lines == [""])
    }
  }

  @Test("options that were said last count, whether a key waits or not")
  func options() {
    run { simulation, client in
      let log = FetchLog()
      func options(_ linger: Int) -> ObserverOptions {
        var options = ObserverOptions()
        options.linger = .seconds(linger)
        return options
      }
      @MainActor func said(
        _ say: @MainActor (ObservedQuery<String>) -> Void
      ) -> (now: Duration?, later: Duration?) {
        let observed = ObservedQuery(search("", log), client: client, options: options(9))
        observed.update(query: search("a", log), options: options(1), debounce: pause)
        say(observed)
        let now = observed.options?.linger
        simulation.advance(by: .seconds(1))
        return (now, observed.options?.linger)
      }
      let others = said { $0.update(options: options(2)) }
      #expect(others == (.seconds(2), .seconds(2)))
      let same = said { $0.update(query: search("a", log), debounce: pause) }
      #expect(same == (.seconds(9), .seconds(1)))
      let another = said { $0.update(query: search("b", log), debounce: pause) }
      #expect(another == (.seconds(9), .seconds(1)))
      let atOnce = said { $0.update(query: search("b", log)) }
      #expect(atOnce == (.seconds(1), .seconds(1)))
      let back = said { $0.update(query: search("", log), debounce: pause) }
      #expect(back == (.seconds(1), .seconds(1)))
      let later = said {
        $0.update(query: search("", log), options: options(3), debounce: pause)
        $0.update(query: search("a", log), debounce: pause)
      }
      #expect(later == (.seconds(3), .seconds(3)))
    }
  }

  @Test("another client, or the release of the object, ends the wait")
  func endsOfTheWait() {
    run { simulation, client in
      let log = FetchLog()
      let other = QueryClient(simulation: simulation)
      var observed: ObservedQuery<String>? = started(log, client).0
      simulation.advance(by: .seconds(1))
      observed?.update(query: search("a", log), debounce: pause)
      observed?.follow(search("b", log), debounce: pause, using: other)
      simulation.advance(by: .seconds(1))
      expectEqual(log.lines, ["", "b"])
      observed?.update(query: search("c", log), debounce: .seconds(Int64.max))
      weak let released = observed
      observed = nil
      expectNil(released)
      simulation.advance(by: .seconds(1))
      expectEqual(log.lines, ["", "b"])
    }
  }

  @Test("a clock that fails makes no key wait for ever")
  func failingClock() {
    runOnFailingClock { simulation, client, clock in
      let log = FetchLog()
      let (observed, _) = started(log, client)
      simulation.advance(by: .seconds(1))
      clock.isFailing = true
      observed.update(query: search("a", log), debounce: pause)
      simulation.settle()
      clock.isFailing = false
      observed.update(query: search("a", log), debounce: pause)
      simulation.advance(by: .seconds(1))
      expectEqual(log.lines, ["", "a"])
      expect(observed.query.key == QueryKey("search", "a") && observed.data == "found a")
    }
  }

  @Test("a position in pages changes at once, and its query after the pause")
  func pages() {
    run { simulation, client in
      let log = FetchLog()
      let found = ObservedPagination(Pagination(input: "a"), client: client) { text, page in
        Query("found", text, page) {
          log.add("\(text) \(page)")
          return "\(text) \(page)"
        }
      }
      simulation.advance(by: .seconds(1))
      found.moveToNextPage()
      simulation.advance(by: .seconds(1))
      found.follow(input: "b", debounce: pause, using: client)
      found.follow(input: "c", debounce: pause, using: client)
      expect(found.input == "c" && found.page == 1 && found.query.data == "a 2")
      simulation.advance(by: .milliseconds(299))
      expectEqual(log.lines, ["a 1", "a 2"])
      simulation.advance(by: .milliseconds(1))
      expectEqual(log.lines, ["a 1", "a 2", "c 1"])
    }
  }
}
