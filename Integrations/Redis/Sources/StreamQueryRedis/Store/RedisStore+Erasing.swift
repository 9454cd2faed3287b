public import StreamQueryShared

extension RedisStore {
  /// Erases what is kept under the namespace, such as that of a tenant who has left.
  ///
  /// Its first step lets nothing of it count any more, on no machine: entries and leases are missing,
  /// and each machine that reads the log sees a gap. Then entries and leases are removed, in a walk
  /// through all keys of the server's database, so that it takes longer the more of them there are.
  /// What is stored meanwhile may be removed as well. A name of the namespace and the numbers of its
  /// last version remain.
  ///
  /// It does not concern what machines have in their own memory: end their clients first, or what
  /// they fetch is stored again.
  ///
  /// - Throws: That the server is out of reach: then call it again.
  public func erase() async throws(SharedStoreError) {
    try await beginAnew()
    var cursor = Array("0".utf8)
    repeat {
      let words = ["SCAN"].map { Array($0.utf8) } + [cursor]
      let options = [Array("MATCH".utf8), keys.pattern, Array("COUNT".utf8), Array("1000".utf8)]
      let found = try await ask(RedisCommand(words + options)) { reply in
        reply.elements.flatMap { parts -> (cursor: [UInt8], names: [[UInt8]])? in
          guard parts.count == 2, let cursor = parts[0].bytes, let names = parts[1].elements else {
            return nil
          }
          return (cursor, names.compactMap(\.bytes))
        }
      }
      let names = found.names.filter { name in keys.beginnings.contains { name.starts(with: $0) } }
      if !names.isEmpty {
        _ = try await ask(RedisCommand([Array("UNLINK".utf8)] + names)) { $0.number }
      }
      cursor = found.cursor
    } while cursor != Array("0".utf8)
  }
}
