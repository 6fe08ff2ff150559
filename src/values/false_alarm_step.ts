/**
 * The step of the text or push notification that retracts an event. Immediate notifications have step 0, those of an escalation have
 * steps from 1 on.
 */
export const FALSE_ALARM_STEP = -1;
