import { Command, Option } from 'commander';
import { EVENT_TYPES, type EventType } from '../alerts/event_types.ts';
import { readWebhookConfig } from '../config.ts';
import { UserError } from '../values/user_error.ts';
import { uuid7 } from '../values/uuid7.ts';
import { endpointUrlError } from '../webhooks/endpoint_url.ts';
import {
  createEndpoint,
  disableEndpoint,
  enableEndpoint,
  endpointTarget,
  findEndpoint,
  type IssuedSecret,
  listDeliveries,
  listEndpoints,
  replayEvents,
  rotateSecret,
} from '../webhooks/endpoints.ts';
import type { WebhookResponse } from '../webhooks/sender.ts';
import { signatureHeaders } from '../webhooks/signature.ts';
import {
  type CommonOptions,
  change,
  changeFound,
  hours,
  type InOrganization,
  limitOption,
  organizationNo,
  organizationOption,
  print,
  printRows,
  readCommand,
  timeOption,
  type WriteOptions,
  withDatabase,
  writeCommand,
} from './command.ts';

type Options = WriteOptions & InOrganization;

export function webhooksCommand(): Command {
  return new Command('webhooks')
    .description('webhooks: programs elsewhere that are told when something happens to a tank')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(testCommand())
    .addCommand(rotateCommand())
    .addCommand(disableCommand())
    .addCommand(enableCommand())
    .addCommand(deliveriesCommand())
    .addCommand(replayCommand());
}

const WEBHOOK = ['<webhook>', 'its id'] as const;
const EXAMPLE_ID = '01989f31-0c52-7a08-8f4e-5d1c9b7e2f66 --organization a0gas';

function createCommand(): Command {
  const example = 'webhooks create https://erp.example.com/tankwatch --organization a0gas --type tank.low_fill';
  return writeCommand('create', 'tell a program of events from now on; its secret is shown this once', example)
    .argument('<url>', 'where to post to, over https')
    .addOption(organizationOption())
    .addOption(new Option('--type <type...>', 'only these types of events (default: all)').choices(EVENT_TYPES))
    .action((url: string, options: Options & { type?: EventType[] }) =>
      withDatabase(async ({ pool }) => {
        const fault = endpointUrlError(url, readWebhookConfig(process.env));
        if (fault !== undefined) throw new UserError(`the URL ${fault}.`);
        const issued = await change(pool, options, async (tx) =>
          createEndpoint(tx, await organizationNo(tx, options.organization), { url, types: options.type ?? [] }),
        );
        printSecret(options, issued);
      }),
    );
}

function listCommand(): Command {
  return readCommand(
    'list',
    "list an organization's webhooks, without their secrets",
    'webhooks list --organization a0gas',
  )
    .addOption(organizationOption())
    .action((options: CommonOptions & InOrganization) =>
      withDatabase(async ({ pool }) =>
        printRows(options, await listEndpoints(pool, await organizationNo(pool, options.organization))),
      ),
    );
}

function testCommand(): Command {
  return readCommand('test', 'send a signed trial message now and tell what came back', `webhooks test ${EXAMPLE_ID}`)
    .argument(...WEBHOOK)
    .addOption(organizationOption())
    .action((id: string, options: CommonOptions & InOrganization) =>
      withDatabase(async ({ pool }) => {
        const { no } = await findEndpoint(pool, await organizationNo(pool, options.organization), id);
        const { url, secret } = await endpointTarget(pool, no);
        const { status, error, ms } = await sendTrial(url, secret);
        const isTaken = status !== null && status >= 200 && status < 300;
        if (!isTaken) process.exitCode = 1;
        const said = status === null ? `no answer: ${error}` : `it answered ${status}`;
        print(
          options,
          { taken: isTaken, status, error, ms },
          `${isTaken ? 'taken' : 'NOT taken'}: ${said}, after ${ms} ms`,
        );
      }),
    );
}

async function sendTrial(url: string, secret: string): Promise<WebhookResponse> {
  const id = uuid7();
  const body = JSON.stringify({ type: 'webhook.test', timestamp: new Date().toISOString(), data: { id } });
  const signed = signatureHeaders([secret], id, Date.now(), body);
  // Loaded here and not above: the other commands should not wait for an HTTP client to load.
  const { WebhookSender } = await import('../webhooks/sender.ts');
  const sender = new WebhookSender(readWebhookConfig(process.env));
  const answer = await sender.post(
    url,
    { 'content-type': 'application/json', 'user-agent': 'Tankwatch', ...signed },
    body,
  );
  await sender.close();
  return answer;
}

function rotateCommand(): Command {
  return writeCommand(
    'rotate-secret',
    'make a new secret; messages are signed with both for a while',
    `webhooks rotate-secret ${EXAMPLE_ID} --overlap-hours 48`,
  )
    .argument(...WEBHOOK)
    .addOption(organizationOption())
    .option('--overlap-hours <hours>', 'how long the old secret still signs; 0: not at all', hours, 24)
    .action(async (reference: string, options: Options & { overlapHours: number }) => {
      const { id, result: secret } = await changeFound(findEndpoint, reference, options, (tx, _organization, no) =>
        rotateSecret(tx, no, options.overlapHours),
      );
      printSecret(options, { id, secret });
    });
}

function disableCommand(): Command {
  return writeCommand('disable', 'tell a webhook nothing more', `webhooks disable ${EXAMPLE_ID}`)
    .argument(...WEBHOOK)
    .addOption(organizationOption())
    .action(async (reference: string, options: Options) => {
      const { id } = await changeFound(findEndpoint, reference, options, (tx, _organization, no) =>
        disableEndpoint(tx, no, 'operator'),
      );
      print(options, { id, disabled: true }, `disabled the webhook ${id}`);
    });
}

function enableCommand(): Command {
  return writeCommand('enable', 'tell a webhook of events again, from now on', `webhooks enable ${EXAMPLE_ID}`)
    .argument(...WEBHOOK)
    .addOption(organizationOption())
    .action(async (reference: string, options: Options) => {
      const { id } = await changeFound(findEndpoint, reference, options, (tx, _organization, no) =>
        enableEndpoint(tx, no),
      );
      const missed = `for what it missed: tankwatch webhooks replay ${id} --organization ${options.organization} --since TIME`;
      print(options, { id, disabled: false }, `enabled the webhook ${id}; ${missed}`);
    });
}

function deliveriesCommand(): Command {
  return readCommand(
    'deliveries',
    'list what was sent to a webhook and what it answered',
    `webhooks deliveries ${EXAMPLE_ID}`,
  )
    .argument(...WEBHOOK)
    .addOption(organizationOption())
    .addOption(limitOption())
    .action((id: string, options: CommonOptions & InOrganization & { limit: number }) =>
      withDatabase(async ({ pool }) => {
        const { no } = await findEndpoint(pool, await organizationNo(pool, options.organization), id);
        const deliveries = await listDeliveries(pool, no, options.limit);
        printRows(options, options.json ? deliveries : deliveries.map(({ attempts: _each, ...short }) => short));
      }),
    );
}

function replayCommand(): Command {
  return writeCommand(
    'replay',
    'send again everything that happened since a time, under the same ids',
    `webhooks replay ${EXAMPLE_ID} --since 2026-01-01T00:00:00Z`,
  )
    .argument(...WEBHOOK)
    .addOption(organizationOption())
    .requiredOption('--since <time>', 'such as 2026-01-01T00:00:00Z', timeOption)
    .action(async (reference: string, options: Options & { since: string }) => {
      const { id, result: events } = await changeFound(findEndpoint, reference, options, (tx, _organization, no) =>
        replayEvents(tx, no, options.since),
      );
      print(options, { id, events }, `sending ${events} event(s) again`);
    });
}

function printSecret(options: WriteOptions, { id, secret }: IssuedSecret): void {
  print(options, { id, secret }, `webhook ${id}\nsecret  ${secret}\n\nKeep the secret now: it is not shown again.`);
}
