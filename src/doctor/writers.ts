import { setTimeout as sleep } from 'node:timers/promises';
import type { ConsumerInfo } from '@nats-io/jetstream';
import type { DoctorConfig } from '../settings/command_settings.ts';
import type { StreamInspection } from '../stream/inspect.ts';
import { amount } from '../values/text_format.ts';
import { type CheckFinding, finding, type NotChecked, notConfigured, warning } from './finding.ts';
import { NATS_SETTING, waitingMessages, withInspection } from './stream.ts';

/**
 * A writer always has a pull request at the consumer, except between two requests and while its inbox is full. With a
 * full inbox it acknowledges many messages each second.
 */
const SAMPLES = 4;
const SAMPLE_INTERVAL_MS = 400;

const REMEDY = 'check that tankwatch writer is running and ready: /readyz on its METRICS_PORT returns the reason';

/** Checks that a writer runs. Its pull requests are its heartbeat: nats-server drops them when the writer ends. */
export async function checkWriters({ stream: config }: DoctorConfig): Promise<CheckFinding[] | NotChecked> {
  if (config === null) return notConfigured(NATS_SETTING);
  const check = async (inspection: StreamInspection): Promise<CheckFinding[] | NotChecked> => {
    const stream = await inspection.streamInfo();
    if (stream === undefined) return { notChecked: `the stream ${config.name} must exist` };
    const { consumer, isPulling } = await sampleConsumer(inspection);
    if (isPulling) return [];
    const waiting = waitingMessages(stream, consumer);
    const problem = consumer === undefined ? 'no writer has started' : 'no writer fetches readings from the stream';
    return waiting === 0
      ? [warning(problem, REMEDY)]
      : [finding(`${problem}; ${amount(waiting, 'messages')} waiting to be stored`, REMEDY)];
  };
  // The check of the stream reports that nats-server cannot be used.
  return withInspection(config, check, () => ({ notChecked: 'nats-server must be available' }));
}

async function sampleConsumer(
  inspection: StreamInspection,
): Promise<{ consumer: ConsumerInfo | undefined; isPulling: boolean }> {
  const first = await inspection.consumerInfo();
  let consumer = first;
  for (let sample = 1; consumer !== undefined; sample++) {
    const isStoring = consumer.ack_floor.stream_seq > (first?.ack_floor.stream_seq ?? 0);
    if (consumer.num_waiting > 0 || isStoring) return { consumer, isPulling: true };
    if (sample === SAMPLES) break;
    await sleep(SAMPLE_INTERVAL_MS);
    consumer = await inspection.consumerInfo();
  }
  return { consumer, isPulling: false };
}
