/** The step of the text or the notification that takes an event back. 0 tells of it at once, and an escalation from 1 on. */
export const FALSE_ALARM_STEP = -1;
