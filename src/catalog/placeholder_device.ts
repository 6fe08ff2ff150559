import { randomInt } from 'node:crypto';

/** No l, o, 0, 1: people read device ids aloud. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';

/**
 * A tank always has a device. One that is created before its device is known, or whose device was taken away, has a placeholder:
 * no device has such an id, and no password is ever shown for it.
 */
export const newPlaceholderDevice = (): string =>
  `pending-${Array.from({ length: 12 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')}`;

export const PLACEHOLDER_DEVICE = /^pending-[a-z0-9]{12}$/;
export const isPlaceholderDevice = (deviceId: string): boolean => PLACEHOLDER_DEVICE.test(deviceId);
