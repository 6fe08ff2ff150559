import type { Format } from '../format.ts';

interface Battery {
  battery_percent: number | null;
  battery_v: number | null;
}

/** "64%", or "3.41 V" for a device that sends only a voltage. */
export function batteryText({ battery_percent: percent, battery_v: volts }: Battery, format: Format): string {
  if (percent !== null) return format.percent(percent);
  return volts === null ? '' : `${volts.toLocaleString(format.locale, { maximumFractionDigits: 2 })} V`;
}
