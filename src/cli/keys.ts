import { Command, InvalidArgumentError, Option } from 'commander';
import type pg from 'pg';
import { findOrganization } from '../catalog/organizations.ts';
import { Refusal } from '../catalog/refusal.ts';
import { readOperatorConfig } from '../config.ts';
import { openPool, transaction } from '../db/pool.ts';
import { issueKey, KEY_SCOPES, type KeyScope, revokeKey } from '../keys/issue.ts';

interface CreateOptions {
  organization: string;
  name: string;
  scope: KeyScope[];
  customer?: string;
  expires?: string;
  json?: boolean;
  quiet?: boolean;
}

export function keysCommand(): Command {
  const keys = new Command('keys').description('API keys: who may read, and who may send readings');
  keys
    .command('create')
    .description('issue a key; its secret is shown this once and stored nowhere')
    .requiredOption('--organization <code>', 'whose data the key opens')
    .requiredOption('--name <name>', 'what the key is for, such as "ERP"')
    .addOption(new Option('--scope <scope...>', 'what the key may do').choices(KEY_SCOPES).default(['read']))
    .option('--customer <id>', 'narrow the key to this one customer')
    .option('--expires <time>', 'when it stops working, such as 2027-01-01T00:00:00Z', futureTime)
    .option('--quiet', 'print the key alone, for scripts')
    .option('--json', 'print one line of JSON')
    .addHelpText('after', '\nExample:\n  tankwatch keys create --organization a0gas --name ERP')
    .action((options: CreateOptions) => withDatabase((pool, cell) => createKey(pool, cell, options)));
  keys
    .command('revoke')
    .description('refuse a key from now on; running processes follow within a second')
    .argument('<prefix>', 'the part of the key before the dot')
    .option('--json', 'print one line of JSON')
    .addHelpText('after', '\nExample:\n  tankwatch keys revoke a0k7x2m9q4tp')
    .action((prefix: string, options: { json?: boolean }) =>
      withDatabase(async (pool) => {
        if (!(await revokeKey(pool, publicPart(prefix))))
          throw new Refusal(`no key begins with ${publicPart(prefix)}.`);
        console.log(options.json ? JSON.stringify({ revoked: publicPart(prefix) }) : `revoked ${publicPart(prefix)}`);
      }),
    );
  return keys;
}

async function createKey(pool: pg.Pool, cell: string, options: CreateOptions): Promise<void> {
  const issued = await transaction(pool, async (tx) => {
    const organizationNo = await findOrganization(tx, options.organization);
    if (organizationNo === undefined)
      throw new Refusal(`there is no organization with the code ${options.organization}.`);
    const customerNo = options.customer === undefined ? null : await findCustomer(tx, organizationNo, options.customer);
    const expiresAt = options.expires ?? null;
    return issueKey(tx, cell, { organizationNo, customerNo, name: options.name, scopes: options.scope, expiresAt });
  });
  if (options.json) console.log(JSON.stringify({ prefix: issued.prefix, key: issued.text }));
  else if (options.quiet) console.log(issued.text);
  else
    console.log(
      `${issued.text}\n\nKeep it now: it cannot be shown again. To revoke it: tankwatch keys revoke ${issued.prefix}`,
    );
}

async function findCustomer(tx: Pick<pg.PoolClient, 'query'>, organizationNo: number, id: string): Promise<number> {
  const { rows } = await tx.query<{ no: number }>(
    'select no from customers where organization_no = $1 and id::text = $2 and deleted_at is null',
    [organizationNo, id],
  );
  if (rows[0] === undefined) throw new Refusal(`the organization has no customer with the id ${id}.`);
  return rows[0].no;
}

/** People paste the whole key; only its public part is looked at, and only that is repeated. */
const publicPart = (text: string): string => text.split('.')[0] ?? text;

function futureTime(text: string): string {
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) throw new InvalidArgumentError('Not a time; write it like 2027-01-01T00:00:00Z.');
  if (at.getTime() < Date.now()) throw new InvalidArgumentError('That is in the past.');
  return at.toISOString();
}

async function withDatabase<T>(work: (pool: pg.Pool, cell: string) => Promise<T>): Promise<T> {
  const { databaseUrl, cell } = readOperatorConfig(process.env);
  const pool = openPool({ url: databaseUrl, applicationName: 'tankwatch keys' });
  try {
    return await work(pool, cell);
  } finally {
    await pool.end();
  }
}
