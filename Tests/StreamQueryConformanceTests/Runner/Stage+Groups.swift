import StreamQuery
import StreamQueryOperators
import StreamQueryTesting

extension Stage {
  /// The snapshots of a group: each member under the operators that its options ask for.
  func history(of group: GroupWatch) -> JSON {
    let elements = group.recording.elements.map {
      (time: Int($0.time / .milliseconds(1)), results: $0.element)
    }
    // What each member saw since it is in the list.
    var members: [Member: [QueryResult<JSON>]] = [:]
    return history(
      elements.map { element in
        let queries = group.queries(of: element.results.keys, at: element.time)
        var present: [Member: [QueryResult<JSON>]] = [:]
        var plain = element.results.results(of: JSON.self)[...]
        var paged = element.results.results(of: PageRun.self)[...]
        let shown = zip(element.results.keys, queries).map { key, query -> JSON in
          var member = Member(key: key)
          while present[member] != nil { member.occurrence += 1 }
          let result =
            pagedKeys.contains(key)
            ? paged.popFirst().map { run in simulation.run { await Watch.plain(run) } }
            : plain.popFirst()
          guard let result else { return .null }
          let seen = members[member, default: []] + [result]
          present[member] = seen
          var options = completed(query, client: group.client)
          // A value that stands in is the query's own, see the making of the list.
          if options["placeholderData"]?["value"] != nil {
            options = options.merging(["placeholderData": .null])
          }
          return snapshot(last(of: seen, as: options))
        }
        members = present
        return (element.time, .array(shown))
      }
    )
  }

  /// What operators make of the last of some results.
  private func last(of results: [QueryResult<JSON>], as options: JSON) -> QueryResult<JSON> {
    simulation.run {
      var last = results[results.count - 1]
      for await result in Watch.shown(Replay(results).erased(), as: options) { last = result }
      return last
    }
  }
}

/// A place in a group: the same key may be in it more than once.
private struct Member: Hashable {
  let key: AnyQueryKey
  var occurrence = 0
}

extension GroupWatch {
  /// The queries of an element: of the newest list of its time that has these keys.
  func queries(of keys: [AnyQueryKey], at time: Int) -> [JSON] {
    let list = lists.last { list in
      list.time <= time && list.queries.map { AnyQueryKey($0["key"] ?? []) } == keys
    }
    return list?.queries ?? keys.map { _ in .object([:]) }
  }

  /// The queries of the newest list.
  var queries: [JSON] { lists.last?.queries ?? [] }
}
