import { AckPolicy, DeliverPolicy, jetstreamManager, RetentionPolicy, StorageType } from '@nats-io/jetstream';
import { headers, type NatsConnection } from '@nats-io/transport-node';
import { expect } from 'vitest';
import { type NatsUser, startDeployedNats } from '../support/deployed_nats.ts';
import { givenFolder } from '../support/folder.ts';
import { test } from '../support/test.ts';

const MESSAGES = 15;
const CHANGED = { name: 'readings', subjects: ['readings'], max_msgs: 1, max_age: 1_000_000_000 };
const OTHER_CONSUMER = { stream_name: 'readings', config: { ack_policy: 'none', deliver_policy: 'all' } };

/** Requests that delete messages, the stream or the consumer, or that change which messages writers get. */
const HARMFUL: readonly [subject: string, body: object][] = [
  ['$JS.API.STREAM.PURGE.readings', {}],
  ['$JS.API.STREAM.DELETE.readings', {}],
  ['$JS.API.STREAM.UPDATE.readings', CHANGED],
  ['$JS.API.STREAM.MSG.DELETE.readings', { seq: 1 }],
  ['$JS.API.STREAM.LEADER.STEPDOWN.readings', {}],
  ['$JS.API.CONSUMER.DELETE.readings.writer', {}],
  ['$JS.API.CONSUMER.PAUSE.readings.writer', { pause_until: '2999-01-01T00:00:00Z' }],
  ['$JS.API.CONSUMER.CREATE.readings.other', OTHER_CONSUMER],
  ['$JS.API.CONSUMER.DURABLE.CREATE.readings.other', OTHER_CONSUMER],
  ['$JS.API.CONSUMER.MSG.NEXT.readings.writer', { batch: 100 }],
  ['$JS.ACK.readings.writer.1.1.1.1.1', {}],
  ['readings', {}],
];

/** The requests of HARMFUL that each role needs for its own work, so they are not tried. */
const OWN_RIGHTS: Record<NatsUser, readonly string[]> = {
  gateway: ['readings'],
  writer: [
    '$JS.API.STREAM.PURGE.readings',
    '$JS.API.STREAM.UPDATE.readings',
    '$JS.API.CONSUMER.MSG.NEXT.readings.writer',
    '$JS.ACK.readings.writer.1.1.1.1.1',
  ],
  operator: ['$JS.API.CONSUMER.DELETE.readings.writer'],
};

/** Requests that each role may send, whose answers nats-server publishes to the reply subject. */
const CARRIERS: Record<NatsUser, readonly string[]> = {
  gateway: ['readings', '$JS.API.STREAM.INFO.readings', '$JS.API.STREAM.CREATE.readings'],
  writer: [
    '$JS.API.STREAM.INFO.readings',
    '$JS.API.CONSUMER.INFO.readings.writer',
    '$JS.API.STREAM.MSG.GET.readings',
    '$JS.API.CONSUMER.MSG.NEXT.readings.writer',
  ],
  operator: [
    '$JS.API.STREAM.INFO.readings',
    '$JS.API.CONSUMER.INFO.readings.writer',
    '$JS.API.STREAM.MSG.GET.readings',
  ],
};

for (const user of ['gateway', 'writer', 'operator'] as const) {
  test(`the user ${user} of deploy/nats.conf cannot delete or change anything, directly or by a reply subject`, async () => {
    const nats = await startDeployedNats(await givenFolder());
    const gateway = await nats.connectAs('gateway');
    const asWriter = await jetstreamManager(await nats.connectAs('writer'), { checkAPI: false });
    await asWriter.streams.add({
      name: 'readings',
      subjects: ['readings'],
      storage: StorageType.File,
      retention: RetentionPolicy.Limits,
    });
    await asWriter.consumers.add('readings', {
      durable_name: 'writer',
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
    });
    // Most requests accept `{}` or an empty message as their body.
    for (let n = 0; n < MESSAGES; n++) await gateway.request('readings', n % 2 === 0 ? '{}' : '');
    const state = async (): Promise<object> => {
      const { state: stream, config } = await asWriter.streams.info('readings');
      const consumer = await asWriter.consumers.info('readings', 'writer');
      return {
        first: stream.first_seq,
        deleted: stream.num_deleted ?? 0,
        maxMessages: config.max_msgs,
        consumers: stream.consumer_count,
        created: consumer.created,
        floor: consumer.ack_floor.stream_seq,
        ...(user === 'gateway' ? {} : { messages: stream.messages }),
        ...(user === 'writer' ? {} : { delivered: consumer.delivered.stream_seq }),
      };
    };
    const before = await state();
    const connection = user === 'gateway' ? gateway : await nats.connectAs(user);

    const harmful = HARMFUL.filter(([subject]) => !OWN_RIGHTS[user].includes(subject));
    for (const [subject, body] of harmful) {
      const answer = connection.request(subject, JSON.stringify(body), { timeout: 60_000 });
      await expect(
        answer.then((message) => message.string()),
        subject,
      ).rejects.toThrow(/no responders/i);
    }
    expect(await state()).toEqual(before);

    for (const [reply] of harmful) {
      for (const carrier of CARRIERS[user]) {
        for (const body of ['', '{}', '{"seq":1}', '{"batch":1,"no_wait":true}'])
          connection.publish(carrier, body, { reply });
      }
      // A message with an id that was stored before is answered as a duplicate, with its headers.
      const repeated = headers();
      repeated.set('Nats-Msg-Id', 'same');
      if (user === 'gateway') connection.publish('readings', '{}', { reply, headers: repeated });
      await untilProcessed(connection);
      expect(await state(), reply).toEqual(before);
    }
  });
}

/** Waits until nats-server has processed all messages of this connection. */
async function untilProcessed(connection: NatsConnection): Promise<void> {
  await connection.flush();
  await connection.request('$JS.API.STREAM.INFO.readings', '', { timeout: 60_000 });
}
