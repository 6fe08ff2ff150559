import { type RefObject, useEffect, useRef } from 'react';
import { panned, type View, zoomed } from './mercator.ts';

const CLICK_PIXELS = 5;

/** Pan by dragging, zoom by wheel and pinch. A short press without movement is a click. */
export function useMapGestures(
  element: RefObject<HTMLElement | null>,
  {
    onChange,
    onClick,
  }: { onChange: (change: (view: View) => View) => void; onClick: (px: number, py: number) => void },
): void {
  const handlers = useRef({ onChange, onClick });
  useEffect(() => {
    handlers.current = { onChange, onClick };
  });

  useEffect(() => {
    const target = element.current;
    if (target === null) return undefined;
    const pointers = new Map<number, { x: number; y: number }>();
    let moved = 0;

    const local = (x: number, y: number): { x: number; y: number } => {
      const box = target.getBoundingClientRect();
      return { x: x - box.left, y: y - box.top };
    };
    const middle = ({ x, y }: { x: number; y: number }): [number, number] => [
      x - target.clientWidth / 2,
      y - target.clientHeight / 2,
    ];
    const onDown = (event: PointerEvent): void => {
      if (event.button !== 0) return;
      target.setPointerCapture(event.pointerId);
      if (pointers.size === 0) moved = 0;
      pointers.set(event.pointerId, local(event.clientX, event.clientY));
    };
    const onMove = (event: PointerEvent): void => {
      const before = pointers.get(event.pointerId);
      if (before === undefined) return;
      const now = local(event.clientX, event.clientY);
      const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
      pointers.set(event.pointerId, now);
      const [dx, dy] = [now.x - before.x, now.y - before.y];
      moved += Math.hypot(dx, dy);
      if (other === undefined) {
        handlers.current.onChange((view) => panned(view, dx, dy));
        return;
      }
      const [was, is] = [
        Math.hypot(before.x - other.x, before.y - other.y),
        Math.hypot(now.x - other.x, now.y - other.y),
      ];
      const center = { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 };
      handlers.current.onChange((view) =>
        zoomed(panned(view, dx / 2, dy / 2), Math.log2(Math.max(1, is) / Math.max(1, was)), ...middle(center)),
      );
    };
    const onUp = (event: PointerEvent): void => {
      const at = pointers.get(event.pointerId);
      pointers.delete(event.pointerId);
      if (event.type === 'pointerup' && at !== undefined && pointers.size === 0 && moved < CLICK_PIXELS) {
        handlers.current.onClick(at.x, at.y);
      }
    };
    const onWheel = (event: WheelEvent): void => {
      event.preventDefault();
      const by = Math.max(-1, Math.min(1, -event.deltaY / (event.deltaMode === 0 ? 240 : 8)));
      const at = middle(local(event.clientX, event.clientY));
      handlers.current.onChange((view) => zoomed(view, by, ...at));
    };
    target.addEventListener('pointerdown', onDown);
    target.addEventListener('pointermove', onMove);
    target.addEventListener('pointerup', onUp);
    target.addEventListener('pointercancel', onUp);
    target.addEventListener('wheel', onWheel, { passive: false });
    return () => {
      target.removeEventListener('pointerdown', onDown);
      target.removeEventListener('pointermove', onMove);
      target.removeEventListener('pointerup', onUp);
      target.removeEventListener('pointercancel', onUp);
      target.removeEventListener('wheel', onWheel);
    };
  }, [element]);
}
