import { useEffect } from 'react';

/**
 * Keeps the row below the pointer at its position, so that nobody clicks the wrong tank. If a new row or banner moves
 * the row, the page is scrolled by the same distance before the browser paints.
 */
export function useSteadyPointer(): void {
  useEffect(() => {
    let row: Element | null = null;
    let top = 0;
    let [x, y] = [-1, -1];
    const note = (): void => {
      row = x < 0 ? null : (document.elementFromPoint(x, y)?.closest('tr[data-tank]') ?? null);
      top = row?.getBoundingClientRect().top ?? 0;
    };
    const move = (event: PointerEvent): void => {
      [x, y] = [event.clientX, event.clientY];
      note();
    };
    const leave = (): void => {
      [x, y] = [-1, -1];
      row = null;
    };
    const hold = (): void => {
      if (row === null) return;
      if (!row.isConnected) return note();
      const movedBy = row.getBoundingClientRect().top - top;
      if (movedBy !== 0) window.scrollBy({ top: movedBy, behavior: 'instant' });
    };
    const observer = new MutationObserver(hold);
    observer.observe(document.body, { childList: true, subtree: true });
    document.addEventListener('pointermove', move, { passive: true });
    document.addEventListener('pointerdown', move, { passive: true });
    document.addEventListener('pointerleave', leave);
    document.addEventListener('scroll', note, { passive: true });
    return () => {
      observer.disconnect();
      document.removeEventListener('pointermove', move);
      document.removeEventListener('pointerdown', move);
      document.removeEventListener('pointerleave', leave);
      document.removeEventListener('scroll', note);
    };
  }, []);
}
