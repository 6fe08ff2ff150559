/** Series and number of a delivery note as a driver types them: `A-20379`, `A 20379`, `20379`. */
export function splitNote(note: string | null): { series: string | null; number: string | null } {
  if (note === null) return { series: null, number: null };
  const [, series = '', number = note] = /^(\p{L}{1,10})[\s./-]*(\d.*)$/u.exec(note) ?? [];
  return { series: series.toUpperCase(), number };
}
