import { Command } from 'commander';
import type { Fields } from '../catalog/fields.ts';
import {
  createTransport,
  DEPOT_FIELDS,
  DRIVER_FIELDS,
  deleteDriver,
  findTransportByName,
  listTransport,
  TRUCK_FIELDS,
  type TransportKind,
  updateTransport,
} from '../deliveries/transport.ts';
import { UserError } from '../values/user_error.ts';
import {
  type CommonOptions,
  type OrganizationOption,
  organizationNo,
  organizationOption,
  printResult,
  printRows,
  readCommand,
  runChange,
  type WriteOptions,
  withDatabase,
  writeCommand,
} from './command.ts';
import { fieldsFromOptions, withFieldOptions } from './field_options.ts';

interface Kind {
  kind: TransportKind;
  description: string;
  fields: Fields;
  required: readonly string[];
  createExample: string;
  updateExample: string;
}

const KINDS: Readonly<Record<TransportKind, Kind>> = {
  depot: {
    kind: 'depot',
    description: 'depots: where trucks start and are loaded',
    fields: DEPOT_FIELDS,
    required: ['name', 'latitude', 'longitude'],
    createExample: 'depots create --organization a0gas --name Celaya --latitude 20.5283 --longitude -100.8122',
    updateExample: 'depots update Celaya --organization a0gas --is-archived true',
  },
  truck: {
    kind: 'truck',
    description: 'trucks that deliver gas',
    fields: TRUCK_FIELDS,
    required: ['name', 'capacity', 'capacity_unit'],
    createExample:
      'trucks create --organization a0gas --name "Truck 2" --depot Celaya --capacity 9000 --capacity-unit liters',
    updateExample: 'trucks update "Truck 2" --organization a0gas --is-compensated true',
  },
  driver: {
    kind: 'driver',
    description: 'drivers of trucks',
    fields: DRIVER_FIELDS,
    required: ['name'],
    createExample: 'drivers create --organization a0gas --name "Raúl Vega" --phone "+52 461 555 0155"',
    updateExample: 'drivers update "Raúl Vega" --organization a0gas --is-archived true',
  },
};

export const depotsCommand = (): Command => transportCommand(KINDS.depot);
export const trucksCommand = (): Command => transportCommand(KINDS.truck);
export const driversCommand = (): Command => transportCommand(KINDS.driver).addCommand(deleteCommand());

function transportCommand(of: Kind): Command {
  return new Command(`${of.kind}s`)
    .description(of.description)
    .addCommand(createCommand(of))
    .addCommand(updateCommand(of))
    .addCommand(listCommand(of));
}

type ChangeOptions = WriteOptions & OrganizationOption & { depot?: string };

function withOptions(command: Command, { kind, fields }: Kind): Command {
  const withFields = withFieldOptions(command, fields).addOption(organizationOption());
  return kind === 'truck' ? withFields.option('--depot <depot>', 'the depot: id or name') : withFields;
}

function createCommand(of: Kind): Command {
  const { kind, fields, required, createExample } = of;
  return withOptions(writeCommand('create', `create a ${kind}`, createExample), of).action((options: ChangeOptions) =>
    withDatabase(async ({ pool }) => {
      const values = fieldsFromOptions(fields, { ...options }, required);
      if (kind === 'truck' && options.depot === undefined) throw new UserError('--depot is required.');
      const isDryRun = options.dryRun === true;
      const id = await runChange(pool, options, async (tx) => {
        const organization = await organizationNo(tx, options.organization);
        const depot = options.depot && (await findTransportByName(tx, organization, 'depot', options.depot));
        return createTransport(
          tx,
          organization,
          kind,
          { ...values, ...(depot && { depot_no: depot.no }) },
          { isDryRun },
        );
      });
      printResult(options, { id }, `created the ${kind} ${id}`);
    }),
  );
}

function updateCommand(of: Kind): Command {
  const { kind, fields, updateExample } = of;
  return withOptions(writeCommand('update', `change or archive a ${kind}; what is not given stays`, updateExample), of)
    .argument(`<${kind}>`, `id or name of the ${kind}`)
    .action((reference: string, options: ChangeOptions) =>
      withDatabase(async ({ pool }) => {
        const values = fieldsFromOptions(fields, { ...options });
        const changed = [...Object.keys(values), ...(options.depot === undefined ? [] : ['depot'])];
        if (changed.length === 0) throw new UserError('name at least one field to change; --help lists the options.');
        const id = await runChange(pool, options, async (tx) => {
          const organization = await organizationNo(tx, options.organization);
          const { object } = await findTransportByName(tx, organization, kind, reference);
          const depot = options.depot && (await findTransportByName(tx, organization, 'depot', options.depot));
          await updateTransport(tx, kind, object.id, { ...values, ...(depot && { depot_no: depot.no }) });
          return object.id;
        });
        printResult(options, { id, changed }, `changed ${changed.join(', ')} of the ${kind} ${id}`);
      }),
    );
}

function listCommand({ kind }: Kind): Command {
  return readCommand('list', `list the ${kind}s of an organization`, `${kind}s list --organization a0gas`)
    .addOption(organizationOption())
    .action((options: CommonOptions & OrganizationOption) =>
      withDatabase(async ({ pool }) => {
        const all = await listTransport(pool, await organizationNo(pool, options.organization), kind);
        printRows(
          options,
          all.map(({ object }) => {
            const { object: _, ...fields } = object;
            return fields;
          }),
        );
      }),
    );
}

function deleteCommand(): Command {
  const example = 'drivers delete "Raúl Vega" --organization a0gas';
  return writeCommand('delete', 'erase the name and the phone number of a driver; rounds keep the id', example)
    .argument('<driver>', 'id or name of the driver')
    .addOption(organizationOption())
    .action((reference: string, options: WriteOptions & OrganizationOption) =>
      withDatabase(async ({ pool }) => {
        const id = await runChange(pool, options, async (tx) => {
          const organization = await organizationNo(tx, options.organization);
          const { no, object } = await findTransportByName(tx, organization, 'driver', reference);
          await deleteDriver(tx, no);
          return object.id;
        });
        printResult(options, { id }, `deleted the driver ${id}`);
      }),
    );
}
