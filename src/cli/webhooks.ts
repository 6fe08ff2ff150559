import { Command, Option } from 'commander';
import { readSecretsKeys, readWebhookConfig } from '../settings/command_settings.ts';
import { amount } from '../values/text_format.ts';
import { UserError } from '../values/user_error.ts';
import { endpointTarget, type IssuedSecret } from '../webhooks/endpoint_secrets.ts';
import { listEndpoints, listWebhookDeliveries } from '../webhooks/read_webhooks.ts';
import type { WebhookResponse } from '../webhooks/sender.ts';
import { sendTestMessage } from '../webhooks/test_message.ts';
import {
  createWebhook,
  deleteWebhook,
  existingWebhook,
  replayWebhook,
  rotateWebhookSecret,
  updateWebhook,
} from '../webhooks/webhook_changes.ts';
import { OVERLAP_HOURS } from '../webhooks/webhook_limits.ts';
import { WEBHOOK_TYPES, type WebhookType } from '../webhooks/webhook_types.ts';
import {
  type CommonOptions,
  changeOrganization,
  limitOption,
  listCommand,
  type OrganizationOption,
  organizationOption,
  parseTime,
  parseWhole,
  printResult,
  printRows,
  readCommand,
  readOrganization,
  recordedCommand,
  type WriteOptions,
  writeCommand,
} from './command.ts';

type Options = WriteOptions & OrganizationOption;

export function webhooksCommand(): Command {
  return new Command('webhooks')
    .description('webhooks: endpoints that receive events')
    .addCommand(createCommand())
    .addCommand(
      listCommand(
        'list the webhooks of an organization, without their secrets',
        'webhooks list --organization a0gas',
        listEndpoints,
      ),
    )
    .addCommand(testCommand())
    .addCommand(rotateCommand())
    .addCommand(disableCommand())
    .addCommand(enableCommand())
    .addCommand(deleteCommand())
    .addCommand(deliveriesCommand())
    .addCommand(replayCommand());
}

const WEBHOOK = ['<webhook>', 'id of the webhook'] as const;
const EXAMPLE_ID = '01989f31-0c52-7a08-8f4e-5d1c9b7e2f66 --organization a0gas';

function createCommand(): Command {
  const example = 'webhooks create https://erp.example.com/tankwatch --organization a0gas --type tank.low_fill';
  return writeCommand('create', 'send events to a URL from now on; the signing secret is shown only once', example)
    .argument('<url>', 'https URL of the endpoint')
    .addOption(organizationOption())
    .addOption(
      new Option('--type <type...>', 'only these types (default: all events, no changes)').choices(WEBHOOK_TYPES),
    )
    .action(async (url: string, options: Options & { type?: WebhookType[] }) => {
      const { secretsKey } = readSecretsKeys(process.env);
      await assertCanBeSent(url);
      const endpoint = { url, types: options.type ?? [] };
      printSecret(options, await changeOrganization(options, (change) => createWebhook(change, endpoint, secretsKey)));
    });
}

/**
 * Refuses a URL that no attempt could ever reach. A host name that cannot be resolved now is accepted, because it may
 * exist tomorrow.
 */
async function assertCanBeSent(url: string): Promise<void> {
  const { findSendProblem } = await import('../http/outgoing_address.ts');
  const problem = await findSendProblem(url, readWebhookConfig(process.env));
  if (problem === undefined) return;
  const { reason, isCertain } = problem;
  if (!isCertain) console.error(`the endpoint cannot be reached now: ${reason}. Try it with: tankwatch webhooks test`);
  else if (reason.startsWith('the URL')) throw new UserError(`${reason}.`);
  else
    throw new UserError(
      `${reason}, and webhooks are not sent there; give a public address, or set WEBHOOK_ALLOW_PRIVATE=true for the worker and this command.`,
    );
}

function testCommand(): Command {
  return recordedCommand('test', 'send a signed test message now and show the response', `webhooks test ${EXAMPLE_ID}`)
    .argument(...WEBHOOK)
    .addOption(organizationOption())
    .action(async (id: string, options: Options) => {
      const { secretsKeys } = readSecretsKeys(process.env);
      const target = await changeOrganization(options, async ({ tx, organizationNo: organization }) => {
        const { no, object } = await existingWebhook(tx, organization, id);
        await tx.query('select record_webhook_test($1)', [no]);
        return endpointTarget(tx, { no, id: object.id }, secretsKeys);
      });
      const { status, error, ms } = await sendTest(target);
      const isAccepted = status !== null && status >= 200 && status < 300;
      if (!isAccepted) process.exitCode = 1;
      const response = status === null ? `no response (${error})` : `the endpoint responded with ${status}`;
      printResult(
        options,
        { taken: isAccepted, status, error, ms },
        `${isAccepted ? 'delivered' : 'NOT delivered'}: ${response} after ${ms} ms`,
      );
    });
}

async function sendTest(target: Awaited<ReturnType<typeof endpointTarget>>): Promise<WebhookResponse> {
  // Loaded here and not above, because the other commands do not need an HTTP client and should start fast.
  const { WebhookSender } = await import('../webhooks/sender.ts');
  const sender = new WebhookSender(readWebhookConfig(process.env));
  const response = await sendTestMessage(sender, target);
  await sender.close();
  return response;
}

function rotateCommand(): Command {
  return writeCommand(
    'rotate-secret',
    'create a new secret; messages are signed with both during the overlap',
    `webhooks rotate-secret ${EXAMPLE_ID} --overlap-hours 48`,
  )
    .argument(...WEBHOOK)
    .addOption(organizationOption())
    .option(
      '--overlap-hours <hours>',
      `how long messages are still signed with the old secret, at most ${OVERLAP_HOURS.max}`,
      parseWhole(0, OVERLAP_HOURS.max, 'hours'),
      OVERLAP_HOURS.default,
    )
    .action(async (id: string, options: Options & { overlapHours: number }) => {
      const { secretsKey } = readSecretsKeys(process.env);
      const secret = await changeOrganization(options, (change) =>
        rotateWebhookSecret(change, id, options.overlapHours, secretsKey),
      );
      printSecret(options, { id, secret });
    });
}

function disableCommand(): Command {
  return writeCommand('disable', 'stop sending events to a webhook', `webhooks disable ${EXAMPLE_ID}`)
    .argument(...WEBHOOK)
    .addOption(organizationOption())
    .action(async (id: string, options: Options) => {
      await changeOrganization(options, (change) => updateWebhook(change, id, { enabled: false }));
      printResult(options, { id, disabled: true }, `disabled the webhook ${id}`);
    });
}

function enableCommand(): Command {
  return writeCommand('enable', 'send events to a webhook again, from now on', `webhooks enable ${EXAMPLE_ID}`)
    .argument(...WEBHOOK)
    .addOption(organizationOption())
    .action(async (id: string, options: Options) => {
      await changeOrganization(options, (change) => updateWebhook(change, id, { enabled: true }));
      const missed = `to send the events it missed: tankwatch webhooks replay ${id} --organization ${options.organization} --since TIME`;
      printResult(options, { id, disabled: false }, `enabled the webhook ${id}; ${missed}`);
    });
}

function deleteCommand(): Command {
  return writeCommand('delete', 'delete a webhook for good', `webhooks delete ${EXAMPLE_ID}`)
    .argument(...WEBHOOK)
    .addOption(organizationOption())
    .action(async (id: string, options: Options) => {
      await changeOrganization(options, (change) => deleteWebhook(change, id));
      printResult(options, { id, deleted: true }, `deleted the webhook ${id}`);
    });
}

function deliveriesCommand(): Command {
  return readCommand(
    'deliveries',
    'list the deliveries to a webhook and its responses',
    `webhooks deliveries ${EXAMPLE_ID}`,
  )
    .argument(...WEBHOOK)
    .addOption(organizationOption())
    .addOption(limitOption())
    .action((id: string, options: CommonOptions & OrganizationOption & { limit: number }) =>
      readOrganization(options, async (pool, organization) => {
        const { no } = await existingWebhook(pool, organization, id);
        const deliveries = await listWebhookDeliveries(pool, no, options.limit);
        printRows(options, options.json ? deliveries : deliveries.map(({ attempts: _attempts, ...row }) => row));
      }),
    );
}

function replayCommand(): Command {
  return writeCommand(
    'replay',
    'send all events since a time again, with the same ids',
    `webhooks replay ${EXAMPLE_ID} --since 2026-01-01T00:00:00Z`,
  )
    .argument(...WEBHOOK)
    .addOption(organizationOption())
    .requiredOption('--since <time>', 'send events since this time, such as 2026-01-01T00:00:00Z', parseTime)
    .action(async (id: string, options: Options & { since: string }) => {
      const events = await changeOrganization(options, (change) => replayWebhook(change, id, { since: options.since }));
      printResult(options, { id, events }, `sending ${amount(events, 'events')}`);
    });
}

function printSecret(options: WriteOptions, { id, secret }: IssuedSecret): void {
  printResult(
    options,
    { id, secret },
    `webhook ${id}\nsecret  ${secret}\n\nStore the secret now: it is not shown again.`,
  );
}
