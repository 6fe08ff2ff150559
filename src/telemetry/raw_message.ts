import type { DeviceReading, RejectedPayload } from './reading.ts';
import type { OrganizationHealth } from './stream_message.ts';

export interface ParsedPayload {
  readings: DeviceReading[];
  /** The rejected readings, each with its index among the readings of the payload. */
  rejections: (RejectedPayload & { index: number })[];
  /** What devices said about themselves. */
  health?: Omit<OrganizationHealth, 'organization_no'>[];
}

/** A message as a device sent it, which a profile of a gauge may read. */
export interface RawMessage {
  /** The device that the sender names. The message itself may name others. */
  deviceId: unknown;
  /** Names by which an organization selects the profile. */
  model?: string | null;
  application?: string | null;
  topic?: string | null;
  /** The profile, if the sender names it. */
  profile?: string;
  port?: number | null;
  payload: Buffer;
  /** What another decoder made of the payload. */
  decoded?: unknown;
  /** When a network received the message. */
  receivedAt?: string | undefined;
  rssiDbm?: number | null;
  snrDb?: number | null;
  /** The sender is a device, and not a system that may name any device. */
  isFromDevice?: boolean;
  /** How the message is stored if it is rejected. */
  rejectedAs: () => { raw: Buffer; format: string };
}

export interface ReadTimes {
  receivedAtMs: number;
  nowMs: number;
}

/** Reads a message by the profile that the organization has selected for it. Returns undefined if there is none. */
export type ReadByProfile = (message: RawMessage, times: ReadTimes) => ParsedPayload | undefined;

/** Limit for the stored part of a rejected reading. No valid reading is longer. */
const MAX_RAW_BYTES = 4_096;

/** What is stored of a rejected payload: a copy, which does not keep the rest of a large body in memory. */
export const firstBytes = (payload: string | Uint8Array): Buffer =>
  typeof payload === 'string'
    ? Buffer.from(payload.slice(0, MAX_RAW_BYTES)).subarray(0, MAX_RAW_BYTES)
    : Buffer.from(payload.subarray(0, MAX_RAW_BYTES));
