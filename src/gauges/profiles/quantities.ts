/** The names of level fields, each with its kind and the factor to its unit: a measure, or a level that the device computed. */
export const LEVEL_NAMES = {
  distance_mm: ['distance', 1],
  distance_cm: ['distance', 10],
  distance_m: ['distance', 1_000],
  distance_in: ['distance', 25.4],
  height_mm: ['height', 1],
  height_cm: ['height', 10],
  height_m: ['height', 1_000],
  height_in: ['height', 25.4],
  length_mm: ['length', 1],
  length_cm: ['length', 10],
  pressure_pa: ['pressure', 1],
  pressure_mbar: ['pressure', 100],
  pressure_kpa: ['pressure', 1_000],
  pressure_psi: ['pressure', 6_894.757],
  raw: ['raw', 1],
  percent: ['percent', 1],
  fraction: ['percent', 100],
  liters: ['liters', 1],
  gallons: ['gallons', 1],
} as const satisfies Record<string, readonly [string, number]>;
export type LevelName = keyof typeof LEVEL_NAMES;
export const isLevelName = (name: string): name is LevelName => Object.hasOwn(LEVEL_NAMES, name);

const HEALTH_NAMES = [
  'battery_v',
  'battery_percent',
  'battery_low',
  'temperature_c',
  'temperature_f',
  'rssi_dbm',
  'snr_db',
  'signal_percent',
  'firmware',
  'alarm',
] as const;
export type HealthName = (typeof HEALTH_NAMES)[number];
export const isHealthName = (name: string): name is HealthName => (HEALTH_NAMES as readonly string[]).includes(name);

/** The names of fields, besides time, next_time and fault. */
export const QUANTITY_NAMES: readonly string[] = [...Object.keys(LEVEL_NAMES), ...HEALTH_NAMES];

/** A device is on at most this many tanks, as `<device>#1` to `<device>#16`. */
export const MAX_CHANNELS = 16;

/** `distance_cm#2` is the level of the second tank of the device. */
export const channelOf = (name: string): [string, number | null] => {
  const hash = name.indexOf('#');
  return hash < 0 ? [name, null] : [name.slice(0, hash), Number(name.slice(hash + 1))];
};

/** Values of a report that are neither levels nor health. */
export const isOtherName = (name: string): boolean => name === 'fault' || name === 'time' || name === 'next_time';
