import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { lockFolder } from '../../src/setup/own_servers.ts';
import { givenFolder } from '../support/folder.ts';

test('only one program can lock a folder, also by a link to it and with a long path', async () => {
  const base = await givenFolder();
  const beside = (name: string): string => join(base, 'a'.repeat(150), name);
  const lock = await lockFolder(beside('one'), 'NATS_DATA');
  onTestFinished(() => void lock.close());
  // The path differs only at its end, beyond the length that the name of a socket can have.
  const other = await lockFolder(beside('two'), 'NATS_DATA');
  onTestFinished(() => void other.close());
  await symlink(beside('one'), join(base, 'link'));
  for (const folder of [beside('one'), join(base, 'link')])
    await expect(lockFolder(folder, 'NATS_DATA')).rejects.toThrow('another `tankwatch up` uses the folder');
});
