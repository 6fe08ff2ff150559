/** The alert threshold of a tank that is created without one. */
export const USUAL_THRESHOLD_PERCENTAGE = 20;

type Texts = Readonly<Record<string, string>>;

interface Suggested {
  what: 'customers' | 'tanks';
  columns: Texts;
  constants: Texts;
  /** The required fields without a column or a constant. */
  missing: readonly string[];
}

/** Returns proposed values for required fields that a file lacks. A person checks them before the import. */
export function usualConstants(
  { what, columns, constants, missing }: Suggested,
  { nameOfTank, unit, noEmail }: { nameOfTank: string; unit: string | undefined; noEmail: string },
): Record<string, string> {
  const usual: Record<string, string | undefined> = {
    name: what === 'tanks' ? nameOfTank : undefined,
    capacity_unit: unit,
    min_fill_alert_percentage: `${USUAL_THRESHOLD_PERCENTAGE}`,
    // Levels in a list of tanks were read on dials.
    assigned_device_id: columns['fill_percentage'] === undefined ? 'pending' : 'manual',
    email: noEmail,
  };
  const ofMissing = missing.flatMap((field): [string, string][] => {
    const value = usual[field];
    return value === undefined ? [] : [[field, value]];
  });
  const emptyMails = columns['customer_name'] === undefined ? {} : { customer_email: noEmail };
  const ofCustomers = what === 'customers' ? { email: noEmail } : emptyMails;
  return { ...Object.fromEntries(ofMissing), ...ofCustomers, ...constants };
}
