import { DatabaseError } from 'pg';
import { ChangeRefusedError, type RefusalReason } from '../values/change_refusal.ts';

/** The reason and the message of the refusal for each unique index that a change checks before it writes. */
const REFUSALS: Readonly<Record<string, readonly [RefusalReason, string]>> = {
  connectors_by_name: ['name_taken', 'another connector has this name'],
  contacts_organization_no_email_key: ['contact_exists', 'a contact has this address'],
  customers_external_key: ['external_key_taken', 'another customer has this external_key'],
  depots_external_key: ['external_key_taken', 'another depot has this external_key'],
  drivers_external_key: ['external_key_taken', 'another driver has this external_key'],
  one_driver_per_name: ['name_taken', 'another driver has this name'],
  one_open_stop_per_tank_and_day: ['tank_on_other_round', 'a tank of this round is on another round of that day'],
  one_tank_per_device: ['device_on_other_tank', 'the device is on another tank'],
  one_truck_per_name: ['name_taken', 'another truck has this name'],
  tanks_custom_id: ['custom_id_taken', 'another tank of this owner has this custom_id'],
  tanks_external_key: ['external_key_taken', 'another tank has this external_key'],
  trucks_external_key: ['external_key_taken', 'another truck has this external_key'],
};

/**
 * Converts a unique violation to the refusal of the change: another change has taken the key since this change checked
 * it. Other errors stay as they are.
 */
export function refusalOfLostRace(error: unknown): unknown {
  const refusal = error instanceof DatabaseError ? REFUSALS[error.constraint ?? ''] : undefined;
  return refusal === undefined ? error : new ChangeRefusedError(...refusal);
}
