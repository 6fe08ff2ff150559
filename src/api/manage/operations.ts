import { ACKNOWLEDGEMENT_OPERATIONS } from './acknowledgements.ts';
import { AUDIT_OPERATIONS } from './audit.ts';
import { BULK_OPERATIONS } from './bulk_targets.ts';
import { CALIBRATION_OPERATION } from './calibration.ts';
import { CONNECTOR_OPERATIONS } from './connectors.ts';
import { CONTACT_OPERATIONS } from './contacts.ts';
import { CUSTOMER_OPERATIONS } from './customers.ts';
import { DELIVERY_DAY_OPERATIONS } from './delivery_days.ts';
import { DELIVERY_NOTE_OPERATIONS } from './delivery_notes.ts';
import { DEVICE_OPERATIONS } from './devices.ts';
import { DIP_OPERATIONS } from './dips.ts';
import { DRIVER_LINK_OPERATIONS } from './driver_links.ts';
import { DUTY_OPERATIONS } from './duty.ts';
import { ESCALATION_OPERATIONS } from './escalations.ts';
import { GAUGE_PROFILE_OPERATIONS } from './gauge_profiles.ts';
import { GAUGE_OPERATIONS } from './gauges.ts';
import { IMPORT_OPERATIONS } from './imports.ts';
import type { ManageOperation } from './manage_operation.ts';
import { MUTE_OPERATIONS } from './mutes.ts';
import { ORGANIZATION_OPERATIONS } from './organization.ts';
import { REACH_OPERATIONS } from './reach.ts';
import { ROUND_PROPOSAL_OPERATION } from './round_proposals.ts';
import { ROUND_STOP_OPERATIONS } from './round_stops.ts';
import { ROUND_OPERATIONS } from './rounds.ts';
import { NOTE_OPERATIONS } from './tank_notes.ts';
import { TANK_OPERATIONS } from './tanks.ts';
import { TEXT_CHANNEL_OPERATIONS } from './text_channel.ts';
import { TRANSPORT_OPERATIONS } from './trucks.ts';
import { WEBHOOK_OPERATIONS } from './webhooks.ts';

/** All operations of /manage/v1: what a program or a person can change. */
export const MANAGE_OPERATIONS: readonly ManageOperation[] = [
  ...CUSTOMER_OPERATIONS,
  ...TANK_OPERATIONS,
  ...BULK_OPERATIONS,
  ...IMPORT_OPERATIONS,
  ...DEVICE_OPERATIONS,
  ...GAUGE_PROFILE_OPERATIONS,
  ...NOTE_OPERATIONS,
  ...GAUGE_OPERATIONS,
  CALIBRATION_OPERATION,
  ...TRANSPORT_OPERATIONS,
  ...DELIVERY_DAY_OPERATIONS,
  ...ROUND_OPERATIONS,
  ...ROUND_STOP_OPERATIONS,
  ROUND_PROPOSAL_OPERATION,
  ...DELIVERY_NOTE_OPERATIONS,
  ...DIP_OPERATIONS,
  ...DRIVER_LINK_OPERATIONS,
  ...ACKNOWLEDGEMENT_OPERATIONS,
  ...MUTE_OPERATIONS,
  ...CONTACT_OPERATIONS,
  ...DUTY_OPERATIONS,
  ...TEXT_CHANNEL_OPERATIONS,
  ...REACH_OPERATIONS,
  ...ESCALATION_OPERATIONS,
  ...WEBHOOK_OPERATIONS,
  ...CONNECTOR_OPERATIONS,
  ...ORGANIZATION_OPERATIONS,
  ...AUDIT_OPERATIONS,
];
