/** 0 keeps rows forever, so only rows without such a setting are deleted. */
export const FOREVER = {
  rejectedDays: 0,
  deliveryDays: 0,
  mailDays: 0,
  auditDays: 0,
  eventDays: 0,
  keyActivityDays: 0,
  telemetryDays: 0,
  archiveFolder: '',
};
