import { type Command, Option } from 'commander';
import { operatorChange } from '../../catalog/change_context.ts';
import { findTank } from '../../catalog/tanks.ts';
import { readTankGauges, setTankGauges, withGauge } from '../../gauges/set_gauges.ts';
import { UserError } from '../../values/user_error.ts';
import {
  changeObject,
  type OrganizationOption,
  organizationOption,
  parseTime,
  printFields,
  printResult,
  readOrganization,
  type WriteOptions,
  writeCommand,
} from '../command.ts';
import { addGaugeOptions, DESCRIBING, type DescribedGauge, gaugeOf } from '../gauge_options.ts';

interface GaugeOptions extends WriteOptions, OrganizationOption, DescribedGauge {
  from?: string;
  remove?: boolean;
}

export function gaugeCommand(): Command {
  const example =
    'tanks gauge ABCD1234 --organization a0gas --form horizontal_cylinder --diameter-mm 952 --length-mm 3023 --offset-mm 50';
  const command = writeCommand(
    'gauge',
    'show, describe or correct the shape of a tank and what its device measures',
    example,
  )
    .argument('<tank>', 'id of the tank, or its device')
    .addOption(organizationOption());
  return addGaugeOptions(command)
    .option('--from <time>', 'another gauge that begins at this time (default: correct the newest one)', parseTime)
    .addOption(new Option('--remove', 'remove the gauge that begins at that time, or the newest one').conflicts('form'))
    .addHelpText(
      'after',
      '\nWithout --form, shows the gauges. A correction replaces the whole gauge: give all its options. What was measured never' +
        '\nchanges: writers compute the stored levels again within seconds, and store what was rejected for lack of a gauge.',
    )
    .action(async (reference: string, options: GaugeOptions, called: Command) => {
      const { form, remove } = options;
      if (form === undefined && remove !== true) {
        if ([...DESCRIBING, 'from'].some((name) => called.getOptionValueSource(name) === 'cli'))
          throw new UserError('give --form too: a correction describes the whole gauge.');
        return showGauges(reference, options);
      }
      const gauge = form === undefined ? undefined : gaugeOf(form, options);
      const { id } = await changeObject(findTank, reference, options, (tx, organization, no) =>
        setTankGauges(operatorChange(tx, organization), { no }, ({ gauges }) => {
          const wanted = withGauge(gauges, options.from, gauge);
          if (gauge === undefined && wanted.length === gauges.length)
            throw new UserError(
              `no gauge of the tank begins at that time; see: tankwatch tanks gauge ${reference} --organization ${options.organization}`,
            );
          return wanted;
        }),
      );
      const what = gauge === undefined ? 'removed a gauge of' : 'set the gauge of';
      printResult(options, { tank_id: id }, `${what} the tank ${id}; its levels are computed again`);
    });
}

const showGauges = (reference: string, options: GaugeOptions): Promise<void> =>
  readOrganization(options, async (pool, organization) => {
    const { no, id } = await findTank(pool, organization, reference);
    printFields(options, { tank_id: id, ...(await readTankGauges(pool, no)) });
  });
