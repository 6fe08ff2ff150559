import { useId } from 'react';
import { useTexts } from '../preferences_and_words.tsx';
import { GAUGE_TEXTS } from '../translations/gauges.ts';
import type { Form } from './shape_values.ts';

interface Outline {
  x: number;
  y: number;
  width: number;
  height: number;
  rx: number;
}

/** Positions in a picture of 300 by 236. */
const OUTLINES: Readonly<Record<Form, Outline>> = {
  horizontal_cylinder: { x: 62, y: 74, width: 176, height: 112, rx: 52 },
  vertical_cylinder: { x: 104, y: 44, width: 92, height: 170, rx: 16 },
  upright: { x: 98, y: 44, width: 104, height: 170, rx: 52 },
  flat: { x: 70, y: 84, width: 160, height: 100, rx: 50 },
  box: { x: 90, y: 60, width: 120, height: 150, rx: 2 },
  table: { x: 90, y: 60, width: 120, height: 150, rx: 2 },
};

interface TankPictureProps {
  form: Form;
  /** The part of the inner height that is filled. */
  share: number;
  /** Whether the sensor is at the bottom and looks up. */
  isFromBottom: boolean;
  /** The measure of a reading, and the height of the product that is computed from it. */
  measured?: string | undefined;
  height?: string | undefined;
  /** The distance from the sensor to the tank. It is shown without a reading. */
  offset?: string | undefined;
}

/** The tank from the side with its sensor. */
export function TankPicture({ form, share, isFromBottom, measured, height, offset }: TankPictureProps) {
  const texts = useTexts(GAUGE_TEXTS);
  const clip = useId();
  const outline = OUTLINES[form];
  const { x, y, width } = outline;
  const bottom = y + outline.height;
  const surface = bottom - outline.height * Math.min(1, Math.max(0, share));
  const face = isFromBottom ? bottom - 4 : y - 15;
  const right = x + width;
  return (
    <svg className="tank-picture" viewBox="0 0 300 236" role="img" aria-label={texts.mount.picture}>
      <clipPath id={clip}>
        <rect {...outline} />
      </clipPath>
      <rect className="filled" x={x} y={surface} width={width} height={bottom - surface} clipPath={`url(#${clip})`} />
      <rect className="wall" {...outline} />
      <path className="foot" d={`M${x + width * 0.25} ${bottom - 6}v20M${x + width * 0.75} ${bottom - 6}v20`} />
      <rect className="sensor" x={138} y={isFromBottom ? bottom + 2 : y - 30} width={24} height={15} rx={3} />
      {!isFromBottom && <path className="foot" d={`M145 ${y - 15}v16M155 ${y - 15}v16`} />}
      <path className="beam" d={`M150 ${face}V${surface}`} />
      {measured !== undefined && (
        <>
          <path className="dim" d={`M${right + 14} ${face}V${surface}m-6 0h12M${right + 8} ${face}h12`} />
          <text className="strong" x={right + 22} y={(face + surface) / 2}>
            {measured}
          </text>
        </>
      )}
      {height !== undefined && !isFromBottom && (
        <>
          <path className="dim" d={`M${x - 14} ${surface}V${bottom}m-6 0h12M${x - 20} ${surface}h12`} />
          <text className="strong" textAnchor="end" x={x - 22} y={(surface + bottom) / 2}>
            {height}
          </text>
        </>
      )}
      {offset !== undefined && !isFromBottom && (
        <>
          <path className="dim" d={`M168 ${face}h34M168 ${y}h34M188 ${face}V${y}`} />
          <text className="strong" x={208} y={face + 12}>
            {offset}
          </text>
          <text x={0} y={face + 4}>
            {texts.mount.face}
          </text>
          <text x={0} y={surface + 5}>
            {texts.mount.surface}
          </text>
        </>
      )}
    </svg>
  );
}

const ICONS: Readonly<Record<Form, string>> = {
  horizontal_cylinder: 'M25 12h46a19 19 0 0 1 0 38H25a19 19 0 0 1 0-38zM24 50v8M72 50v8M18 58h12M66 58h12',
  vertical_cylinder: 'M40 4h16a8 8 0 0 1 8 8v36a8 8 0 0 1-8 8H40a8 8 0 0 1-8-8V12a8 8 0 0 1 8-8zM36 56v4M60 56v4',
  upright: 'M31 21a17 17 0 0 1 34 0v16a17 17 0 0 1-34 0zM38 51v9M58 51v9',
  flat: 'M35 14h26a19 19 0 0 1 0 38H35a19 19 0 0 1 0-38zM32 52v7M64 52v7',
  box: 'M18 12h60v42H18z',
  table: 'M14 8h68v48H14zM14 20h68M14 32h68M14 44h68M48 8v48',
};

export const FormIcon = ({ form }: { form: Form }) => (
  <svg width="96" height="64" viewBox="0 0 96 64" aria-hidden="true">
    <path d={ICONS[form]} />
  </svg>
);
