import { refusalOfLostRace } from '../catalog/lost_race.ts';
import { isConflictOfWriters } from '../db/conflict_of_writers.ts';
import { explainListenError } from '../settings/listeners.ts';
import { ConfigError, type Environment } from '../settings/setting_reader.ts';
import { StreamUnavailableError } from '../stream/unavailable.ts';
import { ChangeRefusedError, InvalidValuesError, type RefusalReason } from '../values/change_refusal.ts';
import { errorCode } from '../values/error_code.ts';
import { explanationOf } from '../values/explanation.ts';
import { explainUnreachable } from '../values/unreachable.ts';
import { UserError } from '../values/user_error.ts';

/** What an operator can do about a refused change. */
const REMEDIES: Readonly<Record<RefusalReason, string>> = {
  contact_exists: 'change it with: tankwatch contacts update',
  custom_id_taken: 'change one of them first.',
  customer_owns_tanks: 'transfer or delete them first, or delete both with --with-tanks.',
  customer_verified: 'there is nothing to do.',
  device_conditions_only: 'ask a dispatcher.',
  device_on_other_tank:
    'to move it, use tankwatch tanks assign-device with --swap, or with --replacement and another device for that tank.',
  device_revoked: 'give it a new password with: tankwatch devices rotate',
  device_without_password: 'assign a device to the tank first.',
  escalation_over: 'there is nothing to do.',
  external_key_taken: 'find it with the command list --json of customers, tanks, trucks, drivers or depots.',
  gauge_not_described: 'describe it first with: tankwatch tanks gauge',
  gauge_profile_in_use: 'assign another profile there first with: tankwatch gauges assign',
  handled_by_other: 'ask them first.',
  import_not_recorded: 'correct the file and import it again.',
  import_undone: 'there is nothing to do.',
  last_administrator: 'give the role to another contact first.',
  name_taken: 'choose another name.',
  no_code: 'send a new one with: tankwatch duty text',
  no_console_role: 'give a role with: tankwatch contacts update --role',
  no_phone: 'set one with: tankwatch duty reach --phone',
  no_text_channel: 'set up a provider with: tankwatch duty channel',
  not_open: 'there is nothing to do.',
  note_taken: 'check the number.',
  other_device: 'to exchange it, use: tankwatch tanks assign-device',
  people_only: 'use a command.',
  replacement_on_other_tank: 'name another replacement.',
  round_over: 'create another one with: tankwatch rounds create',
  stop_at_batch_tank: 'take it off the round in the console.',
  stop_closed: 'see: tankwatch rounds show',
  tank_had_sensor: 'give a later time.',
  tank_has_sensor:
    'only a tank without one takes manual readings: its device is manual when it is created or assigned.',
  tank_losing: 'it cannot be muted.',
  tank_on_other_round: 'see: tankwatch rounds list',
  too_many_connectors: 'remove one with: tankwatch connectors remove',
  too_many_contacts: 'remove one with: tankwatch contacts remove',
  too_many_dips: 'send it again tomorrow.',
  too_many_enabled_webhooks: 'disable one of them first with: tankwatch webhooks disable',
  too_many_entries: 'there is nothing to do.',
  too_many_events: 'give a later time.',
  too_many_gauges: 'remove one of them first with: tankwatch gauges remove or unassign',
  too_many_invitations: 'send it again tomorrow.',
  too_many_notes: 'delete one of them first.',
  too_many_of_kind: 'change an archived one with the command update of trucks, drivers or depots.',
  too_many_pins: 'remove them first.',
  too_many_tanks: 'delete tanks first.',
  too_many_texts: 'send it again tomorrow.',
  too_many_webhooks: 'delete one first with: tankwatch webhooks delete',
  unusable_solution: 'give the answer of VROOM to the problem of: tankwatch rounds vroom',
  webhook_disabled: 'enable it first with: tankwatch webhooks enable',
};

/** An error that the operator can fix becomes one sentence. Any other error is a bug and keeps its stack trace. */
export function explain(thrown: unknown): unknown {
  const error = refusalOfLostRace(thrown);
  if (error instanceof ChangeRefusedError) return `tankwatch: ${error.message}; ${REMEDIES[error.reason]}`;
  if (error instanceof InvalidValuesError)
    return `tankwatch: ${error.problems.map(({ field, reason }) => `${optionOf(field)} ${reason}`).join('; ')}.`;
  if (isConflictOfWriters(error))
    return 'tankwatch: others changed the same data at this moment; run the command again';
  const sentence =
    explanationOf(error)?.sentence ??
    explainListenError(error, process.env) ??
    explainOtherServer(error) ??
    explainFile(error);
  const advice = error instanceof UserError && error.advice !== undefined ? ` ${error.advice}` : '';
  if (sentence !== undefined) return `tankwatch: ${nameUp(sentence, process.env)}${advice}`;
  const isExplained = error instanceof ConfigError || error instanceof StreamUnavailableError;
  return isExplained ? `tankwatch: ${error.message}` : error;
}

const optionOf = (field: string): string => `--${field.replace(/_id$/, '').replaceAll('_', '-')}`;

const FILE_CALLS =
  /^(access|chmod|chown|copyfile|fsync|ftruncate|lchown|link|lstat|mkdir|mkdtemp|open|opendir|rename|rm|rmdir|scandir|stat|symlink|unlink|utime|write)$/;

/** Explains why a file or folder cannot be used. Processes and sockets have errors with the same codes. */
function explainFile(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || !FILE_CALLS.test(String(error.syscall))) return undefined;
  const code = errorCode(error) ?? '';
  const place = 'path' in error ? String(error.path) : undefined;
  // An error of `write` names no file. Only a file can have these codes.
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return `the disk of ${place ?? 'the file'} is full (${code}); free some space, then try again`;
  if (place === undefined) return undefined;
  if (code === 'EACCES' || code === 'EPERM')
    return `your user may not use ${place} (${code}); use sudo, or choose another place`;
  if (code === 'EROFS') return `the disk of ${place} is read-only (${code}); choose another place`;
  if (code === 'ENOTDIR') return `a part of ${place} is a file, not a folder (${code}); choose another place`;
  return undefined;
}

/** Advises to start `tankwatch up` instead of a server that only `up` starts, as in an installation by `init`. */
export function nameUp(text: string, environment: Environment): string {
  const servers = environment['POSTGRES_BIN'] ? 'PostgreSQL|nats-server' : 'nats-server';
  if (!environment['NATS_CONFIG']) return text;
  return text.replace(
    new RegExp(`start (${servers}), or`),
    'start Tankwatch (`tankwatch up`, or systemctl start tankwatch), or',
  );
}

/** Explains an error of a server whose setting is not known here, such as the gateway of `tankwatch simulate`. */
function explainOtherServer(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('syscall' in error)) return undefined;
  if (error.syscall !== 'connect' && error.syscall !== 'getaddrinfo') return undefined;
  const host = 'address' in error ? error.address : 'hostname' in error ? error.hostname : 'its address';
  const place = 'port' in error ? `${String(host)}:${String(error.port)}` : String(host);
  return explainUnreachable(error, { program: 'the server', place, setting: 'its setting or option' })?.sentence;
}
