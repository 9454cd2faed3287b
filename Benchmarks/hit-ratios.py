#!/usr/bin/env python3
"""Hit ratios of other caches on the traces of `Benchmarks --hit-ratios --traces DIR`.

    pip install cachetools moka-py
    python3 Benchmarks/hit-ratios.py DIR
"""
import pathlib
import sys

import cachetools
import moka_py

LIMIT = 1_000


def of_cachetools(make, keys):
    cache, hits = make(LIMIT), 0
    for key in keys:
        if cache.get(key) is not None:
            hits += 1
        else:
            cache[key] = key
    return hits / len(keys)


def of_moka(policy, keys):
    cache, hits = moka_py.Moka(LIMIT, policy=policy), 0
    for key in keys:
        if cache.get(key) is not None:
            hits += 1
        else:
            cache.set(key, key)
    return hits / len(keys)


columns = {
    "moka (TinyLFU)": lambda keys: of_moka("tiny_lfu", keys),
    "moka (LRU)": lambda keys: of_moka("lru", keys),
    "cachetools LRU": lambda keys: of_cachetools(cachetools.LRUCache, keys),
    "cachetools LFU": lambda keys: of_cachetools(cachetools.LFUCache, keys),
}
print("| trace | " + " | ".join(columns) + " |\n|" + "---|" * (len(columns) + 1))
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.txt")):
    keys = [int(line) for line in path.read_text().split("\n")]
    cells = " | ".join(f"{100 * ratio(keys):.1f} %" for ratio in columns.values())
    print(f"| {path.stem} | {cells} |", flush=True)
