import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { deleteFile, getFile, listFiles, parseS3Location, putFile, signRequest } from '../../src/recovery/s3_store.ts';
import { freePort } from '../../src/setup/servers/free_port.ts';
import { S3_KEY, startS3Server } from '../support/s3_server.ts';

test('a request has the signature of the example that Amazon publishes', () => {
  const example = {
    endpoint: 'https://examplebucket.s3.amazonaws.com',
    region: 'us-east-1',
    keyId: 'AKIAIOSFODNN7EXAMPLE',
    secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  };
  const location = { bucket: '', path: '' };
  const query = { prefix: 'J', 'max-keys': '2' };
  const { headers } = signRequest(example, { method: 'GET', location, query }, new Date('2013-05-24T00:00:00Z'));
  expect(headers['authorization']).toMatch(
    /Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7$/,
  );
});

test('a location is a bucket and a folder', () => {
  expect(parseS3Location('s3://backups/a b/c/')).toEqual({ bucket: 'backups', path: 'a b/c' });
  expect(parseS3Location('s3://backups')).toEqual({ bucket: 'backups', path: '' });
  for (const text of ['/mnt/backups', 's3:backups', 's3://Backups/a']) expect(parseS3Location(text)).toBeUndefined();
});

test('a file is stored, listed, fetched and deleted, and the message of each refusal says what to do', async () => {
  await using server = await startS3Server('backups', await freePort());
  const folder = await mkdtemp(join(tmpdir(), 'tankwatch-s3-'));
  const [file, back] = [join(folder, 'a'), join(folder, 'b')];
  await writeFile(file, Buffer.alloc(300_000, 'tankwatch'));
  const config = { endpoint: server.endpoint, region: 'eu-central-1', ...S3_KEY };
  const location = { bucket: 'backups', path: 'gas & oil/2026 (a)/tankwatch.tar' };
  await putFile(config, file, location);
  const list = () => listFiles(config, { bucket: 'backups', path: 'gas & oil/2026 (a)' }, 'tank');
  expect(await list()).toEqual(['tankwatch.tar']);
  await getFile(config, location, back);
  expect(await readFile(back)).toEqual(await readFile(file));
  const refusal = (changed: Partial<typeof config>, from = location): Promise<string> =>
    getFile({ ...config, ...changed }, from, join(folder, 'none')).then(
      () => 'accepted',
      ({ message }: Error) => message,
    );
  expect(await refusal({ secret: 'wrong-secret' })).toMatch(
    /SignatureDoesNotMatch, status 403\); correct BACKUP_S3_SECRET\.$/,
  );
  expect(await refusal({ keyId: 'other' })).toMatch(/correct BACKUP_S3_KEY_ID\.$/);
  expect(await refusal({}, { ...location, bucket: 'others' })).toMatch(/create the bucket, or correct its name\.$/);
  expect(await refusal({}, { ...location, path: 'none' })).toMatch(/check the name of the file\.$/);
  expect(await refusal({ endpoint: `http://127.0.0.1:${await freePort()}` })).toMatch(
    /cannot be reached \(connect ECONNREFUSED .*\); correct BACKUP_S3_ENDPOINT/,
  );
  await deleteFile(config, location);
  expect(server.objects.size).toBe(0);
  const names = Array.from({ length: 2_001 }, (_, n) => `tank${10_000 + n}`);
  for (const name of [...names, 'others']) server.objects.set(`backups/gas & oil/2026 (a)/${name}`, Buffer.alloc(0));
  expect(await list()).toEqual(names);
  await rm(folder, { recursive: true });
});
