import { Command } from 'commander';
import type { ChangeContext } from '../catalog/change_context.ts';
import type { Fields } from '../catalog/field.ts';
import type { Db } from '../db/pool.ts';
import { createTransport, deleteDriver, updateTransport } from '../deliveries/truck_changes.ts';
import {
  DEPOT_FIELDS,
  DRIVER_FIELDS,
  findTransportId,
  listTransport,
  TRUCK_FIELDS,
  type TransportKind,
} from '../deliveries/trucks.ts';
import { UserError } from '../values/user_error.ts';
import {
  changeOrganization,
  listCommand,
  type OrganizationOption,
  organizationOption,
  printResult,
  type WriteOptions,
  writeCommand,
} from './command.ts';
import { fieldsFromOptions, withFieldOptions } from './options/field.ts';

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

function transportCommand(transport: Kind): Command {
  const name = `${transport.kind}s`;
  return new Command(name)
    .description(transport.description)
    .addCommand(createCommand(transport))
    .addCommand(updateCommand(transport))
    .addCommand(
      listCommand(`list the ${name} of an organization`, `${name} list --organization a0gas`, listRows(transport)),
    );
}

type ChangeOptions = WriteOptions & OrganizationOption & { depot?: string };

function withOptions(command: Command, { kind, fields }: Kind): Command {
  const withFields = withFieldOptions(command, fields).addOption(organizationOption());
  return kind === 'truck' ? withFields.option('--depot <depot>', 'the depot: id or name') : withFields;
}

/** The values of the options. A depot is named by its id or its name. */
async function valuesOf({ tx, organizationNo: no }: ChangeContext, { fields }: Kind, options: ChangeOptions) {
  const values = fieldsFromOptions(fields, { ...options });
  if (options.depot === undefined) return values;
  return { ...values, depot_id: await findTransportId(tx, no, 'depot', options.depot) };
}

function createCommand(transport: Kind): Command {
  const { kind, fields, required, createExample } = transport;
  return withOptions(writeCommand('create', `create a ${kind}`, createExample), transport).action(
    async (options: ChangeOptions) => {
      fieldsFromOptions(fields, { ...options }, required);
      if (kind === 'truck' && options.depot === undefined) throw new UserError('--depot is required.');
      const id = await changeOrganization(options, async (change) =>
        createTransport(change, kind, await valuesOf(change, transport, options)),
      );
      printResult(options, { id }, `created the ${kind} ${id}`);
    },
  );
}

function updateCommand(transport: Kind): Command {
  const { kind, fields, updateExample } = transport;
  const command = writeCommand('update', `change or archive a ${kind}; what is not given stays`, updateExample);
  return withOptions(command, transport)
    .argument(`<${kind}>`, `id or name of the ${kind}`)
    .action(async (reference: string, options: ChangeOptions) => {
      const givenFields = Object.keys(fieldsFromOptions(fields, { ...options }));
      const changed = [...givenFields, ...(options.depot === undefined ? [] : ['depot'])];
      if (changed.length === 0) throw new UserError('name at least one field to change; --help lists the options.');
      const id = await changeOrganization(options, async (change) => {
        const found = await findTransportId(change.tx, change.organizationNo, kind, reference);
        await updateTransport(change, kind, found, await valuesOf(change, transport, options));
        return found;
      });
      printResult(options, { id, changed }, `changed ${changed.join(', ')} of the ${kind} ${id}`);
    });
}

/** The objects of a kind, without the name of the kind. */
const listRows =
  ({ kind }: Kind) =>
  async (db: Db, organization: number): Promise<object[]> =>
    (await listTransport(db, organization, kind)).map(({ object }) => {
      const { object: _, ...fields } = object;
      return fields;
    });

function deleteCommand(): Command {
  const example = 'drivers delete "Raúl Vega" --organization a0gas';
  return writeCommand('delete', 'erase the name and the phone number of a driver; rounds keep the id', example)
    .argument('<driver>', 'id or name of the driver')
    .addOption(organizationOption())
    .action(async (reference: string, options: WriteOptions & OrganizationOption) => {
      const id = await changeOrganization(options, async (change) => {
        const found = await findTransportId(change.tx, change.organizationNo, 'driver', reference);
        await deleteDriver(change, found);
        return found;
      });
      printResult(options, { id }, `deleted the driver ${id}`);
    });
}
