import { explainListenError } from '../settings/listeners.ts';
import { ConfigError } from '../settings/setting_reader.ts';
import { StreamUnavailable } from '../stream/unavailable.ts';
import { ChangeRefusal, type RefusalReason } from '../values/change_refusal.ts';
import { explanationOf } from '../values/explanation.ts';
import { explainUnreachable } from '../values/unreachable.ts';

/** What an operator can do about a refused change. */
const REMEDIES: Readonly<Record<RefusalReason, string>> = {
  contact_exists: 'change it with: tankwatch contacts update',
  last_administrator: 'give the role to another contact first.',
  people_only: 'use a command.',
  too_many_contacts: 'remove one with: tankwatch contacts remove',
  too_many_enabled_webhooks: 'disable one of them first with: tankwatch webhooks disable',
  too_many_events: 'give a later time.',
  too_many_webhooks: 'give one of them the new URL with PATCH /manage/v1/webhooks/{id}, and enable it.',
  webhook_disabled: 'enable it first with: tankwatch webhooks enable',
};

/** An error that the operator can fix becomes one sentence. Any other error is a bug and keeps its stack trace. */
export function explain(error: unknown): unknown {
  if (error instanceof ChangeRefusal) return `tankwatch: ${error.message}; ${REMEDIES[error.reason]}`;
  const sentence =
    explanationOf(error)?.sentence ?? explainListenError(error, process.env) ?? explainOtherServer(error);
  if (sentence !== undefined) return `tankwatch: ${sentence}`;
  const isExplained = error instanceof ConfigError || error instanceof StreamUnavailable;
  return isExplained ? `tankwatch: ${error.message}` : error;
}

/** A server whose setting is not known here, such as the gateway of `tankwatch simulate`. */
function explainOtherServer(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('syscall' in error)) return undefined;
  if (error.syscall !== 'connect' && error.syscall !== 'getaddrinfo') return undefined;
  const host = 'address' in error ? error.address : 'hostname' in error ? error.hostname : 'its address';
  const place = 'port' in error ? `${String(host)}:${String(error.port)}` : String(host);
  return explainUnreachable(error, { program: 'the server', place, setting: 'its setting or option' })?.sentence;
}
