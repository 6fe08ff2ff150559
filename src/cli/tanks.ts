import { Command } from 'commander';
import { findCustomer } from '../catalog/customers.ts';
import { TANK_FIELDS } from '../catalog/fields.ts';
import {
  assignDevice,
  createTanks,
  type DeviceExchange,
  deleteTank,
  findTank,
  listTanks,
  type NewTank,
  transferTank,
  updateTank,
} from '../catalog/tanks.ts';
import { onlyRow } from '../db/only_row.ts';
import { UserError } from '../values/user_error.ts';
import { tanksExportCommand, tanksImportCommand } from './catalog_files.ts';
import {
  type CommonOptions,
  change,
  changeFound,
  type InOrganization,
  limitOption,
  organizationNo,
  organizationOption,
  print,
  printFields,
  printRows,
  readCommand,
  type WriteOptions,
  withDatabase,
  writeCommand,
} from './command.ts';
import { fieldsFromFlags, withFieldFlags } from './field_options.ts';
import { forecastCommand } from './tanks_forecast.ts';

export function tanksCommand(): Command {
  return new Command('tanks')
    .description('tanks, the devices on them and who owns them')
    .addCommand(createCommand())
    .addCommand(updateCommand())
    .addCommand(assignDeviceCommand())
    .addCommand(transferCommand())
    .addCommand(deleteCommand())
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(forecastCommand())
    .addCommand(tanksImportCommand())
    .addCommand(tanksExportCommand());
}

const TANK = ['<tank>', 'its id, or the device on it'] as const;
const NEEDED = ['name', 'assigned_device_id', 'capacity', 'capacity_unit'] as const;

function createCommand(): Command {
  const example =
    'tanks create --organization a0gas --owner C-1042 --name House --assigned-device-id ABCD1234 --capacity 300 --capacity-unit liters';
  return withFieldFlags(
    writeCommand('create', 'create a tank (alert threshold: 20 % unless given)', example),
    TANK_FIELDS,
  )
    .requiredOption('--owner <customer>', 'who owns it: an id or your external key')
    .addOption(organizationOption())
    .action((options: WriteOptions & InOrganization & { owner: string }) =>
      withDatabase(async ({ pool }) => {
        const values = { min_fill_alert_percentage: 20, ...fieldsFromFlags(TANK_FIELDS, { ...options }, NEEDED) };
        if (!isComplete(values)) throw new Error('a needed field is missing');
        const { id } = await change(pool, options, async (tx) => {
          const organization = await organizationNo(tx, options.organization);
          const owner = await findCustomer(tx, organization, options.owner);
          return onlyRow(await createTanks(tx, organization, [{ owner_no: owner.no, ...values }]));
        });
        print(options, { id }, `created the tank ${id}`);
      }),
    );
}

const isComplete = (values: Partial<NewTank>): values is Omit<NewTank, 'owner_no'> =>
  NEEDED.every((field) => values[field] !== undefined);

function updateCommand(): Command {
  const example = 'tanks update ABCD1234 --organization a0gas --min-fill-alert-percentage 30';
  return withFieldFlags(writeCommand('update', 'change fields of a tank', example), TANK_FIELDS, ['assigned_device_id'])
    .argument(...TANK)
    .addOption(organizationOption())
    .action(async (reference: string, options: WriteOptions & InOrganization) => {
      const values = fieldsFromFlags(TANK_FIELDS, { ...options });
      const { id } = await changeFound(findTank, reference, options, (tx, organization, no) =>
        updateTank(tx, organization, no, values),
      );
      const changed = Object.keys(values);
      print(options, { id, changed }, `changed ${changed.join(', ')} of the tank ${id}`);
    });
}

function assignDeviceCommand(): Command {
  return writeCommand(
    'assign-device',
    'put a device on a tank',
    'tanks assign-device ABCD1234 EFGH5678 --organization a0gas --swap',
  )
    .argument(...TANK)
    .argument('<device>', 'the serial of the device, as its maker writes it')
    .addOption(organizationOption())
    .option('--swap', 'if the device is on another tank, give that one the device from here')
    .option('--replacement <device>', 'if the device is on another tank, give that one this device')
    .action(
      async (
        reference: string,
        device: string,
        options: WriteOptions & InOrganization & { swap?: boolean; replacement?: string },
      ) => {
        if (options.swap && options.replacement) throw new UserError('say either --swap or --replacement.');
        const displaced: DeviceExchange = options.swap
          ? { swap: true }
          : options.replacement === undefined
            ? undefined
            : { replacement: options.replacement };
        const { id } = await changeFound(findTank, reference, options, (tx, organization, no) =>
          assignDevice(tx, organization, no, device, displaced),
        );
        print(options, { id, assigned_device_id: device }, `device ${device} is on the tank ${id} now`);
      },
    );
}

function transferCommand(): Command {
  return writeCommand(
    'transfer',
    'hand a tank to another owner, history included',
    'tanks transfer ABCD1234 --to C-1043 --organization a0gas',
  )
    .argument(...TANK)
    .addOption(organizationOption())
    .requiredOption('--to <customer>', 'the new owner: an id or your external key')
    .action(async (reference: string, options: WriteOptions & InOrganization & { to: string }) => {
      const { id } = await changeFound(findTank, reference, options, async (tx, organization, no) => {
        const owner = await findCustomer(tx, organization, options.to);
        await transferTank(tx, organization, no, owner.no);
      });
      print(options, { id, owner: options.to }, `the tank ${id} belongs to ${options.to} now`);
    });
}

function deleteCommand(): Command {
  return writeCommand(
    'delete',
    'delete a tank for good; its device is free again',
    'tanks delete ABCD1234 --organization a0gas',
  )
    .argument(...TANK)
    .addOption(organizationOption())
    .action(async (reference: string, options: WriteOptions & InOrganization) => {
      const { id } = await changeFound(findTank, reference, options, deleteTank);
      print(options, { id, deleted: true }, `deleted the tank ${id}`);
    });
}

function listCommand(): Command {
  return readCommand(
    'list',
    'list tanks, newest first, with their latest reading',
    'tanks list --organization a0gas --limit 20',
  )
    .addOption(organizationOption())
    .addOption(limitOption())
    .action((options: CommonOptions & InOrganization & { limit: number }) =>
      withDatabase(async ({ pool }) => {
        const tanks = await listTanks(pool, await organizationNo(pool, options.organization), { limit: options.limit });
        const short = ({
          id,
          name,
          assigned_device_id,
          latest_fill_percentage,
          latest_at,
        }: Record<string, unknown>) => ({
          id,
          name,
          device: assigned_device_id,
          fill: latest_fill_percentage,
          at: latest_at,
        });
        printRows(options, options.json ? tanks : tanks.map(short));
      }),
    );
}

function showCommand(): Command {
  return readCommand('show', 'show one tank', 'tanks show ABCD1234 --organization a0gas')
    .argument(...TANK)
    .addOption(organizationOption())
    .action((reference: string, options: CommonOptions & InOrganization) =>
      withDatabase(async ({ pool }) => {
        const organization = await organizationNo(pool, options.organization);
        const { no } = await findTank(pool, organization, reference);
        printFields(options, onlyRow(await listTanks(pool, organization, { limit: 1, no })));
      }),
    );
}
