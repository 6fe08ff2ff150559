/** SQL for a time inside JSON, in the format of responses. The driver converts only the times of columns. */
export const isoTimeSql = (time: string): string =>
  `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
