import type { Statement } from '../../db/readers.ts';
import { type LedgerFilter, type LedgerItem, readLedgerPage } from '../../deliveries/ledger/ledger_page.ts';
import {
  LEDGER_COLUMNS,
  type LedgerColumn,
  type LedgerLanguage,
  languageOf,
  printedNumber,
  reasonText,
  VERDICT_WORDS,
} from '../../deliveries/verdict_words.ts';
import { BYTE_ORDER_MARK, csvLine } from '../../values/csv.ts';
import type { Operation, OperationRequest } from '../operation.ts';
import type { ParameterValues } from '../parameters.ts';
import { csvResponse } from './csv_response.ts';
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
  // A note that says only the day has no hour.
  time: ({ notes }, local) => (notes[0]?.precision === 'day' ? '' : local.slice(11, 16)),
  note: ({ notes }) => notes.map(printedNumber).join(' + '),
  volume: ({ note_volume }) => note_volume,
  pumped: ({ pumped_volume }) => pumped_volume,
  gauge: ({ gauge_volume }) => gauge_volume,
  from: ({ from_volume }) => from_volume,
  to: ({ to_volume }) => to_volume,
  unit: ({ unit }, _, language) => VERDICT_WORDS[language].units[unit],
  verdict: ({ verdict }, _, language) => VERDICT_WORDS[language].verdicts[verdict],
  reason: ({ reason, unlike_earlier }, _, language) => reasonText(VERDICT_WORDS[language], reason, unlike_earlier),
  truck: ({ truck }) => truck?.name,
  driver: ({ driver }) => driver?.name,
  tank: ({ tanks }) => tanks.map(({ name }) => name).join(' + '),
  tank_number: ({ tanks }) => tanks.flatMap(({ custom_id }) => custom_id ?? []).join(' + '),
  customer: ({ owner }) => owner.name,
  customer_number: ({ owner }) => owner.external_key,
};

const PAGE_ENTRIES = 200;

interface Export {
  filter: LedgerFilter;
  zone: string;
  language: LedgerLanguage;
}

/** If the key is revoked meanwhile, the file ends in the middle and the connection is closed. */
async function* csvOf(
  { readers, caller, reauthorize }: Pick<OperationRequest, 'readers' | 'caller' | 'reauthorize'>,
  { filter, zone, language }: Export,
): AsyncGenerator<string> {
  const scope = scopeOf(caller);
  // The Swedish format is that of ISO 8601.
  const local = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
  const { columns } = VERDICT_WORDS[language];
  yield BYTE_ORDER_MARK + csvLine(LEDGER_COLUMNS.map((column) => columns[column]));
  let after: string | undefined;
  do {
    await reauthorize();
    const page = await readLedgerPage(readers, scope, { filter, after, size: PAGE_ENTRIES });
    const lines = page.items.map((item) => {
      const seen = visibleItem(item, caller);
      const localTime = local.format(Date.parse(item.at));
      return csvLine(
        LEDGER_COLUMNS.map((column) => CELLS[column](seen, localTime, language)),
        { isSpreadsheetSafe: true },
      );
    });
    yield lines.join('');
    after = page.next ?? undefined;
  } while (after !== undefined);
}

const parameters = {
  ...filterParametersOfLedger,
  language: oneOf(['en', 'es'], 'Language of the words in the file. The default is that of the organization.'),
};

export const exportLedgerOperation: Operation = {
  path: '/fleet/v1/ledger.csv',
  operationId: 'exportLedger',
  summary: 'Export the ledger as CSV',
  description:
    'All entries of the filters, newest first, for the bookkeeper: usually of one month. There is no limit. The words are in the ' +
    'language of the organization.',
  returns: 'csv',
  item: LedgerEntry,
  example: LEDGER_EXAMPLE,
  parameters,
  async handle(request: OperationRequest<ParameterValues<typeof parameters>>) {
    const { readers, caller, parameters: given } = request;
    const { filter, zone } = await ledgerFilter(readers, caller, given);
    const [row] = await readers.query<{ language: string }>(LANGUAGE, [caller.organizationNo]);
    const language = given.language ?? languageOf(row?.language ?? 'en');
    const name = given.month === undefined ? 'ledger.csv' : `ledger-${given.month}.csv`;
    return csvResponse(name, csvOf(request, { filter, zone, language }));
  },
};
