import type { TankStatus } from '@tankwatch/client';
import { useEffect, useRef, useState } from 'react';
import { fleet } from '../api.ts';
import { useLive } from '../live/use_live.ts';
import { MAX_IDS } from '../tank_query.ts';

const IDLE_MS = 60_000;
const INPUTS = ['pointermove', 'pointerdown', 'keydown', 'wheel', 'touchstart'] as const;

/** Calls `onIdle` after each minute without input, when the viewer is not about to click a row. */
export function useWhenIdle(onIdle: () => void): void {
  const newest = useRef(onIdle);
  useEffect(() => {
    newest.current = onIdle;
  });
  useEffect(() => {
    let lastInputMs = Date.now();
    const note = (): void => {
      lastInputMs = Date.now();
    };
    for (const input of INPUTS) window.addEventListener(input, note, { passive: true });
    const timer = setInterval(() => {
      if (document.hidden || Date.now() - lastInputMs < IDLE_MS) return;
      note();
      newest.current();
    }, 5_000);
    return () => {
      clearInterval(timer);
      for (const input of INPUTS) window.removeEventListener(input, note);
    };
  }, []);
}

/**
 * Keeps the values of the shown tanks current without moving a row below the pointer. The rows are sorted again when
 * the viewer asks for it, or after a minute without input.
 */
export function useReorder(
  ids: readonly string[],
  { onValues, onReorder }: { onValues: (rows: TankStatus[]) => void; onReorder: () => void },
): { changedCount: number; showOrder: () => void } {
  const [changed, setChanged] = useState<ReadonlySet<string>>(new Set());
  const showOrder = (): void => {
    setChanged(new Set());
    onReorder();
  };
  const readValues = async (wanted: readonly string[], hasChanged: boolean): Promise<void> => {
    if (wanted.length === 0) return;
    try {
      const page = await fleet.tanks({ ids: wanted.join(','), size: MAX_IDS, include: 'spark' });
      onValues(page.data);
      if (hasChanged) setChanged((before) => new Set([...before, ...wanted]));
    } catch {
      // The state of the connection shows the failure, and the next change or poll reads again.
    }
  };
  useLive({
    tankIds: ids.slice(0, MAX_IDS),
    onChanged: (changedIds) =>
      void readValues(
        changedIds.filter((id) => ids.includes(id)),
        true,
      ),
    // Which of the tanks changed is not known here, so `changedCount` stays the same.
    onCatchUp: () => void readValues(ids.slice(0, MAX_IDS), false),
  });
  useWhenIdle(showOrder);
  return { changedCount: changed.size, showOrder };
}
