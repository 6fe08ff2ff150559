/** 41 days. It is shorter than 60 days, after which the level of a tank without readings is unknown. */
export const MAX_REPORT_INTERVAL_HOURS = 999;
