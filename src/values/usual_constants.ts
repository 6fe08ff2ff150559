type Texts = Readonly<Record<string, string>>;

interface Suggested {
  what: 'customers' | 'tanks';
  columns: Texts;
  constants: Texts;
  /** Required fields that neither the file nor a constant gives. */
  missing: readonly string[];
}

/** The values that are proposed for what a file does not say. A person sees them before the import. */
export function usualConstants(
  { what, columns, constants, missing }: Suggested,
  { nameOfTank, unit, noEmail }: { nameOfTank: string; unit: string | undefined; noEmail: string },
): Record<string, string> {
  const usual: Record<string, string | undefined> = {
    name: what === 'tanks' ? nameOfTank : undefined,
    capacity_unit: unit,
    min_fill_alert_percentage: '20',
    // Levels in a list were read on dials.
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
