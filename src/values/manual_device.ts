import { randomInt } from 'node:crypto';

/** No I, O, 0, 1: people read serials aloud. */
const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/**
 * The value that stands for the device of a tank without a sensor. The tank gets a manual device with a generated
 * serial, because every tank has a device. Its readings are dips, which people send; a gateway refuses it.
 */
export const MANUAL = 'manual';

export const newManualDevice = (): string =>
  `MAN-${Array.from({ length: 10 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')}`;

/** The same as is_manual_device in the database. */
const MANUAL_DEVICE = /^MAN-[A-HJ-NP-Z2-9]{10}$/;
export const isManualDevice = (deviceId: string): boolean => MANUAL_DEVICE.test(deviceId);

/** The serial to store: a new one for the word, unless the tank has a manual device already. */
export const deviceOrManual = (given: string, current?: string | null): string => {
  if (given.toLowerCase() !== MANUAL) return given;
  return current && isManualDevice(current) ? current : newManualDevice();
};
