import { readFile } from 'node:fs/promises';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';

const Constant = Type.Object(
  {
    value: Type.Number({ exclusiveMinimum: 0 }),
    unit: Type.String(),
    what: Type.String(),
    /** The command that measured it, or where it was measured otherwise. */
    source: Type.String({ minLength: 10 }),
    /** The day on which the figure was committed. */
    recorded_on: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }),
  },
  { additionalProperties: false },
);
export type Constant = Static<typeof Constant>;

/** All measured figures that a plan uses. */
const Constants = Type.Object(
  {
    hot_reading_bytes: Constant,
    packed_reading_bytes: Constant,
    tank_bytes: Constant,
    event_bytes: Constant,
    wal_reading_bytes: Constant,
    stream_reading_bytes: Constant,
    report_bytes: Constant,
    stored_readings_per_core: Constant,
    reads_per_core: Constant,
    report_tls_cpu_us: Constant,
    report_plain_cpu_us: Constant,
    routed_request_cpu_us: Constant,
    tls_connection_bytes: Constant,
    small_installation_bytes: Constant,
    largest_cell_tanks: Constant,
  },
  { additionalProperties: false },
);
export type Constants = Static<typeof Constants>;

const CheckedConstants = Compile(Constants);

/** The committed results, a line for each. Change them together with the benchmarks that measure them. */
export async function readConstants(): Promise<Constants> {
  const text = await readFile(new URL('../results/capacity.tsv', import.meta.url), 'utf8');
  const lines = text.trimEnd().split('\n').slice(1);
  const rows = lines.map((line) => {
    const [name = '', value, unit, what, source, recorded_on] = line.split('\t');
    return [name, { value: Number(value), unit, what, source, recorded_on }] as const;
  });
  return CheckedConstants.Parse(Object.fromEntries(rows));
}
