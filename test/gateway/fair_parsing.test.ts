import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { FairParsing } from '../../src/gateway/fair_parsing.ts';

test('one large payload of an organization is parsed in each turn of the event loop, and others do not wait for it', async () => {
  const parsing = new FairParsing();
  const begun: string[] = [];
  const send = async (organizationNo: number, name: string): Promise<void> => {
    await parsing.take(organizationNo, 60_000);
    begun.push(name);
  };
  const sent = ['a1', 'a2', 'a3'].map((name) => send(1, name));
  await send(2, 'b1');
  expect(begun).toEqual(['a1', 'b1']);
  await nextTurn();
  await nextTurn();
  await Promise.all(sent);
  expect(begun).toEqual(['a1', 'b1', 'a2', 'a3']);
});

test('small payloads of one organization are parsed in one turn of the event loop', () => {
  const parsing = new FairParsing();
  const waiting = Array.from({ length: 700 }, () => parsing.take(1, 100)).filter((turn) => turn !== undefined);
  expect(waiting.length).toBe(700 - 655);
});
