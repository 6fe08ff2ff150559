import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { expect, onTestFinished } from 'vitest';
import { checkStream } from '../../src/doctor/stream.ts';
import { Stream } from '../../src/stream/stream.ts';
import { CONFIG_OF_0_2_0, type DeployedNats, startDeployedNats } from '../support/deployed_nats.ts';
import { givenFolder } from '../support/folder.ts';
import { test } from '../support/test.ts';

test('the stream of 0.2.0 works, doctor warns about it, and the documented command moves it into its account', async () => {
  const folder = await givenFolder();
  const before = await startDeployedNats(folder, CONFIG_OF_0_2_0);
  const gateway = await openAs(before, 'gateway');
  const writer = await openAs(before, 'writer');
  for (let n = 0; n < 15; n++) await gateway.publish(`${n}`, `{"n":${n}}`);
  for await (const message of writer.fetch(5, 1_000)) await message.ackAck();
  expect(await writer.status()).toMatchObject({ messages: 15, committedSequence: 5 });
  expect(await warningsOf(before)).toEqual([expect.stringContaining('can purge the stream')]);
  await before.stop();

  const guide = await readFile(new URL('../../docs/operators/upgrade.md', import.meta.url), 'utf8');
  const [, command = ''] = /^\$ (mv .*jetstream.*)$/m.exec(guide) ?? [];
  expect(command).toContain('/jetstream/STREAM');
  await promisify(execFile)('sh', ['-c', command.replaceAll('/var/lib/tankwatch-nats', folder)]);

  const after = await startDeployedNats(folder);
  const moved = await openAs(after, 'writer');
  await expect.poll(() => moved.status()).toMatchObject({ messages: 15 });
  // A nats-server that stops may not have stored the last acknowledgements. Then these messages come again.
  const { committedSequence } = await moved.status();
  expect(committedSequence).toBeLessThanOrEqual(5);
  const waiting = await Array.fromAsync(moved.fetch(15, 1_000), (message) => message.string());
  expect(waiting).toEqual(Array.from({ length: 15 - committedSequence }, (_, n) => `{"n":${n + committedSequence}}`));
  expect(await warningsOf(after)).toEqual([]);
});

test('the number of subscriptions of nats-server does not grow with requests through the accounts', async () => {
  const nats = await startDeployedNats(await givenFolder());
  const gateway = await openAs(nats, 'gateway');
  const writer = await openAs(nats, 'writer');
  const countSubscriptions = async (): Promise<number> => {
    const answer = await fetch(new URL('/subsz', nats.monitorUrl));
    return Value.Parse(Type.Object({ num_subscriptions: Type.Number() }), await answer.json()).num_subscriptions;
  };
  const round = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n++) {
      await gateway.publish(crypto.randomUUID(), '{}');
      for await (const message of writer.fetch(1, 1_000)) await message.ackAck();
    }
  };
  await round(5);
  const first = await countSubscriptions();
  await round(50);
  expect(await countSubscriptions()).toBeLessThanOrEqual(first + 2);
});

async function openAs(nats: DeployedNats, user: 'gateway' | 'writer'): Promise<Stream> {
  const stream = await Stream.connect({
    url: nats.urlOf(user),
    clientName: `tankwatch ${user}`,
    name: 'readings',
    replicas: 1,
    maxBytes: 64 * 1_048_576,
    changesSettings: user === 'writer',
    logger: pino({ level: 'silent' }),
  });
  onTestFinished(() => stream.close());
  return stream;
}

async function warningsOf(nats: DeployedNats): Promise<string[]> {
  const url = nats.urlOf('operator');
  const stream = { url, setting: 'NATS_URL', name: 'readings', replicas: 1, maxBytes: 64 * 1_048_576 };
  const findings = await checkStream({ stream, keepMs: 0 });
  return Array.isArray(findings) ? findings.map(({ problem }) => problem) : ['not checked'];
}
