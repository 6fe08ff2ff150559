/** The time for which a result is reused, so that requests of /readyz, which need no key, cannot load the database. */
const CACHED_MS = 1_000;

/** Starts `load` at most once a second. All callers within that second share its result. */
export function cached<T>(load: () => Promise<T>): () => Promise<T> {
  let value: Promise<T> | undefined;
  let loadedAtMs = 0;
  return () => {
    const nowMs = Date.now();
    if (value === undefined || nowMs - loadedAtMs >= CACHED_MS) {
      loadedAtMs = nowMs;
      value = load();
    }
    return value;
  };
}
