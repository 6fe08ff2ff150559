/** The size of an MQTT message. The gateway refuses packets that are larger still before it has read them. */
export const MAX_DEVICE_PAYLOAD_BYTES = 65_536;
export const MAX_READINGS_PER_BODY = 1_000;
/** Why a larger payload is rejected. */
export const OVERSIZED_DEVICE_PAYLOAD = `A payload may have at most ${MAX_DEVICE_PAYLOAD_BYTES} bytes; send fewer readings at once.`;
