import { Command, Option } from 'commander';
import { type ListedEntry, listLedger } from '../deliveries/ledger/list_ledger.ts';
import { reasonText, VERDICT_TEXTS, VERDICTS, type VerdictCode } from '../deliveries/verdict_texts.ts';
import {
  type CommonOptions,
  limitOption,
  type OrganizationOption,
  organizationOption,
  parseTime,
  printRows,
  readCommand,
  readOrganization,
} from './command.ts';
import { notesImportCommand } from './import/catalog_files.ts';

export function notesCommand(): Command {
  return new Command('notes')
    .description('delivery notes: what was delivered by notes and by gauges')
    .addCommand(notesImportCommand())
    .addCommand(listCommand());
}

interface ListOptions extends CommonOptions, OrganizationOption {
  limit: number;
  verdict?: VerdictCode;
  truck?: string;
  since?: string;
}

function listCommand(): Command {
  return readCommand(
    'list',
    'list delivery notes and refills with their verdicts, newest first. Volumes are in liters',
    'notes list --organization a0gas --verdict not_consistent --since 2026-10-01',
  )
    .addOption(organizationOption())
    .addOption(limitOption())
    .addOption(new Option('--verdict <verdict>', 'only entries with this verdict').choices(VERDICTS))
    .option('--truck <name>', 'only notes of this truck')
    .option('--since <time>', 'only from this time on', parseTime)
    .action((options: ListOptions) =>
      readOrganization(options, async (pool, no) => {
        const { limit, verdict = null, truck = null, since = null } = options;
        const entries = await listLedger(pool, no, { limit, verdict, truck, since });
        printRows(options, options.json ? entries : entries.map(rowOf));
      }),
    );
}

/** An entry as a row of a table: the verdict, and the range of the gauge. */
function rowOf(entry: ListedEntry): Record<string, unknown> {
  const { verdict, reason, is_unlike_earlier, note_litres, gauge_litres, from_litres, to_litres, ...row } = entry;
  const texts = VERDICT_TEXTS.en;
  const rounded = (liters: number | null): number | null => (liters === null ? null : Math.round(liters));
  return {
    ...row,
    note_l: rounded(note_litres),
    gauge_l: rounded(gauge_litres),
    range: from_litres === null ? null : `${rounded(from_litres)} to ${rounded(to_litres)}`,
    verdict: texts.verdicts[verdict],
    reason: reasonText(texts, reason, is_unlike_earlier) || null,
  };
}
