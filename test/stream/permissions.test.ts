import { jetstream, jetstreamManager, RetentionPolicy, StorageType } from '@nats-io/jetstream';
import { expect, onTestFinished } from 'vitest';
import { diagnose } from '../../src/cli/doctor.ts';
import { runCommand } from '../support/cli_in_process.ts';
import { type NatsUser, startDeployedNats } from '../support/deployed_nats.ts';
import { givenFolder } from '../support/folder.ts';
import {
  givenSender,
  ingestEnvironment,
  openStream,
  postReadings,
  startGateway,
  startWriter,
  test,
  untilCommitted,
} from '../support/ingest.ts';
import { readingsOf } from '../support/readings.ts';

test('with the users of deploy/nats.conf readings are stored, and no user can send requests beyond its role', async ({
  database,
}) => {
  const { urlOf, connectAs } = await startDeployedNats(await givenFolder());
  const environment = ingestEnvironment(database, {
    NATS_STREAM: 'readings',
    GATEWAY_NATS_URL: urlOf('gateway'),
    WRITER_NATS_URL: urlOf('writer'),
    OPERATOR_NATS_URL: urlOf('operator'),
    OPERATOR_DATABASE_URL: database.urls.operator,
  });

  // The gateway starts first, so that it has to create the stream.
  const gateway = await startGateway(environment);
  onTestFinished(() => gateway.close());
  const sender = await givenSender(database, ['A']);
  const reading = (n: number) => ({ device_id: 'A', fill_percentage: 50 + n, created_at: `2025-01-0${n}T00:00:00Z` });
  expect((await postReadings(gateway.httpUrl, sender.key, [reading(1)])).status).toBe(202);
  const writer = await startWriter(environment);
  onTestFinished(() => writer.close());
  const stream = await openStream({ ...environment, OPERATOR_NATS_URL: urlOf('writer') }, 'tankwatch writer');
  onTestFinished(() => stream.close());
  await untilCommitted(stream);

  const status = await runCommand(['stream', 'status', '--json'], { ...environment });
  expect(JSON.parse(status.stdout)).toMatchObject({ waiting_messages: 0 });
  const checked = new Map<string, unknown>();
  await diagnose(environment, {
    fix: false,
    onChecked: (check, outcome) => void checked.set(check, outcome),
    onProgress: () => {},
  });
  expect([checked.get('stream'), checked.get('writers')]).toEqual([[], []]);
  const replay = await runCommand(['stream', 'replay', '--since', '2020-01-01T00:00:00Z', '--json'], {
    ...environment,
  });
  expect([replay.code, replay.stderr]).toEqual([0, '']);
  expect((await postReadings(gateway.httpUrl, sender.key, [reading(2)])).status).toBe(202);
  await untilCommitted(stream);
  const [tankNo = 0] = sender.tankNos;
  expect(await readingsOf(database, { no: tankNo, id: '' })).toHaveLength(2);

  // The gateway checks the stream every two seconds, with the few rights that it has.
  const knownSize = async (): Promise<unknown> =>
    (await gateway.registry.getSingleMetric('tankwatch_stream_max_bytes')?.get())?.values[0]?.value;
  await expect.poll(knownSize).toBe(256 * 1_048_576);
  expect(await gateway.notReadyReasons()).toEqual([]);

  const expectRefused = async (
    user: NatsUser,
    requests: readonly [subject: string, body?: object][],
  ): Promise<void> => {
    const connection = await connectAs(user);
    for (const [subject, body] of requests) {
      const answer = connection.request(subject, JSON.stringify(body ?? {}), { timeout: 60_000 });
      await expect(answer, `${user} ${subject}`).rejects.toThrow(/permissions violation|no responders/i);
    }
  };
  const changed = { name: 'readings', subjects: ['readings'], max_msgs: 1, max_age: 1_000_000_000 };
  const consumer = { stream_name: 'readings', config: { ack_policy: 'none', deliver_policy: 'all' } };
  await expectRefused('gateway', [
    ['$JS.API.STREAM.PURGE.readings'],
    ['$JS.API.STREAM.DELETE.readings'],
    ['$JS.API.STREAM.UPDATE.readings', changed],
    ['$JS.API.STREAM.MSG.DELETE.readings', { seq: 1 }],
    ['$JS.API.STREAM.MSG.GET.readings', { seq: 1 }],
    ['$JS.API.DIRECT.GET.readings', { seq: 1 }],
    ['$JS.API.STREAM.SNAPSHOT.readings', { deliver_subject: '_INBOX.gateway.x' }],
    ['$JS.API.STREAM.CREATE.other', { name: 'other', subjects: ['other'] }],
    ['$JS.API.CONSUMER.CREATE.readings', consumer],
    ['$JS.API.CONSUMER.DELETE.readings.writer'],
    ['$JS.API.CONSUMER.MSG.NEXT.readings.writer', { batch: 1 }],
    ['$JS.ACK.readings.writer.1.1.1.1.1'],
  ]);
  await expectRefused('writer', [
    ['readings'],
    ['$JS.API.STREAM.DELETE.readings'],
    ['$JS.API.CONSUMER.DELETE.readings.writer'],
    ['$JS.API.CONSUMER.CREATE.readings.other', consumer],
  ]);
  await expectRefused('operator', [
    ['readings'],
    ['$JS.API.STREAM.PURGE.readings'],
    ['$JS.API.STREAM.DELETE.readings'],
    ['$JS.API.STREAM.UPDATE.readings', changed],
  ]);

  // A request to create an existing stream does not change it.
  const asGateway = await connectAs('gateway');
  const manager = await jetstreamManager(asGateway, { checkAPI: false });
  const { state } = await manager.streams.info('readings');
  const settings = { ...changed, storage: StorageType.File, retention: RetentionPolicy.Limits };
  await expect(manager.streams.add(settings)).rejects.toThrow(/already in use/);
  expect((await manager.streams.info('readings')).state.messages).toBe(state.messages);
  const subscription = asGateway.subscribe('_INBOX.writer.>');
  await expect(Array.fromAsync(subscription)).rejects.toThrow(/permissions violation/i);
  await jetstream(asGateway).publish('readings', '{}');
});
