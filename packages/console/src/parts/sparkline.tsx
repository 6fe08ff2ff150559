const WIDTH = 72;
const HEIGHT = 28;

/** The last level of each of the last days, from 0 to 100 %. Days without a reading break the line. */
export function Sparkline({ levels }: { levels: readonly (number | null)[] }) {
  const step = WIDTH / Math.max(1, levels.length - 1);
  const path = levels
    .map((level, day) => {
      if (level === null) return '';
      const isStart = (levels[day - 1] ?? null) === null;
      return `${isStart ? 'M' : 'L'}${(day * step).toFixed(1)} ${(HEIGHT - 2 - (level / 100) * (HEIGHT - 4)).toFixed(1)}`;
    })
    .join('');
  return (
    <svg className="spark" width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <path d={path} />
    </svg>
  );
}
