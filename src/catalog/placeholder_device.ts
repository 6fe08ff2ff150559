import { randomInt } from 'node:crypto';
import type { Field } from './field.ts';
import { TANK_FIELDS } from './tank_fields.ts';

/** No l, o, 0, 1: people read device ids aloud. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';

/**
 * A placeholder for a tank that is created before its device is known, or whose device was removed, because every tank
 * has a device. No real device has such an id, and no password is ever shown for it.
 */
export const newPlaceholderDevice = (): string =>
  `pending-${Array.from({ length: 12 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')}`;

export const PLACEHOLDER_DEVICE = /^pending-[a-z0-9]{12}$/;
export const isPlaceholderDevice = (deviceId: string): boolean => PLACEHOLDER_DEVICE.test(deviceId);

/**
 * The device of a tank in a request or command. Only files may name placeholders, because exported files contain them.
 */
export const namedDevice: Field<string> = (text) => {
  const parsed = TANK_FIELDS.assigned_device_id(text);
  return 'value' in parsed && isPlaceholderDevice(parsed.value) ? { reason: 'must not be a placeholder' } : parsed;
};
