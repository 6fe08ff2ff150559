import { Command } from 'commander';
import { findCustomer } from '../../catalog/customers.ts';
import { lockOrganization } from '../../catalog/organizations.ts';
import { namedDevice } from '../../catalog/placeholder_device.ts';
import { TANK_FIELDS } from '../../catalog/tank_fields.ts';
import {
  assignDevice,
  createTanks,
  type DeviceExchange,
  deleteTank,
  findTank,
  listTanks,
  type NewTank,
  updateTank,
} from '../../catalog/tanks.ts';
import { onlyRow } from '../../db/only_row.ts';
import { findTankStatus } from '../../status/refill_list.ts';
import { UserError } from '../../values/user_error.ts';
import { USUAL_THRESHOLD_PERCENTAGE } from '../../values/usual_constants.ts';
import {
  type CommonOptions,
  changeObject,
  changeOrganization,
  limitOption,
  type OrganizationOption,
  organizationOption,
  printFields,
  printResult,
  printRows,
  readCommand,
  readOrganization,
  type WriteOptions,
  writeCommand,
} from '../command.ts';
import { exportCommand } from '../export_catalog.ts';
import { tanksImportCommand } from '../import/catalog_files.ts';
import { changesFromOptions, fieldsFromOptions, parseArgument, withFieldOptions } from '../options/field.ts';
import { statusFields } from '../refill_row.ts';
import { calibrateCommand } from './calibrate.ts';
import { dipCommand, estimateCommand } from './dip.ts';
import { forecastCommand } from './forecast.ts';
import { gaugeCommand } from './gauge.ts';

export function tanksCommand(): Command {
  return new Command('tanks')
    .description('tanks, their devices and their owners')
    .addCommand(createCommand())
    .addCommand(updateCommand())
    .addCommand(assignDeviceCommand())
    .addCommand(dipCommand())
    .addCommand(estimateCommand())
    .addCommand(gaugeCommand())
    .addCommand(calibrateCommand())
    .addCommand(transferCommand())
    .addCommand(deleteCommand())
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(forecastCommand())
    .addCommand(tanksImportCommand())
    .addCommand(exportCommand('tanks'));
}

const TANK = ['<tank>', 'id of the tank, or its device'] as const;
const REQUIRED_FIELDS = ['name', 'assigned_device_id', 'capacity', 'capacity_unit'] as const;

function createCommand(): Command {
  const example =
    'tanks create --organization a0gas --owner C-1042 --name House --assigned-device-id ABCD1234 --capacity 300 --capacity-unit liters';
  return withFieldOptions(
    writeCommand('create', `create a tank (default alert threshold: ${USUAL_THRESHOLD_PERCENTAGE} %)`, example),
    TANK_FIELDS,
  )
    .requiredOption('--owner <customer>', 'the owner: id or external key of a customer')
    .addOption(organizationOption())
    .action(async (options: WriteOptions & OrganizationOption & { owner: string }) => {
      const values = {
        min_fill_alert_percentage: USUAL_THRESHOLD_PERCENTAGE,
        ...fieldsFromOptions({ ...TANK_FIELDS, assigned_device_id: namedDevice }, { ...options }, REQUIRED_FIELDS),
      };
      if (!isComplete(values)) throw new Error('a required field is missing');
      const { id } = await changeOrganization(options, async ({ tx, organizationNo: organization, isDryRun }) => {
        await lockOrganization(tx, organization);
        const owner = await findCustomer(tx, organization, options.owner);
        return onlyRow(await createTanks(tx, organization, [{ owner_no: owner.no, ...values }], { isDryRun }));
      });
      printResult(options, { id }, `created the tank ${id}`);
    });
}

const isComplete = (values: Partial<NewTank>): values is Omit<NewTank, 'owner_no'> =>
  REQUIRED_FIELDS.every((field) => values[field] !== undefined);

function updateCommand(): Command {
  const example = 'tanks update ABCD1234 --organization a0gas --min-fill-alert-percentage 30';
  return withFieldOptions(writeCommand('update', 'change fields of a tank', example), TANK_FIELDS, [
    'assigned_device_id',
  ])
    .argument(...TANK)
    .addOption(organizationOption())
    .action(async (reference: string, options: WriteOptions & OrganizationOption) => {
      const values = changesFromOptions(TANK_FIELDS, { ...options });
      const { id } = await changeObject(findTank, reference, options, (tx, organization, no) =>
        updateTank(tx, organization, no, values),
      );
      const changed = Object.keys(values);
      printResult(options, { id, changed }, `changed ${changed.join(', ')} of the tank ${id}`);
    });
}

function assignDeviceCommand(): Command {
  return writeCommand(
    'assign-device',
    'assign a device to a tank',
    'tanks assign-device ABCD1234 EFGH5678 --organization a0gas --swap',
  )
    .argument(...TANK)
    .argument('<device>', 'serial of the device; manual: the tank has no sensor from now on')
    .addOption(organizationOption())
    .option('--swap', 'if the device is on another tank, that tank gets the current device of this one')
    .option('--replacement <device>', 'if the device is on another tank, that tank gets this device')
    .action(
      async (
        reference: string,
        device: string,
        options: WriteOptions & OrganizationOption & { swap?: boolean; replacement?: string },
      ) => {
        if (options.swap && options.replacement) throw new UserError('use either --swap or --replacement, not both.');
        const displaced: DeviceExchange = options.swap
          ? { swap: true }
          : options.replacement === undefined
            ? undefined
            : { replacement: deviceOf(options.replacement) };
        const { id, result } = await changeObject(findTank, reference, options, (tx, organization, no) =>
          assignDevice(tx, organization, no, deviceOf(device), displaced),
        );
        printResult(options, { id, assigned_device_id: result }, `device ${result} is on the tank ${id} now`);
      },
    );
}

const deviceOf = (text: string): string => parseArgument(namedDevice, text, 'the device');

function transferCommand(): Command {
  return writeCommand(
    'transfer',
    'transfer a tank with all its readings to another owner',
    'tanks transfer ABCD1234 --to C-1043 --organization a0gas',
  )
    .argument(...TANK)
    .addOption(organizationOption())
    .requiredOption('--to <customer>', 'the new owner: id or external key of a customer')
    .action(async (reference: string, options: WriteOptions & OrganizationOption & { to: string }) => {
      const { id } = await changeObject(findTank, reference, options, async (tx, organization, no) => {
        await lockOrganization(tx, organization);
        const owner = await findCustomer(tx, organization, options.to);
        await updateTank(tx, organization, no, { owner_no: owner.no });
      });
      printResult(options, { id, owner: options.to }, `the tank ${id} belongs to ${options.to} now`);
    });
}

function deleteCommand(): Command {
  return writeCommand(
    'delete',
    'delete a tank permanently; its device can be assigned again',
    'tanks delete ABCD1234 --organization a0gas',
  )
    .argument(...TANK)
    .addOption(organizationOption())
    .action(async (reference: string, options: WriteOptions & OrganizationOption) => {
      const { id } = await changeObject(findTank, reference, options, deleteTank);
      printResult(options, { id, deleted: true }, `deleted the tank ${id}`);
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
    .action((options: CommonOptions & OrganizationOption & { limit: number }) =>
      readOrganization(options, async (pool, organization) => {
        const tanks = await listTanks(pool, organization, { limit: options.limit });
        const asTableRow = ({
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
        printRows(options, options.json ? tanks : tanks.map(asTableRow));
      }),
    );
}

function showCommand(): Command {
  return readCommand('show', 'show one tank, and what its alerts wait for', 'tanks show ABCD1234 --organization a0gas')
    .argument(...TANK)
    .addOption(organizationOption())
    .action((reference: string, options: CommonOptions & OrganizationOption) =>
      readOrganization(options, async (pool, organization) => {
        const { no } = await findTank(pool, organization, reference);
        const tank = onlyRow(await listTanks(pool, organization, { limit: 1, no }));
        const status = await findTankStatus(pool, organization, no, Date.now());
        printFields(options, { ...tank, ...(status && statusFields(status, options)) });
      }),
    );
}
