import type { Db } from '../db/pool.ts';
import { makeToken } from './sign_in_token.ts';

/**
 * Stores a sign-in of an address, as if the worker had mailed a link, and returns the token of the link. The token
 * works once. Only the owner of the tables may insert the row.
 */
export async function createSignIn(owner: Db, address: string): Promise<string> {
  const [link, browser] = [makeToken(), makeToken()];
  await owner.query('insert into sign_ins (address, browser_sha256, link_sha256) values ($1, $2, $3)', [
    address,
    browser.sha256,
    link.sha256,
  ]);
  return link.text;
}

/** Whether the address belongs to a person who may sign in to the console. */
export async function maySignIn(owner: Db, address: string): Promise<boolean> {
  const { rows } = await owner.query('select from sign_in_identities where address = $1 limit 1', [address]);
  return rows.length > 0;
}
