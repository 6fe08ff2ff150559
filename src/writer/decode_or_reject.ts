import { hash } from 'node:crypto';
import type { StoredMessage } from '../stream/stream.ts';
import { decodeMessage, type StreamBatch } from '../telemetry/stream_message.ts';

/**
 * Decodes a stream message. A message that neither a gateway nor a connector wrote becomes one rejected reading, so that an operator
 * can see it.
 */
export function decodeOrReject(message: StoredMessage): StreamBatch {
  const batch = decodeMessage(message.data);
  if (batch !== undefined) return batch;
  // The id is derived from the content, so that a redelivered message is recorded once.
  const digest = hash('sha256', message.data, 'hex');
  return {
    id: `${digest.slice(0, 8)}-${digest.slice(8, 12)}-${digest.slice(12, 16)}-${digest.slice(16, 20)}-${digest.slice(20, 32)}`,
    receivedAtMs: message.time.getTime(),
    readings: [],
    rejections: [
      {
        organizationNo: null,
        deviceId: null,
        code: 'malformed',
        detail: `Message ${message.seq} of the stream was not written by a gateway or connector.`,
        raw: Buffer.from(message.data.subarray(0, 4_096)),
        format: '',
      },
    ],
    health: [],
  };
}
