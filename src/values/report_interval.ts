/** 41 days. The level of a tank is unknown 60 days after its last reading. */
export const MAX_REPORT_INTERVAL_HOURS = 999;
