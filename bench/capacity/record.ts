import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { type Constants, formatConstants, parseConstants } from './constants.ts';

/** What `--json` of a benchmark prints. */
const MeasuredReport = Compile(
  Type.Object({
    name: Type.String(),
    per_day: Type.Optional(Type.Number()),
    checks: Type.Array(Type.Object({ what: Type.String(), value: Type.Number() })),
  }),
);

/**
 * Replaces constants by the figures of reports (one JSON object a line), and returns the names of the replaced ones. If
 * several figures match a constant, the last one counts, which is that of the largest size.
 */
export function recordReports(
  constants: Constants,
  lines: string,
  day: string,
): { constants: Constants; changed: string[] } {
  const reports = lines
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => MeasuredReport.Parse(JSON.parse(line)));
  const changed: string[] = [];
  const rows = Object.entries(constants).map(([name, constant]) => {
    const [, bench, perDay] = /-- ([a-z]+)(?:.* --per-day (\d+))?/.exec(constant.command) ?? [];
    const found = reports
      .filter(
        (report) => report.name === bench && (report.per_day === undefined || report.per_day === Number(perDay ?? 4)),
      )
      .flatMap(({ checks }) => checks)
      .findLast(({ what }) => what.endsWith(constant.figure));
    if (found === undefined) return [name, constant] as const;
    changed.push(name);
    return [name, { ...constant, value: found.value, recorded_on: day, note: '' }] as const;
  });
  // Parsing the text checks that all constants are there.
  const text = formatConstants({ ...constants, ...Object.fromEntries(rows) });
  return { constants: parseConstants(text), changed };
}
