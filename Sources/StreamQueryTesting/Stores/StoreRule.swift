/// A rule for every store, as ``QueryStoreContract`` checks it.
public enum StoreRule: String, CaseIterable, Hashable, Sendable, CustomStringConvertible {
  /// A partition that was never written is empty.
  case startsEmpty = "A partition that was never written is empty."
  /// A load brings the records of a batch, byte for byte.
  case keepsBytes = "What a batch puts is loaded, byte for byte."
  /// A put replaces the record with its key.
  case replaces = "A put replaces the record with its key."
  /// A removal removes its record, and is no error where there is none.
  case removes = "A removal removes its record, and is no error where there is none."
  /// Of several puts of a key in a batch, the last counts, also if the batch removes the key.
  case lastPutCounts =
    "Of several puts of a key in a batch, the last counts, also if the batch removes the key."
  /// Loading keys returns their records, each once, and no others.
  case loadsKeys = "Loading keys returns their records, each once, and no others."
  /// Partitions with different names share nothing.
  case keepsApart = "Partitions with different names share nothing."
  /// A reader sees all of a batch or nothing of it, however many write.
  case showsWholeBatches = "A reader sees all of a batch or nothing of it, however many write."
  /// A batch whose writer is cancelled is there as a whole, or not at all.
  case survivesCancellation =
    "A batch whose writer is cancelled is there as a whole, or not at all."
  /// A wipe leaves nothing of its partition, and everything of the others.
  case wipes = "A wipe leaves nothing of its partition, and everything of the others."
  /// A wipe begins a greater generation and returns it; nothing else changes the generation.
  case beginsGenerations =
    "A wipe begins a greater generation and returns it; nothing else changes the generation."
  /// A batch of another generation is refused with the present one, and changes nothing.
  case refusesOtherGenerations =
    "A batch of another generation is refused with the present one, and changes nothing."
  /// A released partition is read as it was, and stays wiped if it was wiped before.
  case staysAsReleased =
    "What was released is read as it was, and what was wiped before it stays wiped."
  /// Records and removals are there when the data is opened again.
  case keepsRecords = "Records and removals are there when the data is opened again."
  /// A wiped partition is empty when the data is opened again, and refuses batches of its former generation.
  case keepsWipes =
    "What was wiped is gone when the data is opened again, and batches from before are refused."

  /// The rule as a sentence.
  public var description: String { rawValue }

  /// Whether the rule opens the same place a second time.
  var isAboutReopening: Bool { self == .keepsRecords || self == .keepsWipes }
}
