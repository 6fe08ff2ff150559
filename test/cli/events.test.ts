import { Webhook } from 'standardwebhooks';
import { expect } from 'vitest';
import { answering, startReceiver } from '../../engines/webhook_receiver.ts';
import { transaction } from '../../src/db/pool.ts';
import { retractEvents } from '../../src/evaluation/record_events.ts';
import { runCommand } from '../support/cli_in_process.ts';
import { givenTanked, givenWorker, lowFillOf, record, SECRETS_KEY } from '../support/events.ts';
import { givenContact, organizationCodeOf } from '../support/fleet.ts';
import { startMailbox } from '../support/mailbox.ts';
import { type TestDatabase, test, untilTestEnds } from '../support/test.ts';

const environment = (database: TestDatabase, more = {}) => ({
  DATABASE_URL: database.urls.operator,
  SECRETS_KEY,
  WEBHOOK_ALLOW_HTTP: 'true',
  WEBHOOK_ALLOW_PRIVATE: 'true',
  ...more,
});

test('retracted alerts are listed only with --retracted, and a list that was cut says so', async ({ database }) => {
  const fleet = await givenTanked(database);
  const organization = ['--organization', await organizationCodeOf(database.owner, fleet.organizationNo)];
  const list = (...args: string[]) => runCommand(['alerts', 'list', ...args, ...organization], environment(database));
  const happened = lowFillOf(fleet);
  const before = { ...happened, occurredAt: new Date(Date.parse(happened.occurredAt) - 3_600_000).toISOString() };
  const [kept = '', gone = ''] = [...(await record(database, happened)), ...(await record(database, before))];
  await transaction(database.writer, (tx) => retractEvents(tx, [before]));

  const usual = await list('--limit', '1');
  expect([usual.stdout.includes(kept), usual.stdout.includes(gone), usual.stderr]).toEqual([true, false, '']);
  const all = await list('--retracted');
  expect([all.stdout.includes(kept), all.stdout.includes(gone), all.stderr]).toEqual([true, true, '']);
  const cut = await list('--retracted', '--limit', '1');
  expect([cut.stdout.includes(gone), cut.stderr]).toEqual([
    false,
    'only the newest 1 are shown; use --limit to show more\n',
  ]);
  const json = await list('--retracted', '--limit', '1', '--json');
  expect([JSON.parse(json.stdout).length, json.stderr]).toEqual([1, '']);
});

test('an operator sets a webhook up, tries it, rotates its secret, looks at its deliveries and replays', async ({
  database,
}) => {
  const fleet = await givenTanked(database);
  const organization = ['--organization', await organizationCodeOf(database.owner, fleet.organizationNo)];
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look at whatever was printed
  const run = async (...args: string[]): Promise<any> => {
    const { code, stdout, stderr } = await runCommand([...args, ...organization, '--json'], environment(database));
    if (code !== 0) throw new Error(`${stdout}${stderr}`);
    return JSON.parse(stdout);
  };
  const receiver = await untilTestEnds(startReceiver());

  const { id, secret } = await run('webhooks', 'create', receiver.url, '--type', 'tank.low_fill');
  expect((await run('webhooks', 'list'))[0]).toMatchObject({ id, state: 'live', types: 'tank.low_fill' });
  expect(JSON.stringify(await run('webhooks', 'list'))).not.toContain('whsec_');
  expect(await run('webhooks', 'test', id)).toMatchObject({ taken: true, status: 204 });
  const [sent] = receiver.received;
  expect(new Webhook(secret).verify(sent?.body ?? '', sent?.headers as Record<string, string>)).toMatchObject({
    type: 'webhook.test',
  });
  receiver.answer = answering(403);
  await expect(run('webhooks', 'test', id)).rejects.toThrow('"status":403');
  receiver.answer = answering(204);

  const { secret: fresh } = await run('webhooks', 'rotate-secret', id, '--overlap-hours', '1');
  await givenWorker(database);
  const event = lowFillOf(fleet);
  const [eventId = ''] = await record(database, event);
  await expect.poll(() => receiver.received.length).toBe(3);
  const { body, headers } = receiver.received[2] ?? { body: '', headers: {} };
  for (const each of [secret, fresh]) new Webhook(each).verify(body, headers as Record<string, string>);
  await expect
    .poll(async () => (await run('webhooks', 'deliveries', id))[0])
    .toMatchObject({ event_id: eventId, state: 'delivered', tried: 1, last_answer: '204' });

  expect(await run('webhooks', 'replay', id, '--since', event.occurredAt, '--dry-run')).toEqual({
    dry_run: true,
    id,
    events: 1,
  });
  expect(await run('webhooks', 'replay', id, '--since', event.occurredAt)).toEqual({ id, events: 1 });
  await expect.poll(() => receiver.received.at(-1)?.headers['webhook-id']).toBe(eventId);
  await expect.poll(() => receiver.received.length).toBe(4);

  await run('webhooks', 'disable', id);
  expect((await run('webhooks', 'list'))[0].state).toBe('disabled (operator)');
  await run('webhooks', 'enable', id);
  expect((await run('webhooks', 'list'))[0].state).toBe('live');

  expect(await run('alerts', 'list', '--tank', fleet.tank.id, '--type', 'tank.low_fill')).toMatchObject([
    { id: eventId, type: 'tank.low_fill', tank_id: fleet.tank.id, state: 'notified' },
  ]);
  expect(await run('alerts', 'list', '--since', '2031-01-01T00:00:00Z')).toEqual([]);
  expect(await run('alerts', 'explain', eventId)).toMatchObject({
    id: eventId,
    data: { fill_percentage: 19.5 },
    readings: [{ created_at: event.occurredAt, fill_percentage: 19.5 }],
    webhooks: [{ webhook: id, state: 'delivered' }],
  });
  const audit = await run('audit');
  expect(
    audit.filter((row: { object: string }) => row.object === 'webhook').map((row: { fields: string }) => row.fields),
  ).toEqual([
    'disabled_at, disabled_because',
    'disabled_at, disabled_because',
    '', // a replay
    'previous_secret, previous_secret_until, secret',
    'last_test',
    'last_test',
    '', // its creation
  ]);
});

test('commands manage contacts and invitations, and report each mistake in a sentence', async ({ database }) => {
  const fleet = await givenTanked(database);
  const organization = ['--organization', await organizationCodeOf(database.owner, fleet.organizationNo)];
  const run = (args: string[], more = {}) => runCommand([...args, ...organization], environment(database, more));

  const added = await run(['contacts', 'add', 'dispatch@gas.example', '--type', 'tank.refilled', 'tank.low_fill']);
  expect([added.code, added.stdout]).toEqual([0, expect.stringContaining('at once: tank.refilled, tank.low_fill')]);
  expect(added.stdout).toMatch(/\nSMTP_URL is not set here/);
  const daily = await run(['contacts', 'add', 'dispatch@gas.example', '--digest', '7:00', '--json']);
  expect(JSON.parse(daily.stdout)).toMatchObject({ types: ['tank.rapid_loss'], digest_at: '07:00' });
  expect((await run(['contacts', 'list'])).stdout).toMatch(/dispatch@gas\.example +tank\.rapid_loss +07:00/);
  // Access to the console is set on its own: other changes keep it. Each change is in the audit log.
  const hasConsole = async () => JSON.parse((await run(['contacts', 'list', '--json'])).stdout)[0]?.has_console;
  expect(await hasConsole()).toBe(false);
  const allowed = await run(['contacts', 'update', 'dispatch@gas.example', '--console']);
  expect([allowed.code, allowed.stdout]).toEqual([0, expect.stringContaining('can sign in to the console')]);
  await run(['contacts', 'add', 'dispatch@gas.example', '--digest', '8:00']);
  expect(await hasConsole()).toBe(true);
  await run(['contacts', 'update', 'dispatch@gas.example', '--no-console']);
  expect(await hasConsole()).toBe(false);
  expect((await run(['contacts', 'add', 'look@gas.example', '--console', '--type', 'none'])).stdout).toContain(
    'console',
  );
  expect((await run(['contacts', 'remove', 'look@gas.example'])).code).toBe(0);
  const { rows: audit } = await database.owner.query(
    `select fields from audit_log where organization_no = $1 and object = 'contact' and action = 'update' order by no`,
    [fleet.organizationNo],
  );
  expect(audit.filter(({ fields }) => fields.includes('has_console'))).toHaveLength(2);
  expect((await run(['contacts', 'remove', 'dispatch@gas.example'])).code).toBe(0);
  expect((await run(['contacts', 'list'])).stdout).toBe('none\n');
  const { rows } = await database.owner.query(`select from contacts where contacts::text ~ 'dispatch'`);
  expect(rows).toEqual([]);

  const invite = ['customers', 'invite', fleet.customer.id];
  expect((await run(invite)).stdout).toMatch(
    /will mail an invitation .*\nSMTP_URL is not set here\. If the worker has no SMTP_URL either, .* restart it\n$/,
  );
  expect((await run(invite, { SMTP_URL: 'smtp://localhost' })).stdout).toMatch(/will mail an invitation .*\n$/);
  const { rows: jobs } = await database.owner.query(
    'select payload from graphile_worker._private_jobs where key ~ $1',
    ['invitation'],
  );
  expect(jobs).toEqual([{ payload: { customer_no: fleet.customer.no } }]);
  await database.owner.query('update customers set is_verified = true where no = $1', [fleet.customer.no]);

  const mistakes: [string[], Record<string, string>, RegExp][] = [
    [['customers', 'invite', fleet.customer.id], {}, /is already verified/],
    [['webhooks', 'create', 'http://x.example/'], { WEBHOOK_ALLOW_HTTP: 'false' }, /the URL must begin with https/],
    [['webhooks', 'create', 'https://x.example/', '--type', 'tank.exploded'], {}, /Allowed choices are tank\.low_fill/],
    [['webhooks', 'replay', fleet.tank.id, '--since', 'yesterday'], {}, /Write it like 2026-01-01T00:00:00Z/],
    [['webhooks', 'test', fleet.tank.id], {}, /there is no such webhook/],
    [['contacts', 'add', 'nobody'], {}, /must be an e-mail address/],
    [['contacts', 'add', 'x@example.com', '--digest', '25:00'], {}, /must be a time from 00:00 to 23:59/],
    [['contacts', 'add', 'x@example.com', '--role', 'boss'], {}, /Allowed choices are viewer, dispatcher/],
    [['contacts', 'update', 'x@example.com', '--role', 'viewer', 'none'], {}, /cannot be given with another role/],
    [['contacts', 'update', 'x@example.com', '--role', 'viewer', '--console'], {}, /not both/],
    [['contacts', 'remove', 'x@example.com'], {}, /there is no such contact/],
    [['contacts', 'update', 'x@example.com', '--console'], {}, /there is no such contact/],
    [['contacts', 'update', 'x@example.com'], {}, /give --role, --console, --no-console, --name or --language/],
    [['alerts', 'explain', 'x'], {}, /there is no event x/],
  ];
  for (const [args, more, message] of mistakes) {
    const { code, stderr } = await run(args, more);
    expect([args.join(' '), code]).toEqual([args.join(' '), 1]);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/ {4}at /);
  }
});

test('an organization chooses language, time zone, reply address and phone, and a test mail shows them', async ({
  database,
}) => {
  const fleet = await givenTanked(database);
  const code = await organizationCodeOf(database.owner, fleet.organizationNo);
  const mailbox = await startMailbox();
  const settings = { SMTP_URL: mailbox.url, MAIL_FROM: 'Alerts <alerts@gas.example>' };
  const run = (...args: string[]) => runCommand(args, environment(database, settings));
  const changes = ['--language', 'es-mx', '--time-zone', 'America/Mexico_City', '--phone', '+52 461 555 0100'];
  expect((await run('organizations', 'update', code, ...changes, '--reply-to', 'pedidos@gas.example')).stderr).toBe('');
  expect(JSON.parse((await run('organizations', 'show', code, '--json')).stdout)).toMatchObject({
    language: 'es-MX',
    time_zone: 'America/Mexico_City',
    phone: '+52 461 555 0100',
    reply_to: 'pedidos@gas.example',
  });
  await givenContact(database.operator, fleet.organizationNo, {
    email: 'despacho@gas.example',
    types: ['tank.low_fill'],
  });
  const sendTest = () => run('contacts', 'test', 'despacho@gas.example', '--organization', code);
  expect((await sendTest()).stdout).toBe('the mail server accepted the mail: 250 OK: message queued\n');
  const [mail] = mailbox.of('despacho@gas.example');
  expect(mail?.subject).toContain('prueba de sus alertas');
  expect(mail?.headers['reply-to']).toContain('pedidos@gas.example');
  expect(mail?.text).toMatch(/Ejemplo de nivel: 17\.9%, 1,235 litros/);

  mailbox.refusal = { status: 550, message: 'no such user despacho' };
  const refused = await sendTest();
  expect([refused.code, refused.stderr]).toEqual([
    1,
    'tankwatch: the mail server did not accept the mail: 550 no such user despacho\n',
  ]);
  const wrong = await run('organizations', 'update', code, '--time-zone', 'Mexico City');
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('Must be the name of a time zone')]);
});
