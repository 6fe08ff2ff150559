import { Command } from 'commander';
import {
  assignProfile,
  listGaugeProfiles,
  listProfileAssignments,
  removeGaugeProfile,
  setGaugeProfile,
  unassignProfile,
  withBuiltIn,
} from '../../gauges/gauge_changes.ts';
import { MAX_INTERVAL_MINUTES, MAX_PERIOD_MINUTES } from '../../gauges/selection.ts';
import { UserError } from '../../values/user_error.ts';
import {
  type CommonOptions,
  changeOrganization,
  listCommand,
  type OrganizationOption,
  organizationNo,
  organizationOption,
  parseWhole,
  printResult,
  printRows,
  readCommand,
  type WriteOptions,
  withDatabase,
  writeCommand,
} from '../command.ts';
import { findProfile, profileOrganizationOption, readProfileFile } from './given_profile.ts';
import { tryCommand } from './try.ts';

type Options = WriteOptions & OrganizationOption;

export function gaugesCommand(): Command {
  return new Command('gauges')
    .description('gauges: profiles that say how the messages of a model of device are read')
    .addCommand(listProfilesCommand())
    .addCommand(showCommand())
    .addCommand(tryCommand())
    .addCommand(addCommand())
    .addCommand(removeCommand())
    .addCommand(assignCommand())
    .addCommand(unassignCommand())
    .addCommand(
      listCommand(
        'list the assignments of profiles',
        'gauges assignments --organization a0gas',
        listProfileAssignments,
        'assignments',
      ),
    );
}

const PROFILE = ['<profile>', 'name of the profile, from: tankwatch gauges list'] as const;
const SELECTOR = [
  '<selector>',
  'topic=oil, device=A84041*, model=dragino/ldds75 or application=tanks; the first kind that fits a message counts, in this order',
] as const;

function listProfilesCommand(): Command {
  return readCommand('list', 'list the profiles, and the models that each reads without an assignment', 'gauges list')
    .addOption(profileOrganizationOption())
    .action(async (options: CommonOptions & Partial<OrganizationOption>) => {
      const { organization } = options;
      const profiles =
        organization === undefined
          ? withBuiltIn([])
          : await withDatabase(async ({ pool }) => listGaugeProfiles(pool, await organizationNo(pool, organization)));
      printRows(
        options,
        profiles.map(({ definition: { profile, maker, device, models = [] }, isOwn }) => ({
          profile,
          maker,
          device,
          models: models.join(' '),
          of: isOwn ? organization : 'Tankwatch',
        })),
      );
    });
}

function showCommand(): Command {
  return readCommand('show', 'print a profile as JSON, to copy and change it', 'gauges show dragino-ldds75')
    .argument(...PROFILE)
    .addOption(profileOrganizationOption())
    .action(async (name: string, options: CommonOptions & Partial<OrganizationOption>) => {
      console.log(JSON.stringify(await findProfile(name, options.organization), null, 2));
    });
}

function addCommand(): Command {
  return writeCommand(
    'add',
    'add a profile, or replace that of the same name',
    'gauges add my-gauge.json --organization a0gas',
  )
    .argument('<file>', 'JSON file with the profile; try it first with: tankwatch gauges try')
    .addOption(organizationOption())
    .action(async (file: string, options: Options) => {
      const definition = await readProfileFile(file);
      const { profile, isNew } = await changeOrganization(options, (change) => setGaugeProfile(change, definition));
      const text = `${isNew ? 'added' : 'replaced'} the profile ${profile.profile}; gateways use it within a second`;
      printResult(options, { profile: profile.profile, is_new: isNew }, text);
    });
}

function removeCommand(): Command {
  return writeCommand('remove', 'remove a profile of an organization', 'gauges remove my-gauge --organization a0gas')
    .argument(...PROFILE)
    .addOption(organizationOption())
    .action(async (name: string, options: Options) => {
      await changeOrganization(options, (change) => removeGaugeProfile(change, name));
      printResult(options, { profile: name }, `removed the profile ${name}`);
    });
}

function assignCommand(): Command {
  const example = "gauges assign 'device=A84041*' dragino-ldds75 --organization a0gas";
  return writeCommand('assign', 'read the messages of devices by a profile from now on', example)
    .argument(...SELECTOR)
    .argument(...PROFILE)
    .addOption(organizationOption())
    .option(
      '--interval-minutes <n>',
      'time between two readings of a message without times',
      parseWhole(1, MAX_INTERVAL_MINUTES, 'minutes'),
    )
    .option(
      '--period-minutes <n>',
      'time between two messages of the device',
      parseWhole(1, MAX_PERIOD_MINUTES, 'minutes'),
    )
    .action(
      async (
        selector: string,
        profile: string,
        options: Options & { intervalMinutes?: number; periodMinutes?: number },
      ) => {
        const { intervalMinutes: interval, periodMinutes: period } = options;
        if ((interval === undefined) !== (period === undefined))
          throw new UserError('give both --interval-minutes and --period-minutes, or none.');
        const settings =
          interval === undefined || period === undefined
            ? null
            : { interval_minutes: interval, period_minutes: period };
        const { assignment } = await changeOrganization(options, (change) =>
          assignProfile(change, { selector, profile, settings }),
        );
        const text = `${assignment.selector} is read by ${profile}; replay what was rejected before with: tankwatch rejected replay --organization ${options.organization} --code malformed`;
        printResult(options, assignment, text);
      },
    );
}

function unassignCommand(): Command {
  const example = "gauges unassign 'device=A84041*' --organization a0gas";
  return writeCommand('unassign', 'remove an assignment', example)
    .argument(...SELECTOR)
    .addOption(organizationOption())
    .action(async (selector: string, options: Options) => {
      await changeOrganization(options, (change) => unassignProfile(change, selector));
      printResult(options, { selector }, `removed the assignment of ${selector}`);
    });
}
