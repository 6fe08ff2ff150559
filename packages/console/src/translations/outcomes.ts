const en = {
  /** Why a stop of a round was not possible. */
  reasons: {
    no_access: 'no access',
    refused: 'customer refused',
    full: 'tank is full',
    truck_empty: 'truck is empty',
    unsafe: 'not safe',
    other: 'other reason',
  },
  /** What the gauge says about a delivery note. */
  verdicts: {
    consistent: 'matches',
    not_consistent: 'does not match',
    cannot_be_told: 'cannot be compared',
    waiting: 'waiting for the gauge',
    note_without_refill: 'no refill seen',
    refill_without_note: 'no note',
  },
};

const es: typeof en = {
  reasons: {
    no_access: 'sin acceso',
    refused: 'el cliente no quiso',
    full: 'el tanque está lleno',
    truck_empty: 'la pipa está vacía',
    unsafe: 'no es seguro',
    other: 'otro motivo',
  },
  verdicts: {
    consistent: 'coincide',
    not_consistent: 'no coincide',
    cannot_be_told: 'no se puede comparar',
    waiting: 'en espera del indicador',
    note_without_refill: 'no se vio recarga',
    refill_without_note: 'sin nota',
  },
};

/** Texts that rounds, the ledger and the timeline share. The file is small, because the timeline is loaded early. */
export const OUTCOME_TEXTS = { en, es };
