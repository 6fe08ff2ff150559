import type { Statement } from '../../db/readers.ts';
import { type LedgerItem, readLedgerPage } from '../../deliveries/ledger/ledger_page.ts';
import {
  LEDGER_COLUMNS,
  type LedgerColumn,
  type LedgerLanguage,
  languageOf,
  printedNumber,
  reasonText,
  VERDICT_TEXTS,
} from '../../deliveries/verdict_texts.ts';
import { operation } from '../operation.ts';
import { CSV_PAGE_ROWS, type CsvFile, csvParameters, csvResponse, localTimeIn } from './csv_response.ts';
import { oneOf } from './filters.ts';
import { filterParametersOfLedger, LEDGER_EXAMPLE, LedgerEntry, ledgerFilter, visibleItem } from './ledger.ts';
import { scopeOf } from './tanks.ts';

const LANGUAGE: Statement = {
  name: 'language_of_organization',
  text: 'select language from organizations where no = $1',
};

/** One cell of an entry. `local` is the time in the zone of the organization, such as 2025-11-02 14:05. */
const CELLS: Readonly<Record<LedgerColumn, (item: LedgerItem, local: string, language: LedgerLanguage) => unknown>> = {
  date: (_, local) => local.slice(0, 10),
  // A note that gives only the day has no time.
  time: ({ notes }, local) => (notes[0]?.precision === 'day' ? '' : local.slice(11, 16)),
  note: ({ notes }) => notes.map(printedNumber).join(' + '),
  volume: ({ note_volume }) => note_volume,
  pumped: ({ pumped_volume }) => pumped_volume,
  gauge: ({ gauge_volume }) => gauge_volume,
  from: ({ from_volume }) => from_volume,
  to: ({ to_volume }) => to_volume,
  unit: ({ unit }, _, language) => VERDICT_TEXTS[language].units[unit],
  verdict: ({ verdict }, _, language) => VERDICT_TEXTS[language].verdicts[verdict],
  reason: ({ reason, unlike_earlier }, _, language) => reasonText(VERDICT_TEXTS[language], reason, unlike_earlier),
  truck: ({ truck }) => truck?.name,
  driver: ({ driver }) => driver?.name,
  tank: ({ tanks }) => tanks.map(({ name }) => name).join(' + '),
  tank_number: ({ tanks }) => tanks.flatMap(({ custom_id }) => custom_id ?? []).join(' + '),
  customer: ({ owner }) => owner.name,
  customer_number: ({ owner }) => owner.external_key,
};

/**
 * The columns of `format=machine`: codes instead of words, times in UTC, and the IDs of all objects, separated by
 * spaces.
 */
const MACHINE_CELLS: Readonly<Record<string, (item: LedgerItem) => unknown>> = {
  id: ({ id }) => id,
  at: ({ at }) => at,
  verdict: ({ verdict }) => verdict,
  reason: ({ reason }) => reason,
  note_ids: ({ notes }) => notes.map(({ id }) => id).join(' '),
  notes: ({ notes }) => notes.map(printedNumber).join(' + '),
  refilled_at: ({ refills }) => refills.map(({ at }) => at).join(' '),
  tank_ids: ({ tanks }) => tanks.map(({ id }) => id).join(' '),
  custom_ids: ({ tanks }) => tanks.flatMap(({ custom_id }) => custom_id ?? []).join(' + '),
  owner_id: ({ owner }) => owner.id,
  external_key: ({ owner }) => owner.external_key,
  truck_id: ({ truck }) => truck?.id,
  driver_id: ({ driver }) => driver?.id,
  unit: ({ unit }) => unit,
  note_volume: ({ note_volume }) => note_volume,
  pumped_volume: ({ pumped_volume }) => pumped_volume,
  gauge_volume: ({ gauge_volume }) => gauge_volume,
  from_volume: ({ from_volume }) => from_volume,
  to_volume: ({ to_volume }) => to_volume,
};

const parameters = {
  ...filterParametersOfLedger,
  language: oneOf(['en', 'es'], 'Language of the words in the file. The default is that of the organization.'),
  ...csvParameters,
};

export const exportLedgerOperation = operation({
  path: '/fleet/v1/ledger.csv',
  operationId: 'exportLedger',
  summary: 'Export the ledger as CSV',
  description:
    'Returns all entries that match the filters, newest first, for the bookkeeper. There is no limit. The words are in ' +
    '`language`. With `format=machine`, the file has codes instead of words, times in UTC, and the IDs of everything.',
  returns: 'csv',
  item: LedgerEntry,
  example: LEDGER_EXAMPLE,
  hasLocalTimes: true,
  parameters,
  async handle(request) {
    const { readers, caller, parameters: given } = request;
    const { filter, zone } = await ledgerFilter(readers, caller, given);
    const [row] = await readers.query<{ language: string }>(LANGUAGE, [caller.organizationNo]);
    const language = given.language ?? languageOf(row?.language ?? 'en');
    const scope = scopeOf(caller);
    const localTime = localTimeIn(zone);
    const { columns } = VERDICT_TEXTS[language];
    const isForMachine = given.format === 'machine';
    const file: CsvFile<LedgerItem> = {
      name: given.month === undefined ? 'ledger.csv' : `ledger-${given.month}.csv`,
      zone,
      header: isForMachine ? Object.keys(MACHINE_CELLS) : LEDGER_COLUMNS.map((column) => columns[column]),
      async readPage(after) {
        const { items, next } = await readLedgerPage(readers, scope, { filter, after, size: CSV_PAGE_ROWS });
        return { rows: items, next };
      },
      cellsOf(item) {
        const visible = visibleItem(item, caller);
        if (isForMachine) return Object.values(MACHINE_CELLS).map((cellOf) => cellOf(visible));
        const local = localTime(item.at);
        return LEDGER_COLUMNS.map((column) => CELLS[column](visible, local, language));
      },
    };
    return csvResponse(request, file);
  },
});
