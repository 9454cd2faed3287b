// Measures TanStack Query's core with the cases of this package, so that both stand beside each
// other at the same hour on the same machine. compare.sh runs it.
//
//   node --expose-gc tanstack.mjs path/to/query-core/index.mjs
//
// Prints `case nanoseconds` (memory: bytes), the least of many rounds, as the benchmarks here do.
import { pathToFileURL } from "node:url";

const path = process.argv[2];
if (!path) {
  console.error("usage: node --expose-gc tanstack.mjs path/to/query-core/index.mjs");
  process.exit(2);
}
const core = await import(pathToFileURL(path));
const { QueryClient, QueryObserver, notifyManager } = core;

// Its observers are told in a task of the event loop's queue by default. At once is the fastest that
// it can be, and what a fair comparison takes.
notifyManager.setScheduler((callback) => callback());

const now = () => Number(process.hrtime.bigint());
const report = (id, value) => console.log(id, value.toFixed(1));
const options = { queries: { gcTime: 300_000, retry: false } };
const client = () => new QueryClient({ defaultOptions: options });
const key = (index) => ["user", index % 7, index];
const pause = () => new Promise((resolve) => setImmediate(resolve));

function filled(count) {
  const result = client();
  for (let index = 0; index < count; index++) result.setQueryData(key(index), index);
  return result;
}

async function fastest(rounds, iterations, body) {
  let best = Infinity;
  for (let round = 0; round < rounds; round++) {
    const start = now();
    await body(iterations);
    best = Math.min(best, (now() - start) / iterations);
  }
  return best;
}

function fastestNow(rounds, iterations, body) {
  let best = Infinity;
  for (let round = 0; round < rounds; round++) {
    const start = now();
    body(iterations);
    best = Math.min(best, (now() - start) / iterations);
  }
  return best;
}

// An order that no prefetcher foresees.
function shuffled(count) {
  const order = Array.from({ length: count }, (_, index) => index);
  let state = 12345;
  for (let index = count - 1; index > 0; index--) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    const other = state % (index + 1);
    [order[index], order[other]] = [order[other], order[index]];
  }
  return order;
}

// Reading

for (const count of [1_000, 10_000, 100_000]) {
  const cache = filled(count);
  const order = shuffled(count);
  const keys = order.map(key);
  let sum = 0;
  report(`read.prebuilt.${count}`, fastestNow(20, count, () => {
    for (const one of keys) sum += cache.getQueryData(one);
  }));
  report(`read.built.${count}`, fastestNow(20, count, () => {
    for (const index of order) sum += cache.getQueryData(key(index));
  }));
  if (count === 10_000) {
    report("fetch.fresh", await fastest(20, 1_000, async () => {
      for (let index = 0; index < 1_000; index++) {
        sum += await cache.fetchQuery({
          queryKey: keys[index], queryFn: () => 1, staleTime: Infinity,
        });
      }
    }));
    report("write.unobserved", fastestNow(20, count, () => {
      for (const one of keys) cache.setQueryData(one, ++sum);
    }));
  }
  cache.clear();
}

// Observing

for (const others of [0, 1_000, 10_000]) {
  const cache = filled(1_000);
  const query = { queryKey: key(7), queryFn: () => 1, staleTime: Infinity };
  const leaves = [];
  for (let index = 0; index < others; index++) {
    leaves.push(new QueryObserver(cache, query).subscribe(() => {}));
  }
  // Leaving is a filter of an array: fewer iterations where many others are.
  const iterations = others > 1_000 ? 20 : 1_000;
  report(`subscribe.results.${others}`, fastestNow(10, iterations, () => {
    for (let index = 0; index < iterations; index++) {
      const observer = new QueryObserver(cache, query);
      const leave = observer.subscribe(() => {});
      observer.getCurrentResult();
      leave();
    }
  }));
  cache.clear();
}

for (const count of [1, 100, 1_000, 10_000]) {
  const cache = filled(10);
  const query = { queryKey: key(1), queryFn: () => 1, staleTime: Infinity };
  let seen = 0;
  for (let index = 0; index < count; index++) {
    new QueryObserver(cache, query).subscribe((result) => { seen += result.data > 0 ? 1 : 0; });
  }
  let next = 1_000;
  const iterations = count > 1_000 ? 5 : 50;
  report(`fanout.results.${count}`, fastestNow(10, iterations, () => {
    for (let index = 0; index < iterations; index++) cache.setQueryData(key(1), ++next);
  }));
  cache.clear();
}

// Fetching

for (const count of [0, 1_000, 10_000, 100_000]) {
  const cache = filled(count);
  let next = 1_000_000;
  report(`fetch.cold.${count}`, await fastest(10, 1_000, async () => {
    for (let index = 0; index < 1_000; index++) {
      const one = ++next;
      await cache.fetchQuery({ queryKey: key(one), queryFn: () => one });
    }
  }));
  cache.clear();
}
{
  let best = Infinity;
  for (let round = 0; round < 10; round++) {
    const cache = client();
    const start = now();
    const query = { queryKey: key(1), queryFn: async () => { await pause(); return 1; } };
    await Promise.all(Array.from({ length: 10_000 }, () => cache.fetchQuery(query)));
    best = Math.min(best, now() - start);
    cache.clear();
  }
  report("fetch.concurrent", best);
}

// Pages

for (const count of [10, 1_000]) {
  const cache = client();
  const observer = new core.InfiniteQueryObserver(cache, {
    queryKey: ["pages"], queryFn: ({ pageParam }) => [pageParam], initialPageParam: 0,
    getNextPageParam: (_, all) => all.length, staleTime: Infinity, refetchOnMount: false,
    initialData: {
      pages: Array.from({ length: count }, (_, index) => [index]),
      pageParams: Array.from({ length: count }, (_, index) => index),
    },
  });
  const leave = observer.subscribe(() => {});
  report(`page.${count}`, await fastest(3, 20, async () => {
    for (let index = 0; index < 20; index++) await observer.fetchNextPage();
  }));
  leave();
  cache.clear();
}

// Many entries

for (const count of [1_000, 10_000, 100_000]) {
  const cache = client();
  for (let index = 0; index < count; index++) {
    cache.setQueryData([index < 100 ? "match" : "other", index], index);
  }
  report(`invalidate.${count}`, await fastest(10, 1, async () => {
    await cache.invalidateQueries({ queryKey: ["match"], refetchType: "none" });
  }));
  cache.clear();
  let best = Infinity;
  for (let round = 0; round < 3; round++) {
    const start = now();
    const built = filled(count);
    best = Math.min(best, (now() - start) / count);
    built.clear();
  }
  report(`build.${count}`, best);
}

// Memory

if (globalThis.gc) {
  const measure = (make) => {
    gc();
    const before = process.memoryUsage().heapUsed;
    const kept = make();
    gc();
    return [process.memoryUsage().heapUsed - before, kept];
  };
  const [entries, cache] = measure(() => filled(100_000));
  report("memory.entry", entries / 100_000);
  cache.clear();
  const one = filled(1);
  const query = { queryKey: key(0), queryFn: () => 1, staleTime: Infinity };
  const [observers] = measure(() => {
    for (let index = 0; index < 10_000; index++) {
      new QueryObserver(one, query).subscribe(() => {});
    }
  });
  report("memory.results", observers / 10_000);
}
process.exit(0);
