import { pino } from 'pino';
import { Registry } from 'prom-client';
import { onTestFinished } from 'vitest';
import { operatorChange } from '../../src/catalog/change_context.ts';
import { serveConnector } from '../../src/connector/serve.ts';
import { createConnector, type NewConnector } from '../../src/connectors/connector_changes.ts';
import { type Connector, existingConnector } from '../../src/connectors/connectors.ts';
import { transaction } from '../../src/db/pool.ts';
import { readConnectorConfig } from '../../src/settings/connector_settings.ts';
import { type Environment, ingestEnvironment } from './ingest.ts';
import type { TestDatabase } from './test.ts';

export const SECRETS_KEY = 'a-secrets-key-of-the-tests-0123456789abcdef';

/** Settings of a connector and a writer. The sources of tests have private addresses. */
export const connectorEnvironment = (database: TestDatabase, changes: Environment = {}): Environment =>
  ingestEnvironment(database, {
    CONNECTOR_DATABASE_URL: database.urls.worker,
    CONNECTOR_ALLOW_HTTP: 'true',
    CONNECTOR_ALLOW_PRIVATE: 'true',
    CONNECTOR_READINGS_PER_SECOND: '1000000',
    SECRETS_KEY,
    ...changes,
  });

/** A connector role until the end of the test. */
export async function givenConnectorRole(environment: Environment) {
  const registry = new Registry();
  const role = await serveConnector(readConnectorConfig(environment), pino({ level: 'silent' }), registry);
  let isClosed = false;
  const close = async (): Promise<void> => {
    if (!isClosed) await role.close();
    isClosed = true;
  };
  onTestFinished(close);
  return { ...role, close, registry };
}

export async function givenConnector(
  { operator }: TestDatabase,
  organizationNo: number,
  connector: NewConnector,
  { isPaused = false } = {},
): Promise<{ id: string; no: number }> {
  const { id } = await transaction(operator, (tx) =>
    createConnector(operatorChange(tx, organizationNo), connector, SECRETS_KEY, { isPaused }),
  );
  return { id, no: (await existingConnector(operator, organizationNo, id)).no };
}

export const stateOf = async ({ operator }: TestDatabase, organizationNo: number, id: string): Promise<Connector> =>
  (await existingConnector(operator, organizationNo, id)).object;

/** Makes the connector due now. */
export const askNow = ({ owner }: TestDatabase, no: number): Promise<unknown> =>
  owner.query('update connector_states set next_attempt_at = now() where connector_no = $1', [no]);

/** How often the connector has failed since its last success. */
export const failuresOf = async ({ owner }: TestDatabase, no: number): Promise<number> => {
  const { rows } = await owner.query<{ failures: number }>(
    'select failures from connector_states where connector_no = $1',
    [no],
  );
  return rows[0]?.failures ?? 0;
};
