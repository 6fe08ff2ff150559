import type uPlot from 'uplot';

/**
 * Two fingers zoom a chart, one finger shows the reading below the finger. Moving up or down still scrolls the page
 * (touch-action in chart.css). uPlot itself handles a mouse only.
 */
export function addTouchZoom(u: uPlot, onZoom: (fromMs: number, toMs: number) => void): void {
  const { over } = u;
  const touches = new Map<number, number>();
  let start: { low: number; high: number; min: number; max: number } | undefined;

  const xOf = (event: PointerEvent): number => event.clientX - over.getBoundingClientRect().left;
  const spread = (): { low: number; high: number } => {
    const [a = 0, b = 0] = touches.values();
    return { low: Math.min(a, b), high: Math.max(a, b) };
  };
  over.addEventListener('pointerdown', (event) => {
    if (event.pointerType !== 'touch') return;
    touches.set(event.pointerId, xOf(event));
    const { min, max } = u.scales['x'] ?? {};
    if (touches.size === 2 && typeof min === 'number' && typeof max === 'number') start = { ...spread(), min, max };
  });
  over.addEventListener('pointermove', (event) => {
    if (!touches.has(event.pointerId)) return;
    // Without a movement, as when a finger presses harder, nothing is zoomed.
    if (start !== undefined && touches.get(event.pointerId) === xOf(event)) return;
    touches.set(event.pointerId, xOf(event));
    if (start === undefined) {
      u.setCursor({ left: xOf(event), top: 0 });
      return;
    }
    // The times below the two fingers stay below the fingers, unless the fingers are close to each other.
    const { low, high } = spread();
    const width = over.clientWidth;
    const perPixel = (start.max - start.min) / width;
    const from = start.min + start.low * perPixel;
    const scale = (perPixel * Math.max(20, start.high - start.low)) / Math.max(20, high - low);
    u.setScale('x', { min: from - low * scale, max: from + (width - low) * scale });
  });
  const end = (event: PointerEvent): void => {
    touches.delete(event.pointerId);
    const { min, max } = u.scales['x'] ?? {};
    if (start === undefined || typeof min !== 'number' || typeof max !== 'number') return;
    const isZoomed = min !== start.min || max !== start.max;
    start = undefined;
    if (isZoomed) onZoom(min * 1_000, Math.min(Date.now(), max * 1_000));
  };
  over.addEventListener('pointerup', end);
  over.addEventListener('pointercancel', end);
}
