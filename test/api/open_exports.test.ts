import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { OpenExports } from '../../src/api/open_exports.ts';
import { givenCaller } from '../support/caller.ts';

test('a key has at most four open exports, an organization sixteen, and an export ends when its client has gone', async () => {
  const exports = new OpenExports();
  const app = Fastify();
  app.get<{ Params: { keyNo: string } }>('/:keyNo', async (request, reply) => {
    const keyNo = Number(request.params.keyNo);
    exports.add(givenCaller({ keyNo, organizationNo: keyNo < 100 ? 1 : 2 }), reply.raw);
    const endless = new PassThrough();
    endless.write('a row\n');
    return reply.send(endless);
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.server.closeAllConnections());
  const open = async (keyNo: number, signal?: AbortSignal): Promise<boolean> =>
    (await fetch(`${url}/${keyNo}`, { signal: signal ?? null })).ok;

  const leaving = new AbortController();
  expect(await open(1, leaving.signal)).toBe(true);
  for (let n = 0; n < 3; n++) expect(await open(1)).toBe(true);
  expect([await open(1), await open(2)]).toEqual([false, true]);
  leaving.abort();
  await expect.poll(() => open(1)).toBe(true);
  for (let n = 0; n < 11; n++) expect(await open(10 + n)).toBe(true);
  expect([await open(50), await open(100)]).toEqual([false, true]);
});

test('one page of an organization is made at a time, and its sixteen exports do not delay another organization', async () => {
  const exports = new OpenExports();
  const made: number[] = [];
  const inProgress = new Map<number, number>();
  const makePage = (organizationNo: number, keyNo: number): Promise<void> =>
    exports.makePage(givenCaller({ organizationNo, keyNo }), async () => {
      const atOnce = (inProgress.get(organizationNo) ?? 0) + 1;
      inProgress.set(organizationNo, atOnce);
      expect(atOnce).toBe(1);
      await setImmediate();
      inProgress.set(organizationNo, atOnce - 1);
      made.push(organizationNo);
    });
  const many = Array.from({ length: 160 }, (_, n) => makePage(1, n % 16));
  for (let n = 0; n < 10; n++) await makePage(2, 100);
  expect(made.filter((organizationNo) => organizationNo === 1).length).toBeLessThan(15);
  await Promise.all(many);
});

test('after a page that fails, the next page is made', async () => {
  const exports = new OpenExports();
  const caller = givenCaller({});
  await expect(exports.makePage(caller, () => Promise.reject(new Error('ended')))).rejects.toThrow('ended');
  expect(await exports.makePage(caller, async () => 'made')).toBe('made');
});
