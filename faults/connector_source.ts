import { setTimeout as sleep } from 'node:timers/promises';
import type { Installation } from '../engines/installation.ts';
import { operatorChange } from '../src/catalog/change_context.ts';
import { createConnector, type NewConnector } from '../src/connectors/connector_changes.ts';
import { type Connector, existingConnector, type SourceState } from '../src/connectors/connectors.ts';
import { transaction } from '../src/db/pool.ts';

export const addConnector = (
  { owner, organizationNo, secretsKey }: Installation,
  connector: NewConnector,
): Promise<{ id: string }> =>
  transaction(owner, (tx) => createConnector(operatorChange(tx, organizationNo), connector, secretsKey));

export const stateOf = async ({ owner, organizationNo }: Installation, id: string): Promise<Connector> =>
  (await existingConnector(owner, organizationNo, id)).object;

/** Waits for a condition, for two minutes at most. The checks find what is wrong after that. */
export async function until(isTrue: () => Promise<boolean>): Promise<void> {
  for (let n = 0; n < 1_200 && !(await isTrue()); n++) await sleep(100);
}

export const untilState = (installation: Installation, id: string, state: SourceState): Promise<void> =>
  until(async () => {
    await makeDue(installation, id);
    return (await stateOf(installation, id)).state === state;
  });

/** Makes a failed source due now. After an answer 429, whose Retry-After is two seconds, the source stays as it is for five seconds. */
export async function makeDue({ owner }: Installation, id: string): Promise<void> {
  await owner.query(
    `update connector_states s set next_attempt_at = now() from connectors c
     where c.no = s.connector_no and c.id = $1 and s.failing_since is not null and s.down_since is null and s.leased_by is null
       and s.next_attempt_at > now() and (s.last_error not like '%(429)' or s.attempted_at < now() - interval '5 seconds')`,
    [id],
  );
  await sleep(50);
}

/** Ends the lease of a killed process. */
export const endLease = ({ owner }: Installation, id: string): Promise<unknown> =>
  owner.query(
    'update connector_states s set leased_until = now() from connectors c where c.no = s.connector_no and c.id = $1',
    [id],
  );
