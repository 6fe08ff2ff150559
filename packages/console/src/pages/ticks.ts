import { useState } from 'react';

const EXCLUDED_KEY = 'tankwatch.round';
const ADDED_KEY = 'tankwatch.round.added';
/** The service takes at most this many ids in one request. */
const MAX_ADDED = 100;

/** The tanks that the viewer left out of the round, and those that were added. They are kept until the tab is closed. */
export function useTicks(): {
  isTicked: (id: string) => boolean;
  tick: (id: string, isIncluded: boolean) => void;
  tickAll: (ids: readonly string[], isIncluded: boolean) => void;
  added: readonly string[];
  add: (id: string) => void;
} {
  const [excluded, setExcluded] = useState<ReadonlySet<string>>(() => readIds(EXCLUDED_KEY));
  const [added, setAdded] = useState<ReadonlySet<string>>(() => readIds(ADDED_KEY));
  const tickAll = (ids: readonly string[], isIncluded: boolean): void => {
    const next = new Set(excluded);
    for (const id of ids) {
      if (isIncluded) next.delete(id);
      else next.add(id);
    }
    sessionStorage.setItem(EXCLUDED_KEY, JSON.stringify([...next]));
    setExcluded(next);
  };
  return {
    isTicked: (id) => !excluded.has(id),
    tick: (id, isIncluded) => tickAll([id], isIncluded),
    tickAll,
    added: [...added],
    add(id) {
      const next = new Set([...added, id].slice(-MAX_ADDED));
      sessionStorage.setItem(ADDED_KEY, JSON.stringify([...next]));
      setAdded(next);
      tickAll([id], true);
    },
  };
}

function readIds(key: string): ReadonlySet<string> {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(key) ?? '[]');
    return new Set(Array.isArray(stored) ? stored.filter((id) => typeof id === 'string') : []);
  } catch {
    return new Set();
  }
}
