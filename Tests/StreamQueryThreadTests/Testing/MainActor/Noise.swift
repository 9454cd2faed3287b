import Synchronization

/// What other tests do meanwhile: plain tasks, groups and actors that keep the pool busy.
final class Noise: Sendable {
  private actor Counter {
    private(set) var count = 0
    func add() { count += 1 }
  }

  private let isOver = Atomic<Bool>(false)
  private let rounds = Atomic<Int>(0)

  /// Runs a body beside two loops of noise.
  ///
  /// - Returns: How many rounds the noise made, each of which came to its right end.
  @MainActor
  static func during(_ body: @MainActor () -> Void) async -> Int {
    let noise = Noise()
    let loops = (0..<2).map { _ in Task.detached { await noise.loop() } }
    body()
    noise.isOver.store(true, ordering: .relaxed)
    for loop in loops { await loop.value }
    return noise.rounds.load(ordering: .relaxed)
  }

  private func loop() async {
    repeat {
      let counter = Counter()
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<3 { group.addTask { await counter.add() } }
      }
      await Task { await counter.add() }.value
      if await counter.count == 4 { rounds.add(1, ordering: .relaxed) }
    } while !isOver.load(ordering: .relaxed)
  }
}
