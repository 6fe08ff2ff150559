import { expect, test } from 'vitest';
import { hasStanza } from '../../src/recovery/pgbackrest.ts';
import { serverSystemUser } from '../../src/recovery/system_user.ts';

test('a stanza that was never created is none, although pgBackRest lists it', async () => {
  const user = await serverSystemUser('postgres', process.env['PATH'] ?? '');
  expect(await hasStanza({ stanza: 'never-created', configFile: undefined, user })).toBe(false);
});
