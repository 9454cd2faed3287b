#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import StreamQuery

extension ObservedSelection where Stored: PageSequenceValue {
  /// The facts that are known of the page after the last one; a reader hears of changes.
  var nextPageFacts: NextPageMachine.Facts {
    noteRead(of: .data)
    return NextPageMachine.Facts(
      hasNextPage: hasNextPage,
      isIdle: fetchStatus == .idle,
      isError: isFetchNextPageError,
      count: present.stored.data?.pages.count ?? 0,
      updated: dataUpdatedAt?.timeIntervalSinceReferenceDate
    )
  }
}
