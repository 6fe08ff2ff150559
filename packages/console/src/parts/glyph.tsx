import type { TankStatus } from '@tankwatch/client';
import { useId } from 'react';
import { useFormat, useTranslation } from '../preferences_and_words.tsx';
import { badgeOf, isLosing, isOutdated, levelOf } from '../status.ts';

const WIDTH = 84;

function fillClass(status: TankStatus): string {
  const badge = badgeOf(status);
  if (isOutdated(status)) return 'fill-old';
  return badge === 'low' || badge === 'losing' || badge === 'soon' ? `fill-${badge}` : 'fill-level';
}

/** The level at which the loss began. The lost part is drawn above the current level. */
const lostFrom = (status: TankStatus): number => (isLosing(status) ? (status.loss?.from_percentage ?? 0) : 0);

function useGlyphLabel(status: TankStatus): string {
  const { values } = useTranslation();
  const format = useFormat();
  const level = levelOf(status);
  if (level === null) return values.noReading;
  const threshold = format.percent(status.tank.min_fill_alert_percentage);
  return (isOutdated(status) ? values.glyphWas : values.glyph)(format.percent(level), threshold);
}

/** The level as a horizontal tank with its threshold. The tank is hatched if the level is old or unreliable. */
export function Glyph({ status }: { status: TankStatus }) {
  const id = useId();
  const label = useGlyphLabel(status);
  const x = 1 + (WIDTH * status.tank.min_fill_alert_percentage) / 100;
  return (
    <svg className="glyph" width="86" height="22" viewBox="0 0 86 22" role="img" aria-label={label}>
      <Hatch id={`${id}h`} />
      <clipPath id={`${id}c`}>
        <rect x="1" y="4" width={WIDTH} height="14" rx="7" />
      </clipPath>
      <g clipPath={`url(#${id}c)`}>
        <rect className="glyph-back" x="1" y="4" width={WIDTH} height="14" />
        <rect className="glyph-lost" x="1" y="4" width={(WIDTH * lostFrom(status)) / 100} height="14" />
        <rect
          className={fillClass(status)}
          x="1"
          y="4"
          width={(WIDTH * (levelOf(status) ?? 0)) / 100}
          height="14"
          {...(isOutdated(status) ? { fill: `url(#${id}h)` } : {})}
        />
      </g>
      <rect className="glyph-outline" x="1.5" y="4.5" width={WIDTH - 1} height="13" rx="6.5" />
      <path className="glyph-halo" d={`M${x} 1V21`} />
      <path className="glyph-tick" d={`M${x} 1V21`} />
    </svg>
  );
}

/** The level as a vertical tank, for the owner. */
export function UprightGlyph({ status }: { status: TankStatus }) {
  const id = useId();
  const label = useGlyphLabel(status);
  const format = useFormat();
  const level = levelOf(status) ?? 0;
  const threshold = status.tank.min_fill_alert_percentage;
  const y = (percent: number): number => 145 - 1.4 * percent;
  return (
    <svg className="glyph" width="136" height="150" viewBox="0 0 136 150" role="img" aria-label={label}>
      <Hatch id={`${id}h`} />
      <clipPath id={`${id}c`}>
        <rect x="5" y="5" width="80" height="140" rx="24" />
      </clipPath>
      <g clipPath={`url(#${id}c)`}>
        <rect className="glyph-back" x="5" y="5" width="80" height="140" />
        <rect className="glyph-lost" x="5" y={y(lostFrom(status))} width="80" height={1.4 * lostFrom(status)} />
        <rect
          className={fillClass(status)}
          x="5"
          y={y(level)}
          width="80"
          height={1.4 * level}
          {...(isOutdated(status) ? { fill: `url(#${id}h)` } : {})}
        />
      </g>
      <rect className="glyph-outline thick" x="5" y="5" width="80" height="140" rx="24" />
      <path className="glyph-halo" d={`M76 ${y(threshold)}H96`} />
      <path className="glyph-tick" d={`M76 ${y(threshold)}H96`} />
      <text className="glyph-text" x="100" y={y(threshold) + 4} aria-hidden="true">
        {format.percent(threshold)}
      </text>
    </svg>
  );
}

function Hatch({ id }: { id: string }) {
  return (
    <pattern id={id} width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <rect className="hatch" width="2" height="4" />
    </pattern>
  );
}
