/** The values of an event depend on its type. A missing value counts as 0. */
export function numberIn(data: Readonly<Record<string, unknown>>, name: string): number {
  const value = data[name];
  return typeof value === 'number' ? value : 0;
}

export const unitIn = (data: Readonly<Record<string, unknown>>): 'liters' | 'gallons' =>
  data['volume_unit'] === 'gallons' ? 'gallons' : 'liters';
