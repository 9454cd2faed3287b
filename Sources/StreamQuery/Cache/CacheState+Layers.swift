// How layers lie over data.
//
// An optimistic change is not a write. The data of an entry is the newest answer of the server, and nothing
// else. A running mutation puts a layer over it, a function from data to data, and observers see the data
// with all layers applied in the order in which they were added. This gives three things that a write with a
// rollback snapshot cannot give: two mutations of one entry compose, each rolls back by itself, and an answer
// that comes in between is shown at once, below their layers.
//
// Layers are user code, so no transaction applies them. A transaction only records, in a
// `LayeredBox`, which layers lie over which data. The first reader computes the result, outside the
// lock, and all readers see that one answer. No decision of the cache depends on it.
//
// The hard part is when a layer is removed.
//
// - The run failed or was cancelled: its own layers are removed at once, and no others.
// - The run succeeded: the data below is still the old data, so removing the layer would flicker
//   back. The layer stays, with the number of the entry's newest fetch, until something newer
//   replaces it: a write to that key by the run's callbacks, or the end of any fetch that started
//   since. Answers of fetches that started earlier are outdated from now on: they were requested
//   before the server knew of the change.
// - A later run for the same item succeeded, and the mutation sends only the newest of them: the
//   layers of the earlier runs are removed. The layers of all other runs compose.
// - The run is over, including its callbacks, and no such write or fetch has begun: nothing will
//   replace the layer, so it is removed with the run.
//
// An entry with layers is pinned: the data below them must not expire. Removing or clearing an
// entry removes its layers too; a reset keeps them, because the mutation is still running.

extension CacheState {
  /// Adds the changes of a run over the entries' data, above the layers of earlier runs.
  mutating func addLayers(
    _ layers: [LayerPlan],
    of job: MutationJob,
    _ transaction: inout Transaction
  ) {
    for planned in layers {
      let index: Int
      if let present = find(planned.layer.key) {
        index = present
      } else {
        index = entry(planned.layer.key, nil, &transaction)
        slots[index].machine.adopted(fetchOptions: nil, gcTime: planned.gcTime)
      }
      let laid = PlacedLayer(layer: planned.layer, job: job)
      // There may be layers of later runs, if an earlier process began this run, or this run's input was
      // changed.
      let place = slots[index].layers.lastIndex { !(job.id < $0.job.id) }.map { $0 + 1 } ?? 0
      slots[index].layers.insert(laid, at: place)
      slots[index].machine.pinned()
      let id = id(of: index)
      if !mutations.slots[Int(job.id.index)].layered.contains(id) {
        mutations.slots[Int(job.id.index)].layered.append(id)
      }
      announce(.layered(index, job.id), &transaction)
      layersChanged(index, &transaction)
    }
  }

  /// After a run's success, keeps its layers until newer data replaces them; answers of fetches that began
  /// before are outdated.
  mutating func keepLayers(of job: MutationJob, _ run: Int, _ transaction: inout Transaction) {
    for index in layeredEntries(run) {
      removeOlderVersions(of: job, index, &transaction)
      let newest = slots[index].machine.newestFetch
      for position in slots[index].layers.indices where slots[index].layers[position].job === job {
        slots[index].layers[position].keptSince = newest
      }
      announce(.fenced(index), &transaction)
      input(index, &transaction) { $0.outdated(in: $1) }
      // A fetch that waits for room in the fetch limiter has not sent its request yet. It becomes a new fetch
      // in the same place of the line, and the answer of this fetch is newer than the success.
      if waitsForTurn(index) {
        input(index, &transaction) { $0.outdatedRestarted(isInLine: true, in: $1) }
      }
      resumeDeferred(index, &transaction)
    }
  }

  /// After a run has succeeded, removes the layers of earlier runs for the same item, if the mutation sends
  /// only the newest run.
  private mutating func removeOlderVersions(
    of job: MutationJob,
    _ index: Int,
    _ transaction: inout Transaction
  ) {
    guard job.mutation?.isNewestOnly == true else { return }
    let versions = PacedRuns(with: job)
    removeLayers(index, &transaction) { layer in
      layer.keptSince != nil && layer.job !== job && PacedRuns(with: layer.job) == versions
    }
  }

  /// Removes the layers of a run that failed or was cancelled, and no others.
  mutating func dropLayers(of job: MutationJob, _ run: Int, _ transaction: inout Transaction) {
    for index in layeredEntries(run) { removeLayers(index, &transaction) { $0.job === job } }
  }

  /// Removes the layers of a run that is over, where no answer is going to replace them.
  mutating func settleLayers(of job: MutationJob, _ run: Int, _ transaction: inout Transaction) {
    for index in layeredEntries(run) {
      // The answer of the fetch in flight is outdated, so a new fetch replaces that fetch. The end of the new
      // one removes the layers.
      input(index, &transaction) { $0.outdatedRestarted(in: $1) }
      let newest = slots[index].machine.newestFetch
      removeLayers(index, &transaction) { $0.job === job && $0.keptSince == newest }
    }
    mutations.slots[run].layered = []
  }

  /// Removes the layers that the settled fetch replaces: their runs succeeded before this fetch began.
  mutating func landOnLayers(_ index: Int, _ transaction: inout Transaction) {
    guard slots[index].isLayered else { return }
    let newest = slots[index].machine.newestFetch
    strip(index, &transaction) { layer in layer.keptSince.map { $0 != newest } ?? false }
    reshow(index, &transaction)
  }

  /// Removes the layers of a run from an entry that the run's own callbacks are about to write.
  mutating func writeOnLayers(_ index: Int, _ transaction: inout Transaction) {
    guard slots[index].isLayered, let job = MutationJob.current else { return }
    strip(index, &transaction) { $0.job === job && $0.keptSince != nil }
  }

  /// Removes all layers from an entry that is about to be emptied.
  mutating func removeAllLayers(_ index: Int, _ transaction: inout Transaction) {
    if slots[index].isLayered { strip(index, &transaction) { _ in true } }
  }

  /// Renews the data that observers see: the entry's data, with the layers over it.
  mutating func reshow(_ index: Int, _ transaction: inout Transaction) {
    let shown = slots[index].layeredData
    guard shown !== slots[index].shown else { return }
    transaction.replace(&slots[index].shown, by: shown)
  }

  /// Whether any layer of a run still lies over an entry.
  func isLaid(_ job: MutationJob, _ run: Int) -> Bool {
    layeredEntries(run).contains { slots[$0].layers.contains { $0.job === job } }
  }

  // MARK: Steps

  private func layeredEntries(_ run: Int) -> [Int] {
    // The layers of entries that were dropped meanwhile are gone.
    mutations.slots[run].layered.compactMap { find($0) }
  }

  private mutating func removeLayers(
    _ index: Int,
    _ transaction: inout Transaction,
    where isGone: (PlacedLayer) -> Bool
  ) {
    if strip(index, &transaction, where: isGone) { layersChanged(index, &transaction) }
  }

  @discardableResult
  private mutating func strip(
    _ index: Int,
    _ transaction: inout Transaction,
    where isGone: (PlacedLayer) -> Bool
  ) -> Bool {
    let gone = slots[index].layers.filter(isGone)
    guard !gone.isEmpty else { return false }
    for layer in gone {
      announce(.unlayered(index, layer.job.id), &transaction)
      transaction.drop(layer.layer)
      transaction.drop(layer.job)
    }
    slots[index].layers.removeAll(where: isGone)
    transaction.drop(slots[index].shown.take())
    if !slots[index].isLayered { slots[index].machine.unpinned(in: transaction.environment) }
    return true
  }

  private mutating func layersChanged(_ index: Int, _ transaction: inout Transaction) {
    transaction.drop(slots[index].shown.take())
    var actions = EntryActions()
    actions.changed = true
    apply(actions, index, &transaction)
  }
}

/// A layer that lies over an entry's data.
struct PlacedLayer {
  let layer: OptimisticLayer
  /// The run that added the layer.
  let job: MutationJob
  /// The number of the entry's newest fetch when the run succeeded; `nil` as long as it has not.
  ///
  /// A newer fetch brings the data that replaces the layer.
  var keptSince: UInt32?
}
