/** SQL: a time inside of JSON, written as responses write it. The driver converts only columns. */
export const isoTimeSql = (time: string): string =>
  `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
