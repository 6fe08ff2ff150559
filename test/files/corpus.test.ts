import { describe, expect } from 'vitest';
import { importFile } from '../../src/catalog/import_file.ts';
import { CUSTOMER_IMPORT, TANK_IMPORT } from '../../src/catalog/import_targets.ts';
import { transaction } from '../../src/db/pool.ts';
import { importReadings } from '../../src/ingest/import_readings.ts';
import { readRows } from '../../src/telemetry/reading_file.ts';
import type { ByteSource } from '../../src/values/byte_source.ts';
import { describeRowError } from '../../src/values/row_error.ts';
import { givenFleet } from '../support/readings.ts';
import { type TestDatabase, test } from '../support/test.ts';
import { CORPUS, type CorpusFile } from './corpus.ts';

interface Outcome {
  bad: Record<number, string>;
  notes: string[];
}

/** A source in pieces of 7 bytes, which cut characters, quotes and line ends. It is a file, or a pipe that can be read only once. */
function sourceInPieces(bytes: Uint8Array, isRepeatable: boolean): ByteSource {
  return {
    name: 'a file',
    isRepeatable,
    async *chunks() {
      for (let start = 0; start < bytes.length; start += 7) yield bytes.subarray(start, start + 7);
    },
  };
}

async function importCorpusFile(
  { operator }: TestDatabase,
  organizationNo: number,
  file: CorpusFile,
  source: ByteSource,
): Promise<Outcome> {
  const outcome: Outcome = { bad: {}, notes: [] };
  const csv = { ...file.csv, onNote: (note: string) => void outcome.notes.push(note) };
  if (file.kind === 'readings') {
    await importReadings(operator, readRows(source, 'csv', csv), {
      organizationNo,
      format: file.options?.format ?? {},
      report(_, rejections) {
        for (const { line, reason } of rejections) outcome.bad[line] = reason;
      },
    });
    return outcome;
  }
  await importFile(operator, source, file.kind === 'customers' ? CUSTOMER_IMPORT : TANK_IMPORT, {
    organizationNo,
    columns: {},
    ...file.options,
    csv,
    change: (work) => transaction(operator, work),
    onBadRow({ line, errors }) {
      outcome.bad[line] = errors.map(describeRowError).join('; ');
    },
    onProgress: () => {},
  });
  return outcome;
}

const STORED = {
  customers: `select * from customers where organization_no = $1 and external_key <> 'OWNER' order by no`,
  tanks: `select * from tanks where organization_no = $1 and assigned_device_id <> 'DEV' order by no`,
  readings: `select r.created_at, r.fill_percentage from telemetry r join tanks t on t.no = r.tank_no
    where t.organization_no = $1 order by r.created_at`,
};

describe('each file of the corpus is imported exactly, or refused with a sentence', () => {
  test('the corpus has at least 30 files', () => {
    expect(CORPUS.length).toBeGreaterThanOrEqual(30);
  });

  for (const [file, isRepeatable] of CORPUS.flatMap((entry) => [[entry, true] as const, [entry, false] as const])) {
    test(`${file.name}${isRepeatable ? '' : ' (from a pipe)'}`, async ({ database }) => {
      const { organizationNo } = await givenFleet(database, ['DEV']);
      await database.owner.query(`update customers set external_key = 'OWNER' where organization_no = $1`, [
        organizationNo,
      ]);
      const importing = importCorpusFile(database, organizationNo, file, sourceInPieces(file.bytes, isRepeatable));
      if (file.refused === undefined) {
        const { bad, notes } = await importing;
        expect(Object.keys(bad)).toEqual(Object.keys(file.bad ?? {}));
        for (const [line, reason] of Object.entries(file.bad ?? {})) expect(bad[Number(line)]).toMatch(reason);
        const expected = file.notes ?? (file.note === undefined ? [] : [file.note]);
        expect(notes).toEqual(expected.map((note): unknown => expect.stringMatching(note)));
      } else await expect(importing).rejects.toThrow(file.refused);
      const { rows } = await database.owner.query(STORED[file.kind], [organizationNo]);
      expect(rows).toMatchObject(file.stored ?? []);
      expect(rows).toHaveLength(file.stored?.length ?? 0);
    });
  }
});
