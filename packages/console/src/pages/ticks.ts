import { useState } from 'react';

const KEY = 'tankwatch.round';

/** The tanks that the viewer left out. They are kept until the tab is closed. */
export function useTicks(): {
  isTicked: (id: string) => boolean;
  tick: (id: string, isIncluded: boolean) => void;
  tickAll: (ids: readonly string[], isIncluded: boolean) => void;
} {
  const [excluded, setExcluded] = useState<ReadonlySet<string>>(readExcluded);
  const tickAll = (ids: readonly string[], isIncluded: boolean): void => {
    const next = new Set(excluded);
    for (const id of ids) {
      if (isIncluded) next.delete(id);
      else next.add(id);
    }
    sessionStorage.setItem(KEY, JSON.stringify([...next]));
    setExcluded(next);
  };
  return {
    isTicked: (id) => !excluded.has(id),
    tick: (id, isIncluded) => tickAll([id], isIncluded),
    tickAll,
  };
}

function readExcluded(): ReadonlySet<string> {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '[]');
    return new Set(Array.isArray(stored) ? stored.filter((id) => typeof id === 'string') : []);
  } catch {
    return new Set();
  }
}
