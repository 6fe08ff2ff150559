import { useId } from 'react';

const [WIDTH, EDGE] = [600, 1];

/** A bar with a mark at the capacity of the truck. The volume that does not fit is hatched. The text beside the bar says the same. */
export function LoadBar({ sum, truck, height }: { sum: number; truck: number; height: number }) {
  const id = useId();
  const overBy = Math.max(0, sum - truck);
  const scale = (WIDTH - 2 * EDGE) / Math.max(1, truck, Math.min(sum, 2 * truck));
  const mark = EDGE + truck * scale;
  const totalHeight = height + 12;
  return (
    <svg
      className="load-bar"
      viewBox={`0 0 ${WIDTH} ${totalHeight}`}
      preserveAspectRatio="none"
      height={totalHeight}
      aria-hidden="true"
    >
      <pattern id={id} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect className="over-back" width="6" height="6" />
        <rect className="over-line" width="2" height="6" />
      </pattern>
      <rect className="load-back" x={EDGE} y={6} width={mark - EDGE} height={height} />
      <rect className="fill-level" x={EDGE} y={6} width={Math.min(sum, truck) * scale} height={height} />
      {overBy > 0 && <rect x={mark} y={6} width={WIDTH - EDGE - mark} height={height} fill={`url(#${id})`} />}
      <path className="load-mark" d={`M${mark} 0V${totalHeight}`} />
    </svg>
  );
}
