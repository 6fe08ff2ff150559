import { Command } from 'commander';
import { lockOrganization } from '../../catalog/organizations.ts';
import { readDutyPlan, setDutyPlan, whoIsOnDuty } from '../../duty/duty_plan.ts';
import { parseDutyPlan } from '../../duty/parse_duty_plan.ts';
import {
  type CommonOptions,
  changeOrganization,
  type OrganizationOption,
  organizationOption,
  parseTime,
  printFields,
  printResult,
  readCommand,
  readOrganization,
  type WriteOptions,
  writeCommand,
} from '../command.ts';
import { readInput } from '../input_file.ts';
import {
  channelCommand,
  escalationsCommand,
  peopleCommand,
  reachCommand,
  tellCommand,
  textCommand,
  verifyCommand,
} from './texts.ts';

export function dutyCommand(): Command {
  return new Command('duty')
    .description('who is on duty, and how people are notified of losses')
    .addCommand(showCommand())
    .addCommand(planCommand())
    .addCommand(setCommand())
    .addCommand(channelCommand())
    .addCommand(reachCommand())
    .addCommand(textCommand())
    .addCommand(verifyCommand())
    .addCommand(peopleCommand())
    .addCommand(escalationsCommand())
    .addCommand(tellCommand());
}

function showCommand(): Command {
  return readCommand('show', 'show who is on duty now or at another time', 'duty show --organization a0gas')
    .addOption(organizationOption())
    .option('--at <time>', 'another time', parseTime)
    .action((options: CommonOptions & OrganizationOption & { at?: string }) =>
      readOrganization(options, async (pool, no) =>
        printFields(options, { ...(await whoIsOnDuty(pool, no, options.at ?? new Date().toISOString())) }),
      ),
    );
}

function planCommand(): Command {
  return readCommand(
    'plan',
    'print the plan as JSON, which `tankwatch duty set` reads',
    'duty plan --organization a0gas > plan.json',
  )
    .addOption(organizationOption())
    .action((options: CommonOptions & OrganizationOption) =>
      readOrganization(options, async (pool, no) => {
        const { plan } = await readDutyPlan(pool, no);
        console.log(JSON.stringify(plan, null, options.json ? 0 : 2));
      }),
    );
}

function setCommand(): Command {
  return writeCommand('set', 'replace the plan with that of a JSON file', 'duty set plan.json --organization a0gas')
    .argument(
      '<file>',
      'file with shifts, exceptions and steps; contacts by id or mail address; - reads the standard input',
    )
    .addOption(organizationOption())
    .action(async (file: string, options: WriteOptions & OrganizationOption) => {
      const planText = (await readInput(file)).toString('utf8');
      const { shifts, exceptions } = await changeOrganization(options, async (change) => {
        // First, so that the addresses name the contacts that the plan is stored with.
        await lockOrganization(change.tx, change.organizationNo);
        const plan = await parseDutyPlan(change.tx, change.organizationNo, planText);
        await setDutyPlan(change, plan);
        return plan;
      });
      printResult(
        options,
        { shifts: shifts.length, exceptions: exceptions.length },
        `stored ${shifts.length} shifts and ${exceptions.length} exceptions`,
      );
    });
}
