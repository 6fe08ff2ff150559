/** The 32 characters of a serial. I, O, 0 and 1 are excluded, because people read serials aloud. */
const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/**
 * The value that stands for the device of a tank without a sensor. The tank gets a manual device with a generated
 * serial, because every tank has a device. Its readings are dips, which people send; a gateway refuses it.
 */
export const MANUAL = 'manual';

export const newManualDevice = (): string =>
  `MAN-${Array.from(crypto.getRandomValues(new Uint8Array(10)), (byte) => ALPHABET[byte % ALPHABET.length]).join('')}`;

/** The pattern must be that of is_manual_device in the database. */
const MANUAL_DEVICE = /^MAN-[A-HJ-NP-Z2-9]{10}$/;
export const isManualDevice = (deviceId: string): boolean => MANUAL_DEVICE.test(deviceId);

/** Returns the serial to store. For `manual` it is a new serial, unless the tank already has a manual device. */
export const deviceOrManual = (given: string, current?: string | null): string => {
  if (given.toLowerCase() !== MANUAL) return given;
  return current && isManualDevice(current) ? current : newManualDevice();
};
