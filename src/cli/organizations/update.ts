import { type Command, InvalidArgumentError, Option } from 'commander';
import { DEFAULT_QUOTAS, type OrganizationChanges, updateOrganization } from '../../catalog/organizations.ts';
import { PRODUCT_NAMES } from '../../values/products.ts';
import { UserError } from '../../values/user_error.ts';
import {
  organizationNo,
  parseName,
  printResult,
  runChange,
  type WriteOptions,
  withDatabase,
  writeCommand,
} from '../command.ts';
import { mailOptions } from '../options/mail.ts';

export function updateCommand(): Command {
  const example =
    'organizations update a0gas --language es-MX --time-zone America/Mexico_City --phone "+52 461 555 0100"';
  const command = writeCommand('update', 'change an organization', example);
  for (const option of mailOptions()) command.addOption(option);
  return command
    .argument('<code>', 'code of the organization')
    .option('--name <name>', 'full name', parseName(500))
    .addOption(
      new Option('--default-product <product>', 'what is in tanks that name no product').choices(PRODUCT_NAMES),
    )
    .addOption(
      new Option(
        '--readings-per-second <number>',
        'quota of readings at each gateway, or "default" for GATEWAY_ORGANIZATION_READINGS_PER_SECOND',
      ).argParser(parseQuota),
    )
    .addOption(
      new Option(
        '--telemetry-days <days>',
        'for how many days its readings are kept: at least 90, 0 for ever, or "default" for RETENTION_TELEMETRY_DAYS',
      ).argParser(parseTelemetryDays),
    )
    .addOption(quotaOption('--max-customers', 'customers that it may have over HTTP', DEFAULT_QUOTAS.customers))
    .addOption(quotaOption('--max-tanks', 'tanks that it may have over HTTP', DEFAULT_QUOTAS.tanks))
    .addOption(quotaOption('--max-rounds-per-day', 'rounds that it may create in a day', DEFAULT_QUOTAS.rounds))
    .addOption(
      quotaOption(
        '--max-notes-per-day',
        'delivery notes that it may create in a day over HTTP',
        DEFAULT_QUOTAS.delivery_notes,
      ),
    )
    .addOption(new Option('--unusual-use <on|off>', 'whether unusual use is reported').choices(['on', 'off']))
    .action((code: string, options: WriteOptions & OrganizationChanges & { unusualUse?: 'on' | 'off' }) =>
      withDatabase(async ({ pool }) => {
        const { unusualUse } = options;
        const changes = {
          ...options,
          ...removedValues(options),
          ...(unusualUse && { reportsUnusualUse: unusualUse === 'on' }),
        };
        await runChange(pool, options, async (tx) => {
          const isChanged = await updateOrganization(tx, await organizationNo(tx, code), changes);
          if (!isChanged) throw new UserError('name at least one field to change.');
        });
        printResult(options, { code }, `changed the organization ${code}`);
      }),
    );
}

const quotaOption = (flag: string, what: string, byDefault: number): Option =>
  new Option(`${flag} <number>`, `${what}, or "default" for ${byDefault}`).argParser(parseQuota);

/** The values to remove, as null: commander stores '' if the parser of an option returns null. */
const removedValues = (options: OrganizationChanges): OrganizationChanges =>
  Object.fromEntries(
    (
      [
        'replyTo',
        'phone',
        'emergencyPhone',
        'safetySteps',
        'readingsPerSecond',
        'telemetryDays',
        'maxCustomers',
        'maxTanks',
        'maxRoundsPerDay',
        'maxNotesPerDay',
      ] as const
    )
      .filter((name) => String(options[name]) === '')
      .map((name) => [name, null]),
  );

function parseTelemetryDays(text: string): number | null {
  if (text === 'default') return null;
  const days = Number(text);
  if (!/^\d{1,5}$/.test(text) || (days > 0 && days < 90)) {
    throw new InvalidArgumentError('Must be "default", 0, or a whole number of days from 90.');
  }
  return days;
}

function parseQuota(text: string): number | null {
  if (text === 'default') return null;
  if (!/^[1-9]\d{0,6}$/.test(text)) {
    throw new InvalidArgumentError('Must be "default" or a whole number from 1 to 9999999.');
  }
  return Number(text);
}
