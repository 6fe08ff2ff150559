import { readFile } from 'node:fs/promises';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';

const Constant = Type.Object(
  {
    value: Type.Number({ exclusiveMinimum: 0 }),
    unit: Type.String(),
    what: Type.String(),
    /** The command that measures it, such as `bench -- cadence`, without `npm run` before it and `--json` after it. */
    command: Type.String({ pattern: '^(bench|faults) -- [a-z]+' }),
    /** The end of the name of the figure in the report. */
    figure: Type.String({ minLength: 5 }),
    /** The day on which the figure was recorded. */
    recorded_on: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }),
    /** How the measurement differed from this command, alone on a quiet machine. Empty if it did not. */
    note: Type.String(),
  },
  { additionalProperties: false },
);
export type Constant = Static<typeof Constant>;

/** All measured figures that a plan uses. */
const Constants = Type.Object(
  {
    hot_reading_bytes: Constant,
    packed_reading_bytes: Constant,
    packed_months_per_second: Constant,
    tank_bytes: Constant,
    event_bytes: Constant,
    delivery_bytes: Constant,
    mail_bytes: Constant,
    wal_bytes_1_a_day: Constant,
    wal_bytes_4_a_day: Constant,
    wal_bytes_24_a_day: Constant,
    pages_written: Constant,
    pages_read: Constant,
    wal_syncs: Constant,
    writer_reading_us: Constant,
    writer_transaction_us: Constant,
    database_reading_us: Constant,
    database_transaction_us: Constant,
    pages_of_readings_per_second: Constant,
    stream_reading_bytes: Constant,
    stream_messages_per_second: Constant,
    report_bytes: Constant,
    gateway_tls_report_us: Constant,
    gateway_plain_report_us: Constant,
    router_report_us: Constant,
    router_request_us: Constant,
    tls_connection_bytes: Constant,
    small_installation_mb: Constant,
    reevaluated_reading_us: Constant,
  },
  { additionalProperties: false },
);
export type Constants = Static<typeof Constants>;

const CheckedConstants = Compile(Constants);

/** The committed results, a line for each. `npm run capacity -- --record` changes them. */
export const CONSTANTS_FILE = new URL('../results/capacity.tsv', import.meta.url);
const COLUMNS = ['name', 'value', 'unit', 'what', 'command', 'figure', 'recorded_on', 'note'] as const;

export async function readConstants(): Promise<Constants> {
  return parseConstants(await readFile(CONSTANTS_FILE, 'utf8'));
}

export function parseConstants(text: string): Constants {
  const lines = text.trimEnd().split('\n').slice(1);
  const rows = lines.map((line) => {
    const [name = '', value, unit, what, command, figure, recorded_on, note = ''] = line.split('\t');
    return [name, { value: Number(value), unit, what, command, figure, recorded_on, note }] as const;
  });
  return CheckedConstants.Parse(Object.fromEntries(rows));
}

export function formatConstants(constants: Constants): string {
  const rows = Object.entries(constants).map(([name, { value, unit, what, command, figure, recorded_on, note }]) =>
    [name, value, unit, what, command, figure, recorded_on, note].join('\t'),
  );
  return `${[COLUMNS.join('\t'), ...rows].join('\n')}\n`;
}
