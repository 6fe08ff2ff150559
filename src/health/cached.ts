/** How long a response of /readyz is reused, so that requests without a key cannot load the database. */
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
