import fc from 'fast-check';

/** Random cases are the same in every run, so that a failure can be repeated, and does not appear by chance with an unrelated change. */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env['RANDOM_SEED'] ?? 20_261_116) });
