import type { TankStatus } from '@tankwatch/client';
import { useEffect, useRef, useState } from 'react';
import { fleet } from '../api.ts';
import { useLiveTanks } from '../live.ts';

/** The service takes at most this many ids in one request. */
const MAX_IDS = 100;
const IDLE_MS = 60_000;
const INPUTS = ['pointermove', 'pointerdown', 'keydown', 'wheel', 'touchstart'] as const;

/**
 * Keeps the values of the shown tanks current without moving a row under the pointer. The order is renewed when the
 * viewer asks for it, or after a minute without input.
 */
export function useReorder(
  ids: readonly string[],
  { onValues, onReorder }: { onValues: (rows: TankStatus[]) => void; onReorder: () => void },
): { changedCount: number; showOrder: () => void } {
  const [changed, setChanged] = useState<ReadonlySet<string>>(new Set());
  const lastInputMs = useRef(0);
  const reorder = useRef(onReorder);
  useEffect(() => {
    reorder.current = onReorder;
  });

  const showOrder = (): void => {
    setChanged(new Set());
    onReorder();
  };

  useLiveTanks(ids, (changedIds) => {
    const wanted = changedIds.filter((id) => ids.includes(id)).slice(0, MAX_IDS);
    if (wanted.length === 0) return;
    void (async () => {
      try {
        const page = await fleet.tanks({ ids: wanted.join(','), size: MAX_IDS, include: 'spark' });
        onValues(page.data);
        // A poll asks for every tank, and says nothing about which of them changed.
        if (wanted.length < ids.length) setChanged((before) => new Set([...before, ...wanted]));
      } catch {
        // The connection state shows it, and the next hint or poll tries again.
      }
    })();
  });

  useEffect(() => {
    lastInputMs.current = Date.now();
    const note = (): void => {
      lastInputMs.current = Date.now();
    };
    for (const input of INPUTS) window.addEventListener(input, note, { passive: true });
    const timer = setInterval(() => {
      if (document.hidden || Date.now() - lastInputMs.current < IDLE_MS) return;
      lastInputMs.current = Date.now();
      setChanged(new Set());
      reorder.current();
    }, 5_000);
    return () => {
      clearInterval(timer);
      for (const input of INPUTS) window.removeEventListener(input, note);
    };
  }, []);

  return { changedCount: changed.size, showOrder };
}
