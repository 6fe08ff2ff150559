import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { beginBackup } from '../../src/recovery/kept_backups.ts';
import { givenFolder } from '../support/folder.ts';
import { test } from '../support/test.ts';

test('a backup deletes what killed backups have left in its folder, and nothing that another one may use', async ({
  database,
}) => {
  const folder = await givenFolder();
  const anHourAgo = new Date(Date.now() - 3_600_000);
  const givenFile = async (name: string): Promise<void> => {
    await writeFile(join(folder, name), 'x');
    await utimes(join(folder, name), anHourAgo, anHourAgo);
  };
  const givenUnfinished = async (name: string): Promise<void> => {
    await mkdir(join(folder, name));
    await givenFile(join(name, 'database.dump'));
    await utimes(join(folder, name), anHourAgo, anHourAgo);
  };
  const start = () => beginBackup(database.owner, folder);
  const kept = ['.making-notes', 'tankwatch-20261115T031500Z.tar', 'other.tar.partial'];
  for (const name of kept) await givenFile(name);
  await givenUnfinished('.making-abcdef');
  await givenFile('tankwatch-20261116T031500Z.tar.sealed.partial');
  await givenUnfinished('.making-growng');
  await writeFile(join(folder, '.making-growng/database.dump'), 'still written');

  const first = await start();
  expect((await readdir(folder)).toSorted()).toEqual([...kept, '.making-growng'].toSorted());
  await givenUnfinished('.making-runs_1');
  const second = await start();
  await first[Symbol.asyncDispose]();
  const third = await start();
  expect(await readdir(folder)).toContain('.making-runs_1');
  await second[Symbol.asyncDispose]();
  await third[Symbol.asyncDispose]();
  await expect
    .poll(async () => {
      await (await start())[Symbol.asyncDispose]();
      return readdir(folder);
    })
    .not.toContain('.making-runs_1');
});
