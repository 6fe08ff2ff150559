import { Command, Option } from 'commander';
import type { Pool } from 'pg';
import { recordCommand } from '../catalog/audit_log.ts';
import { findTank } from '../catalog/tanks.ts';
import { RowErrorGroups } from '../values/row_error.ts';
import { choosePlace, deletePlace, listPlaceDays, listPlaces, unknownPlace } from '../weather/places.ts';
import { MAX_TEMPERATURES, storeTemperatures } from '../weather/store_temperatures.ts';
import { readTemperatures } from '../weather/temperature_file.ts';
import { TEMPERATURE_COLUMNS, type Temperature } from '../weather/temperature_row.ts';
import { BadRowsFile } from './bad_rows_file.ts';
import {
  type CommonOptions,
  changeOrganization,
  listCommand,
  type OrganizationOption,
  organizationOption,
  printResult,
  printRows,
  readCommand,
  readOrganization,
  runChange,
  type WriteOptions,
  writeCommand,
} from './command.ts';
import { inputFile } from './input_file.ts';
import {
  type ColumnOption,
  type FileOptions,
  tableOptions,
  textFormat,
  withColumnOption,
  withFileOptions,
} from './options/file.ts';

const MAX_SHOWN_ERRORS = 20;

export function weatherCommand(): Command {
  return new Command('weather')
    .description('temperatures of places, for forecasts of tanks that heat')
    .addCommand(importCommand())
    .addCommand(
      listCommand(
        'list the places with weather, their source and age',
        'weather list --organization a0gas',
        listPlaces,
      ),
    )
    .addCommand(showCommand())
    .addCommand(assignCommand())
    .addCommand(removeCommand());
}

interface ImportOptions extends WriteOptions, OrganizationOption, FileOptions, ColumnOption {
  station?: string;
  bad?: string;
}

function importCommand(): Command {
  return withFileOptions(
    withColumnOption(
      writeCommand(
        'import',
        'store daily temperatures, observed and forecast; for each day, the temperatures that were issued last count',
        'weather import weather.csv --organization a0gas',
      ),
      TEMPERATURE_COLUMNS,
    ),
  )
    .argument('<file>', 'CSV or a workbook (.xlsx) with a header; - for standard input')
    .addOption(organizationOption())
    .addOption(new Option('--station <name>', 'the place of all rows, for a file without a column for the place'))
    .option('--bad <file>', 'write the bad rows to this file, with a column that gives the reason')
    .addHelpText(
      'after',
      '\nColumns: station, or postal_code (its beginning is enough), or latitude and longitude; date (the day at the place);' +
        '\nmean, or min and max; unit: C or F (default: C); kind: observed, forecast or normal (default: observed for days' +
        '\nbefore today, otherwise forecast); issued_at; source.' +
        '\nBad rows are reported and skipped. Then the exit code is 1.',
    )
    .action((file: string, options: ImportOptions) =>
      readOrganization(options, async (pool, no) => {
        const counts = await importTemperatures(pool, no, file, options);
        const { read, stored, rejected } = counts;
        const unchanged = read - stored - rejected;
        printResult(
          options,
          { ...counts, unchanged },
          `${read} rows: ${stored} stored, ${unchanged} unchanged, ${rejected} rejected`,
        );
        if (rejected > 0) process.exitCode = 1;
      }),
    );
}

async function importTemperatures(
  pool: Pool,
  organizationNo: number,
  file: string,
  options: ImportOptions,
): Promise<{ read: number; stored: number; rejected: number }> {
  const source = await inputFile(file);
  await using bad = options.bad === undefined ? undefined : await BadRowsFile.create(options.bad, source.name);
  const counts = { read: 0, stored: 0, rejected: 0 };
  const errors = new RowErrorGroups();
  let batch: Temperature[] = [];
  const storeBatch = async (): Promise<void> => {
    if (batch.length === 0) return;
    counts.stored += await runChange(pool, options, (tx) => storeTemperatures(tx, organizationNo, batch));
    batch = [];
  };
  if (!options.dryRun) {
    await runChange(pool, options, (tx) => recordCommand(tx, { organizationNo, object: 'weather', action: 'import' }));
  }
  const pages = readTemperatures(source, {
    table: {
      ...tableOptions(options, (note) => console.error(note)),
      onDelimiter(delimiter) {
        if (bad) bad.delimiter = delimiter;
      },
    },
    format: textFormat(options),
    names: options.column ?? {},
    station: options.station,
    nowMs: Date.now(),
    onHeader: (cells) => bad?.writeHeader(cells),
  });
  for await (const rows of pages) {
    for (const row of rows) {
      counts.read++;
      if ('error' in row) {
        counts.rejected++;
        errors.add(row.line, row.error);
        await bad?.writeRow(`${row.error.column ?? 'row'} ${row.error.problem}`, row.cells);
      } else {
        batch.push(row.temperature);
      }
      if (batch.length === MAX_TEMPERATURES) await storeBatch();
    }
  }
  await storeBatch();
  for (const line of errors.describe(MAX_SHOWN_ERRORS)) console.error(line);
  return counts;
}

function showCommand(): Command {
  return readCommand('show', 'show the days of a place as forecasts see them', 'weather show KDEN --organization a0gas')
    .argument('<place>', 'name of the place, as in weather list')
    .addOption(organizationOption())
    .action((name: string, options: CommonOptions & OrganizationOption) =>
      readOrganization(options, async (pool, organization) => {
        const [place] = await listPlaces(pool, organization, name);
        if (place === undefined) throw unknownPlace(name);
        const days = await listPlaceDays(pool, organization, name);
        if (options.json) return console.log(JSON.stringify({ ...place, days }));
        console.log(`${place.place}: ${place.tanks} tanks, of which ${place.following} follow the weather`);
        printRows(options, days);
      }),
    );
}

function assignCommand(): Command {
  return writeCommand(
    'assign',
    'choose the place of a tank; without --place, Tankwatch finds it by coordinates or postal code',
    'weather assign ABCD1234 --place KDEN --organization a0gas',
  )
    .argument('<tank>', 'its id or its device')
    .addOption(organizationOption())
    .option('--place <name>', 'name of the place, as in weather list')
    .action(async (tank: string, options: WriteOptions & OrganizationOption & { place?: string }) => {
      const { place = null } = options;
      const id = await changeOrganization(options, async ({ tx, organizationNo }) => {
        const found = await findTank(tx, organizationNo, tank);
        await choosePlace(tx, organizationNo, found.no, place);
        await recordCommand(tx, { organizationNo, object: 'weather', action: 'update' });
        return found.id;
      });
      const text =
        place === null ? 'its place is found by coordinates or postal code' : `its weather is that of ${place}`;
      printResult(options, { tank_id: id, place }, `tank ${id}: ${text}; its forecast follows within five minutes`);
    });
}

function removeCommand(): Command {
  return writeCommand('remove', 'delete a place and its temperatures', 'weather remove KDEN --organization a0gas')
    .argument('<place>', 'name of the place, as in weather list')
    .addOption(organizationOption())
    .action(async (name: string, options: WriteOptions & OrganizationOption) => {
      await changeOrganization(options, async ({ tx, organizationNo }) => {
        await deletePlace(tx, organizationNo, name);
        await recordCommand(tx, { organizationNo, object: 'weather', action: 'delete' });
      });
      printResult(options, { place: name }, `${name} was deleted with its temperatures`);
    });
}
