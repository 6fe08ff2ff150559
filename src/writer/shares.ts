import type { ReceivedBatch, ReceivedReading } from '../ingest/ingest_batch.ts';
import type { NewRejection } from '../telemetry/rejected_readings.ts';
import type { OrganizationHealth, StreamBatch } from '../telemetry/stream_message.ts';

/** The part of a stream message that goes to one lane. */
export interface BatchShare extends ReceivedBatch {
  readings: ReceivedReading[];
  rejections: NewRejection[];
  health: OrganizationHealth[];
}

/**
 * Splits a stream message by device into one share per lane. A device is in the same share of every message, so that
 * lanes do not wait for the locks of the same tanks. Readings that were already rejected are in the first share.
 */
export function splitIntoShares(batch: StreamBatch, count: number): BatchShare[] {
  const { id, receivedAtMs, readings, rejections, health } = batch;
  const shares: BatchShare[] = Array.from({ length: count }, () => ({ readings: [], rejections: [], health: [] }));
  for (const [position, reading] of readings.entries()) {
    shares[shareIndex(reading.deviceId, count)]?.readings.push({ reading, messageId: id, position, receivedAtMs });
  }
  for (const report of health) shares[shareIndex(report.device_id, count)]?.health.push(report);
  for (const [index, rejection] of rejections.entries()) {
    shares[0]?.rejections.push({ ...rejection, messageId: id, position: readings.length + index, receivedAtMs });
  }
  return shares;
}

export const mergeShares = (shares: readonly BatchShare[]): ReceivedBatch => ({
  readings: shares.flatMap(({ readings }) => readings),
  rejections: shares.flatMap(({ rejections }) => rejections),
  health: shares.flatMap(({ health }) => health),
});

/** The index of the share of a device, by its id without the channel: its health is in the same share as its readings. */
function shareIndex(deviceId: string, count: number): number {
  const channelAt = deviceId.indexOf('#');
  const length = channelAt < 0 ? deviceId.length : channelAt;
  let hash = 0;
  for (let index = 0; index < length; index++) hash = (hash * 31 + deviceId.charCodeAt(index)) | 0;
  return Math.abs(hash) % count;
}
