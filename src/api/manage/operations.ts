import { BULK_OPERATIONS } from './bulk_targets.ts';
import { CUSTOMER_OPERATIONS } from './customers.ts';
import { DEVICE_OPERATIONS } from './devices.ts';
import { DRIVER_LINK_OPERATIONS } from './driver_links.ts';
import { NOTE_OPERATIONS } from './notes.ts';
import type { ManageOperation } from './operation.ts';
import { TANK_OPERATIONS } from './tanks.ts';

/** All operations of /manage/v1: what a program or a person can change. */
export const MANAGE_OPERATIONS: readonly ManageOperation[] = [
  ...CUSTOMER_OPERATIONS,
  ...TANK_OPERATIONS,
  ...BULK_OPERATIONS,
  ...DEVICE_OPERATIONS,
  ...NOTE_OPERATIONS,
  ...DRIVER_LINK_OPERATIONS,
];
