import type { DeviceReading, RejectedPayload } from './reading.ts';
import type { OrganizationHealth } from './stream_message.ts';

export interface ParsedPayload {
  readings: DeviceReading[];
  /** The rejected readings, each with its index among the readings of the payload. */
  rejections: (RejectedPayload & { index: number })[];
  /** The health that devices reported. */
  health?: Omit<OrganizationHealth, 'organization_no'>[];
}

/** A message as a device sent it, which a gauge profile may decode. */
export interface RawMessage {
  /** The device that the sender names. The message itself may name other devices. */
  deviceId: unknown;
  /** Names by which an organization selects the profile. */
  model?: string | null;
  application?: string | null;
  topic?: string | null;
  /** The profile, if the sender names it. */
  profile?: string;
  port?: number | null;
  payload: Buffer;
  /** The output of another decoder, such as that of a network server. */
  decoded?: unknown;
  /** When a network received the message. */
  receivedAt?: string | undefined;
  rssiDbm?: number | null;
  snrDb?: number | null;
  /** True if the sender is a device, and not a system that may name any device. */
  isFromDevice?: boolean;
  /** Returns the stored form of the message if it is rejected. */
  rejectedAs: () => { raw: Buffer; format: string };
}

export interface ReadTimes {
  receivedAtMs: number;
  nowMs: number;
}

/** Reads a message by the profile that the organization has selected for it. Returns undefined if there is none. */
export type ReadByProfile = (message: RawMessage, times: ReadTimes) => ParsedPayload | undefined;

/** The limit of the stored part of a rejected reading. No valid reading is longer. */
const MAX_RAW_BYTES = 4_096;

/** The stored part of a rejected payload. It is a copy, which does not keep the rest of a large body in memory. */
export const firstBytes = (payload: string | Uint8Array): Buffer =>
  typeof payload === 'string'
    ? Buffer.from(payload.slice(0, MAX_RAW_BYTES)).subarray(0, MAX_RAW_BYTES)
    : Buffer.from(payload.subarray(0, MAX_RAW_BYTES));
