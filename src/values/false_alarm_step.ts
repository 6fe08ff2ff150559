/**
 * The step of the text or push notification that retracts an event. The steps of an escalation are 1 and above; 0 are immediate
 * notifications.
 */
export const FALSE_ALARM_STEP = -1;
