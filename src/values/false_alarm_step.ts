/** The step of the text or the notification that takes an event back. Those of an escalation are 1 and above; 0 are notifications at once. */
export const FALSE_ALARM_STEP = -1;
